"""How many misses one core keeps under way: time of one load that waits alone over time of a load among many.

By Little's law (J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9, 1961) the
mean number under way is the rate times the latency: that of one chase through the same memory, and the rate
of independent loads, whose addresses come from a list.
"""

from __future__ import annotations

import math
from typing import Any

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    FLOOR,
    Interval,
    pooled_scatter,
    satterthwaite,
    student_t,
    visit_variance,
)

METHOD = "window"
ALONE, INDEPENDENT = 1, 0
"""Settings `chains`: one chase; loads of a list."""


def parallelism(evidence: Evidence) -> list[Quantity]:
    """`memory.<level>.parallelism`, a mean count of loads.

    The variances of both times add: they were taken apart from each other.
    """
    metric = evidence.probe.metric
    points = {int(point.settings["chains"]): point for point in evidence.usable()}
    if ALONE not in points or INDEPENDENT not in points:
        return [evidence.without_value(metric, "count", METHOD)]
    each = {chains: evidence.cycles(one).over(one.work["loads"]) for chains, one in points.items()}
    alone, among = each[ALONE], each[INDEPENDENT]
    value = alone.value / among.value
    pooled = pooled_scatter(list(each.values()))
    parts = [
        (variance * one.loss, free)
        for one in (alone, among)
        for variance, free in [visit_variance(one, pooled)]
    ]
    freedom = satterthwaite((variance, free) for variance, free in parts if free)
    spread = (
        student_t(freedom) * math.sqrt(sum(variance for variance, _ in parts))
        if math.isfinite(freedom)
        else FLOOR
    )
    counts = sorted(chains for chains in each if chains)
    details: dict[str, Any] = {
        "chains": counts,
        "parallel": numbers(alone.value / each[chains].value for chains in counts),
        "cycles_alone": numbers([alone.value])[0],
        "cycles_among": numbers([among.value])[0],
    }
    interval = Interval(value, value * (1 - spread), value * (1 + spread))
    return [evidence.quantity(metric, "count", METHOD, interval, points.values(), details=details)]
