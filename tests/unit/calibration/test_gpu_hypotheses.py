"""How hypotheses should end on drawn GPUs follows from their truth, and both ends are drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.gpu_judge import hypothesis_name
from reportgen.findings.finding import Verdict
from tests.simulated.gpu_drawn import questions
from tests.simulated.gpu_hypotheses import ALWAYS, true_verdict
from tests.simulated.gpu_population import DrawnGpu, seeded
from tests.simulated.gpu_truth import asked

YES, NO = Verdict.SUPPORTED, Verdict.NOT_SUPPORTED
HELD_TO_ONE_END = ALWAYS | {
    "memory_hierarchy/sector_trace",
    "memory_hierarchy/bandwidth_first_level",
    "memory_hierarchy/bandwidth_saturation",
}
"""Probes whose hypothesis is true wherever it says anything."""
OF_ONE_INSTRUCTION = ("instruction_latency", "instruction_throughput", "tensor_operations")


def verdict(probe: str, **changed: object) -> Verdict | None:
    drawn = DrawnGpu()
    return true_verdict(replace(drawn, truth=replace(drawn.truth, **changed)), asked(probe))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("probe", "changed"),
    [
        ("gpu_execution/shared_bank_strides", {"meeting_power": 0.7}),
        ("gpu_execution/register_pressure", {"register_file": 32768}),
        ("gpu_execution/shared_memory_pressure", {"shared_bytes": 100 << 10}),
        ("gpu_execution/launch_overhead", {"launch_block": 0.0}),
        ("memory_hierarchy/l2_matrix", {"far": 200.0}),
        ("memory_hierarchy/distributed_shared", {"cluster_other": 400.0}),
        ("memory_hierarchy/bandwidth_saturation", {"l2_write": 0.2}),
        ("memory_hierarchy/tile_swizzle", {"swizzled": 1.1}),
        ("memory_hierarchy/tile_promotion", {"tile_miss": 0.0}),
        ("gpu_synchronisation/block_barrier", {"barrier_warp": 0.0}),
        ("gpu_synchronisation/memory_barrier", {"barrier": 60.0}),
        ("gpu_synchronisation/fence", {"fences_behind": (14.0, 400.0, 1400.0)}),
        ("gpu_synchronisation/divergence", {"path_again": 0.7}),
        ("roofline/intensity_sweep", {"overlap": 0.6}),
    ],
)
def test_a_device_of_another_truth_ends_otherwise(probe: str, changed: dict[str, object]) -> None:
    assert (verdict(probe), verdict(probe, **changed)) == (YES, NO)


def test_both_ends_of_a_hypothesis_are_drawn() -> None:
    some = [seeded(seed) for seed in range(1000, 1060)]
    probes = [info for info, _ in questions(some[0]) if info.family not in OF_ONE_INSTRUCTION]
    ends = {info.id: {true_verdict(drawn, info) for drawn in some} - {None} for info in probes}
    assert all(ends[probe] == {YES} for probe in ALWAYS)
    assert {probe for probe, found in ends.items() if len(found) == 1} <= HELD_TO_ONE_END


def test_a_hypothesis_is_counted_with_those_that_say_the_same() -> None:
    named = {
        "instruction_latency/fp32_fma": "slope",
        "instruction_throughput/fp32_fma": "plateau",
        "tensor_operations/data_type_sweep_mma_m16n8k16_f16_f32": "data_type_sweep",
        "gpu_synchronisation/fence": "fence",
        "roofline/vendor_gemm_fp16": "library",
    }
    assert {probe: hypothesis_name(asked(probe)) for probe in named} == named
