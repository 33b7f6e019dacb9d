"""What to change, by where a kernel stands."""

from __future__ import annotations

from reportgen.roofline.bounds import Bound, attainable
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import COMPUTE, Roofs, called
from reportgen.units import significant

NEITHER = (
    "access pattern: unit stride, aligned, few partly used lines",
    "parallelism: more independent chains, wider vectors, enough work a call",
    "overhead of launch, call and synchronisation: larger batches of work",
    "supply of data: what waits for input, or for another kernel",
)
PARTIAL = (
    "overlap transfer and arithmetic: prefetch, double buffering, more independent work in flight",
    "then what holds for a kernel far from any roof: access pattern, overhead of calls",
)
MEMORY = (
    "move fewer bytes: fuse with the kernels before and after, tile for the next level inwards",
    "smaller types, or a larger batch, so that each byte serves more work",
)
COMPUTE_ROOF = ("do less work: another algorithm, no recomputation, no padding",)
UNCLEAR = ("measure again with more samples: the interval decides",)
NO_ROOF = ("measure the roof that is missing; until then its share of it is not known",)

WORTH = 1.1
"""A roof is called higher from this ratio."""


def bound_by(lowest: Bound, point: Point, roofs: Roofs) -> tuple[str, ...]:
    """Advice for a kernel at a roof, with the next higher roof that stands empty above it."""
    if lowest.kind != COMPUTE:
        return MEMORY
    return (*COMPUTE_ROOF, *higher(lowest, point, roofs))


def higher(lowest: Bound, point: Point, roofs: Roofs) -> tuple[str, ...]:
    """The compute roofs of the same unit of work that would let it run faster at its bytes, as a sentence.

    A smaller type also moves fewer bytes, which is not counted here.
    """
    gains: dict[str, list[str]] = {}
    for name, roof in sorted(roofs.compute.items(), key=lambda item: item[1].value):
        if name == point.precision or roof.work != point.unit:
            continue
        reach = roof.value
        for level, moved in point.moved.items():
            if level in roofs.memory and moved.upper > 0:
                reach = attainable(reach, roofs.memory[level].value, point.work / moved.upper)
        if reach >= WORTH * lowest.value:
            gains.setdefault(significant(reach / lowest.value, 2), []).append(called(name))
    if not gains:
        return ()
    told = "; ".join(f"{_listed(names)}, up to {gain} times as fast" for gain, names in gains.items())
    return (f"use a roof that stands empty above it, if the result allows its precision: {told}",)


def _listed(names: list[str]) -> str:
    return " or ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
