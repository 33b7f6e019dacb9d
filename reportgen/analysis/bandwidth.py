"""Bandwidth by level and kernel, of one core and of all.

    one core:      rate = bytes per repetition / seconds per repetition
    several cores: rate = total bytes / (latest end - earliest start)

Bytes are those that the kernel names; lines that are fetched before they are written are not
counted.  The level of a working set follows from the measured ends of the levels.  Of several sizes in
one level the fastest is the level's ceiling.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    Scatter,
    Visits,
    pooled_scatter,
    visit_interval,
    visit_variance,
)
from reportgen.analysis.side_by_side import rate_of_all
from reportgen.analysis.telling import too_wide
from reportgen.analysis.trend import trend, without_trend
from reportgen.analysis.working_set import size_of
from reportgen.runs.schema import Point
from reportgen.status import Status
from reportgen.units import format_bytes

METHOD = "bandwidth"
UNIT = "byte/second"
LEVELS = ("l1", "l2", "l3", "dram")


def without_level(evidence: Evidence) -> str:
    """Metric of a probe none of whose sizes has a rate; that of the probe is the stem of many metrics.

    `vendor_copy` gives `bandwidth.vendor_copy`, and `bandwidth_saturation` `bandwidth.saturation`.
    """
    stem = evidence.probe.metric
    name = evidence.probe.id.rpartition("/")[2]
    return f"{stem}.{name.removeprefix(f'{stem}_')}"


def bandwidth(evidence: Evidence, hierarchy: Hierarchy) -> list[Quantity]:
    """`bandwidth.<level>.<kernel>` and the same with `.all_cores`.

    Points have settings `kernel`, `bytes` (per core) and `cores`, work `bytes` (per core and
    repetition).  A level none of whose sizes can be used says why.
    """
    stem = evidence.probe.metric
    usable = [point for point in evidence.usable() if point.work.get("bytes", 0) > 0]
    if not usable:
        return [evidence.without_value(without_level(evidence), UNIT, METHOD)]
    rates = {point.id: found for point in usable if (found := _rates(evidence, point)) is not None}
    rates = without_trend(rates, trend(rates.values()))
    most = max(_cores(point) for point in evidence.points)
    scopes = {1: ""} | ({most: ".all_cores"} if most > 1 else {})
    pooled = _scatter_by_level(usable, rates, hierarchy)
    result = []
    for kernel in dict.fromkeys(str(point.settings.get("kernel", "")) for point in evidence.points):
        for cores, scope in scopes.items():
            points = [
                point
                for point in evidence.points
                if point.settings.get("kernel") == kernel and _cores(point) == cores
            ]
            by_level, reasons = _by_level(points, hierarchy)
            for level in LEVELS:
                metric = f"{stem}.{level}.{kernel}{scope}"
                measured = [point for point in by_level.get(level, []) if point.id in rates]
                if measured:
                    result.append(_best(evidence, metric, measured, rates, pooled[level], hierarchy, points))
                elif level not in by_level:
                    if level in hierarchy.ends and hierarchy.ends.keys() & by_level.keys():
                        result.append(_no_size(evidence, metric, points, level, hierarchy))
                else:
                    result.append(evidence.narrowed(by_level[level]).without_value(metric, UNIT, METHOD))
            if "dram" not in by_level and reasons and points:
                result.append(
                    evidence.narrowed([point for point, _ in reasons]).without_value(
                        f"{stem}.dram.{kernel}{scope}", UNIT, METHOD, status=Status.INVALID,
                        reason=reasons[-1][1],
                    )
                )  # fmt: skip
    return result


def _no_size(
    evidence: Evidence, metric: str, points: list[Point], level: str, hierarchy: Hierarchy
) -> Quantity:
    """A level that was found and into which no working set of the probe falls."""
    return evidence.narrowed(points).without_value(
        metric, UNIT, METHOD, status=Status.SKIPPED,
        reason=f"No working set of this probe lies well inside {level.upper()}, which ends "
        f"from {format_bytes(hierarchy.ends[level].low)} on and begins beyond the level inside it.",
    )  # fmt: skip


def _cores(point: Point) -> int:
    return int(point.settings.get("cores", 1))


def _scatter_by_level(
    points: list[Point], rates: dict[str, Visits], hierarchy: Hierarchy
) -> dict[str, Scatter]:
    """Scatter of visits by level: caches repeat well, memory is shared with neighbours."""
    groups: dict[str, list[Visits]] = {}
    for point in points:
        if point.id in rates:
            level, _ = hierarchy.level_of(size_of(point), _cores(point))
            groups.setdefault(level, []).append(rates[point.id])
    return {level: pooled_scatter(group) for level, group in groups.items()}


def _by_level(
    points: list[Point], hierarchy: Hierarchy
) -> tuple[dict[str, list[Point]], list[tuple[Point, str]]]:
    """Points by the level that serves them, and those that are memory's by size but not surely."""
    found: dict[str, list[Point]] = {}
    resident = []
    for point in sorted(points, key=size_of):
        level, why = hierarchy.level_of(size_of(point), _cores(point))
        if level:
            found.setdefault(level, []).append(point)
        elif why.startswith("cache-resident"):
            resident.append((point, why))
    return found, resident


def _rates(evidence: Evidence, point: Point) -> Visits | None:
    """Bytes a second of a point, by visit; None when too few samples have all of their threads."""
    return rate_of_all(evidence, point, point.work["bytes"], _cores(point))


def _best(
    evidence: Evidence,
    metric: str,
    measured: list[Point],
    rates: dict[str, Visits],
    pooled: Scatter,
    hierarchy: Hierarchy,
    everything: list[Point],
) -> Quantity:
    best = max(measured, key=lambda point: rates[point.id].value)
    interval = visit_interval(rates[best.id], pooled)
    shown = [point for point in everything if point.id in rates]
    shown.sort(key=size_of)
    details = {
        "kernel": str(best.settings["kernel"]),
        "bytes": int(size_of(best)),
        "cores": _cores(best),
        "sizes": [int(size_of(point)) for point in shown],
        "rates": [float(f"{rates[point.id].value:.6g}") for point in shown],
        "bytes_per_cycle": best.work["bytes"] * _cores(best) / evidence.cycles(best).value,
        "counted": "bytes that the kernel names; lines fetched before they are written are not counted",
    }
    status, reason = None, ""
    if not hierarchy.measured:
        status = Status.UNVERIFIED
        reason = "The level follows from sizes that the system reports; the run measured none."
    one = evidence.narrowed([best])
    groups = one.modes([best]) if _cores(best) == 1 else ()
    if groups:
        cycles = evidence.cycles(best).value
        return one.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, details=details,
            groups=tuple(rates[best.id].value * cycles / group for group in groups),
            reason="The samples fall into two groups; no single rate describes them.",
        )  # fmt: skip
    if wide := too_wide(interval, UNIT):
        return one.without_value(metric, UNIT, METHOD, status=Status.UNSTABLE, reason=wide, details=details)
    return one.quantity(
        metric, UNIT, METHOD, interval, [best], status=status, reason=reason,
        passes=passes_that_agree(by_pass([rates[best.id]]), interval),
        freedom=visit_variance(rates[best.id], pooled)[1], details=details,
    )  # fmt: skip
