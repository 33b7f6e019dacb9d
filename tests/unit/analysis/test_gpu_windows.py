"""Windows as the generator makes them, gone through by a multiprocessor: rates come out as its units have.

Straight windows of 64 steps, gone through once and without a barrier, miss most of these rates by 4 to 77 %:
code is fetched, warps do not begin together, and what is under way at the end was not waited for.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.asked import ok_point
from tests.simulated.gpu import make
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
def measured() -> dict[str, Quantity]:
    run, rows = make(GpuTruth(), asked=[throughput(operation) for operation in UNITS])
    return {one.metric: one for one in quantities(run, pa.table(rows))}


@pytest.mark.parametrize("operation", UNITS)
def test_a_rate_is_that_of_the_unit(operation: str) -> None:
    rate = measured()[f"throughput.{operation}"]
    assert rate.status is Status.OK, rate.reason
    assert rate.value is not None
    assert abs(rate.value / UNITS[operation].rate - 1) < 0.015


@pytest.mark.parametrize("length", [32, 64, 96])
def test_a_chain_is_fetched_before_it_is_timed(length: int) -> None:
    made = source("instruction_latency/fp32_fma", length=length)
    assert span(made, UNITS["fp32_fma"], np.random.default_rng(1)) == 4 * (length - 1) + 1
