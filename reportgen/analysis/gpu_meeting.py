"""Atomic adds of one warp whose lanes share addresses: what each further lane at an address adds.

With `distinct` addresses 32 / distinct lanes meet at each.  The time of an add whose lanes all have their own
address is `latency.*` of the operation; here it is only what others are compared with.
"""

from __future__ import annotations

import math

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.gpu_further import BENT, LEAST, Growth, growth
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import pooled_scatter, symmetric, visit_interval
from reportgen.runs.schema import Point

METHOD = "synchronisation"
LANES = 32


def meeting(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<space>.conflict` in cycles a lane, and `.together`: all at one address over each at its own.

    Points have settings `space` and `distinct`, work `steps`.
    """
    found = []
    for space in dict.fromkeys(str(point.settings.get("space", "")) for point in evidence.points):
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("space") == space)
        found += _of_space(own, f"{evidence.probe.metric}.{space}")
    return found


def lanes(point: Point) -> int:
    """Lanes of a warp that meet at one address."""
    return LANES // int(point.settings["distinct"])


def _of_space(evidence: Evidence, stem: str) -> list[Quantity]:
    usable = sorted((one for one in evidence.usable() if one.work.get("steps", 0) > 0), key=lanes)
    if len(usable) < LEAST:
        return [evidence.without_value(f"{stem}.conflict", "cycle", METHOD)]
    taken = [evidence.cycles_per_step(point) for point in usable]
    pooled = pooled_scatter(taken)
    times = [visit_interval(one, pooled, evidence.systematic) for one in taken]
    meet = [lanes(point) for point in usable]
    details: dict[str, object] = {"lanes": meet, "cycles": numbers([one.value for one in times])}
    line = growth(meet, times, evidence.systematic)
    found = [_conflict(evidence, f"{stem}.conflict", usable, line, details)]
    if meet[0] == 1 and meet[-1] == LANES:
        alone, all_at_one = times[0], times[-1]
        value = all_at_one.value / alone.value
        ratio = symmetric(value, value * math.hypot(*(one.half / one.value for one in (alone, all_at_one))))
        ends = [usable[0], usable[-1]]
        found.append(evidence.quantity(f"{stem}.together", "ratio", METHOD, ratio, ends, details=details))
    return found


def _conflict(
    evidence: Evidence, metric: str, points: list[Point], line: Growth, details: dict[str, object]
) -> Quantity:
    refusal = line.refusal(
        "Lanes that meet do not all add the same",
        "All numbers of addresses take the same time: lanes that meet cost nothing that shows.",
    )
    if refusal is not None:
        status, reason = refusal
        return evidence.without_value(
            metric, "cycle", METHOD, status=status, reason=reason, details=details | {BENT: line.bent}
        )
    return evidence.quantity(
        metric, "cycle", METHOD, line.each, points, linearity=line.residual, details=details
    )
