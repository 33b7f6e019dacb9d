"""How many instructions a core keeps in flight behind a load that waits for memory.

Between two loads that miss, each the next step of a chase of its own, stand `count` other instructions.
As long as the second load enters the core before the first is back, both wait together, and a round takes
one latency of memory; from the count on at which some resource is full before the second load is reached,
it takes two.  Which resource that is depends on what the filling takes: every instruction an entry of the
reorder buffer, most a register of their file, loads and stores an entry of their queue, and those that wait
for the first load a place in a scheduler.

The technique is Henry Wong's ("Measuring Reorder Buffer Capacity", blog.stuffedcow.net, 2013).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.isotonic import without_spikes
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, median
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "window"
LEAST_STEP = 1.4
"""Time of a round with both loads in turn over that with both at once: two, where nothing else takes time."""
BESIDE = 5
"""Counts on either side of the step that say how high it is there: fillings take time of their own."""
FITS, DOES_NOT = 1 / 3, 2 / 3
"""Share of the step (of logarithms) up to which a count still fits, and from which it does not: where
entries are of two kinds, the step has a tread between."""
SHARP = 1.5
"""A step that takes longer than from a count to so many times that is none."""
LEAST_COUNTS = 6


def window(evidence: Evidence) -> list[Quantity]:
    """`window.<filling>`: instructions in flight between the two loads, one for each kind of filling.

    The interval is [largest count with which both loads overlap, smallest with which they do not).
    """
    by_filling: dict[str, list[Point]] = {}
    for point in evidence.points:
        by_filling.setdefault(str(point.settings.get("filling", "")), []).append(point)
    curves = {filling: _curve(evidence.narrowed(points)) for filling, points in by_filling.items()}
    starts = [median(cycles[:BESIDE]) for _, _, cycles in curves.values() if len(cycles) >= LEAST_COUNTS]
    alone = min(starts, default=0.0)
    return [
        _quantity(evidence.narrowed(by_filling[filling]), filling, *curve, alone)
        for filling, curve in curves.items()
    ]


def _curve(evidence: Evidence) -> tuple[list[Point], Array, Array]:
    """Usable points by count, their counts, and cycles of a round."""
    points = sorted(
        (point for point in evidence.usable() if "count" in point.settings),
        key=lambda point: int(point.settings["count"]),
    )
    counts = np.array([float(point.settings["count"]) for point in points])
    # a visit beside a busy thread may come out too short as well: its calibration is slowed, memory is not
    cycles = np.array([median(evidence.cycles(point).centres) for point in points])
    return points, counts, cycles


def _quantity(
    evidence: Evidence, filling: str, points: list[Point], counts: Array, cycles: Array, alone: float
) -> Quantity:
    metric = f"{evidence.probe.metric}.{filling}"
    if len(points) < LEAST_COUNTS:
        return evidence.without_value(metric, "count", METHOD)
    details: dict[str, Any] = {"filling": filling, "count": numbers(counts), "cycles": numbers(cycles)}
    height = without_spikes(np.log(cycles))
    split = cut(height)
    before, after = height[:split][-BESIDE:], height[split:][:BESIDE]
    low, step = median(before), median(after) - median(before)
    if step < math.log(LEAST_STEP):
        if median(height) < math.log(alone * LEAST_STEP):
            return evidence.bound(
                metric, "count", METHOD, float(counts[-1]), points, details=details,
                reason=f"With up to {counts[-1]:.0f} instructions between them both loads still overlap.",
            )  # fmt: skip
        return evidence.without_value(
            metric, "count", METHOD, status=Status.SKIPPED, details=details,
            reason=f"Already with {counts[0]:.0f} instructions between them the loads do not overlap.",
        )  # fmt: skip
    share = (height - low) / step
    fits = max(0, int(np.flatnonzero(share > FITS)[0]) - 1)
    not_any_more = int(np.flatnonzero(share >= DOES_NOT)[0])
    interval = Interval(
        math.sqrt(counts[fits] * counts[not_any_more]), float(counts[fits]), float(counts[not_any_more])
    )
    details["step"] = math.exp(step)
    if interval.high / interval.low > SHARP:
        return evidence.without_value(
            metric, "count", METHOD, status=Status.UNSTABLE, details=details,
            reason=f"The time of a round rises from {interval.low:.0f} to {interval.high:.0f} instructions "
            "without a clear step; run again while the machine is quiet.",
        )  # fmt: skip
    return evidence.quantity(metric, "count", METHOD, interval, points, details=details)


def cut(height: Array) -> int:
    """Where two levels describe the curve best: least sum of distances from the median of either side."""
    ends = range(2, len(height) - 1)
    return min(
        ends,
        key=lambda at: sum(
            float(np.abs(part - np.median(part)).sum()) for part in (height[:at], height[at:])
        ),
    )
