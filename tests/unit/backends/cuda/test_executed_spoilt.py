"""Kernels that are spoilt on purpose are found out by their checks, or by the executor."""

from __future__ import annotations

import msgspec
import pytest

from tests.simulated.ptx.points import Code
from tests.simulated.ptx.visits import Visits
from tests.unit.backends.cuda import suite

SPOILT = (
    ("roofline/gemm_sweep#n=256", "= sum[i][j];", "= sum[j][i];", "wrong", "differ from those of the host"),
    ("memory_hierarchy/bandwidth_saturation#kernel=copy", '"f"(x1_0)', '"f"(x0_0)', "wrong", "copy differs"),
    ("memory_hierarchy/working_set_sweep#path=cg", "out[round] = node;", "out[round] = node + (round == 2);",
     "invalid", "ended at another node"),
    ("instruction_latency/fp32_fma#", "+ 1] = stop;", "+ (threadIdx.x != 3)] = stop;", "wrong",
     "1 of 64 clock reads were not written"),
    ("instruction_latency/fp32_fma#", "= d0;", "= d0 + start;", "invalid", "other results than the first"),
    ("instruction_latency/fp32_fma#", "out[threadIdx.x", "out[(1 << 20) + threadIdx.x", "failed", "700"),
    ("instruction_latency/fp32_fma#", "asm volatile(", "return; asm volatile(", "failed", "did not run"),
    ("instruction_latency/shared_atomic_add#", "shared[threadIdx.x + 0] = d0;", "", "wrong", "nobody wrote"),
)  # fmt: skip
"""Point, what stands in its kernel, what shall stand there instead, the status that it must have, and why."""


@pytest.mark.parametrize(("point", "right", "spoilt", "status", "words"), SPOILT)
def test_a_spoilt_kernel_is_found_out(
    toolchain: str, point: str, right: str, spoilt: str, status: str, words: str
) -> None:
    whole = next(one for name, one in suite.generated("sm_90").sources.items() if name.startswith(point))
    assert right in whole.text
    source = msgspec.structs.replace(whole, text=whole.text.replace(right, spoilt, 1))
    code = Code()
    code.make([source])
    seen = Visits("sm_90", code).visit(source)
    assert (seen.status, words in seen.reason) == (status, True), seen.reason
