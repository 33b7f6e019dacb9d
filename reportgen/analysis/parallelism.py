"""How many misses one core keeps under way: time of one load that waits alone over time of a load among many.

By Little's law (J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9, 1961) the
mean number under way is the rate times the latency: that of one chase through the same memory, and the rate
of independent loads, whose addresses come from a list.
"""

from __future__ import annotations

from typing import Any

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, pooled_scatter, visit_interval
from reportgen.runs.schema import Point

METHOD = "window"
ALONE, INDEPENDENT = 1, 0
"""Settings `chains`: one chase; loads of a list."""


def parallelism(evidence: Evidence) -> list[Quantity]:
    """`memory.<level>.parallelism`, a mean count of loads.

    Relative half widths of both times are added: they share a clock and the memory of others.
    """
    metric = evidence.probe.metric
    points = {int(point.settings["chains"]): point for point in evidence.usable()}
    if ALONE not in points or INDEPENDENT not in points:
        return [evidence.without_value(metric, "count", METHOD)]
    each = {chains: _each(evidence, point) for chains, point in points.items()}
    alone, among = each[ALONE], each[INDEPENDENT]
    value = alone.value / among.value
    spread = alone.half / alone.value + among.half / among.value
    counts = sorted(chains for chains in each if chains)
    details: dict[str, Any] = {
        "chains": counts,
        "parallel": numbers(alone.value / each[chains].value for chains in counts),
        "cycles_alone": numbers([alone.value])[0],
        "cycles_among": numbers([among.value])[0],
    }
    interval = Interval(value, value * (1 - spread), value * (1 + spread))
    return [evidence.quantity(metric, "count", METHOD, interval, points.values(), details=details)]


def _each(evidence: Evidence, point: Point) -> Interval:
    """Cycles of a load."""
    visits = evidence.cycles(point).over(point.work["loads"])
    return visit_interval(visits, pooled_scatter([visits]), evidence.systematic)
