"""From quantities to findings: one a quantity, gates first, rules after."""

from __future__ import annotations

import math
import time
from typing import Any

import msgspec
import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.findings.confidence import UNVERIFIED_CAP, confidence
from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim, Finding, Verdict
from reportgen.runs.schema import Run
from reportgen.status import USABLE, Status
from tests.unit.findings.records import KIB, MIB, changed, healthy, point, probe, quantity, run


def found(*quantities: Quantity, manifest: Run | None = None) -> dict[str, Finding]:
    return {finding.id: finding for finding in derive(manifest or run(), quantities)}


def test_one_finding_a_quantity_with_a_value_or_a_bound() -> None:
    manifest, quantities = healthy()
    findings = derive(manifest, quantities)
    ids = [finding.id for finding in findings]
    assert len(set(ids)) == len(ids)
    usable = [one.metric for one in quantities if one.status in USABLE]
    assert [name for name in ids if ":" not in name] == usable
    assert "latency.fp16_fma" not in ids


def test_the_same_input_gives_the_same_findings() -> None:
    manifest, quantities = healthy()
    assert derive(manifest, quantities) == derive(manifest, quantities)


def test_confidence_can_be_computed_again_from_what_is_stored() -> None:
    for finding in derive(*healthy()):
        assert finding.confidence == confidence(finding.confidence_inputs), finding.id
        assert all(math.isfinite(value) for value in finding.confidence_inputs.values())


def test_findings_link_their_evidence() -> None:
    one = quantity("latency.x", 1.0, points=("p#1", "p#2"), probe="p")
    finding = found(one)["latency.x"]
    assert (finding.metrics, finding.probes, finding.points) == (("latency.x",), ("p",), ("p#1", "p#2"))


def test_a_hypothesis_and_its_ending_are_on_the_finding() -> None:
    asked = probe("x", hypothesis="It is so.")
    finding = found(quantity("latency.x", 1.0, probe=asked.id), manifest=run([asked]))["latency.x"]
    assert (finding.hypothesis, finding.verdict) == ("It is so.", Verdict.SUPPORTED)


def test_a_number_above_a_limit_is_a_contradiction_and_not_a_result() -> None:
    finding = found(quantity("throughput.x", 9.0))["throughput.x"]
    assert finding.status is Status.INVALID
    assert "shown as a contradiction and not as a result" in finding.sentence
    assert len(finding.contradictions) == 1
    assert "Likely causes: " in finding.contradictions[0]
    assert finding.confidence < 0.1


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_is_none_never_shows(value: float) -> None:
    finding = found(quantity("peak.fp32", value, value, value))["peak.fp32"]
    assert finding.status is Status.INVALID
    assert finding.sentence.startswith("The FP32 peak is not a number that a measurement can give")
    encoded = msgspec.json.encode(finding).lower()
    assert b"nan" not in encoded
    assert b"inf" not in encoded.replace(b"inferred", b"")


def test_two_numbers_that_do_not_fit_both_stay_and_both_lose() -> None:
    """L1 latency 68 cycles, another path into the same cache 35, spread 0.0."""
    sound = found(quantity("chase.l1.latency", 35.0))["chase.l1.latency"].confidence
    both = found(quantity("chase.l1.latency", 35.0), quantity("memory.l1.latency", 68.0))
    for metric in ("chase.l1.latency", "memory.l1.latency"):
        assert both[metric].status is Status.OK
        assert both[metric].confidence < sound
    assert "Two probes disagree about the L1 latency" in both["probes:memory.l1.latency"].sentence

    order = found(quantity("bandwidth.l2.copy", 60e9), quantity("bandwidth.l3.copy", 70e9))
    for metric in ("bandwidth.l2.copy", "bandwidth.l3.copy"):
        assert order[metric].status is Status.OK
        assert order[metric].contradictions
        assert order[metric].confidence < 0.65


def test_rules_do_not_build_on_what_is_withheld() -> None:
    alone = quantity("bandwidth.l1.read", 9e12)
    together = quantity("bandwidth.l1.read.all_cores", 600e9)
    assert "scaling:bandwidth.l1.read" not in found(alone, together)


def test_an_inference_has_alternatives_and_a_measurement_of_a_pair_has_none() -> None:
    findings = found(
        quantity("interference.a.b", 1.0, details={"cycles_together": 2, "front_end_cycles": 0.4})
    )
    measured, inferred = findings["interference.a.b"], findings["sharing:interference.a.b"]
    assert (measured.claim, measured.alternatives) == (Claim.MEASURED, ())
    assert inferred.claim is Claim.INFERRED
    assert "shared execution pipeline" in inferred.alternatives
    assert len(inferred.excluded) == 2
    assert inferred.confidence < measured.confidence


def test_an_inference_answers_for_disturbed_visits_more_than_a_measurement_does() -> None:
    """A visit that something held from end to end looks like two kinds that slow each other."""
    pair = quantity("interference.a.b", 1.0, details={"cycles_together": 2, "front_end_cycles": 0.4})
    quiet, held = (found(changed(pair, inputs=pair.inputs | {"disturbed": share})) for share in (0.0, 0.15))
    assert held["interference.a.b"].confidence_inputs["disturbed"] == 0.15
    given = held["sharing:interference.a.b"].confidence_inputs
    assert (given["slowed"], "disturbed" in given) == (0.15, False)
    loss = {name: quiet[name].confidence / held[name].confidence for name in quiet if "interference" in name}
    assert loss["sharing:interference.a.b"] > 1.5 > 1.1 > loss["interference.a.b"]


def test_no_sharing_is_inferred_where_none_is_detected() -> None:
    findings = found(quantity("interference.a.b", 0.0, -0.01, 0.01))
    assert "sharing:interference.a.b" not in findings
    assert findings["interference.a.b"].sentence.startswith("No interference of “a” with “b” was detected")


def test_a_boundary_names_what_else_could_have_moved_it() -> None:
    finding = found(quantity("memory.l1.capacity", 48 * KIB, 46 * KIB, 50 * KIB))["memory.l1.capacity"]
    assert "page placement (set aliasing)" in finding.alternatives


def test_a_censored_quantity_says_at_least() -> None:
    finding = found(quantity("memory.l3.capacity", low=64 * MIB, status=Status.CENSORED))[
        "memory.l3.capacity"
    ]
    assert finding.status is Status.CENSORED
    assert "is at least 64 MiB" in finding.sentence


def test_two_modes_are_a_finding_without_a_value() -> None:
    one = quantity("memory.l2.latency", status=Status.UNSTABLE, modes=(169.0, 303.0), reason="two groups")
    finding = found(one)["memory.l2.latency"]
    assert finding.status is Status.UNSTABLE
    assert "169 cycles and 303 cycles" in finding.sentence
    assert "221" not in finding.sentence


def test_a_library_is_unverified_and_capped() -> None:
    finding = found(quantity("kernel.sgemm.64", 1e9, status=Status.UNVERIFIED))["kernel.sgemm.64"]
    assert finding.status is Status.UNVERIFIED
    assert finding.confidence <= UNVERIFIED_CAP


def test_what_the_system_reports_is_a_finding_of_its_own() -> None:
    manifest = run(reported={"l3_bytes": 300 * MIB, "l1d_bytes": 48 * KIB})
    findings = found(
        quantity("memory.l1.capacity", 48 * KIB, 46 * KIB, 50 * KIB),
        quantity("memory.l3.capacity", 7.5 * MIB, 6 * MIB, 9 * MIB),
        manifest=manifest,
    )
    far = findings["reported:memory.l3.capacity"]
    assert "reports 300 MiB of L3; the measured boundary is between 6 MiB and 9 MiB" in far.sentence
    assert "a guest or container sees the host's cache and gets a share of it" in far.alternatives
    assert findings["reported:memory.l1.capacity"].sentence.endswith("The two agree.")
    assert findings["reported:memory.l1.capacity"].alternatives == ()


def test_drift_and_acceptance_are_findings() -> None:
    points = [point("p#1", {"length": 1}, accepted=60, total=100)]
    steady, moved = run(points=points), run(points=points, drift=(3.5e9, 3.3e9))
    assert found(manifest=steady)["drift:run"].sentence.startswith("No drift of the core clock beyond 1.0 %")
    assert "moved by 5.7 % over the run" in found(manifest=moved)["drift:run"].sentence
    assert found(manifest=steady)["acceptance:run"].sentence.startswith("60 of 100 samples (60.0 %)")
    assert "drift:run" not in found(manifest=run(drift=()))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("fp64_div_256", "fp64_div_nontrivial_256"),
        ("fp64_sqrt", "fp64_sqrt_nontrivial"),
        ("div", "div_trivial"),
    ],
)
def test_operands_that_matter_are_a_finding(first: str, second: str) -> None:
    findings = found(quantity(f"latency.{first}", 13.0), quantity(f"latency.{second}", 18.0))
    finding = findings[f"operands:latency.{first}"]
    trivial = 13 if second.count("nontrivial") else 18
    assert f"on its operands: {trivial}.0" in finding.sentence
    assert set(finding.metrics) == {f"latency.{first}", f"latency.{second}"}
    same = found(quantity(f"latency.{first}", 13.0), quantity(f"latency.{second}", 13.001))
    assert not any(name.startswith("operands:") for name in same)


def pages(small: float, granted: int) -> dict[str, Finding]:
    where = point("p#huge", {"bytes": 4 * MIB, "pages": "huge"}, facts={"huge_bytes": granted})
    return found(
        quantity("memory.l2.latency", 16.0, points=("p#huge",)),
        quantity("memory.l2.latency_4k", small),
        manifest=run(points=[where]),
    )


def test_small_pages_are_an_inference_where_huge_ones_were_granted() -> None:
    slower = pages(20.0, 4 * MIB)["pages:memory.l2.latency"]
    assert slower.claim is Claim.INFERRED
    assert "consistent with the cost of address translation" in slower.sentence
    assert slower.alternatives
    equal = pages(16.0, 4 * MIB)["pages:memory.l2.latency"]
    assert equal.claim is Claim.MEASURED
    assert "pages:memory.l2.latency" not in pages(20.0, 0)


def test_what_all_cores_reach_is_a_finding() -> None:
    findings = found(quantity("bandwidth.l2.read", 100e9), quantity("bandwidth.l2.read.all_cores", 190e9))
    assert "reach 1.9 times the read bandwidth of one core" in findings["scaling:bandwidth.l2.read"].sentence


def test_a_rule_is_as_sure_as_the_least_sure_it_rests_on() -> None:
    manifest, quantities = healthy()
    shaky = [
        changed(one, inputs={**one.inputs, "passes": 1.0}) if one.metric == "bandwidth.l2.read" else one
        for one in quantities
    ]
    findings = found(*shaky, manifest=manifest)
    assert findings["scaling:bandwidth.l2.read"].confidence == findings["bandwidth.l2.read"].confidence
    assert findings["bandwidth.l2.read"].confidence < findings["bandwidth.l2.read.all_cores"].confidence


def many(count: int) -> tuple[Run, list[Quantity]]:
    manifest, quantities = healthy()
    probes = [probe(f"op_{i}", title=f"operation {i}") for i in range(count)]
    points: list[Any] = [
        point(f"{one.id}#length={n}", {"length": n}, accepted=9, total=12) for one in probes for n in range(4)
    ]
    extra = [
        quantity(
            f"{stem}.op_{i}", value, probe=probes[i].id, points=tuple(p.id for p in points[4 * i : 4 * i + 4])
        )
        for i in range(count)
        for stem, value in (("latency", 4.0), ("throughput", 2.0), ("issue_interval", 0.5))
    ]
    pairs = [
        quantity(f"interference.op_{i}.op_{j}", 1.0, probe="pipeline_interference/matrix")
        for i in range(14)
        for j in range(i, 14)
    ]
    whole = changed(manifest, probes=(*manifest.probes, *probes), points=tuple(points))
    return whole, [*quantities, *extra, *pairs]


def test_six_hundred_quantities_take_a_fraction_of_a_second() -> None:
    """A guard against a rule that looks at every pair of everything; the budget is 0.3 s when idle."""
    manifest, quantities = many(150)
    assert len(quantities) > 550
    began = time.process_time()
    derive(manifest, quantities)
    assert time.process_time() - began < 3.0
