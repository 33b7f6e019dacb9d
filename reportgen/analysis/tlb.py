"""Reach of the translation buffers: how many pages can be visited in turn at full speed.

One line a page.  As lines, `count` pages are a small working set, and what that costs is known
from the working-set sweep; the rest is address translation.  Beyond the entries C of a buffer a share
max(0, 1 - C/count) of the accesses misses it when replacement is by chance, all of them when it is
least-recently-used; the fit decides whether it describes the rise, otherwise the envelope does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.isotonic import envelope
from reportgen.analysis.miss_ratio import Kink, fit_kink
from reportgen.analysis.quantity import Quantity
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
LOOSE_FIT = 0.08
FIT_REACH = 5.0
"""A buffer's rise is fitted up to this multiple of its knee; further out other things rise."""


def tlb(evidence: Evidence, curve: Curve | None, hierarchy: Hierarchy | None, line: float) -> list[Quantity]:
    """`memory.dtlb1.reach` and `memory.dtlb2.reach`.

    Args:
        evidence: points with settings `count` and `pages`; those on 4 KiB pages are used.
        curve: latency over working sets, to tell caches from translation.
        hierarchy: ends of the caches.
        line: bytes of a line.
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
    base = float(np.median(latency[:3]))
    first = _rise(counts, latency, base, base, noise)
    result = [_reach(one, metrics[0], first, counts, usable, details)]
    if first is not None:
        after = counts > first.interval.high
        second = None
        if after.sum() >= 4:
            rest = (latency - first.added(counts))[after]
            base = float(np.median(rest[: max(3, len(rest) // 4)]))
            blind = _blind(hierarchy) / line
            second = _rise(counts[after], rest, base, base + first.penalty, noise, settled=blind)
        result.append(_reach(one, metrics[1], second, counts, usable, details))
    return result


@dataclass(frozen=True)
class _Rise:
    """One buffer's end: its interval and what missing it costs."""

    interval: Interval
    penalty: float
    kink: Kink | None = None

    def added(self, counts: Array) -> Array:
        """Cycles that missing this buffer adds at each count."""
        if self.kink is not None:
            return self.kink.added(counts)
        return np.where(counts >= self.interval.high, self.penalty, 0.0)


def _cache_part(footprint: Array, curve: Curve | None) -> Array | None:
    """Latency that the caches alone give to so many bytes, or None when no curve reaches."""
    if curve is None or curve.size[0] > 4 * footprint[0] + 4096:
        return None
    smooth = envelope(curve.latency)
    return np.asarray(np.interp(np.log2(footprint), np.log2(curve.size), smooth))


def _blind(hierarchy: Hierarchy | None) -> float:
    """Bytes up to which the first cache's sets overflow by chance."""
    ends = list(hierarchy.ends.values()) if hierarchy else []
    return BLIND_ABOVE * ends[0].high if ends and math.isfinite(ends[0].high) else 0.0


def _seen(footprint: Array, hierarchy: Hierarchy | None) -> np.ndarray[Any, np.dtype[np.bool_]]:
    seen = np.ones(len(footprint), dtype=bool)
    for end in hierarchy.ends.values() if hierarchy else ():
        if math.isfinite(end.high):
            seen &= ~((footprint > BLIND_BELOW * end.low) & (footprint < BLIND_ABOVE * end.high))
    return seen


def _rise(
    counts: Array, latency: Array, base: float, whole: float, noise: float, settled: float = 0.0
) -> _Rise | None:
    """The first rise above `base` by a clear part of the `whole` latency there, or None.

    Beyond the first cache every load pays a little more for its translation: from the count
    `settled` the base is what the counts before the rise show, where there are enough of them.
    """
    smooth = envelope(latency)
    clear = base + whole * max(LEAST_RISE, 6 * noise)
    above = np.flatnonzero(smooth > clear)
    if not len(above) or above[0] == 0:
        return None
    at = int(above[0])
    before = latency[:at][counts[:at] >= settled]
    if settled and len(before) >= 3:
        base = float(np.median(before[: max(3, len(before) // 2)]))
    still = np.flatnonzero(smooth[: at + 1] <= base + whole * max(0.02, 4 * noise))
    fits = int(still[-1]) if len(still) else 0
    window = counts <= counts[at] * FIT_REACH
    top = float(smooth[window][-1])
    kink = fit_kink(counts[window], latency[window], base, slack=LOOSE_FIT, most=float(counts[at]))
    if kink is not None:
        low = counts[counts <= kink.capacity.low]
        high = counts[counts > kink.capacity.high]
        if len(low) and len(high):
            interval = Interval(kink.capacity.value, float(low[-1]), float(high[0]))
            return _Rise(interval, kink.penalty, kink)
    low_end, high_end = float(counts[fits]), float(counts[at])
    interval = Interval(math.sqrt(low_end * high_end), low_end, high_end)
    return _Rise(interval, top - base)


def _reach(
    evidence: Evidence,
    metric: str,
    rise: _Rise | None,
    counts: Array,
    points: list[Point],
    details: dict[str, Any],
) -> Quantity:
    if rise is None:
        most = float(counts[-1])
        return evidence.quantity(
            metric, "count", METHOD, Interval(most, most, most), points, status=Status.CENSORED,
            reason=f"Up to {most:.0f} pages no further rise shows.", details=details,
        )  # fmt: skip
    shape = "kink" if rise.kink else "sharp"
    return evidence.quantity(
        metric, "count", METHOD, rise.interval, points,
        details=details | {"penalty": rise.penalty, "shape": shape},
    )  # fmt: skip
