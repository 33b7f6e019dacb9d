"""The executor as a whole: every module of instructions, and programs made of kernels."""

from __future__ import annotations

from importlib import import_module

from tests.simulated.ptx.program import Program, make

INSTRUCTIONS = (
    "control", "movement", "atomics", "arithmetic", "floating", "conversions", "warps", "barriers", "copies",
    "products", "warpgroups", "tensor_memory",
)  # fmt: skip
"""Modules that make instructions known."""

for _name in INSTRUCTIONS:
    import_module(f"tests.simulated.ptx.{_name}")

__all__ = ["INSTRUCTIONS", "Program", "make"]
