"""The roofs of one core: measured peaks, and of each level the best ordinary bandwidth."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.analysis.quantity import Quantity
from reportgen.status import USABLE

LEVELS = ("l1", "l2", "l3", "dram")
KERNELS = ("read", "copy", "triad")
"""Kernels that compete for a level's roof.  Non-temporal stores pass the caches by, and a kernel of
stores alone has no operands to compute with."""


def peaks(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """`peak.<precision>` of every precision that was asked for, with or without a number."""
    return tuple(
        quantity
        for quantity in quantities
        if quantity.metric.startswith("peak.") and quantity.metric.count(".") == 1
    )


def bandwidths(quantities: Iterable[Quantity]) -> dict[str, Quantity]:
    """Level -> the fastest of `KERNELS` on one core.

    A level in which none of them has a number is represented by the first of them that was asked
    for, so that its reason is not lost.
    """
    by_level: dict[str, list[Quantity]] = {}
    for quantity in quantities:
        parts = quantity.metric.split(".")
        if len(parts) == 3 and parts[0] == "bandwidth" and parts[2] in KERNELS:
            by_level.setdefault(parts[1], []).append(quantity)
    best = {}
    for level in LEVELS:
        candidates = by_level.get(level, [])
        stated = [one for one in candidates if one.status in USABLE and one.value is not None]
        if stated:
            best[level] = max(stated, key=lambda one: one.value or 0.0)
        elif candidates:
            best[level] = candidates[0]
    return best


def ceilings(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """Those of `quantities` that are roofs and have a number: peaks first, then levels outwards."""
    given = tuple(quantities)
    roofs = (*peaks(given), *bandwidths(given).values())
    return tuple(roof for roof in roofs if roof.status in USABLE and roof.value is not None)
