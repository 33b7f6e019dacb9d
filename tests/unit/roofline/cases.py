"""Roofs of a made-up device with round numbers."""

from __future__ import annotations

from typing import Any

from reportgen.roofline.bounds import Moved
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import Roof, Roofs

KIB, MIB = 1024.0, 1024.0**2


def roof(name: str, value: float, half: float = 0.0, unit: str = "") -> Roof:
    memory = name in ("l1", "l2", "l3", "dram")
    unit = unit or ("byte/second" if memory else "OP/second" if name.startswith("int") else "FLOP/second")
    return Roof(
        name, "memory" if memory else "compute", f"{'bandwidth' if memory else 'peak'}.{name}",
        value, value * (1 - half), value * (1 + half), unit, "read" if memory else "",
    )  # fmt: skip


def roofs(*given: Roof, **fields: Any) -> Roofs:
    """L1 1000, L2 400, DRAM 20 GB/s; FP64 50, FP32 100, BF16 400 GFLOP/s; INT8 800 GOP/s."""
    some = given or (
        roof("fp64", 50e9), roof("fp32", 100e9), roof("bf16", 400e9), roof("int8", 800e9),
        roof("l1", 1000e9), roof("l2", 400e9), roof("dram", 20e9),
    )  # fmt: skip
    fields.setdefault("ends", {"l1": (31 * KIB, 33 * KIB), "l2": (900 * KIB, 1100 * KIB)})
    return Roofs(
        compute={one.name: one for one in some if one.kind == "compute"},
        memory={one.name: one for one in some if one.kind == "memory"},
        **fields,
    )


def point(
    intensity: float, rate: float | None, half: float = 0.0, level: str = "dram", **fields: Any
) -> Point:
    """A kernel of 1 GFLOP at an intensity in one level."""
    fields.setdefault("name", "kernel")
    fields.setdefault("precision", "fp32")
    return Point(
        work=1e9, moved={level: Moved(1e9 / intensity)}, rate=rate,
        low=rate and rate * (1 - half), high=rate and rate * (1 + half), **fields,
    )  # fmt: skip
