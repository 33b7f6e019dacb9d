"""What is said of lines and words that cores share, and how its hypotheses end."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import core_groups, lint
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.findings.gates.record import Severity
from reportgen.findings.hypotheses import Conclusion, conclude
from reportgen.findings.metric import parse
from reportgen.findings.wording.communication import KINDS
from reportgen.findings.wording.names import noun
from reportgen.model.exports.dictionary import lookup
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.communication_points import (
    LOCKED,
    SHARING,
    TRANSFER,
    Moved,
    contended_probe,
    locked_probe,
    sharing_probe,
    transfer_probe,
)
from tests.simulated.cpu import make_records
from tests.simulated.hypotheses import true_verdict
from tests.simulated.truth import CpuTruth
from tests.simulated.truth_lines import TrueSharing
from tests.unit.findings.records import breaches, evidence, healthy, quantity

QUIET = CpuTruth().quiet()
STORE = "communication.transfer.store"


@cache
def found(cores: int = 8, sharing: TrueSharing = TrueSharing(group=4)) -> dict[str, Finding]:  # noqa: B008
    truth = replace(QUIET, cores=cores, sharing=sharing)
    suite = (transfer_probe, locked_probe, sharing_probe, contended_probe)
    run, columns, _ = make_records(truth, 3, lambda t: [probe(t) for probe in suite])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    for probe in run.probes:
        right = true_verdict(truth, probe)
        assert findings[f"hypothesis:{probe.id}"].verdict is (right or Verdict.UNDECIDED), probe.id
    return findings


def test_every_metric_has_a_sentence_a_noun_and_an_entry() -> None:
    metrics = [name for name in found() if parse(name).kind in KINDS]
    assert {parse(name).kind for name in metrics} == KINDS
    assert len(metrics) == 3 + 2 * 2 + 2 * 3 + 2 * 2 + 1
    for name in metrics:
        finding = found()[name]
        assert finding.claim is Claim.MEASURED
        assert lint.offences(finding.sentence) == ()
        assert noun(name, str) != name
        assert lookup(name).method == "communication"


def test_sentences_name_what_was_measured() -> None:
    findings = found()
    near, far = findings[STORE].sentence, findings[f"{STORE}.farthest"].sentence
    assert near.startswith("A line that one core hands to another by a store arrives after 2")
    assert "the shortest of 28 pairs" in near
    assert "the longest of all pairs" in far
    granule = findings["communication.false_sharing.plain_add.granule"].sentence
    assert granule.startswith(
        "By plain additions, words of two cores 32 B apart slow each other, and words 64 B"
    )
    assert findings["communication.contended.locked_add.rate"].sentence.startswith("8 cores reach ")
    assert "one core alone 7" in findings["communication.contended.locked_add.cycles"].sentence
    assert "another core keeps writing takes" in findings["communication.contended.read.cycles"].sentence


# -- groups -------------------------------------------------------------------------------------------


def test_groups_by_time_are_an_inference_with_alternatives() -> None:
    finding = found()[f"groups:{STORE}"]
    assert finding.claim is Claim.INFERRED
    assert "(0, 1, 2, 3) and (4, 5, 6, 7)" in finding.sentence
    assert "is consistent with groups of cores that share a cache" in finding.sentence
    assert finding.alternatives == core_groups.GROUP_ALTERNATIVES
    assert lint.offences(finding.sentence) == ()


def test_groups_show_through_the_pairs_that_are_asked_of_many() -> None:
    finding = found(16, TrueSharing(group=4))[f"groups:{STORE}"]
    assert "(12, 13, 14, 15)" in finding.sentence


@pytest.mark.parametrize(
    ("cores", "sharing"), [(8, TrueSharing()), (2, TrueSharing(group=1)), (3, TrueSharing(group=2))]
)
def test_without_clear_groups_nothing_is_inferred(cores: int, sharing: TrueSharing) -> None:
    assert f"groups:{STORE}" not in found(cores, sharing)


def matrix(times: dict[str, float]) -> Quantity:
    return quantity(
        STORE, 1e-8, unit="second", details={"pairs": list(times), "seconds": list(times.values())}
    )


def test_a_pair_that_fits_no_group_undoes_them() -> None:
    names = [f"{a}-{b}" for a in range(4) for b in range(4) if a != b]
    times = {name: 1.0 if {*name.split("-")} in ({"0", "1"}, {"2", "3"}) else 3.0 for name in names}
    assert core_groups.groups(matrix(times)) == ((("0", "1"), ("2", "3")), 1.0, 3.0)
    # near to both: the four are joined, and pairs within lie far apart
    assert core_groups.groups(matrix(times | {"1-2": 1.0, "2-1": 1.0})) is None
    # one direction is far: so is the pair
    assert core_groups.groups(matrix(times | {"0-1": 3.0})) == ((("0",), ("1",), ("2", "3")), 1.0, 3.0)
    assert core_groups.groups(matrix(dict.fromkeys(names, 1.0))) is None


def test_a_dearer_neighbour_is_read_as_a_pair_of_lines() -> None:
    findings = found(2, TrueSharing(beside=1.3))
    finding = findings["pairs:communication.false_sharing.locked_add.granule"]
    assert finding.claim is Claim.INFERRED
    assert "64 B apart take 1.30 times as long" in finding.sentence
    assert "pairs of 128 B" in finding.sentence
    assert finding.alternatives == core_groups.PAIR_ALTERNATIVES
    assert not [name for name in found() if name.startswith("pairs:")]


# -- gates --------------------------------------------------------------------------------------------


def test_a_transfer_below_the_first_level_is_a_contradiction() -> None:
    run, _ = healthy()
    first = quantity("memory.l1.latency", 5.0)
    cycles, seconds = quantity(f"{STORE}.cycles", 3.0), quantity(STORE, 1e-9, unit="second")
    (one,) = breaches("transfer_not_below_first_level", first, cycles, seconds, run=run)
    assert one.severity is Severity.LIMIT
    assert set(one.metrics) == {f"{STORE}.cycles", STORE}
    sound = quantity(f"{STORE}.cycles", 90.0)
    assert breaches("transfer_not_below_first_level", first, sound, seconds, run=run) == []


def test_contended_additions_are_not_quicker_than_apart() -> None:
    run, _ = healthy()
    apart = quantity("communication.false_sharing.locked_add.apart", 7.0)
    quick = quantity("communication.contended.locked_add.cycles", 6.0)
    assert len(breaches("contended_not_below_apart", apart, quick, run=run)) == 1
    assert not breaches("contended_not_below_apart", apart, quantity(quick.metric, 33.0), run=run)


def test_a_granule_is_a_line_at_least() -> None:
    run, _ = healthy()
    line = quantity("memory.line", 64.0, unit="byte", low=48.0, high=64.0)
    small = quantity("communication.false_sharing.plain_add.granule", 32.0, unit="byte", low=16.0, high=32.0)
    assert len(breaches("granule_not_below_line", line, small, run=run)) == 1
    right = quantity(small.metric, 64.0, unit="byte", low=32.0, high=64.0)
    assert not breaches("granule_not_below_line", line, right, run=run)


# -- hypotheses -----------------------------------------------------------------------------------------


def test_pairs_alike_support_the_hypothesis_and_one_pair_decides_nothing() -> None:
    assert found(8, TrueSharing())[f"hypothesis:{TRANSFER}"].verdict is Verdict.SUPPORTED
    assert "there is one pair" in found(2, TrueSharing())[f"hypothesis:{TRANSFER}"].sentence


def test_an_exchange_that_is_quicker_refutes_its_hypothesis() -> None:
    finding = found(2, TrueSharing(atomic=-10e-9))[f"hypothesis:{LOCKED}"]
    assert finding.verdict is Verdict.NOT_SUPPORTED
    assert "takes less than communication.transfer.store" in finding.sentence


def concluded(truth: CpuTruth, *asked: Asked) -> tuple[dict[str, Conclusion], list[Quantity]]:
    run, columns, _ = make_records(truth, 3, lambda _: list(asked))
    derived = list(quantities(run, pa.table(columns)))
    return conclude(evidence(*derived, run=run)), derived


def test_a_pair_with_two_times_leaves_it_undecided() -> None:
    truth = replace(QUIET, cores=4, passes=6)
    probe, timed = transfer_probe(truth)
    moving = [
        replace(one, draw=Moved(0.5, 4.0)) if one.point.settings["pair"] in ("2-3", "3-2") else one
        for one in timed
    ]
    conclusions, _ = concluded(truth, (probe, moving))
    assert conclusions[TRANSFER].verdict is Verdict.UNDECIDED
    assert conclusions[TRANSFER].reason == "the pair 2-3 has two times"


def test_two_modes_are_told_as_two_modes() -> None:
    truth = replace(QUIET, cores=2, passes=6)
    run, columns, _ = make_records(truth, 3, lambda t: [transfer_probe(t, Moved(0.4, 4.0))])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    assert findings[STORE].status is Status.UNSTABLE
    assert "fall into 2 groups, at 26" in findings[STORE].sentence
    assert "and 106" in findings[STORE].sentence


def test_no_cost_of_sharing_refutes_its_hypothesis() -> None:
    truth = replace(QUIET, cores=2, sharing=TrueSharing(shared=1.0))
    conclusions, derived = concluded(truth, sharing_probe(truth))
    assert {one.status for one in derived} == {Status.UNSTABLE}
    assert conclusions[SHARING].verdict is Verdict.NOT_SUPPORTED
    assert "as two threads of one core do" in conclusions[SHARING].reason
