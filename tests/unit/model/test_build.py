"""The architecture model: what it holds, what it withholds, how it is looked up."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.findings.derive import derive
from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, UnknownName
from reportgen.model.build import build
from reportgen.model.load import load_architecture
from reportgen.status import Status
from tests.unit.findings.records import changed, healthy, quantity

ROOT = Path(__file__).resolve().parents[3]


def model(*extra: object) -> Architecture:
    manifest, quantities = healthy()
    every = (*quantities, *extra)
    return build(manifest, every, derive(manifest, every))


@pytest.fixture(scope="module")
def healthy_model() -> Architecture:
    return model()


def test_every_quantity_is_a_fact_in_metric_order(healthy_model: Architecture) -> None:
    metrics = [fact.metric for fact in healthy_model.facts]
    assert metrics == sorted(metrics)
    assert set(metrics) == {one.metric for one in healthy()[1]}


def test_lookups_read_naturally(healthy_model: Architecture) -> None:
    latency = healthy_model.instruction("fp32_fma").dependent_latency
    assert latency is not None
    assert (latency.value, latency.unit, latency.claim) == (4.0, "cycle", Claim.MEASURED)
    assert healthy_model.instruction("fp32_fma").latency is latency
    assert healthy_model.fact_id(latency.metric) == (
        f"{healthy_model.device}/{healthy_model.run}#latency.fp32_fma"
    )
    assert healthy_model.level("l1").facts["capacity"].metric == "memory.l1.capacity"
    assert healthy_model.fact("ridge.fp32.dram").value == 0.93


def test_an_unknown_name_is_met_with_similar_ones(healthy_model: Architecture) -> None:
    with pytest.raises(KeyError, match="no operation 'fp32_fmaa' in this run; similar: fp32_fma"):
        healthy_model.instruction("fp32_fmaa")
    with pytest.raises(UnknownName) as told:
        healthy_model.instruction("fp32_fmaa")
    assert str(told.value).startswith("no operation")  # a sentence, not in quotes
    with pytest.raises(KeyError, match="no level 'l4'"):
        healthy_model.level("l4")
    with pytest.raises(KeyError, match="no metric 'x'"):
        healthy_model.fact("x")


def test_an_instruction_carries_all_that_is_known_of_it(healthy_model: Architecture) -> None:
    fma = healthy_model.instruction("fp32_fma")
    assert (fma.title, fma.form, fma.flop, fma.knee) == (
        "scalar FP32 fused multiply-add", "vfmadd231ss {d}, {a}, {b}", 2.0, 8,
    )  # fmt: skip
    assert fma.throughput is not None
    assert fma.issue_interval is not None
    assert (fma.throughput.value, fma.issue_interval.value) == (2.0, 0.5)
    assert healthy_model.instruction("popcnt").throughput is None


def test_a_likely_pipeline_is_an_inference_with_alternatives(healthy_model: Architecture) -> None:
    assert healthy_model.instruction("integer_mul").likely_pipeline == (
        "competes with popcnt; alternatives not excluded: shared execution pipeline, issue port, scheduler, "
        "register read port, writeback port, fetch or dispatch limit of the front end"
    )
    assert healthy_model.instruction("popcnt").likely_pipeline.startswith("competes with integer_mul;")
    assert healthy_model.instruction("fp32_fma").likely_pipeline == ""


def test_readings_of_pairs(healthy_model: Architecture) -> None:
    readings = {(one.first, one.second): one.reading for one in healthy_model.interference}
    assert readings == {
        ("integer_mul", "popcnt"): "shared",
        ("integer_mul", "integer_mul"): "shared",
        ("integer_mul", "fp32_fma"): "separate",
    }


def test_a_reading_rests_on_every_probe_of_the_pair_as_its_finding_does() -> None:
    """Alone, the named probe could not tell: one kind takes 4.8 times as long as the other."""
    named = {"first_count": 5.0, "second_count": 12.0, "cycles_first": 1.26, "cycles_second": 6.0,
             "cycles_together": 6.0}  # fmt: skip
    even = {"proportions": ({"first": 20.0, "second": 10.0, "cycles": 5.05},)}
    metric = "interference.popcnt.fp32_fma"
    once = quantity(metric, 0.0, low=-0.002, high=0.002, details=named)
    again = quantity(
        metric, 0.0, low=-0.002, high=0.002, probe="pipeline_interference/other", details=named | even
    )
    read = {len(some): {(p.first, p.second): p.reading for p in model(*some).interference}
            for some in ((once,), (once, again))}  # fmt: skip
    assert read[1]["popcnt", "fp32_fma"] == "cannot tell"
    assert read[2]["popcnt", "fp32_fma"] == "separate"


def test_levels_run_from_the_core_outwards(healthy_model: Architecture) -> None:
    assert [level.name for level in healthy_model.memory] == ["l1", "l2", "l3", "dram"]
    first = healthy_model.level("l1")
    assert set(first.facts) == {
        "capacity", "latency", "latency_time", "chase_latency", "line", "associativity",
    }  # fmt: skip
    assert set(first.bandwidth) == {"read", "copy", "read.all_cores", "copy.all_cores"}
    assert "line" not in healthy_model.level("l2").facts


def test_ceilings_are_peaks_and_the_best_kernel_of_each_level(healthy_model: Architecture) -> None:
    roofs = {(roof.kind, roof.name) for roof in healthy_model.ceilings}
    assert roofs == {
        ("compute", "fp32"), ("memory", "l1 read"), ("memory", "l2 read"), ("memory", "l3 read"),
        ("memory", "dram read"),
    }  # fmt: skip
    assert [ridge.metric for ridge in healthy_model.ridges] == ["ridge.fp32.dram"]


def test_what_is_absent_has_a_status_and_a_reason(healthy_model: Architecture) -> None:
    fact = healthy_model.fact("latency.fp16_fma")
    assert (fact.status, fact.value, fact.reason) == (
        Status.UNSUPPORTED, None, "The device lacks avx512fp16.",
    )  # fmt: skip


def test_a_contradicted_number_is_withheld() -> None:
    fact = model(quantity("throughput.integer_add", 9.0)).fact("throughput.integer_add")
    assert (fact.status, fact.value, fact.low, fact.high) == (Status.INVALID, None, None, None)
    assert fact.reason.startswith("The throughput of 64-bit integer add comes out as 9 per cycle, above 5.65")
    assert "Likely causes: " in fact.reason


def test_a_withheld_index_has_no_reading() -> None:
    bad = quantity("interference.popcnt.fp32_fma", float("nan"))
    assert ("popcnt", "fp32_fma") not in {(one.first, one.second) for one in model(bad).interference}


def test_confidence_and_claim_are_those_of_the_finding() -> None:
    manifest, quantities = healthy()
    findings = {finding.id: finding for finding in derive(manifest, quantities)}
    for fact in build(manifest, quantities, findings.values()).facts:
        if fact.metric in findings:
            assert (fact.confidence, fact.claim) == (
                findings[fact.metric].confidence, findings[fact.metric].claim,
            )  # fmt: skip


def test_identity_comes_from_the_run() -> None:
    manifest, quantities = healthy()
    later = changed(manifest, supersedes="20261101T090000Z-0badcafe")
    built = build(later, quantities, ())
    assert (built.device, built.isa, built.run, built.suite) == ("hand-made", "x86_64", later.run, "1")
    assert built.supersedes == "20261101T090000Z-0badcafe"


def test_modes_stay_without_a_value() -> None:
    split = quantity("memory.l4.x", status=Status.UNSTABLE, modes=(169.0, 303.0), reason="two groups")
    fact = model(split).fact("memory.l4.x")
    assert (fact.value, fact.modes) == (None, (169.0, 303.0))


def test_a_measured_latency_comes_before_an_encoded_one() -> None:
    fma = model(quantity("encoded.latency.fp32_fma", 5.0)).instruction("fp32_fma")
    assert fma.latency is fma.dependent_latency  # measured, as on the device
    assert fma.encoded_latency is not None
    assert (fma.encoded_latency.value, fma.encoded_latency.claim) == (5.0, Claim.COMPILER_ENCODED)


def test_a_target_has_encoded_latencies_matrix_shapes_and_occupancy() -> None:
    made = load_architecture("sm-75", ROOT / "data")
    latency = made.instruction("fp32_fma").latency
    assert latency is not None
    assert (latency.metric, latency.claim) == ("encoded.latency.fp32_fma", Claim.COMPILER_ENCODED)
    assert {"integer", "float", "tensor"} <= {one.group for one in made.instructions}
    shapes = {one.operation: one.shape for one in made.matrix_units}
    assert shapes["mma_m16n8k8_f16_f32"] == (16, 8, 8)
    assert all(len(shape) == 3 for shape in shapes.values())
    assert made.instruction("fp32_fma").shape == ()
    assert made.execution
    assert all(fact.metric.startswith(("execution.", "occupancy.")) for fact in made.execution)
