"""Reach of the translation buffers: how many pages can be visited in turn at full speed.

One line a page.  As lines, `count` pages are a small working set, and what that costs is known
from the working-set sweep; the rest is address translation.  It is taken apart into rises like a cache's
curve.  A rise that is over within what the counts resolve ends between two of them (entries replaced in
turn); otherwise the fit gives the entries, with its interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.isotonic import envelope
from reportgen.analysis.miss_shapes import EVEN
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.rises import Rise, fit_rises
from reportgen.analysis.robust import Array, Interval, pooled_scatter
from reportgen.analysis.working_set import Curve
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "boundary"
LINE = 64
"""Bytes that one page costs in the caches, where the run has no measured line."""
LEAST_RISE = 0.12
"""A rise by less than this share of the latency on few pages is none."""
BLIND_BELOW, BLIND_ABOVE = 0.5, 1.6
"""Counts whose lines are this share of a cache's end are left out: there the caches' sets overflow by
chance, which the sweep over whole lines does not show."""
SHARP_HEIGHT = 0.3
"""Share of a buffer's rise from which a count does not fit any more ..."""
ON_PLATEAU = 0.03
"""... and up to which it does."""
GRID = 1.04
"""A fitted reach is known no better than within this ratio."""


def tlb(
    evidence: Evidence,
    curve: Curve | None,
    hierarchy: Hierarchy | None,
    line: float,
    least_rise: float = LEAST_RISE,
) -> list[Quantity]:
    """`memory.dtlb1.reach` and `memory.dtlb2.reach`.

    Args:
        evidence: points with settings `count` and `pages`; those on small pages are used.
        curve: latency over working sets, to tell caches from translation.
        hierarchy: ends of the caches.
        line: bytes of a line.
        least_rise: share of the latency on few pages; a rise by less is none.
    """
    metrics = (evidence.probe.metric, evidence.probe.metric.replace("dtlb1", "dtlb2"))
    small = [point for point in evidence.points if point.settings.get("pages", "4k") == "4k"]
    one = evidence.narrowed(small or evidence.points)
    usable = sorted(
        (point for point in one.usable() if "count" in point.settings),
        key=lambda point: int(point.settings["count"]),
    )
    if len(usable) < 4:
        if one.usable():
            return [
                one.without_value(
                    metrics[0], "count", METHOD, status=Status.UNSTABLE,
                    reason="Fewer than four page counts gave a time.",
                )
            ]  # fmt: skip
        return [one.without_value(metrics[0], "count", METHOD)]
    times = [one.cycles(point) for point in usable]
    counts = np.array([float(point.settings["count"]) for point in usable])
    latency = np.array(
        [time.value / point.work.get("steps", 1.0) for time, point in zip(times, usable, strict=True)]
    )
    noise = pooled_scatter(times).deviation * float(np.median([time.loss for time in times])) ** 0.5
    details: dict[str, Any] = {"count": [int(count) for count in counts], "cycles": numbers(latency)}
    caches = _cache_part(counts * line, curve)
    if caches is not None:
        details["caches"] = numbers(caches)
        latency = latency - (caches - caches[0])
    seen = _seen(counts * line, hierarchy)
    counts, latency = counts[seen], latency[seen]
    usable = [point for point, kept in zip(usable, seen, strict=True) if kept]
    if len(counts) < 4:
        return [
            one.without_value(
                metrics[0], "count", METHOD, status=Status.UNSTABLE,
                reason="Too few page counts lie away from the ends of the caches.", details=details,
            )
        ]  # fmt: skip
    found, _ = fit_rises(counts, latency, np.full(len(counts), noise), kinds=EVEN)
    rises = [rise for rise in found if rise.penalty >= least_rise * rise.hit]
    if hierarchy is not None:  # beyond the first cache loads cost more, and that is no buffer
        rises = rises[:2]
    result = [_reach(one, metrics[0], rises[0] if rises else None, counts, latency, noise, usable, details)]
    if rises:
        second = rises[1] if len(rises) > 1 else None
        result.append(_reach(one, metrics[1], second, counts, latency, noise, usable, details))
    return result


def _cache_part(footprint: Array, curve: Curve | None) -> Array | None:
    """Latency that the caches alone give to so many bytes, or None when no curve reaches."""
    if curve is None or curve.size[0] > 4 * footprint[0] + 4096:
        return None
    smooth = envelope(curve.latency)
    return np.asarray(np.interp(np.log2(footprint), np.log2(curve.size), smooth))


def _seen(footprint: Array, hierarchy: Hierarchy | None) -> np.ndarray[Any, np.dtype[np.bool_]]:
    seen = np.ones(len(footprint), dtype=bool)
    for end in hierarchy.ends.values() if hierarchy else ():
        if math.isfinite(end.high):
            seen &= ~((footprint > BLIND_BELOW * end.low) & (footprint < BLIND_ABOVE * end.high))
    return seen


def ends(rise: Rise, counts: Array, latency: Array, noise: float) -> tuple[Interval, str]:
    """The reach, between two counts where the rise is `sharp`, else as fitted (`kink`)."""
    near = np.flatnonzero((counts > rise.capacity.value / 3) & (counts < rise.capacity.value * 3))
    height = (envelope(latency[near]) - rise.hit) / rise.penalty
    error = max(ON_PLATEAU, 4 * noise * rise.hit / rise.penalty)
    still, not_any_more = np.flatnonzero(height <= error), np.flatnonzero(height >= SHARP_HEIGHT)
    stepped = rise.kind == "step" and len(still) > 0 and len(not_any_more) > 0
    if stepped and still[-1] + 2 >= not_any_more[0] > still[-1]:
        low, high = float(counts[near[still[-1]]]), float(counts[near[not_any_more[0]]])
        return Interval(math.sqrt(low * high), low, high), "sharp"
    value, low, high = rise.capacity
    return Interval(value, low / GRID, high * GRID), "kink"


def _reach(
    evidence: Evidence,
    metric: str,
    rise: Rise | None,
    counts: Array,
    latency: Array,
    noise: float,
    points: list[Point],
    details: dict[str, Any],
) -> Quantity:
    if rise is None:
        most = float(counts[-1])
        return evidence.bound(
            metric, "count", METHOD, most, points, details=details,
            reason=f"Up to {most:.0f} pages no further rise shows.",
        )  # fmt: skip
    interval, shape = ends(rise, counts, latency, noise)
    return evidence.quantity(
        metric, "count", METHOD, interval, points,
        details=details | {"penalty": rise.penalty, "shape": shape},
    )  # fmt: skip
