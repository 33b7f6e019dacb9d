"""Sector and line from a walk through memory in which every load is timed alone.

Loads lie `stride` bytes apart.  A miss brings a piece of memory, so that the loads behind it hit until the
walk leaves that piece: slow loads come at equal distances, and the distance is the size of the piece (Mei and
Chu, "Dissecting GPU memory hierarchy through microbenchmarking", TPDS 2017).  Of three kinds of loads, the
slowest ones at a longer distance tell of something larger: a line, a row of memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.gpu_distance import split
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, median
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
REGULAR = 0.8
"""Slow loads are at equal distances if this share of the distances is one number."""
LEAST_SLOW = 4
SHOWN = 64
"""Loads of the finest walk that are kept for a figure."""


@dataclass(frozen=True)
class Period:
    """Slow loads of one walk come every `size` bytes; those up to `still` behind one are faster."""

    size: int
    still: int
    point: Point


def sectors(evidence: Evidence) -> list[Quantity]:
    """`memory.sector.<path>` and, where there are slower misses still, `memory.sector.<path>.outer`.

    Points have settings `path` and `stride`; their rows are loads, in the order of the walk.
    """
    stem = evidence.probe.metric
    paths = dict.fromkeys(str(point.settings.get("path", "")) for point in evidence.points)
    found: list[Quantity] = []
    for path in paths:
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("path") == path)
        found += _of_path(own, f"{stem}.{path}")
    return found


def _of_path(evidence: Evidence, metric: str) -> list[Quantity]:
    usable = sorted(evidence.usable(), key=lambda point: int(point.settings["stride"]))
    if not usable:
        return [evidence.without_value(metric, "byte", METHOD)]
    walks = [(point, loads(evidence, point)) for point in usable]
    details = {
        "stride": int(usable[0].settings["stride"]),
        "cycles": numbers(walks[0][1][:SHOWN]),
    }
    periods = [period for point, cycles in walks for period in _periods(point, cycles)]
    if not periods:
        return [
            evidence.without_value(
                metric, "byte", METHOD, status=Status.UNSUPPORTED, details=details,
                reason="Slow loads do not come at equal distances: all of the walk missed, or nothing of it.",
            )
        ]  # fmt: skip
    sizes = sorted({period.size for period in periods})
    named = [(metric, sizes[0])] + ([(f"{metric}.outer", sizes[-1])] if len(sizes) > 1 else [])
    result = []
    for name, size in named:
        own = [period for period in periods if period.size == size]
        interval = Interval(float(size), float(max(period.still for period in own)), float(size))
        points = [period.point for period in own]
        result.append(evidence.quantity(name, "byte", METHOD, interval, points, details=details))
    return result


def loads(evidence: Evidence, point: Point) -> Array:
    """Cycles of each load of a walk: the median over all walks."""
    timing = evidence.timings[point.id]
    order = np.argsort(timing.thread, kind="stable")
    starts = np.flatnonzero(np.diff(timing.thread[order], prepend=-1))
    return np.array([median(some) for some in np.split(timing.cycles[order], starts[1:])])


def _periods(point: Point, cycles: Array) -> list[Period]:
    stride = int(point.settings["stride"])
    steps = [_step(cycles > border) for border in borders(cycles)]
    return [Period(step * stride, (step - 1) * stride, point) for step in steps if step > 1]


def borders(cycles: Array) -> list[float]:
    """Values that part kinds of loads, ascending: none, one, or two where one of the parts has two kinds."""
    first = split(cycles)
    if first is None:
        return []
    found = [first]
    for part in (cycles[cycles <= first], cycles[cycles > first]):
        second = split(part)
        if second is not None:
            found.append(second)
    return sorted(found)


def _step(slow: NDArray[np.bool_]) -> int:
    """Loads from one slow load to the next, 0 where they are not regular."""
    distances = np.diff(np.flatnonzero(slow))
    if len(distances) < LEAST_SLOW:
        return 0
    values, counts = np.unique(distances, return_counts=True)
    at = int(np.argmax(counts))
    return int(values[at]) if counts[at] >= REGULAR * len(distances) else 0
