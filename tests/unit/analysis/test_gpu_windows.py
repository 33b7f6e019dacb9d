"""Windows as the generator makes them, gone through by a multiprocessor: rates come out as its units have.

Straight windows of 64 steps, gone through once and without a barrier, miss most of these rates by 4 to 77 %:
code is fetched, warps do not begin together, and what is under way at the end was not waited for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.asked import ok_point
from tests.simulated.gpu import make
from tests.simulated.gpu_execution import peak_fp32, peak_tensor
from tests.simulated.gpu_library import product
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked, source
from tests.simulated.multiprocessor import WARP, Unit, span

UNITS = {
    "fp32_fma": Unit(4, 1),
    "integer_mad": Unit(4, 2),
    "fp64_fma": Unit(8, 2),
    "popcnt": Unit(20, 8, ahead=6),
    "exp2": Unit(23, 8, ahead=8),
    "shared_load": Unit(29, 4, ahead=12),
    "fp64_add": Unit(40, 64),
}
"""Of a quarter of an H100's multiprocessor (Luo et al. 2024; CUDA Programming Guide), and the FP64 unit of a
consumer card (`fp64_add`)."""


def throughput(operation: str) -> Question:
    name = f"instruction_throughput/{operation}"
    chance = np.random.default_rng(5)
    found = []
    for chains in (1, 2, 4, 8):
        made = source(name, accumulators=chains)
        warps = int(made.setup["threads"]) // WARP * int(made.setup.get("turns", 1))
        cycles = span(made, UNITS[operation], chance) + EMPTY
        point = ok_point(name, {"accumulators": chains}, work=dict(made.work))
        found.append(Simulated(point, (cycles,), warps))
    return asked(name), found


@cache
def measured(noise: float = 0.001) -> dict[str, Quantity]:
    run, rows = make(GpuTruth(), noise=noise, asked=[throughput(operation) for operation in UNITS])
    return {one.metric: one for one in quantities(run, pa.table(rows))}


@pytest.mark.parametrize("operation", UNITS)
def test_a_rate_is_that_of_the_unit(operation: str) -> None:
    rate = measured()[f"throughput.{operation}"]
    assert rate.status is Status.OK, rate.reason
    assert rate.value is not None
    assert abs(rate.value / UNITS[operation].rate - 1) < 0.015


@pytest.mark.parametrize("operation", UNITS)
def test_its_interval_allows_for_the_queue_of_the_unit(operation: str) -> None:
    """Slow units come out too quick: what is in their queue at the second clock read is not waited for."""
    rate = measured(0.0)[f"throughput.{operation}"]  # what disturbs a sample makes it longer, never shorter
    assert rate.value is not None
    assert rate.low is not None
    assert rate.high is not None
    true = UNITS[operation].rate
    assert rate.low <= true <= rate.high
    assert (rate.high - rate.low) / true < 0.03
    if UNITS[operation].ahead:
        assert rate.value > true


@pytest.mark.parametrize("length", [32, 64, 96])
def test_a_chain_is_fetched_before_it_is_timed(length: int) -> None:
    made = source("instruction_latency/fp32_fma", length=length)
    assert span(made, UNITS["fp32_fma"], np.random.default_rng(1)) == 4 * (length - 1) + 1


def test_power_takes_from_the_rate_a_second_and_not_from_the_work_of_a_cycle() -> None:
    truth = replace(GpuTruth(), tensor_clock_hz=1.4e9)
    run, rows = make(truth, asked=[peak_tensor(truth), peak_fp32(truth), product(truth)])
    found = {one.metric: one.value for one in quantities(run, pa.table(rows))}
    each = 4096 * truth.mma_rate
    assert found["peak.tensor_fp16.per_cycle"] == pytest.approx(each, rel=0.005)
    assert found["peak.tensor_fp16"] == pytest.approx(each * truth.multiprocessors * 1.4e9, rel=0.005)
    assert found["peak.fp32"] == pytest.approx(64 * 4 * truth.multiprocessors * 1.98e9, rel=0.005)
    # the vendor's product ran at the same clock
    assert found["vendor.gemm_tensor_fp16.ratio"] == pytest.approx(1 / truth.library_share, rel=0.005)


@pytest.mark.parametrize(
    ("probe", "settings"),
    [
        ("instruction_latency/exp2", {"length": 32}),
        ("instruction_throughput/exp2", {"accumulators": 4}),
        ("pipeline_interference/matrix", {"first": "exp2", "second": "fp32_fma", "order": "interleaved"}),
        ("tensor_operations/instruction_latency_mma_m16n8k16_f16_f32", {"length": 8}),
        ("tensor_operations/wgmma_m64n128k16_f16_f32", {"length": 4}),
    ],
)
def test_the_first_time_round_brings_the_code(probe: str, settings: dict[str, int | str]) -> None:
    made = source(probe, **settings)
    assert (made.setup["times"], made.setup["nought"]) == (2, 0)
    assert made.text.count("while (time < times)") == 1
