"""Routines of an installed library, for comparison with the roofs.

Their machine code is not ours and was not inspected, so they are `unverified`.  Their intensity is the
compulsory one: each operand moved once.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits, pooled_scatter, visit_interval
from reportgen.status import Status

METHOD = "library"
UNIT = "FLOP/second"
REASON = "Library code: its machine code was not inspected."


def library(evidence: Evidence) -> list[Quantity]:
    """`kernel.<routine>.<n>` of every size; work `flop` and `bytes` per call."""
    usable = [point for point in evidence.usable() if point.work.get("flop", 0) > 0]
    if not usable:
        return [evidence.without_value(evidence.probe.metric, UNIT, METHOD)]
    rates = {}
    for point in usable:
        seconds = evidence.seconds(point)
        rates[point.id] = Visits(point.work["flop"] / seconds.medians, seconds.counts, seconds.ids)
    pooled = pooled_scatter(list(rates.values()))
    result = []
    for point in evidence.points:
        size = point.settings.get("n", "")
        metric = f"{evidence.probe.metric}.{size}"
        one = evidence.narrowed([point])
        if point.id not in rates:
            result.append(one.without_value(metric, UNIT, METHOD))
            continue
        interval = visit_interval(rates[point.id], pooled)
        moved = point.work.get("bytes", 0.0)
        details: dict[str, object] = {"n": size, "flop": point.work["flop"], "bytes": moved}
        if moved > 0:
            details["intensity"] = point.work["flop"] / moved
        result.append(
            one.quantity(
                metric, UNIT, METHOD, interval, [point], status=Status.UNVERIFIED, reason=REASON,
                passes=passes_that_agree(by_pass([rates[point.id]]), interval), details=details,
            )
        )  # fmt: skip
    return result
