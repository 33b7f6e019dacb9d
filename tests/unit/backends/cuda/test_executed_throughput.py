"""Kernels of `instruction_throughput` are executed."""

from __future__ import annotations

from tests.unit.backends.cuda.executed import visit_family


def test_kernels_do_what_they_are_for(toolchain: str) -> None:
    visit_family("instruction_throughput")
