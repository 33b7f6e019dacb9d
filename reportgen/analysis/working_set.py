"""The memory hierarchy from a sweep of working sets: where levels end, and what a load costs in each.

Two curves, on small and on huge pages.  The one on huge pages is the hierarchy when the system granted
them, because a rise in it is a cache's and not the address translation's; then the one on small
pages gives the same metrics with the suffix `_4k`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis import boundary
from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.hierarchy import CACHES, DRAM_MULTIPLE, ROUNDED, Hierarchy, last_level
from reportgen.analysis.level_latency import stretch
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    Array,
    Interval,
    Scatter,
    Visits,
    pooled_interval,
    pooled_scatter,
    visit_interval,
)
from reportgen.runs.schema import Point
from reportgen.status import Status
from reportgen.units import format_bytes

METHOD = "boundary"
HUGE_FROM = 2 << 20
"""Sizes from here are asked whether huge pages were granted; smaller ones fit in part of one."""
LEAST_SIZES = 6
"""A curve of fewer sizes shows no levels."""
NEIGHBOURS = 6
"""Sizes on either side whose scatter is taken together."""
OUTSIDE = 1.5
"""From this multiple of the reported last-level cache on, the last plateau is not that cache's."""
TWO_LEVELS = 4.0
"""An edge that reaches further than this, as a ratio, may be two that are too close to tell apart."""

IN_PARTS = 2.0
"""Where the second level of a GPU is in parts that keep copies, one multiprocessor meets lines of its own
part alone, then ever more of the other: latency rises long before lines miss, over more than this ratio of
sizes.  What is fitted to such a rise lies too far inside; the end is where it is over at most."""


@dataclass(frozen=True)
class Curve:
    """Latency over size on one kind of pages."""

    pages: str
    points: tuple[Point, ...]
    size: Array
    cycles: tuple[Visits, ...]
    """Cycles per step, by point."""
    latency: Array
    visits: tuple[Scatter, ...]
    """Scatter of visits around each size: small in the first level, larger in memory."""
    noise: Array
    """Relative standard deviation of each latency."""
    details: dict[str, Any]
    """For figures, with the levels that were found."""


def working_set(evidence: Evidence) -> tuple[list[Quantity], Hierarchy | None, Curve | None]:
    """Quantities of `memory.<level>.*`, the hierarchy they describe, and its curve.

    Points have settings `bytes` and `pages`, work `steps`, facts `bytes_actual` and `huge_bytes`.
    """
    curves = {pages: curve_of(evidence, pages) for pages in ("huge", "4k")}
    granted = _granted(evidence)
    main = curves["huge"] if granted and curves["huge"] else curves["4k"] or curves["huge"]
    if main is None:
        return [_nothing(evidence)], None, None
    asked = any("pages" in point.settings for point in evidence.points)
    note = "" if granted or not asked else "Huge pages were not granted: translation is part of the curve."
    result, hierarchy = _of_curve(evidence, main, "", note)
    small = curves["4k"]
    if small is not None and small is not main and granted:
        result += _of_curve(evidence, small, "_4k", "")[0]
    return result, hierarchy, main


def _nothing(evidence: Evidence) -> Quantity:
    metric = f"{evidence.probe.metric}.l1.capacity"
    if not evidence.usable():
        return evidence.without_value(metric, "byte", METHOD)
    return evidence.without_value(
        metric, "byte", METHOD, status=Status.UNSTABLE,
        reason=f"Fewer than {LEAST_SIZES} sizes gave a latency; a curve needs more.",
    )  # fmt: skip


def size_of(point: Point) -> float:
    """Bytes that a point really used."""
    return float(point.facts.get("bytes_actual", point.settings.get("bytes", 0)))


def scatter_at(curve: Curve | None, size: float) -> Scatter:
    """Scatter of visits of a chase over about `size` bytes; none known without a curve."""
    if curve is None:
        return Scatter(0.0, 0.0)
    return curve.visits[int(np.argmin(np.abs(np.log(curve.size / size))))]


def _granted(evidence: Evidence) -> bool:
    large = [
        float(point.facts.get("huge_bytes", 0)) >= 0.5 * size_of(point)
        for point in evidence.usable()
        if point.settings.get("pages") == "huge" and size_of(point) >= HUGE_FROM
    ]
    return sum(large) * 2 > len(large)


def curve_of(evidence: Evidence, pages: str = "4k") -> Curve | None:
    """The curve on one kind of pages; of several points of one size, the first."""
    by_size: dict[float, Point] = {}
    for point in evidence.usable():
        if point.settings.get("pages", "4k") == pages and point.work.get("steps", 0) > 0:
            by_size.setdefault(size_of(point), point)
    sizes = sorted(size for size in by_size if size > 0)
    if len(sizes) < LEAST_SIZES:
        return None
    points = tuple(by_size[size] for size in sizes)
    cycles = tuple(evidence.cycles_per_step(point) for point in points)
    around = [
        pooled_scatter(list(cycles[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]))
        for at in range(len(cycles))
    ]
    intervals = [
        visit_interval(one, scatter, evidence.systematic) for one, scatter in zip(cycles, around, strict=True)
    ]
    details = {
        "pages": pages,
        "bytes": [int(size) for size in sizes],
        "cycles": numbers([one.value for one in intervals]),
        "low": numbers([one.low for one in intervals]),
        "high": numbers([one.high for one in intervals]),
    }
    losses = np.array([one.loss for one in cycles])
    return Curve(
        pages=pages,
        points=points,
        size=np.array(sizes),
        cycles=cycles,
        latency=np.array([one.value for one in cycles]),
        visits=tuple(around),
        noise=np.array([one.deviation for one in around]) * np.sqrt(losses),
        details=details,
    )


def _of_curve(evidence: Evidence, curve: Curve, suffix: str, note: str) -> tuple[list[Quantity], Hierarchy]:
    found = boundary.levels(curve.size, curve.latency, curve.noise)
    last = last_level(evidence.run.device)
    largest = float(curve.size[-1])
    names = _names(found, largest, last)
    details = curve.details | {
        "envelope": numbers(found.envelope),
        "knees": [{"bytes": knee.size, "from": knee.hit, "to": knee.top} for knee in found.knees],
    }
    result: list[Quantity] = []
    ends: dict[str, Interval] = {}
    for index, name in enumerate(CACHES):
        capacity, end = _capacity(evidence, curve, found, names, index, suffix, note, details)
        result.append(capacity)
        if end is not None:
            ends[name] = end
    resident = "dram" in names and len(names) <= len(CACHES) and largest < ROUNDED * DRAM_MULTIPLE * last
    for index, name in enumerate(names):
        if name == "dram" and resident:
            continue
        result += _latency(evidence, curve, found, index, name, last, suffix, details)
    if resident:
        result.append(
            evidence.narrowed(curve.points).without_value(
                f"memory.dram.latency{suffix}", "cycle", METHOD, status=Status.INVALID,
                reason=f"cache-resident: the sweep ended at {format_bytes(largest)}, less than "
                f"{DRAM_MULTIPLE:.0f} times the last-level cache ({format_bytes(last)}).",
            )
        )  # fmt: skip
    if "dram" not in names:
        result.append(
            evidence.narrowed(curve.points).without_value(
                f"memory.dram.latency{suffix}", "cycle", METHOD, status=Status.SKIPPED,
                reason=f"The sweep ended at {format_bytes(largest)}, too small to leave the caches; "
                "measure larger working sets.",
            )
        )  # fmt: skip
    measured = Hierarchy(ends, last or _outermost(ends), measured=True)
    return result, measured


def _outermost(ends: dict[str, Interval]) -> float:
    """Largest end that was found; 0 when none was."""
    return max((end.high for end in ends.values() if math.isfinite(end.high)), default=0.0)


def _names(found: boundary.Levels, largest: float, last: float) -> list[str]:
    """Names of the plateaus, from the core outwards.

    The last one is memory when three ends were found before it (a guest may be told of a cache of
    which it has a part), or when the sweep went clearly beyond the last-level cache that the system
    reports.  Otherwise it is the next cache level.
    """
    count = found.count
    if count > len(CACHES):
        return [*CACHES, "dram"]
    if count > 1 and last and largest >= OUTSIDE * last:
        return [*CACHES[: count - 1], "dram"]
    return list(CACHES[:count])


def _capacity(
    evidence: Evidence,
    curve: Curve,
    found: boundary.Levels,
    names: list[str],
    index: int,
    suffix: str,
    note: str,
    details: dict[str, Any],
) -> tuple[Quantity, Interval | None]:
    """Capacity of the cache level `index`, and its ends when it has any."""
    name = CACHES[index]
    metric = f"memory.{name}.capacity{suffix}"
    largest = float(curve.size[-1])
    one = evidence.narrowed(curve.points)
    edge = found.edges[index] if index < len(found.edges) and name in names else None
    if edge is not None and edge.closed:
        near = [
            point
            for point, size in zip(curve.points, curve.size, strict=True)
            if edge.interval.low / 2 <= size <= edge.interval.high * 2
        ]
        values = dict.fromkeys(by_pass(curve.cycles), edge.interval.value)
        wide = edge.interval.high > TWO_LEVELS * edge.interval.low
        text = "The rise is so long that two levels may be in it." if wide else ""
        interval = edge.interval
        if one.run.device.gpu and _in_parts(edge):
            text = f"The rise is so long that the level may be in parts, of which one fills first. {text}"
            interval = interval._replace(high=max(interval.high, edge.ends))
        quantity = one.quantity(
            metric, "byte", METHOD, interval, near, reason=f"{text} {note}".strip(), passes=len(values),
            details=details | {
                "shape": edge.shape, "hit": edge.rise.hit, "top": edge.rise.top, "begins": edge.begins,
                "ends": edge.ends,
            },
        )  # fmt: skip
        # Where two levels may be in one edge, only what surely fits counts as inside.
        middle = edge.begins if wide else edge.interval.value
        return quantity, Interval(middle, edge.begins, max(edge.ends, middle))
    if edge is not None or (name in names and index == found.count - 1):
        low = edge.interval.low if edge is not None else largest
        text = (
            f"The sweep ended at {format_bytes(largest)}, while latency was still rising."
            if edge is not None
            else f"Latency had not risen again by {format_bytes(largest)}, where the sweep ended."
        )
        quantity = one.bound(
            metric, "byte", METHOD, low, curve.points, reason=f"{text} {note}".strip(), details=details
        )
        return quantity, Interval(low, low, math.inf)
    if "dram" in names:
        reason = (
            f"Latency rises {len(found.edges)} times up to {format_bytes(largest)}, so no {name.upper()} "
            "shows: there is none, or its latency is not apart from its neighbours'."
        )
        return one.without_value(metric, "byte", METHOD, status=Status.UNSUPPORTED, reason=reason), None
    reason = f"The sweep ended at {format_bytes(largest)}, before {name.upper()} could show."
    return one.without_value(metric, "byte", METHOD, status=Status.SKIPPED, reason=reason), None


def _in_parts(edge: boundary.Edge) -> bool:
    """Whether the rise at the end of a level that is no first one is too long for one cache."""
    outer = edge.interval.value > boundary.FIRST_MOST and edge.shape != "sharp"
    return outer and edge.ends > IN_PARTS * edge.begins


def _latency(
    evidence: Evidence,
    curve: Curve,
    found: boundary.Levels,
    index: int,
    name: str,
    last: float,
    suffix: str,
    details: dict[str, Any],
) -> list[Quantity]:
    """Latency of a level in cycles and in seconds, over the sizes that show it best."""
    least = DRAM_MULTIPLE * ROUNDED * last if name == "dram" else 0.0
    shown = stretch(curve.size, curve.latency, found, index, least if curve.size[-1] >= least else 0.0)
    chosen = [int(at) for at in shown.chosen]
    points = [curve.points[at] for at in chosen]
    sizes = {
        "pages": curve.pages,
        "from_bytes": int(curve.size[chosen[0]]),
        "to_bytes": int(curve.size[chosen[-1]]),
    }
    one = evidence.narrowed(points)
    units = ((f"memory.{name}.latency{suffix}", "cycle"), (f"memory.{name}.latency_time{suffix}", "second"))
    groups = one.modes(points)
    if groups:
        steps = points[0].work["steps"]
        return [
            one.without_value(
                metric, unit, METHOD, status=Status.UNSTABLE, details=sizes,
                groups=tuple(group / steps for group in groups) if unit == "cycle" else (),
                reason="The samples fall into two groups; no single latency describes them.",
            )
            for metric, unit in units
        ]  # fmt: skip
    around = range(max(0, chosen[0] - NEIGHBOURS), min(len(curve.points), chosen[-1] + NEIGHBOURS + 1))
    near = around if len(chosen) < 4 else chosen  # few sizes say little of how visits scatter
    seconds = {at: evidence.seconds(curve.points[at]).over(curve.points[at].work["steps"]) for at in near}
    reason = ""
    if shown.mixed:
        reason = "Other levels serve part of the accesses at every size that shows this one."
    result = []
    for (metric, unit), time, systematic in (
        (units[0], {at: curve.cycles[at] for at in near}, evidence.systematic),
        (units[1], seconds, 0.0),
    ):
        members = [time[at] for at in chosen]
        interval = pooled_interval(members, list(time.values()), systematic)
        alone = {"alone": interval.value * shown.alone} if shown.mixed else {}
        result.append(
            one.quantity(
                metric, unit, METHOD, interval, points, reason=reason,
                passes=passes_that_agree(by_pass(members), interval), details=sizes | alone,
            )
        )  # fmt: skip
    return result
