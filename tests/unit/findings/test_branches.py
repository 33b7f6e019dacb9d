"""What is said of branches: costs and ends measured, what an end fits inferred, the rest ruled out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import branch_ends, lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.metric import parse
from reportgen.findings.wording import branches
from reportgen.model.exports.dictionary import lookup
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.branch_points import (
    TAKEN,
    calls_probe,
    misprediction_probe,
    rounds_probe,
    taken_probe,
)
from tests.simulated.cpu import make_records
from tests.simulated.truth import KIB, CpuTruth

QUIET = CpuTruth().quiet()
ENDLESS = replace(QUIET, branch_targets=(), code_levels=())


def made(truth: CpuTruth) -> dict[str, Finding]:
    def suite(one: CpuTruth) -> list[Asked]:
        return [misprediction_probe(one), taken_probe(one), calls_probe(one)]

    run, columns, _ = make_records(truth, 3, suite)
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


def looped(truth: CpuTruth) -> Finding:
    run, columns, _ = make_records(truth, 3, lambda one: [rounds_probe(one)])
    found = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    return found["branch.loop.group"]


@cache
def usual() -> dict[str, Finding]:
    return made(QUIET)


def test_what_is_measured_is_told_with_its_interval() -> None:
    findings = usual()
    wrong = findings["branch.misprediction"]
    assert wrong.claim is Claim.MEASURED
    assert wrong.sentence.startswith("A branch that is predicted wrongly costs 15.0")
    assert wrong.sentence.endswith("Outcomes that alternate take as long as those that stay the same.")
    assert findings["branch.taken.interval"].sentence.startswith("A taken branch takes 1.00")
    depth = findings["branch.return.depth"].sentence
    assert depth.startswith(
        "Calls nested 32 deep return at one cost a level, and no longer when nested 33 deep"
    )
    assert "A level costs 4.0 cycles up to there, one more about 19." in depth
    end = findings["branch.taken.64b.first"].sentence
    assert "taken branches 64 bytes apart lies between 512 and 588 branches" in end


def test_outcomes_that_alternate_and_cost_more_are_told() -> None:
    text = made(replace(QUIET, alternating=2.5))["branch.misprediction"].sentence
    assert "Outcomes that alternate take 2.50 cycles more than those that stay the same." in text


def test_an_end_at_the_same_bytes_fits_a_level_of_code_and_no_buffer() -> None:
    for distance in (16, 32, 64):
        finding = usual()[f"holds:branch.taken.{distance}b.first"]
        assert finding.claim is Claim.INFERRED
        assert "is consistent with the end of a level that holds code." in finding.sentence
        assert any(one.startswith(branch_ends.TARGETS) for one in finding.excluded)
        assert branch_ends.FETCH in finding.alternatives


def test_straight_code_that_ends_there_too_is_named() -> None:
    """By a probe of its own: a level that holds code, whatever branches there are."""
    quantity = Quantity(
        "branch.taken.64b.first", "count", Status.OK, "p", "branches", "", 548.0, 512.0, 588.0, n=9
    )
    code = Quantity("fetch.l1i.capacity", "byte", Status.OK, "p", "m", "", 34e3, 32768.0, 36e3, n=9)
    text = branches.of_bytes(parse(quantity.metric), ("16b", "32b"), quantity, 64.0, code)
    assert "(32 … 36.75 KiB) as an end of those 16 and 32 bytes apart" in text
    assert text.endswith("becomes slower there too (32 … 35.16 KiB).")
    assert lint.offences(text) == ()


def test_an_end_at_the_same_number_fits_a_buffer_and_no_level_of_code() -> None:
    for distance in (16, 32, 64):
        finding = usual()[f"holds:branch.taken.{distance}b.second"]
        assert "is consistent with a buffer that holds so many branch targets." in finding.sentence
        assert any(one.startswith(branch_ends.CODE) for one in finding.excluded)
        assert branch_ends.INDEX in finding.alternatives


def test_an_end_that_fits_both_is_not_read() -> None:
    # 32 bytes apart a buffer of 1024 entries ends where 32 KiB of code do; 64 bytes apart at 512
    truth = replace(QUIET, branch_targets=((1024, 1.0),), code_levels=((32 * KIB, 1.0),))
    assert "holds:branch.taken.32b.first" not in made(truth)


def test_a_bound_is_read_as_nothing() -> None:
    findings = made(ENDLESS)
    assert findings["branch.taken.16b.first"].status is Status.CENSORED
    assert not any(name.startswith("holds:branch.taken") for name in findings)


def test_the_depth_of_calls_is_consistent_with_a_stack() -> None:
    finding = usual()["holds:branch.return.depth"]
    assert "consistent with a stack of return addresses" in finding.sentence
    assert finding.alternatives == branch_ends.RETURNS


def test_a_misprediction_that_costs_less_than_a_taken_branch_is_a_contradiction() -> None:
    findings = made(replace(QUIET, misprediction=1.5, taken_interval=4.0))
    assert any("below" in one for one in findings["branch.misprediction"].contradictions)
    assert usual()["branch.misprediction"].contradictions == ()


@pytest.mark.parametrize(
    ("truth", "verdicts"),
    [
        (QUIET, (Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.SUPPORTED)),
        (replace(ENDLESS, return_stack=1000), (Verdict.SUPPORTED, Verdict.UNDECIDED, Verdict.UNDECIDED)),
        (replace(QUIET, misprediction=-1.0), (None, Verdict.SUPPORTED, Verdict.UNDECIDED)),
    ],
)
def test_the_hypotheses(truth: CpuTruth, verdicts: tuple[Verdict | None, ...]) -> None:
    findings = made(truth)
    wrong = findings.get("branch.misprediction")
    ended = (
        wrong.verdict if wrong is not None and wrong.status is Status.OK else None,
        findings[f"hypothesis:{TAKEN}"].verdict,
        findings["branch.return.depth"].verdict,
    )
    assert ended == verdicts


def test_groups_of_a_loop_are_told_and_refused() -> None:
    found = looped(QUIET)
    assert found.sentence.startswith(
        "A round of a short loop takes whole cycles, at least one for every 8 instructions, where its "
        "counter and branch count as one"
    )
    assert found.verdict is Verdict.SUPPORTED
    none = looped(replace(QUIET, loop_group=0))
    assert (none.status, none.verdict) == (Status.CENSORED, Verdict.NOT_SUPPORTED)
    assert "at least 11" in none.sentence


def test_words_and_dictionary() -> None:
    for finding in usual().values():
        assert lint.offences(finding.sentence) == (), finding.sentence
        for other in (*finding.alternatives, *finding.excluded):
            assert lint.offences(other) == (), other
    for metric, unit in (
        ("branch.misprediction", "cycle"),
        ("branch.taken.interval", "cycle"),
        ("branch.taken.16b.second", "count"),
        ("branch.return.depth", "count"),
        ("branch.loop.group", "count"),
    ):
        entry = lookup(metric)
        assert entry is not None
        assert (entry.unit, entry.method) == (unit, "branches")


def test_branches_not_taken_are_told_apart_from_taken_ones() -> None:
    quantity = Quantity(
        "branch.not_taken.interval", "cycle", Status.OK, "p", "slope", "", 0.5, 0.499, 0.501, n=40
    )
    name = parse(quantity.metric)
    assert branches.measured(name, quantity).startswith("A conditional branch that is not taken takes 0.5")
    assert branches.noun(name) == "the interval of branches not taken"
    assert branches.noun(parse("branch.taken.interval")) == "the interval of taken branches"
    entry = lookup(quantity.metric)
    assert entry is not None
    assert entry.title == "interval of branches not taken"
