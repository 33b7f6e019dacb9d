"""Kernels of the suite are executed: every operation, every path and every word of a setting at least once.

Generator, compiler (to PTX), launcher and checks are the real ones; the device is `tests/simulated/ptx`.
"""

from __future__ import annotations

from functools import cache

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
    "memory_hierarchy",
    "tensor_operations",
    "roofline",
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
