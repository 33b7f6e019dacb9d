"""Capacity of the second-level cache for all multiprocessors: where reads of all of them together slow down.

A chase from one multiprocessor sees the part of the cache that answers it.  Here every multiprocessor reads:
all parts fill, and what several parts keep takes up room in each.  The data are gone through again and again
in one order, so that the first sizes that do not fit already miss.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.hierarchy import last_level
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, median
from reportgen.analysis.working_set import size_of
from reportgen.status import Status

METHOD = "gpu"
FIRST = 3
"""So many of the smallest sizes give the rate of the cache; the cache must hold them."""
SLOWER = 0.05
"""A byte that takes longer by less than this share is served as those of the smallest sizes are."""
LEAST_SIZES = 6
"""A curve of fewer sizes shows no end."""


def read_sweep(evidence: Evidence) -> list[Quantity]:
    """The probe's metric, bytes: from the largest size at the rate of the cache to one half of which misses.

    Points have setting `bytes`, work `bytes`, fact `bytes_actual`.  Every size from the end on is slower; one
    slow size between fast ones is none.
    """
    metric = evidence.probe.metric
    points = sorted(evidence.usable(), key=size_of)
    if len(points) < LEAST_SIZES:
        if not points:
            return [evidence.without_value(metric, "byte", METHOD)]
        return [_undecided(evidence, f"Fewer than {LEAST_SIZES} sizes gave a time.")]
    sizes = [size_of(point) for point in points]
    times = np.array([evidence.seconds(point).value / point.work["bytes"] for point in points])
    relative = times / median(times[:FIRST])
    details: dict[str, object] = {
        "bytes": [int(size) for size in sizes],
        "seconds": numbers(times),
        "relative": numbers(relative),
    }
    known = last_level(evidence.run.device)
    if known < sizes[FIRST - 1]:
        return [
            _undecided(
                evidence, "The driver reports a second level that does not hold the smallest sizes, or none.",
                details,
            )
        ]  # fmt: skip
    fast = np.flatnonzero(relative <= 1 + SLOWER)
    last = int(fast[-1])
    if last + 1 < len(sizes):
        low, high = sizes[last], sizes[_half_way(relative, last)]
        ends = Interval((low * high) ** 0.5, low, high)
        return [evidence.quantity(metric, "byte", METHOD, ends, points, details=details)]
    if 2 * known <= sizes[-1]:
        return [
            _undecided(
                evidence, "Reads are as fast far beyond the size that the driver reports: the rate of the "
                "cache does not bound them.", details,
            )
        ]  # fmt: skip
    return [
        evidence.bound(
            metric, "byte", METHOD, sizes[-1], points, details=details,
            reason="Reads over the largest size, the most that was tried, are as fast as over the smallest.",
        )
    ]  # fmt: skip


def _half_way(relative: Array, last: int) -> int:
    """The first size behind the last fast one at which half of the bytes miss, at least.

    A byte from memory takes what those of the largest size take.  Where a hash spreads lines over the sets
    unevenly, some of these overflow long before the cache is full, and misses grow over several sizes.
    """
    half = (1 + relative[-1]) / 2
    return next(at for at in range(last + 1, len(relative)) if relative[at] >= min(half, relative[-1]))


def _undecided(evidence: Evidence, reason: str, details: dict[str, object] | None = None) -> Quantity:
    return evidence.without_value(
        evidence.probe.metric, "byte", METHOD, status=Status.UNSTABLE, reason=reason, details=details
    )
