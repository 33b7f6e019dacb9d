"""What it costs that cores add to words of one line, or to one word.

False sharing: each of two threads adds to a word of its own.  Where an addition becomes cheap again with the
distance of the words, the unit ends that the caches keep coherent.

Contention: any number of threads add to one word, and what they reach together is counted over the time from
the first that began to the last that ended.  Beside it, each core reads a line that another keeps writing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.line_transfer import METHOD, settled
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    Interval,
    Visits,
    median,
    pooled_interval,
    pooled_scatter,
    visit_interval,
)
from reportgen.analysis.side_by_side import at_once, rate_of_all
from reportgen.runs.schema import Point
from reportgen.status import Status

LEAST_DISTANCES = 3
LEAST_COST = 1.3
"""An addition to a shared line takes at least this many times as long as one to a line apart, or no cost of
sharing is seen."""
LOOSE = 2.0
"""Most that the upper end of an interval may be of the lower one: visits that tell no more give no number."""
UNIFORM = math.sqrt(12)
"""A range over the standard deviation of what is anywhere in it."""
READ = "read"


def false_sharing(evidence: Evidence) -> list[Quantity]:
    """`communication.false_sharing.<by>.granule` (bytes), `.shared` and `.apart` (cycles an addition).

    The granule is the interval [largest distance at which words still share a line, smallest from which on
    none does].

    Args:
        evidence: points with settings `by`, `distance` (bytes) and work `steps`, additions of a body.
    """
    found: list[Quantity] = []
    for by in dict.fromkeys(str(point.settings.get("by", "")) for point in evidence.points):
        own = at_once(evidence.narrowed(p for p in evidence.points if p.settings.get("by") == by))
        found += _by_distance(own, f"{evidence.probe.metric}.{by}")
    return found


def _by_distance(evidence: Evidence, stem: str) -> list[Quantity]:
    usable = sorted(
        (
            point
            for point in evidence.usable()
            if point.work.get("steps", 0) > 0 and "distance" in point.settings
        ),
        key=_distance,
    )
    metric = f"{stem}.granule"
    if len(usable) < LEAST_DISTANCES:
        status = None if len(evidence.usable()) < len(evidence.points) else Status.SKIPPED
        reason = f"{len(usable)} distances gave a time; {LEAST_DISTANCES} are needed."
        return [evidence.without_value(metric, "byte", METHOD, status=status, reason=reason)]
    times = [evidence.cycles_per_step(point) for point in usable]
    cost = np.array([one.value for one in times])
    distances = [_distance(point) for point in usable]
    details: dict[str, Any] = {"distance": distances, "cycles": numbers(cost)}
    if cost[0] < LEAST_COST * cost[-1]:
        return [
            evidence.without_value(
                metric, "byte", METHOD, status=Status.UNSTABLE, details=details | {"alike": True},
                reason="Additions to one line take no longer than those to lines apart: the two CPUs share "
                "the cache that holds it, as two threads of one core do, or one of them ran alone.",
            )
        ]  # fmt: skip
    # between the two in proportion: what a neighbouring line costs at most is a small part of it
    dear = np.log(cost) > (math.log(cost[0]) + math.log(cost[-1])) / 2
    last = int(np.flatnonzero(dear)[-1])
    if not dear[: last + 1].all():
        return [
            evidence.without_value(
                metric, "byte", METHOD, status=Status.UNSTABLE, details=details,
                reason="The cost of sharing comes and goes with the distance; run again while the machine is "
                "quiet.",
            )
        ]  # fmt: skip
    high = float(distances[last + 1])
    beside = cost[last + 1] / median(cost[last + 2 :]) if last + 2 < len(cost) else 1.0
    details["beside"] = numbers([float(beside)])[0]
    granule = evidence.quantity(
        metric, "byte", METHOD, Interval(high, float(distances[last]), high), usable, details=details
    )
    # beyond the neighbour where there is more: it may be disturbed in a way of its own
    parts = (("shared", usable[: last + 1]), ("apart", usable[last + 2 :] or usable[last + 1 :]))
    return [granule, *(_cost(evidence, f"{stem}.{name}", points) for name, points in parts)]


def _distance(point: Point) -> int:
    return int(point.settings["distance"])


def _cost(evidence: Evidence, metric: str, points: list[Point]) -> Quantity:
    """Cycles an addition of several distances that show one value."""
    members = [evidence.cycles_per_step(point) for point in points]
    modes = settled(np.concatenate([one.centres for one in members]))[1]
    if modes:
        return evidence.narrowed(points).without_value(
            metric, "cycle", METHOD, status=Status.UNSTABLE, groups=modes,
            reason="The visits fall into two groups (cycles an addition): the two CPUs were not always as "
            "near to each other, or one of them ran alone for a while.",
        )  # fmt: skip
    interval = pooled_interval(members, members, evidence.systematic)
    if interval.high > LOOSE * interval.low:
        return _loose(evidence.narrowed(points), metric, "cycle", interval, {})
    passes = passes_that_agree(by_pass(members), interval)
    return evidence.quantity(metric, "cycle", METHOD, interval, points, passes=passes)


def _loose(
    evidence: Evidence, metric: str, unit: str, interval: Interval, details: dict[str, Any]
) -> Quantity:
    """No number, since visits differ too much."""
    return evidence.without_value(
        metric, unit, METHOD, status=Status.UNSTABLE, details=details,
        reason=f"Visits differ so much that the upper end of the interval is "
        f"{interval.high / interval.low:.1f} times the lower one; run again while the machine is quiet.",
    )  # fmt: skip


def contended_atomic(evidence: Evidence) -> list[Quantity]:
    """`communication.contended.<by>.rate` (additions a second of all cores) and `.cycles` (each core's own).

    Of reading, only `.cycles`: of a load of a line that another core keeps writing.

    Args:
        evidence: points with settings `by`, `cores` and work `steps`.
    """
    found: list[Quantity] = []
    for by in dict.fromkeys(str(point.settings.get("by", "")) for point in evidence.points):
        own = at_once(evidence.narrowed(p for p in evidence.points if p.settings.get("by") == by))
        found += _by_cores(own, f"{evidence.probe.metric}.{by}", by)
    return found


def _by_cores(evidence: Evidence, stem: str, by: str) -> list[Quantity]:
    metrics = {"cycles": "cycle"} if by == READ else {"rate": "OP/second", "cycles": "cycle"}
    usable = sorted((point for point in evidence.usable() if point.work.get("steps", 0) > 0), key=_cores)
    rates = {
        point.id: rate
        for point in usable
        if (rate := rate_of_all(evidence, point, point.work["steps"], _cores(point))) is not None
    }
    usable = [point for point in usable if point.id in rates]
    asked = max((_cores(point) for point in evidence.points), default=0)
    if not usable or _cores(usable[-1]) < max(2, asked):
        alone = asked < 2
        why = "Only one CPU may be used here, and it shares nothing with another one." if alone else ""
        most = evidence.narrowed(point for point in evidence.points if _cores(point) == asked)
        return [
            most.without_value(
                f"{stem}.{name}", unit, METHOD, status=Status.UNSUPPORTED if alone else None, reason=why
            )
            for name, unit in metrics.items()
        ]
    times = {point.id: evidence.cycles_per_step(point) for point in usable}
    details: dict[str, Any] = {
        "cores": [_cores(point) for point in usable],
        "rates": numbers(rates[point.id].value for point in usable),
        "cycles": numbers(times[point.id].value for point in usable),
    }
    several = [point for point in usable if _cores(point) > 1]
    point = usable[-1]
    return [
        _told(
            evidence.narrowed([point]), f"{stem}.{name}", unit,
            rates[point.id] if name == "rate" else times[point.id],
            [(rates if name == "rate" else times)[one.id] for one in several],
            details,
        )
        for name, unit in metrics.items()
    ]  # fmt: skip


def _told(
    evidence: Evidence, metric: str, unit: str, own: Visits, everything: list[Visits], details: dict[str, Any]
) -> Quantity:
    modes = settled(own.centres)[1]
    if modes:
        return evidence.without_value(
            metric, unit, METHOD, status=Status.UNSTABLE, groups=modes, details=details,
            reason="The visits fall into two groups: the CPUs were not always the same cores, or not always "
            "all at work.",
        )  # fmt: skip
    # A rate is one at the clock of its visits, which is anywhere within what the run's marks found.
    systematic = evidence.systematic if unit == "cycle" else (evidence.drift or 0.0) / UNIFORM
    interval = visit_interval(own, pooled_scatter(everything), systematic)
    if interval.high > LOOSE * interval.low:
        return _loose(evidence, metric, unit, interval, details)
    passes = passes_that_agree(by_pass([own]), interval)
    return evidence.quantity(metric, unit, METHOD, interval, evidence.points, passes=passes, details=details)


def _cores(point: Point) -> int:
    return int(point.settings.get("cores", 0))
