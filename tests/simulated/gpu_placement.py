"""Where clusters of a simulated GPU come to lie: parts of unequal size, the blocks of a cluster all in one.

Multiprocessors of a part (a graphics processing cluster) are neighbours in pairs and in groups of a few
pairs.  Which part a launch gets differs from visit to visit; a cluster that fits into none is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.runs.schema import Point
from reportgen.status import Status
from tests.simulated.asked import ok_point, point_id
from tests.simulated.gpu_truth import EMPTY, Question, Simulated, asked

REFUSED = "cuLaunchKernelEx: no part of this device holds a cluster of so many blocks of this kernel"
LOADS = 32.0


@dataclass(frozen=True)
class Parts:
    """Multiprocessors by part, and the way between two of them."""

    sizes: tuple[int, ...] = (18, 18, 16, 16, 16, 16, 16, 16)
    group: int = 6
    """Multiprocessors of a group within a part."""
    own: float = 33.0
    pair: float = 172.0
    """Cycles of a load from the other one of a pair ..."""
    neighbour: float = 180.0
    """... from the same group ..."""
    farther: float = 196.0
    """... and from another group of the part."""

    def holds(self, size: int) -> bool:
        """Whether a cluster of so many blocks fits somewhere."""
        return size <= max(self.sizes)

    def places(self, size: int, chance: np.random.Generator) -> list[int]:
        """Multiprocessors of a cluster's blocks, by their numbers within a part, in the order of ranks."""
        fits = [part for part in self.sizes if part >= size]
        part = fits[int(chance.integers(len(fits)))]
        first = int(chance.integers(part - size + 1))
        return list(range(first, first + size))

    def way(self, one: int, other: int) -> float:
        """Cycles of a load."""
        if one == other:
            return self.own
        if one // 2 == other // 2:
            return self.pair
        return self.neighbour if one // self.group == other // self.group else self.farther


def clusters(parts: Parts) -> Question:
    """The first block loads from itself, the next and the last one of its cluster."""
    name = "memory_hierarchy/distributed_shared"
    found = []
    for size in (2, 4, 8, 16):
        for peer, rank in (("own", 0), ("next", 1), ("last", size - 1)):
            settings = {"cluster": size, "peer": peer}
            if not parts.holds(size):
                refused = Point(point_id(name, settings), name, settings, Status.UNSUPPORTED, REFUSED)
                found.append(Simulated(refused, ()))
                continue

            def taken(chance: np.random.Generator, size: int = size, rank: int = rank) -> tuple[float]:
                places = parts.places(size, chance)
                return (LOADS * parts.way(places[0], places[rank]) + EMPTY,)

            found.append(Simulated(ok_point(name, settings, work={"steps": LOADS}), (), drawn=taken))
    return asked(name), found
