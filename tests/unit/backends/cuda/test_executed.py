"""Kernels of the suite are executed, family by family; the long ones are in files of their own."""

from __future__ import annotations

import pytest

from tests.simulated.ptx.points import family
from tests.unit.backends.cuda.executed import visit_family, with_code

APART = ("instruction_throughput", "memory_hierarchy")
"""In `test_executed_throughput.py` and `test_executed_memory.py`."""
FAMILIES = (
    "instruction_latency",
    "pipeline_interference",
    "gpu_execution",
    "gpu_synchronisation",
    "front_end",
    "tensor_operations",
    "roofline",
    "host_link",
)


@pytest.mark.parametrize("name", FAMILIES)
def test_kernels_do_what_they_are_for(toolchain: str, name: str) -> None:
    visit_family(name)


def test_every_family_with_a_kernel_is_executed() -> None:
    assert {family(source) for source in with_code("sm_90")} == {*FAMILIES, *APART}
