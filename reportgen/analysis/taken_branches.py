"""How fast taken branches follow each other, and where more of them become slower.

Jumps, each to the next, evenly apart.  While the core holds where all of them lead, and their code, a branch
takes the interval of taken branches.  Where a buffer of branch targets ends, or a level that holds code, the
time of a branch rises.  A curve for each distance is taken apart into rises like a cache's; a boundary lies
between the last number of branches below a rise and the first on it.

Some numbers of branches are slower than larger ones (they meet in the same sets, or pages of code do): what a
larger number reaches is not the end of anything, so the curve is made to never fall from its far end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.rises import Rise, fit_rises
from reportgen.analysis.robust import Array, Interval, Visits, pooled_interval, pooled_scatter
from reportgen.analysis.tlb import ends
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "branches"
LEAST_RISE = 0.4
"""A rise by less than this share of the time before it is none: in a guest on a Zen 4 core the time of
branches 64 bytes apart crept from 2.0 to 2.7 cycles, at another number in every run."""
WITHIN = 3.0
"""Ratio of numbers of branches within which two rises may be fitted as one."""
LEAST_COUNTS = 6
ORDER = ("first", "second", "third")
"""Names of the boundaries of one distance; further ones are not told."""
STEPS = frozenset({"step"})


def taken_branches(evidence: Evidence) -> list[Quantity]:
    """`branch.taken.interval`, and `branch.taken.<distance>b.<first|second|third>` of every distance.

    Args:
        evidence: points with settings `branches` and `spacing` (bytes), and work `branches`, which counts the
            one that closes the body too.
    """
    by_distance: dict[int, list[Point]] = {}
    for point in evidence.points:
        by_distance.setdefault(int(point.settings.get("spacing", 0)), []).append(point)
    boundaries: list[Quantity] = []
    below: list[Point] = []
    for distance, points in sorted(by_distance.items()):
        found, fits = _of_distance(evidence.narrowed(points), distance)
        boundaries += found
        below += fits
    return [_interval(evidence, below), *boundaries]


def _interval(evidence: Evidence, below: list[Point]) -> Quantity:
    """Cycles of a taken branch over all points that lie below the first boundary of their distance."""
    metric = f"{evidence.probe.metric}.interval"
    if not below:
        return evidence.without_value(metric, "cycle", METHOD)
    members = [_each(evidence, point) for point in below]
    interval = pooled_interval(members, members, evidence.systematic)
    return evidence.quantity(
        metric, "cycle", METHOD, interval, below, passes=passes_that_agree(by_pass(members), interval),
        details={"most": max(float(point.settings["branches"]) for point in below)},
    )  # fmt: skip


def _each(evidence: Evidence, point: Point) -> Visits:
    """Cycles of a branch."""
    return evidence.cycles(point).over(point.work["branches"])


def _of_distance(evidence: Evidence, distance: int) -> tuple[list[Quantity], list[Point]]:
    """Boundaries at one distance, and the points below the first."""
    stem = f"{evidence.probe.metric}.{distance}b"
    usable = sorted(
        (point for point in evidence.usable() if point.work.get("branches", 0) > 0),
        key=lambda point: int(point.settings["branches"]),
    )
    if len(usable) < LEAST_COUNTS:
        status = None if len(evidence.usable()) < len(evidence.points) else Status.SKIPPED
        reason = f"{len(usable)} numbers of branches gave a time; {LEAST_COUNTS} are needed."
        return [evidence.without_value(f"{stem}.first", "count", METHOD, status=status, reason=reason)], []
    times = [_each(evidence, point) for point in usable]
    counts = np.array([float(point.settings["branches"]) for point in usable])
    cycles = np.array([time.value for time in times])
    noise = pooled_scatter(times).deviation * float(np.median([time.loss for time in times])) ** 0.5
    curve = never_falling(cycles)
    found, _ = fit_rises(counts, curve, np.full(len(counts), noise), kinds=STEPS)
    rises = [rise for rise in found if rise.penalty >= LEAST_RISE * rise.hit][: len(ORDER)]
    details: dict[str, Any] = {"distance": distance, "count": numbers(counts), "cycles": numbers(cycles)}
    if not rises:
        bound = evidence.bound(
            f"{stem}.first", "count", METHOD, float(counts[-1]), usable, details=details,
            reason=f"Up to {counts[-1]:.0f} branches {distance} bytes apart none becomes slower.",
        )  # fmt: skip
        return [bound], usable
    quantities = [
        _boundary(evidence, f"{stem}.{name}", rise, counts, curve, noise, usable, details)
        for name, rise in zip(ORDER, rises, strict=False)
    ]
    end = quantities[0].low or 0.0
    return quantities, [point for point in usable if float(point.settings["branches"]) <= end]


def _boundary(
    evidence: Evidence,
    metric: str,
    rise: Rise,
    counts: Array,
    curve: Array,
    noise: float,
    points: list[Point],
    details: dict[str, Any],
) -> Quantity:
    fitted, shape = ends(rise, counts, curve, noise)
    fitted = _from_the_first(fitted, rise, counts, curve)
    interval = Interval(fitted.value, math.floor(fitted.low), math.ceil(fitted.high))
    return evidence.quantity(
        metric, "count", METHOD, interval, points,
        details=details | {"before": rise.hit, "after": rise.top, "shape": shape},
    )  # fmt: skip


def _from_the_first(fitted: Interval, rise: Rise, counts: Array, curve: Array) -> Interval:
    """The interval of a rise, or of what begins before it.

    Two rises with no plateau between them are fitted as one, near the larger; a boundary is where the smaller
    one begins, if that is large enough to be told of.
    """
    near = np.flatnonzero((counts > rise.capacity.value / WITHIN) & (curve >= (1 + LEAST_RISE) * rise.hit))
    if not len(near) or not near[0] or counts[near[0]] >= fitted.high:
        return fitted
    low, high = float(counts[near[0] - 1]), float(counts[near[0]])
    return fitted if low >= fitted.low else Interval(math.sqrt(low * high), low, high)


def never_falling(cycles: Array) -> Array:
    """At each number the least of its own time and of the second least of all larger ones.

    The second, so that one visit that came out too short hides no boundary.
    """
    lowered = cycles.copy()
    least = second = np.inf
    for at in range(len(cycles) - 1, -1, -1):
        lowered[at] = min(cycles[at], second)
        least, second = sorted((least, second, cycles[at]))[:2]
    return lowered
