"""A survey's samples -> latencies of operand pairs and throughput of one instruction form.

Points have the setting `of`: `2to1:16` is a chain of 16 steps from operand 2 to operand 1, `throughput:12`
twelve independent instances in turn.  A latency is the slope over the chains, as for a curated operation.  A
throughput comes from one point; where results update what they write, instances wait for themselves a turn
later, and the rate is a lower bound unless it is lower than instances over latency.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, pooled_interval
from reportgen.analysis.slope import slope
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "survey"
THROUGHPUT = "throughput"
UNIT = "instruction/cycle"
UNCHECKED = "Two chain lengths: linearity was not checked."
"""Said by the slope of each latency here, as all have two."""
QUICKEST = 0.9
"""Cycles below which a step is no dependency that execution waits for."""
BOUND_BY_CHAIN = 1.1
"""A rate this near to instances over latency may be that of the chains themselves."""


def survey(evidence: Evidence) -> list[Quantity]:
    """`<metric>.throughput`, instructions a cycle, and `<metric>.latency.<pair>` of one form."""
    groups: dict[str, list[Point]] = {}
    for point in evidence.points:
        groups.setdefault(str(point.settings["of"]).partition(":")[0], []).append(point)
    latencies = [_latency(evidence, pair, points) for pair, points in groups.items() if pair != THROUGHPUT]
    rates = _throughput(evidence, groups[THROUGHPUT], latencies) if THROUGHPUT in groups else []
    unread = _unread(evidence)
    return [*rates, *(one for one in latencies if one.details["pair"] != unread or _waits(one, rates))]


def _latency(evidence: Evidence, pair: str, points: list[Point]) -> Quantity:
    probe = msgspec.structs.replace(evidence.probe, metric=f"{evidence.probe.metric}.latency.{pair}")
    found = slope(replace(evidence, probe=probe, points=tuple(points)), {})
    beside = points[0].work.get("beside", 0.0)
    details = {"beside": beside, "pair": pair}
    reason = found.reason if found.reason != UNCHECKED else ""
    if found.value is not None and found.value < QUICKEST:
        reason = "Less than a cycle: renaming does it, and what is left is the time to issue."
    return msgspec.structs.replace(found, details=details, points=(), reason=reason)


def _unread(evidence: Evidence) -> str:
    """The pair of a result that is overwritten whole, with zeros where a mask leaves it out; else ''."""
    operands = str(evidence.probe.constants.get("operands", "")).split()
    return "1to1" if operands[1:2] == ["kz:r"] else ""


def _waits(latency: Quantity, rates: list[Quantity]) -> bool:
    """Whether what is overwritten is waited for all the same: it takes longer than independent instances.

    Where it does not there is no latency to tell, and none is; what has no number says why.
    """
    rate = rates[0].value if rates and rates[0].value else None
    if latency.value is None or rate is None:
        return True
    return latency.value > max(QUICKEST, BOUND_BY_CHAIN / rate)


def _throughput(evidence: Evidence, points: list[Point], latencies: list[Quantity]) -> list[Quantity]:
    metric = f"{evidence.probe.metric}.{THROUGHPUT}"
    own = evidence.narrowed(points)
    usable = own.usable()
    if not usable:
        return [own.without_value(metric, UNIT, METHOD)]
    rates = {_instances(point): _rate(evidence, point) for point in usable}
    most = max(rates)
    point = next(one for one in usable if _instances(one) == most)
    groups = evidence.modes([point])
    details = {"beside": point.work.get("beside", 0.0), "instances": most}
    if groups:
        return [
            own.without_value(
                metric, UNIT, METHOD, status=Status.UNSTABLE, groups=groups, details=details,
                reason="The samples fall into two groups (cycles per repetition of the body).",
            )
        ]  # fmt: skip
    # where all that is written has one register, instructions beside keep instances from waiting
    alone = most == 1 and details["beside"] > 0
    bound = "" if alone else _bound(rates, most, latencies)
    quantity = evidence.quantity(
        metric, UNIT, METHOD, rates[most], [point], status=Status.CENSORED if bound else None, reason=bound,
        details=details,
    )  # fmt: skip
    return [msgspec.structs.replace(quantity, points=())]


def _instances(point: Point) -> int:
    return int(str(point.settings["of"]).partition(":")[2])


def _rate(evidence: Evidence, point: Point) -> Interval:
    """Instructions a cycle."""
    visits = evidence.cycles(point).over(point.work["instructions"])
    found = pooled_interval([visits], [visits], evidence.systematic)
    return Interval(1 / found.value, 1 / found.high, 1 / found.low)


def _bound(rates: dict[int, Interval], most: int, latencies: list[Quantity]) -> str:
    """Why the rate may be that of the chains of instances, or ''."""
    waited = max((float(one.value or 0.0) for one in latencies if _updates(one)), default=0.0)
    if waited and rates[most].value * BOUND_BY_CHAIN >= most / waited:
        return f"{most} instances that wait for their own results do no more: it may be higher."
    for count, rate in rates.items():
        if count < most and rates[most].value * BOUND_BY_CHAIN >= rate.value * most / count:
            return f"{most} instances do as much more than {count} as they are more: it may be higher."
    return ""


def _updates(quantity: Quantity) -> bool:
    """Whether a latency is that of an operand that is read and written, for which instances wait."""
    source, _, destination = str(quantity.details.get("pair", "")).partition("to")
    return source == destination and source.isdigit()
