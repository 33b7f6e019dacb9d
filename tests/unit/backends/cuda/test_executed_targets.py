"""Kernels of other targets than sm_90 are executed, as far as they differ from its own."""

from __future__ import annotations

import pytest

from tests.unit.backends.cuda.executed import chosen, visited

OTHERS = ("sm_80", "sm_100", "sm_120")
"""Targets with instructions that sm_90 lacks, or without those that it has."""


@pytest.mark.parametrize("isa", OTHERS)
def test_kernels_of_other_targets_do_so_too(toolchain: str, isa: str) -> None:
    visited(isa, list(chosen(isa)))
