"""What is said of stores, loads and where they lie: times measured, groups inferred, differences or none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import forwarding, lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.metric import Kind, parse
from reportgen.model.exports.dictionary import lookup
from tests.simulated.access_points import (
    ALIAS,
    SHORT,
    SPLIT,
    STORED,
    alias_probe,
    short_loop_probe,
    split_probe,
    store_to_load_probe,
)
from tests.simulated.cpu import make_records
from tests.simulated.hypotheses import true_verdict
from tests.simulated.truth import CpuTruth, TrueAccess

QUIET = CpuTruth().quiet()


@cache
def found(access: TrueAccess = TrueAccess()) -> dict[str, Finding]:  # noqa: B008 - frozen
    truth = replace(QUIET, access=access)
    suite = (store_to_load_probe, short_loop_probe, split_probe, alias_probe)
    run, columns, _ = make_records(truth, 3, lambda t: [probe(t) for probe in suite])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    for probe in run.probes:
        assert findings[f"hypothesis:{probe.id}"].verdict is true_verdict(truth, probe), probe.id
    return findings


def test_each_time_is_measured_and_its_group_inferred() -> None:
    findings = found()
    measured, groups = findings["store_to_load.64_32.4"], findings["store_to_load:groups"]
    assert measured.claim is Claim.MEASURED
    assert measured.sentence.startswith(
        "A 32-bit load of a part (from byte 4 on) of what a 64-bit store just wrote takes "
    )
    assert groups.claim is Claim.INFERRED
    assert "fall into three groups: 1.0 cycles" in groups.sentence
    assert f"consistent with {forwarding.FORWARDED}" in groups.sentence
    assert f"consistent with {forwarding.WAITED}" in groups.sentence
    assert groups.alternatives == forwarding.GROUP_ALTERNATIVES


def test_without_renaming_there_are_two_groups() -> None:
    groups = found(TrueAccess(renamed=5.0, learns=False))["store_to_load:groups"]
    assert "fall into two groups" in groups.sentence
    assert forwarding.RENAMED not in groups.sentence


def test_one_group_tells_nothing() -> None:
    access = TrueAccess(renamed=5.0, learns=False, waits=6.0)
    assert "store_to_load:groups" not in found_without_verdicts(access)


def found_without_verdicts(access: TrueAccess) -> dict[str, Finding]:
    truth = replace(QUIET, access=access)
    run, columns, _ = make_records(truth, 3, lambda t: [store_to_load_probe(t)])
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


def test_a_short_loop_that_is_quicker_is_told_of() -> None:
    learnt = found()["store_to_load:learnt"]
    assert learnt.claim is Claim.INFERRED
    assert "take 1.0 cycles in a loop of a dozen" in learnt.sentence
    assert "store_to_load:learnt" not in found(TrueAccess(learns=False))


def test_what_a_boundary_adds_and_what_it_does_not() -> None:
    findings = found()
    line = findings["access.split.line.load_64_latency"].sentence
    assert "across a 64-byte boundary" in line
    assert "cycles more than an aligned one" in line
    assert "1.25 times as long" in line
    assert "no difference of 1 % from an aligned one was seen" in (
        findings["access.split.inside.load_64_latency"].sentence
    )


def test_a_store_that_looks_alike() -> None:
    findings = found()
    assert "4 cycles more" in findings["access.alias.4096"].sentence.replace("4.00", "4").replace("3.99", "4")
    assert "no difference" in findings["access.alias.1024"].sentence
    alike = findings["access.alias:low_bits"]
    assert alike.claim is Claim.INFERRED
    assert "4096, 8192 and 16384 bytes further on" in alike.sentence
    assert "access.alias:low_bits" not in found(TrueAccess(alias=0.0))


def test_an_access_that_is_quicker_across_a_boundary_is_a_contradiction() -> None:
    findings = found_split(TrueAccess(split_latency=-1.0))
    assert any("takes" in text for text in findings["access.split.line.load_64_latency"].contradictions)
    assert found()["access.split.line.load_64_latency"].contradictions == ()


def found_split(access: TrueAccess) -> dict[str, Finding]:
    truth = replace(QUIET, access=access)
    run, columns, _ = make_records(truth, 3, lambda t: [split_probe(t)])
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


@pytest.mark.parametrize(
    ("probe", "access"),
    [
        (STORED, TrueAccess(waits=5.0)),
        (SHORT, TrueAccess(learns=False)),
        (SPLIT, TrueAccess(split_latency=0.0)),
        (ALIAS, TrueAccess(alias=0.0)),
    ],
)
def test_hypotheses_end_otherwise_on_another_core(probe: str, access: TrueAccess) -> None:
    other = Verdict.SUPPORTED if probe in (SHORT, ALIAS) else Verdict.NOT_SUPPORTED
    truth = replace(QUIET, access=access)
    suite = (store_to_load_probe, short_loop_probe, split_probe, alias_probe)
    run, columns, _ = make_records(truth, 3, lambda t: [made(t) for made in suite])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    assert findings[f"hypothesis:{probe}"].verdict is other


def test_words_and_dictionary() -> None:
    for finding in found().values():
        assert lint.offences(finding.sentence) == ()
        for metric in finding.metrics:
            entry = lookup(metric)
            assert entry is not None, metric
            assert entry.method == "access"
    assert parse("store_to_load.64_64.0.same_register").scope == "same_register"
    assert parse("access.split.line.load_64_latency").kind is Kind.SPLIT
    assert parse("access.alias.4096").subject == "4096"
