"""Paths of a warp: what each further one costs, and how much of a path's own time that is.

    time(d) = overhead + d x path      with d different paths among the lanes of a warp

With no lane on any path only the questions where to go are left (`d = 0`).  The factor is the slope over the
time of one path alone, `time(1) - time(0)`: 1 where paths are gone through one after the other.
"""

from __future__ import annotations

import math

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.gpu_further import BENT, LEAST, growth
from reportgen.analysis.gpu_rounding import ROUNDED
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import NORMAL_95, Interval, pooled_scatter, visit_interval
from reportgen.status import Status

METHOD = "synchronisation"


def divergence(evidence: Evidence) -> list[Quantity]:
    """`<metric>.path` in cycles and `<metric>.factor`; points have the setting `paths`, work `steps`."""
    stem = evidence.probe.metric
    usable = sorted(evidence.usable(), key=lambda point: int(point.settings["paths"]))
    counts = [int(point.settings["paths"]) for point in usable]
    if len(counts) < LEAST + 1 or counts[:2] != [0, 1]:
        return [evidence.without_value(f"{stem}.path", "cycle", METHOD)]
    taken = [evidence.cycles(point) for point in usable]
    pooled = pooled_scatter(taken)
    times = [visit_interval(one, pooled) for one in taken]
    none, one = times[:2]
    alone = one.value - none.value
    line = growth(counts[1:], times[1:], evidence.systematic)
    details: dict[str, object] = {
        "paths": counts,
        "cycles": numbers([each.value for each in times]),
        "alone": alone,
        "steps": usable[0].work.get("steps", 0.0),
    }
    if not alone > none.half + one.half:
        return [
            evidence.without_value(
                f"{stem}.path", "cycle", METHOD, status=Status.INVALID, details=details,
                reason="A path takes no longer than none: its instructions were not gone through.",
            )
        ]  # fmt: skip
    details["factors"] = numbers([(each.value - none.value) / alone for each in times[1:]])
    refusal = line.refusal(
        "Further paths do not all add the same",
        "All numbers of paths take the same time: no further path shows.",
    )
    if refusal is not None:
        status, reason = refusal
        details[BENT] = line.bent
        return [
            evidence.without_value(
                f"{stem}.path", "cycle", METHOD, status=status, reason=reason, details=details
            )
        ]
    each = line.each
    ends = math.hypot(none.half, one.half, NORMAL_95 * ROUNDED * math.sqrt(2))
    relative = each.half / each.value + ends / alone
    factor = each.value / alone
    ratio = Interval(factor, factor * (1 - relative), factor * (1 + relative))
    found = (("path", "cycle", each), ("factor", "ratio", ratio))
    return [
        evidence.quantity(
            f"{stem}.{name}", unit, METHOD, interval, usable, linearity=line.residual, details=details
        )
        for name, unit, interval in found
    ]
