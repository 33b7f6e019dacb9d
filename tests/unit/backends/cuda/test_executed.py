"""Kernels of the suite are executed: every operation, every path and every word of a setting at least once.

Generator, compiler (to PTX), launcher and checks are the real ones; the device is `tests/simulated/ptx`.
"""

from __future__ import annotations

from functools import cache

import msgspec
import pytest

from reportgen.backends.base import Source
from tests.simulated.ptx.points import Code, aspects, family, few
from tests.simulated.ptx.visits import Visits
from tests.unit.backends.cuda import suite

FAMILIES = (
    "instruction_latency",
    "instruction_throughput",
    "pipeline_interference",
    "gpu_execution",
    "gpu_synchronisation",
    "memory_hierarchy",
    "front_end",
    "tensor_operations",
    "roofline",
    "host_link",
)
OTHERS = ("sm_80", "sm_100", "sm_120")
"""Targets with instructions that sm_90 lacks, or without those that it has."""


@cache
def chosen(isa: str) -> tuple[str, ...]:
    """Points: of sm_90 one of each kind, of others what sm_90 does not have, and one of every template."""
    if isa == "sm_90":
        return tuple(source.point for source in few(_with_code(isa)))
    known = frozenset().union(*(aspects(one) for one in _with_code("sm_90")))
    some = few(_with_code(isa), known)
    kinds = {_kind(one) for one in some}
    first = {_kind(one): one for one in reversed(few(_with_code(isa))) if _kind(one) not in kinds}
    return tuple(source.point for source in [*some, *first.values()])


def _with_code(isa: str) -> list[Source]:
    return [source for source in suite.generated(isa).sources.values() if source.text]


def _kind(source: Source) -> tuple[str, str]:
    return family(source), str(source.setup.get("kind", "body"))


def visited(isa: str, points: list[str]) -> None:
    sources = [suite.generated(isa).sources[point] for point in points]
    assert sources
    code = Code()
    code.make(sources)
    assert not code.refused
    visits = Visits(isa, code)
    seen = [visits.visit(source) for source in sources]
    assert [(one.point, one.status, one.reason) for one in seen if one.status != "ok"] == []


@pytest.mark.parametrize("name", FAMILIES)
def test_kernels_do_what_they_are_for(toolchain: str, name: str) -> None:
    visited("sm_90", [point for point in chosen("sm_90") if point.startswith(f"{name}/")])


@pytest.mark.parametrize("isa", OTHERS)
def test_kernels_of_other_targets_do_so_too(toolchain: str, isa: str) -> None:
    visited(isa, list(chosen(isa)))


def test_every_family_with_a_kernel_is_executed() -> None:
    sources = suite.generated("sm_90").sources.values()
    assert {family(source) for source in sources if source.text} == set(FAMILIES)


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
