"""Peak rate of a precision: the best of the operations and accumulators that were tried.

Operations are compared in work per cycle, which does not move with the clock; the rate a second is
then that of the best operation at the clock that the core chose under it.  On a GPU one block runs on one
multiprocessor: its work per cycle is measured, and the rate a second is that of all multiprocessors doing the
same, so that it stands beside bandwidths of the whole device.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.plateau import MEMBER
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits, pooled_interval, pooled_variance
from reportgen.analysis.trend import without_trend
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "plateau"


def peak(evidence: Evidence) -> list[Quantity]:
    """`peak.<precision>` and `peak.<precision>.per_cycle` of one probe.

    Points have setting `operation` and work `flop` or `op` per repetition, as the probe's unit says.
    """
    probe = evidence.probe
    kind, work = ("OP", "op") if probe.unit.startswith("OP") else ("FLOP", "flop")
    unit = f"{kind}/second"
    usable = [point for point in evidence.usable() if point.work.get(work, 0) > 0]
    if not usable:
        return [evidence.without_value(probe.metric, unit, METHOD)]
    per_cycle = {point.id: _rate(evidence.cycles(point), point.work[work]) for point in usable}
    many = evidence.run.device.cores if evidence.run.device.gpu else 1
    per_second = without_trend(
        {point.id: _rate(evidence.seconds(point), many * point.work[work]) for point in usable},
        evidence.trend,
    )
    best = max(usable, key=lambda point: per_cycle[point.id].value)
    operation = str(best.settings.get("operation", probe.operation))
    members = [
        point
        for point in usable
        if str(point.settings.get("operation", probe.operation)) == operation
        and per_cycle[point.id].value >= per_cycle[best.id].value * (1 - MEMBER)
    ]
    details: dict[str, object] = {
        "operation": operation,
        "operations": [str(point.settings.get("operation", probe.operation)) for point in usable],
        "accumulators": [int(point.settings.get("accumulators", 0)) for point in usable],
        "per_cycle": numbers([per_cycle[point.id].value for point in usable]),
        "rate": numbers([per_second[point.id].value for point in usable]),
    }
    if many > 1:
        details |= {"multiprocessors": many, "blocks": int(best.facts.get("blocks", 1))}
    metrics = ((probe.metric, unit), (f"{probe.metric}.per_cycle", f"{kind}/cycle"))
    groups = evidence.modes(members)
    if groups:
        return [
            evidence.without_value(
                metric, one, METHOD, status=Status.UNSTABLE, details=details, groups=groups,
                reason="The samples fall into two groups (cycles per repetition of the body); "
                "no single rate describes them.",
            )
            for metric, one in metrics
        ]  # fmt: skip
    return [
        _stated(evidence, metric, one, members, rates, systematic, details)
        for (metric, one), rates, systematic in (
            (metrics[0], per_second, 0.0),
            (metrics[1], per_cycle, evidence.systematic),
        )
    ]


def _rate(time: Visits, work: float) -> Visits:
    return Visits(work / time.centres, time.counts, time.ids)


def _stated(
    evidence: Evidence,
    metric: str,
    unit: str,
    members: list[Point],
    rates: dict[str, Visits],
    systematic: float,
    details: dict[str, object],
) -> Quantity:
    chosen = [rates[point.id] for point in members]
    interval = pooled_interval(chosen, list(rates.values()), systematic)
    return evidence.quantity(
        metric, unit, METHOD, interval, members,
        passes=passes_that_agree(by_pass(chosen), interval),
        freedom=pooled_variance(chosen, list(rates.values()))[1], details=details,
    )  # fmt: skip
