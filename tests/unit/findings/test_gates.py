"""Each gate on a number that passes and on one that does not."""

from __future__ import annotations

import math

import pytest

from reportgen.findings import gates
from reportgen.findings.evidence import gather
from reportgen.findings.gates.record import Severity
from reportgen.runs.schema import Device, Run
from reportgen.status import Status
from tests.unit.findings.records import breaches, changed, healthy, probe, quantity, run


def test_a_healthy_run_passes_every_gate() -> None:
    manifest, quantities = healthy()
    assert gates.check(gather(manifest, quantities)) == ()


def test_gates_are_documented() -> None:
    names = [gate.name for gate in gates.GATES]
    assert len(set(names)) == len(names)
    assert all(gate.statement.endswith(".") and gate.source and gate.causes for gate in gates.GATES)


# sound_number, value_in_interval


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.04, 0.0])
def test_a_number_that_no_measurement_gives_is_withheld(value: float) -> None:
    one = quantity("peak.fp32", value, value, value)
    (found,) = breaches("sound_number", one, run=run())
    assert found.severity is Severity.LIMIT
    (kept,) = gates.withhold([one], [found])
    assert (kept.status, kept.value, kept.low, kept.high) == (Status.INVALID, None, None, None)
    assert kept.reason == found.sentence()


def test_an_ok_status_without_a_number_is_a_contradiction() -> None:
    assert breaches("sound_number", quantity("latency.x"), run=run())


def test_an_interference_index_may_be_zero_or_below() -> None:
    assert not breaches("sound_number", quantity("interference.a.b", -0.01, -0.02, 0.01), run=run())


def test_a_value_outside_its_interval_is_a_contradiction() -> None:
    assert breaches("value_in_interval", quantity("latency.x", 3.0, 3.1, 3.2), run=run())
    assert not breaches("value_in_interval", quantity("latency.x", 3.0, 3.0, 3.0), run=run())


# dependent_latency_floor, issue_width, issue_within_latency


def test_a_dependent_instruction_takes_a_cycle() -> None:
    (found,) = breaches("dependent_latency_floor", quantity("latency.integer_add", 0.17), run=run())
    assert found.metrics == ("latency.integer_add",)
    assert found.text == (
        "The dependent latency of integer add comes out as 0.17 cycles, below 0.9 cycles: a dependent "
        "instruction waits at least one cycle for its operand, unless it is removed at rename."
    )
    assert not breaches("dependent_latency_floor", quantity("latency.integer_add", 0.99), run=run())


@pytest.mark.parametrize("operation", ["register_move", "store_forward", "store_forward_256", "increment"])
def test_known_eliminations_may_be_faster(operation: str) -> None:
    assert not breaches("dependent_latency_floor", quantity(f"latency.{operation}", 0.3), run=run())


def test_nothing_starts_more_often_than_the_canary() -> None:
    assert breaches("issue_width", quantity("throughput.integer_add", 6.2), run=run())
    assert not breaches("issue_width", quantity("throughput.integer_add", 6.0), run=run())


def test_a_multiprocessor_starts_four_instructions_a_cycle() -> None:
    gpu = changed(run(), device=Device("x", "cuda", "NVIDIA", "x", "sm_90", cores=132))
    for metric in ("throughput.fp32_fma", "execution.warp_count_sweep.fp32_fma.4"):
        (found,) = breaches("issue_width", quantity(metric, 4.2), run=gpu)
        assert "four schedulers" in found.text
        assert not breaches("issue_width", quantity(metric, 4.0), run=gpu)


def test_an_issue_interval_is_within_the_latency() -> None:
    latency, slow = quantity("latency.x", 3.0), quantity("issue_interval.x", 3.4)
    (found,) = breaches("issue_within_latency", latency, slow, run=run())
    assert found.severity is Severity.RELATION
    assert set(found.metrics) == {"latency.x", "issue_interval.x"}
    assert not breaches("issue_within_latency", latency, quantity("issue_interval.x", 3.0), run=run())


def test_other_instruction_forms_are_not_compared() -> None:
    probes = [
        probe("x", constants={"form": "div {a}; mov {d}, rax"}),
        probe("x", "plateau", constants={"form": "div {a}"}),
    ]
    pair = quantity("latency.x", 3.0), quantity("issue_interval.x", 3.4)
    assert not breaches("issue_within_latency", *pair, run=run(probes))


# sharing_symmetric, sharing_transitive, sharing_control


def test_sharing_is_symmetric() -> None:
    there, back = quantity("interference.a.b", 1.0), quantity("interference.b.a", 0.4)
    assert breaches("sharing_symmetric", there, back, run=run())
    assert not breaches("sharing_symmetric", there, quantity("interference.b.a", 0.95), run=run())


def test_sharing_is_transitive() -> None:
    shared = quantity("interference.a.b", 1.0), quantity("interference.b.c", 1.0)
    apart = quantity("interference.a.c", 0.0, -0.01, 0.01)
    (found,) = breaches("sharing_transitive", *shared, apart, run=run())
    assert set(found.metrics) == {"interference.a.b", "interference.b.c", "interference.a.c"}
    assert not breaches("sharing_transitive", *shared, quantity("interference.a.c", 0.9), run=run())


def test_together_takes_no_longer_than_one_after_the_other() -> None:
    (found,) = breaches("sharing_at_most_serial", quantity("interference.a.b", 1.96), run=run())
    assert "score an interference index of 1.96: together they take longer" in found.text
    assert not breaches("sharing_at_most_serial", quantity("interference.a.b", 1.1), run=run())


def test_two_copies_of_one_operation_serialise() -> None:
    control = quantity("interference.a.a", 0.1, 0.05, 0.15)
    pair, other = quantity("interference.a.b", 0.0, -0.01, 0.01), quantity("interference.b.c", 1.0)
    (found,) = breaches("sharing_control", control, pair, other, run=run())
    assert found.metrics == ("interference.a.a", "interference.a.b")


# withhold


def test_a_broken_relation_withholds_nothing() -> None:
    pair = quantity("bandwidth.l2.copy", 60e9), quantity("bandwidth.l3.copy", 70e9)
    found = gates.check(gather(run(), pair))
    assert found
    assert gates.withhold(pair, found) == pair


def test_what_is_withheld_keeps_its_evidence() -> None:
    one = quantity("throughput.x", 9.0, points=("p#1",), details={"rate": [1.0, 9.0]})
    (kept,) = gates.withhold([one], gates.check(gather(run(), [one])))
    assert (kept.points, kept.details, kept.n) == (one.points, one.details, one.n)


# core_arithmetic, library_within_peak, bandwidth_within_nominal


def test_no_core_computes_more_than_the_widest() -> None:
    """One laptop chip "107 TFLOP/s", of which 2.6 are true."""
    assert breaches("core_arithmetic", quantity("peak.fp32.per_cycle", 107e12 / 8 / 3.5e9), run=run())
    assert not breaches("core_arithmetic", quantity("peak.fp32.per_cycle", 64.5), run=run())
    assert not breaches("core_arithmetic", quantity("peak.tf32.per_cycle", 5000.0), run=run())
    matrix = run()
    matrix = changed(matrix, device=changed(matrix.device, isa="aarch64", features=("sme",)))
    assert not breaches("core_arithmetic", quantity("peak.fp32.per_cycle", 512.0), run=matrix)


def test_no_routine_is_faster_than_the_peak() -> None:
    """10702 GFLOP/s over a "peak" of 9015: the card boosts."""
    pair = quantity("peak.fp32", 9015e9), quantity("kernel.sgemm.4096", 10702e9)
    (found,) = breaches("library_within_peak", *pair, run=run())
    assert "at a lower clock" in found.sentence()
    assert not breaches("library_within_peak", pair[0], quantity("kernel.sgemm.4096", 9.4e12), run=run())
    assert not breaches("library_within_peak", pair[0], quantity("kernel.dgemm.4096", 9.9e12), run=run())


def a100(name: str = "NVIDIA A100-PCIE-40GB", reported: dict[str, int | float | str] | None = None) -> Run:
    manifest = run(reported=reported)
    return changed(manifest, device=changed(manifest.device, isa="sm_80", name=name))


def test_memory_is_not_faster_than_its_data_sheet() -> None:
    """ "DRAM" read 2.4 TB/s on a card whose memory does 1.555 TB/s."""
    read = quantity("bandwidth.dram.read.all_cores", 2.4e12)
    (found,) = breaches("bandwidth_within_nominal", read, run=a100())
    assert found.severity is Severity.LIMIT
    assert "above 1.555 TB/s: what the memory can do according to the data sheet, as quoted for" in found.text
    honest = quantity("bandwidth.dram.read.all_cores", 1.4e12)
    assert not breaches("bandwidth_within_nominal", honest, run=a100())


def test_a_slice_of_a_device_has_no_ceiling_of_the_whole() -> None:
    read = quantity("bandwidth.dram.read.all_cores", 2.4e12)
    assert not breaches("bandwidth_within_nominal", read, run=a100("NVIDIA A100-PCIE-40GB MIG 1g.5gb"))


def test_the_driver_may_state_the_ceiling() -> None:
    stated = run(reported={"dram_bytes_per_second": 288e9})
    (found,) = breaches("bandwidth_within_nominal", quantity("bandwidth.dram.read", 970e9), run=stated)
    assert "according to the driver" in found.text
    assert not breaches("bandwidth_within_nominal", quantity("bandwidth.l2.read", 970e9), run=stated)
