"""A second measure of each level's latency: a pointer chase over one size well inside it.

The level that a chase speaks of follows from the measured ends of the levels; the name in its setting is
what was aimed at.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, Visits, visit_interval
from reportgen.analysis.working_set import Curve, scatter_at, size_of
from reportgen.runs.schema import Point
from reportgen.status import Status
from reportgen.units import format_bytes

METHOD = "boundary"
UNIT = "cycle"


def pointer_chase(evidence: Evidence, hierarchy: Hierarchy, curve: Curve | None) -> list[Quantity]:
    """`chase.<level>.latency` from points with setting `level` and a size, work `steps`.

    Visits scatter little in the first level and much in memory, so the scatter that moderates a
    point's own is that of the working-set sweep at the same size.
    """
    usable = evidence.usable()
    if not usable:
        return [evidence.without_value(evidence.probe.metric, UNIT, METHOD)]
    times = {point.id: evidence.cycles_per_step(point) for point in usable}
    result: dict[str, Quantity] = {}
    for point in evidence.points:
        aimed = str(point.settings.get("level", ""))
        one = evidence.narrowed([point])
        metric = f"{evidence.probe.metric}.{aimed}.latency"
        if point.id not in times:
            result.setdefault(metric, one.without_value(metric, UNIT, METHOD))
            continue
        size = size_of(point)
        level, why = hierarchy.level_of(size)
        if level != aimed:
            found = f"by the measured ends it is {level}" if level else why
            reason = f"{format_bytes(size)} were meant for {aimed}; {found}"
            result[metric] = one.without_value(metric, UNIT, METHOD, status=Status.INVALID, reason=reason)
            continue
        time = times[point.id]
        groups = one.modes([point])
        if groups:
            steps = point.work.get("steps", 1.0)
            result[metric] = one.without_value(
                metric, UNIT, METHOD, status=Status.UNSTABLE,
                groups=tuple(group / steps for group in groups),
                reason="The samples fall into two groups; no single latency describes them.",
            )  # fmt: skip
            continue
        interval = visit_interval(time, scatter_at(curve, size), evidence.systematic)
        result[metric] = _stated(one, metric, point, interval, time, hierarchy)
    return list(result.values())


def _stated(
    evidence: Evidence, metric: str, point: Point, interval: Interval, time: Visits, hierarchy: Hierarchy
) -> Quantity:
    status, reason = None, ""
    if not hierarchy.measured:
        status = Status.UNVERIFIED
        reason = "The level follows from sizes that the system reports; the run measured none."
    return evidence.quantity(
        metric, UNIT, METHOD, interval, [point], status=status, reason=reason,
        passes=passes_that_agree(by_pass([time]), interval),
        details={"bytes": int(size_of(point)), "measured_levels": hierarchy.measured},
    )  # fmt: skip
