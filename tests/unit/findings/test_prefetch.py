"""What is said of lines fetched ahead: times measured, prefetchers inferred, with what else would do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import lint, prefetching
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording import prefetch as words
from reportgen.model.exports.dictionary import lookup
from tests.simulated import prefetch_points as made
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_records
from tests.simulated.hypotheses import true_verdict
from tests.simulated.memory_points import working_set_probe
from tests.simulated.truth import CpuTruth
from tests.simulated.truth_lines import TruePrefetch

QUIET = CpuTruth().quiet()
NONE = TruePrefetch(steps=frozenset(), unrolled=frozenset(), along=0)
PAIRS = TruePrefetch(along=0, pairs=True, crosses=False)
ANY = TruePrefetch(steps=frozenset({1, -1}), along=0)


@cache
def found(known: TruePrefetch = TruePrefetch(), levels: bool = False) -> dict[str, Finding]:  # noqa: B008 - frozen
    truth = replace(QUIET, prefetch=known)

    def suite(one: CpuTruth) -> list[Asked]:
        return [*([working_set_probe(one)] if levels else []), *made.probes(one)]

    run, columns, _ = make_records(truth, 3, suite)
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    for probe in run.probes:
        expected = true_verdict(truth, probe)
        if expected is not None:
            assert findings[f"hypothesis:{probe.id}"].verdict is expected, probe.id
    return findings


def test_times_are_measured_and_prefetchers_inferred() -> None:
    findings = found()
    measured = findings["prefetch.stride.up_4"]
    assert measured.claim is Claim.MEASURED
    assert "each 4 lines up from the one before and asked for by one load instruction" in measured.sentence
    assert "the same lines in random order take 2.6" in measured.sentence
    followed = findings["prefetch:followed"]
    assert followed.claim is Claim.INFERRED
    assert followed.alternatives == prefetching.FETCHED_ELSEWHERE
    assert "steps of 1, 2, 3, 4, 8, 16, 32 and 64 lines up and 1 and 4 lines down" in followed.sentence
    assert "1 and 3 lines up in turn do not" in followed.sentence
    assert "steps of 2, 4 and 16 lines up come sooner where one" in findings["prefetch:instruction"].sentence


@pytest.mark.parametrize("rule", ["followed", "instruction", "pair", "along", "ahead", "crossing", "served"])
def test_a_core_without_prefetchers_has_none_inferred(rule: str) -> None:
    assert f"prefetch:{rule}" not in found(NONE)


def test_not_followed_and_not_there_are_said_as_what_was_not_seen() -> None:
    findings = found(NONE)
    assert "no saving by order was seen" in findings["prefetch.stride.up_4"].sentence
    assert "no saving of 8 cycles was seen" in findings["prefetch.near.even.up_1"].sentence


def test_steps_of_any_instruction_are_no_steps_of_one() -> None:
    assert "prefetch:instruction" not in found(ANY)
    assert "steps of 1 line up and 1 line down come sooner" in found(ANY)["prefetch:followed"].sentence


def test_neighbours_or_pairs() -> None:
    along = found()["prefetch:along"].sentence
    assert "1 and 2 lines up and 1 and 2 lines down from a line that was touched" in along
    assert "4, 8 and 16 lines up and 4 and 8 lines down does not" in along
    assert "prefetch:pair" not in found()
    assert "fetched in pairs" in found(PAIRS)["prefetch:pair"].sentence
    assert "prefetch:along" not in found(PAIRS)


def test_how_far_ahead_and_across_a_page() -> None:
    assert "the line 8 further on is there sooner than a far one, and at 16 lines not" in (
        found()["prefetch:ahead"].sentence
    )
    assert "goes on across such a boundary" in found()["prefetch:crossing"].sentence
    assert "stops at such a boundary" in found(PAIRS)["prefetch:crossing"].sentence
    assert found(PAIRS)["prefetch:crossing"].alternatives == prefetching.STOPPING
    assert "where that ends is not told" in words.ahead(24, None)


def test_the_level_that_lines_are_brought_to() -> None:
    second = QUIET.caches[1].latency
    close = TruePrefetch(near=second - 0.8, far=second + 40, training=1, along=0)
    served = found(close, True)["prefetch:served"]
    assert "and one from L2" in served.sentence
    assert "memory.l2.latency" in served.metrics
    assert "prefetch:served" not in found(levels=False)  # no latency of a level to compare with


def test_a_run_that_is_quicker_than_the_first_level_is_a_contradiction() -> None:
    known = TruePrefetch(near=0.5, training=0, along=0)
    assert any("takes" in text for text in found(known, True)["prefetch.stride.up_1"].contradictions)
    assert found(levels=True)["prefetch.stride.up_1"].contradictions == ()


@pytest.mark.parametrize(("followed", "verdict"), [(False, Verdict.NOT_SUPPORTED), (True, Verdict.SUPPORTED)])
def test_a_step_whose_visits_disagree_counts_by_its_pairs(followed: bool, verdict: Verdict) -> None:
    steps = TruePrefetch().steps if followed else TruePrefetch().steps - {4}
    truth = replace(QUIET, prefetch=TruePrefetch(steps=steps, along=0))
    run, columns, _ = make_records(truth, 3, made.probes)
    step = np.char.startswith(columns["point"].astype(str), "memory_hierarchy/prefetch_stride#step=4,")
    columns["ticks"][step & (columns["pass"] == 1)] *= 8
    own = quantities(run, pa.table(columns))
    assert next(one for one in own if one.metric == "prefetch.stride.up_4").value is None
    ended = {one.id: one.verdict for one in derive(run, own)}
    assert ended["hypothesis:memory_hierarchy/prefetch_stride"] is verdict


@pytest.mark.parametrize(
    ("metric", "known", "told"),
    [
        ("prefetch.stride.up_64", TruePrefetch(near=40.0, far=46.0, training=0), "the order is followed"),
        ("prefetch.near.run.up_8", TruePrefetch(near=38.0, far=46.0), "the line came along"),
    ],
)
def test_why_nothing_is_told_is_said(metric: str, known: TruePrefetch, told: str) -> None:
    """Where the gain, or the saving, is the limit itself."""
    run, columns, _ = make_records(replace(QUIET, prefetch=known), 3, made.probes)
    (quantity,) = (one for one in quantities(run, pa.table(columns)) if one.metric == metric)
    name = parse(metric)
    said = words.BUILDERS[name.kind](name, quantity)
    assert f"does not tell whether {told}" in said
    assert said.endswith(": the interval holds the limit.")
    assert lint.offences(said) == ()


def test_words_and_dictionary() -> None:
    for findings in (found(), found(NONE), found(PAIRS)):
        for finding in findings.values():
            assert lint.offences(finding.sentence) == ()
            for text in finding.alternatives:
                assert lint.offences(text) == ()
            for metric in finding.metrics:
                entry = lookup(metric)
                assert entry is not None, metric
                assert entry.method == "prefetch"
                assert words.row(parse(metric))
                assert words.noun(parse(metric))


def test_names_of_metrics() -> None:
    assert parse("prefetch.stride_unrolled.down_1").scope == words.UNROLLED
    assert parse("prefetch.stride.up_1").kind is Kind.PREFETCH_STRIDE
    assert parse("prefetch.near.border.up_4").part == "up_4"
    assert parse("prefetch.run.5_8").kind is Kind.PREFETCH_RUN
    assert parse("prefetch.streams").kind is Kind.PREFETCH_STREAMS
    assert parse("prefetch.anything").kind is Kind.OTHER
    assert words.step("pattern_1_3") == "1 and 3 lines up in turn"
    assert words.place("1") == "first line"
