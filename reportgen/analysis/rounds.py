"""Cycles of one round of a loop, as they are: the time of the body over how often it ran.

No slope is needed: some ten thousand rounds stand between two time stamps.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import pooled_scatter, visit_interval
from reportgen.status import Status

METHOD = "cost-model"
UNIT = "cycle"


def rounds(evidence: Evidence) -> list[Quantity]:
    """`loop.<name>` of a probe with one point, whose body is one round."""
    usable = evidence.usable()
    if not usable:
        return [evidence.without_value(evidence.probe.metric, UNIT, METHOD)]
    point = usable[0]
    groups = evidence.modes([point])
    if groups:
        return [
            evidence.without_value(
                evidence.probe.metric, UNIT, METHOD, status=Status.UNSTABLE, groups=groups,
                reason="The samples fall into two groups; no single time describes a round.",
            )
        ]  # fmt: skip
    time = evidence.cycles(point)
    interval = visit_interval(time, pooled_scatter([time]), evidence.systematic)
    return [
        evidence.quantity(
            evidence.probe.metric, UNIT, METHOD, interval, [point],
            passes=passes_that_agree(by_pass([time]), interval),
            details={"items": point.work.get("items", 1.0)},
        )
    ]  # fmt: skip
