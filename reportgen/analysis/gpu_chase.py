"""A second measure of each level's latency, path by path.

Which level of the device serves a size depends on the path: one that passes the first level by meets the
second even over a few bytes.  So the level follows from where the path's own sweep ends, and is the level of
the device that ends there.  A path without a sweep of its own is taken to meet all levels, but for those that
are known to pass some by: of them nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits, pooled_scatter, visit_interval
from reportgen.analysis.working_set import size_of
from reportgen.status import Status

METHOD = "boundary"
UNIT = "cycle"
MAIN = "ca"
"""Its chases have the plain metric, as its sweep has the plain levels."""
PASSING = frozenset({"cg", "volatile"})
"""Paths that may pass the first level by."""


def has_path(evidence: Evidence) -> bool:
    """Whether a chase is asked by load paths, not by levels."""
    return any("path" in point.settings for point in evidence.points)


def chase_by_path(evidence: Evidence, known: Hierarchy, paths: Mapping[str, Hierarchy]) -> list[Quantity]:
    """`chase.<level>.latency` by the main path, `chase.<level>.<path>.latency` by others.

    Args:
        evidence: points with settings `path` and `bytes`, work `steps`.
        known: levels of the device.
        paths: levels as the sweeps of single paths found them.
    """
    stem = evidence.probe.metric
    usable = {point.id for point in evidence.usable() if point.work.get("steps", 0) > 0}
    taken = {point.id: evidence.cycles_per_step(point) for point in evidence.points if point.id in usable}
    alike: dict[float, list[Visits]] = {}  # a level near by scatters less than memory does
    for point in evidence.points:
        if point.id in taken:
            alike.setdefault(size_of(point), []).append(taken[point.id])
    pooled = {size: pooled_scatter(some) for size, some in alike.items()}
    result: dict[str, Quantity] = {}
    for point in evidence.points:
        path, size = str(point.settings.get("path", "")), size_of(point)
        one = evidence.narrowed([point])
        level, reason = level_by(path, size, known, paths)
        end = "latency" if path == MAIN else f"{path}.latency"
        place = level or known.level_of(size)[0] or f"{size:.0f}"
        metric = f"{stem}.{place}.{end}"
        if point.id not in taken:
            result.setdefault(metric, one.without_value(metric, UNIT, METHOD))
        elif not level:
            result[metric] = one.without_value(metric, UNIT, METHOD, status=Status.INVALID, reason=reason)
        else:
            interval = visit_interval(taken[point.id], pooled[size], evidence.systematic)
            met = paths.get(path, known).level_of(size)[0]
            details = {"bytes": int(size), "path": path, "bypasses": met != level}
            result[metric] = one.quantity(
                metric, UNIT, METHOD, interval, [point], details=details,
                passes=passes_that_agree(by_pass([taken[point.id]]), interval),
            )  # fmt: skip
    return list(result.values())


def level_by(path: str, size: float, known: Hierarchy, paths: Mapping[str, Hierarchy]) -> tuple[str, str]:
    """Level of the device that serves so many bytes by a path, or '' and why none can be named."""
    own = paths.get(path)
    if own is None:
        if path in PASSING:
            return "", f"The run has no sweep by the path {path}, which may pass the first level by."
        return known.level_of(size)
    met, why = own.level_of(size)
    if met in ("", "dram"):
        return met, why
    end = own.ends[met]
    for name, other in known.ends.items():
        if end.low <= other.high and other.low <= end.high:
            return name, ""
    return "", f"No level of the device ends where {met} of the path {path} does."
