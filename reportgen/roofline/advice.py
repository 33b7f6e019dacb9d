"""What to change, by where a kernel stands."""

from __future__ import annotations

from reportgen.roofline.bounds import Bound, attainable
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import COMPUTE, Roofs
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
    """Compute roofs of the same unit of work that would let it run faster at its bytes.

    A smaller type also moves fewer bytes, which is not counted here.
    """
    found = []
    for name, roof in sorted(roofs.compute.items(), key=lambda item: item[1].value):
        if name == point.precision or roof.work != point.unit:
            continue
        reach = roof.value
        for level, moved in point.moved.items():
            if level in roofs.memory and moved.upper > 0:
                reach = attainable(reach, roofs.memory[level].value, point.work / moved.upper)
        if reach >= WORTH * lowest.value:
            found.append(
                f"the {name.upper()} roof stands empty above it: up to "
                f"{significant(reach / lowest.value, 2)} times as fast in that precision, if the result "
                "allows it"
            )
    return tuple(found)
