"""Two simulated GPUs, and what the analysis finds of them."""

from __future__ import annotations

from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import KIB, GpuTruth

TRUTH = GpuTruth()


SMALL = GpuTruth(
    banks=16, fma_latency=6.0, near=250.0, far=250.0, l1_bytes=128 << 10,
    register_file=32768, shared_bytes=100 * KIB, multiprocessors=60,
    sector=64, constant_bytes=(4 * KIB, 16 * KIB), tlb_entries=96, cluster_other=220.0, copy_fixed=900.0,
    copy_rate=60.0, resident=2,
)  # fmt: skip


BOTH = pytest.mark.parametrize("truth", [TRUTH, SMALL], ids=["large", "small"])


@cache
def found(truth: GpuTruth = TRUTH) -> dict[str, Quantity]:
    run, rows = make(truth)
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def near(quantity: Quantity, truth: float, within: float = 0.01) -> bool:
    assert quantity.status == Status.OK, quantity.reason
    assert quantity.value is not None
    return abs(quantity.value / truth - 1) <= within
