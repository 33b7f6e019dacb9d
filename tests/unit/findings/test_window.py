"""What is said of instructions in flight: a count measured, a resource that fits, what is ruled out."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings import lint, window_resources
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.model.exports.dictionary import lookup
from reportgen.status import Status
from tests.simulated.cpu import make_records
from tests.simulated.truth import CpuTruth
from tests.simulated.window_points import PROBE, misses_probe, window_probe


def found(**in_flight: int) -> dict[str, Finding]:
    truth = CpuTruth().quiet()
    truth = replace(truth, in_flight=truth.in_flight | in_flight)
    run, columns, _ = make_records(truth, 3, lambda t: [window_probe(t)])
    return {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}


def test_the_count_is_measured_and_its_resource_is_inferred() -> None:
    findings = found()
    measured, inferred = findings["window.load"], findings["resource:window.load"]
    assert measured.claim is Claim.MEASURED
    assert measured.sentence.startswith("Two loads that miss still overlap with ")
    assert inferred.claim is Claim.INFERRED
    assert "is consistent with a limit of entries of the load queue." in inferred.sentence


def test_a_resource_of_which_others_took_more_is_ruled_out_with_the_evidence() -> None:
    finding = found()["resource:window.waiting_integer"]
    assert finding.alternatives == (window_resources.OTHER,)
    assert any("integer registers (integer additions took at least" in one for one in finding.excluded)
    assert any("entries of the reorder buffer" in one for one in finding.excluded)


def test_a_resource_that_may_be_full_as_well_stays_an_alternative() -> None:
    # as many as there are integer registers: nothing tells the scheduler from the register file
    finding = found(waiting_integer=240)["resource:window.waiting_integer"]
    assert window_resources.INTEGER in finding.alternatives


def test_more_of_one_kind_than_of_all_is_a_contradiction() -> None:
    findings = found(mixed=200)
    assert any("in flight comes out as" in one for one in findings["window.vector"].contradictions)
    assert findings["window.store"].contradictions == ()


@pytest.mark.parametrize(
    ("in_flight", "verdict"), [({}, Verdict.SUPPORTED), ({"mixed": 5000}, Verdict.UNDECIDED)]
)
def test_the_hypothesis(in_flight: dict[str, int], verdict: Verdict) -> None:
    assert found(**in_flight)[f"hypothesis:{PROBE}"].verdict is verdict


def test_a_lower_bound_names_no_resource() -> None:
    findings = found(mixed=5000)
    assert findings["window.mixed"].status is Status.CENSORED
    assert "resource:window.mixed" not in findings


@pytest.mark.parametrize(("parallel", "verdict"), [(14.0, Verdict.SUPPORTED), (1.1, Verdict.NOT_SUPPORTED)])
def test_loads_under_way(parallel: float, verdict: Verdict) -> None:
    truth = replace(CpuTruth().quiet(), parallel_misses=parallel)
    run, columns, _ = make_records(truth, 3, lambda t: [misses_probe(t)])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(columns)))}
    finding = findings["memory.dram.parallelism"]
    assert "one core kept " in finding.sentence
    assert lint.offences(finding.sentence) == ()
    assert finding.verdict is verdict


def test_words_and_dictionary() -> None:
    for finding in found().values():
        assert lint.offences(finding.sentence) == ()
    entry = lookup("window.waiting_vector")
    assert entry is not None
    assert entry.unit == "count"
    assert entry.method == "window"
