"""Interference: what two kinds of instructions cost each other.

    index = (T_AB - max(T_A, T_B)) / min(T_A, T_B)

T_A, T_B are cycles per group of each kind alone, T_AB of both interleaved, with as many of each as
alone.  0: side by side.  1: one after the other.  The interval follows from the three times by
propagation of their relative errors, on a GPU with what its windows lose or do not wait for.  A pair
that runs at the front end's own rate has no reading: it would take as long without any conflict behind
the front end.

A pair may have been measured in several arrangements of its instructions (setting `order`): one of
each in turn, or all of one kind before the other.  A shared resource slows every arrangement, while a
scheduler that fills unevenly slows only some, so the fastest is T_AB; all are kept in the details.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.gpu_window import QUARTERS, of_pair
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    Interval,
    Scatter,
    Visits,
    moderated,
    pooled_scatter,
    satterthwaite,
    student_t,
    symmetric,
)
from reportgen.runs.schema import Point

METHOD = "interference"
UNIT = "ratio"
AT_FRONT_END = 1.05
"""A pair that takes less than this times the front end's time may be bound by it alone."""
SCHEDULERS = 4.0
"""Warp instructions that a GPU's multiprocessor starts in a cycle at most, one a scheduler (CUDA Programming
Guide, "Multiprocessor Level", compute capability 7 and newer)."""
STALLS = "register_stalls"
"""Fact of a pair on a GPU: cycles of a turn of one warp by which reads of registers hold it up, at most."""
PROPORTION = re.compile(r"\d+to\d+")
SAME_TIME = 0.005
"""Arrangements within this ratio of the fastest measure the same time, and their visits are taken
together: to pick the lower of two equal times would pick its noise."""


def interference(evidence: Evidence) -> list[Quantity]:
    """`interference.<A>.<B>` of every pair of one probe, in the order of its points.

    Points have settings `first` and `second` ("" for `first` alone), may have `order` (a pair then has
    one point an arrangement), and have work `groups`, `first_count`, `second_count`, `instructions`.  An
    order such as `2to1` is a mix in another proportion: no arrangement of the pair, kept for its reading and
    for the resource model.
    """
    alone: dict[str, list[Point]] = {}
    pairs: dict[tuple[str, str], list[Point]] = {}
    mixes: dict[tuple[str, str], list[Point]] = {}
    for point in evidence.points:
        first, second = str(point.settings.get("first", "")), str(point.settings.get("second", ""))
        if PROPORTION.fullmatch(str(point.settings.get("order", ""))):
            mixes.setdefault((first, second), []).append(point)
        elif second:
            pairs.setdefault((first, second), []).append(point)
        elif first:
            alone.setdefault(first, []).append(point)
    if not pairs or all(evidence.objection(point) for point in evidence.points):
        return [evidence.without_value(evidence.probe.metric, UNIT, METHOD)]
    times = {
        point.id: _per_group(evidence, point)
        for point in evidence.points
        if evidence.objection(point) is None and point.work.get("groups", 0) > 0
    }
    pooled = pooled_scatter(list(times.values()))
    singles = {name: _fastest(points, times) for name, points in alone.items()}
    found = []
    for names, points in pairs.items():
        pair = _pair(evidence, _fastest(points, times), points, singles, times, pooled)
        found.append(_with_proportions(evidence, pair, mixes.get(names, []), times))
    return found


def _with_proportions(
    evidence: Evidence, pair: Quantity, mixes: list[Point], times: Mapping[str, Visits]
) -> Quantity:
    """The pair, with the cycles of a group of each other proportion in its details."""
    rows = []
    for point in mixes:
        if point.id in times:
            row = {"first": point.work["first_count"], "second": point.work["second_count"]}
            row["cycles"] = times[point.id].value
            front_end = _front_end(evidence, point)
            rows.append(row | ({} if front_end is None else {"front_end_cycles": front_end}))
    return msgspec.structs.replace(pair, details=pair.details | {"proportions": rows}) if rows else pair


def _fastest(points: list[Point], times: Mapping[str, Visits]) -> tuple[Point, ...]:
    """The fastest arrangement first, then those that take the same time; the first where none has one."""
    timed = sorted((point for point in points if point.id in times), key=lambda one: times[one.id].value)
    if not timed:
        return (points[0],)
    limit = times[timed[0].id].value * (1 + SAME_TIME)
    return tuple(point for point in timed if times[point.id].value <= limit)


def _together(points: tuple[Point, ...], times: Mapping[str, Visits]) -> Visits:
    """Visits of arrangements that take the same time, as of one point."""
    several = [times[point.id] for point in points]
    if len(several) == 1:
        return several[0]
    return Visits(
        centres=np.concatenate([one.centres for one in several]),
        counts=np.concatenate([one.counts for one in several]),
        ids=np.concatenate([one.ids for one in several]),
    )


def _per_group(evidence: Evidence, point: Point) -> Visits:
    cycles = evidence.cycles(point)
    return Visits(cycles.centres / point.work["groups"], cycles.counts, cycles.ids)


def _relative_error(time: Visits, pooled: Scatter) -> tuple[float, float]:
    """Relative standard error of a time, and the degrees of freedom behind it."""
    freedom = len(time.centres) - 1
    own = float((time.centres / time.value).var(ddof=1)) if freedom else 0.0
    variance, total = moderated(own, freedom, pooled)
    return math.sqrt(variance * time.loss), max(total, 1.0)


def _pair(
    evidence: Evidence,
    chosen: tuple[Point, ...],
    arrangements: list[Point],
    alone: Mapping[str, tuple[Point, ...]],
    times: Mapping[str, Visits],
    pooled: Scatter,
) -> Quantity:
    """One pair.

    Args:
        evidence: the probe.
        chosen: the fastest arrangement of the pair, and those that take the same time.
        arrangements: all of them.
        alone: the same for each class alone.
        times: cycles per group, of points that have them.
        pooled: scatter of visits of the probe.
    """
    point = chosen[0]
    first, second = str(point.settings["first"]), str(point.settings["second"])
    metric = f"interference.{first}.{second}"
    names = list(dict.fromkeys((first, second)))
    three = evidence.narrowed([*chosen, *(one for name in names for one in alone.get(name, ()))])
    missing = [name for name in names if name not in alone]
    if missing or any(one.id not in times for one in three.points):
        if any(three.objection(one) for one in three.points) or not missing:
            return three.without_value(metric, UNIT, METHOD)
        status, reason = three.refusal()
        return three.without_value(
            metric, UNIT, METHOD, status=status, reason=f"{reason} {missing[0]} alone was not measured."
        )

    together = _together(chosen, times)
    # Scaled to as many instructions as the pair holds, should a class alone have run with others.
    scale = [
        _ratio(point.work.get(key, 0.0), alone[name][0].work.get("first_count", 0.0))
        for key, name in (("first_count", first), ("second_count", second))
    ]
    singly = [_together(alone[name], times) for name in (first, second)]
    one, other = (time.value * factor for time, factor in zip(singly, scale, strict=True))
    longer, shorter = max(one, other), min(one, other)
    index = (together.value - longer) / shorter

    errors = [_relative_error(time, pooled) for time in (together, *singly)]
    relative = [error for error, _ in errors]
    long_error, short_error = (relative[1], relative[2]) if one >= other else (relative[2], relative[1])
    if first == second:  # one time stands for both: its error moves numerator and denominator
        parts = [(one * together.value / shorter, freedom) for one, freedom in errors[:2]]
    else:
        parts = [
            (relative[0] * together.value / shorter, errors[0][1]),
            (long_error * longer / shorter, errors[1 if one >= other else 2][1]),
            (short_error * index, errors[2 if one >= other else 1][1]),
        ]
    variances = [(deviation**2, freedom) for deviation, freedom in parts]
    half = student_t(satterthwaite(variances)) * math.sqrt(sum(variance for variance, _ in variances))
    interval = symmetric(index, half)
    if evidence.run.device.gpu:
        order = (1, 2) if one >= other else (2, 1)
        points_of = (point, alone[first][0], alone[second][0])
        off = [of_pair(evidence, at, times[at.id].value * at.work["groups"]) for at in points_of]
        ratios = (together.value / shorter, longer / shorter, index)
        interval = _with_windows(interval, ratios, [off[at] for at in (0, *order)])

    front_end = _front_end(evidence, point)
    bound = front_end is not None and together.value < AT_FRONT_END * front_end and first != second
    details: dict[str, Any] = {
        "first": first,
        "second": second,
        "cycles_first": one,
        "cycles_second": other,
        "cycles_together": together.value,
        "first_count": point.work.get("first_count", 0.0),
        "second_count": point.work.get("second_count", 0.0),
        "at_front_end": bound,
    }
    if front_end is not None:
        details["front_end_cycles"] = front_end
    if isinstance(stalls := point.facts.get(STALLS), (int, float)):
        details["register_cycles"] = stalls / point.work["groups"] / QUARTERS
    if "order" in point.settings:
        by_order = {
            str(each.settings.get("order", "")): times[each.id].value
            for each in arrangements
            if each.id in times
        }
        details |= {"order": str(point.settings["order"]), "arrangements": by_order}
    by_number = by_pass([together])
    shares = {key: (value - longer) / shorter for key, value in by_number.items()}
    issuing = "schedulers" if evidence.run.device.gpu else "front end"
    return three.quantity(
        metric, UNIT, METHOD, interval, three.points,
        reason=f"The pair runs as fast as the {issuing} can issue it, so a conflict behind it cannot be told."
        if bound and interval.high > 0.1 else "",
        passes=passes_that_agree(shares, symmetric(index, max(half, 0.01))), details=details,
    )  # fmt: skip


def _with_windows(
    found: Interval, ratios: tuple[float, float, float], shares: list[tuple[float, float]]
) -> Interval:
    """Room for what the windows of a GPU lose, and for what they do not wait for.

    Args:
        found: the index.
        ratios: what a relative change of each time changes of it: of both, of the longer, of the shorter.
        shares: by which each of these times may be too long, and too short.
    """
    (long_both, short_both), (long_one, short_one), (long_other, short_other) = shares
    both, one, other = ratios
    other = abs(other)
    return Interval(
        found.value,
        found.low - both * long_both - one * short_one - other * short_other,
        found.high + both * short_both + one * long_one + other * long_other,
    )


def _ratio(wanted: float, had: float) -> float:
    return wanted / had if wanted > 0 and had > 0 else 1.0


def _front_end(evidence: Evidence, point: Point) -> float | None:
    """Cycles in which the front end can issue a group of the pair, by the canary's best rate.

    A GPU has no canary; its schedulers are counted.
    """
    best = SCHEDULERS if evidence.run.device.gpu else evidence.run.sample_clock.canary_best
    instructions, groups = point.work.get("instructions", 0.0), point.work.get("groups", 0.0)
    return instructions / groups / best if best > 0 and instructions > 0 and groups > 0 else None
