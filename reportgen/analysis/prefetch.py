"""What lines cost that a prefetcher may have fetched before they were asked for.

A chase tells each address only when the load before it has ended, so nothing but a prefetcher (or what a
miss brings beside the line that was asked for) can shorten it.  Each order is compared with the same lines in
an order that offers nothing to follow, or with a line far away in the same page: pages, and with them
translations, are the same in both.

What is compared takes turns within a visit, and pairs of samples tell (`reportgen.analysis.paired`).  Runs
made before that have visits of each alone: two times are apart where the intervals say so, or where every
visit of one lies beyond every visit of the other: of three visits each that happens by chance once in twenty
(Mann and Whitney 1947), and a neighbour who takes a part of the last level in one visit of three widens the
intervals beyond use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from reportgen.analysis import paired
from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.paired import NO, UNDECIDED, YES, Answer
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, median, pooled_scatter, symmetric, visit_interval
from reportgen.analysis.telling import too_wide
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "prefetch"
IN_ORDER, SHUFFLED = "in_order", "shuffled"
FOLLOWED = 1.15
"""Shuffled over in-order cycles of a load from which on an order is followed."""
TO_GAIN = 0.5
"""Where shuffled lines cost less than this share of the dearest ones of the probe, they come along in any
order: that an order adds nothing then says nothing of whether it is followed."""
LITTLE = (
    "In random order these lines cost less than half of the dearest of the probe: little is left to gain."
)
BROUGHT = 8.0
"""Cycles less than a far line of the same page by which a line has come along: less than what any known core
waits longer for a line from beyond its second level than for one within."""
STILL = 0.75
"""Share of what order saves at its best down to which streams count as followed."""
ENOUGH = 3
"""Visits of each of two times from which on their order alone may tell them apart."""
LEAST_COUNTS = 4


@dataclass(frozen=True)
class Time:
    """Cycles with their interval, and by visit."""

    interval: Interval
    visits: Array

    @property
    def value(self) -> float:
        """Median over visits."""
        return self.interval.value


def prefetch_stride(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<step>`: cycles of a load in runs of that step, with what shuffled runs cost.

    Points have settings `step` (lines; `-1`, `1_3`) and `order`, and work `steps`.
    """
    times = _each(evidence, evidence.usable(), lambda point: point.work["steps"])
    by_step: dict[str, dict[str, Point]] = {}
    for point in evidence.points:
        by_step.setdefault(str(point.settings["step"]), {})[str(point.settings["order"])] = point
    dearest = max(
        (
            times[own[SHUFFLED].id].interval.low
            for own in by_step.values()
            if SHUFFLED in own and own[SHUFFLED].id in times
        ),
        default=math.inf,
    )
    return [_of_step(evidence, step, own, times, dearest, len(by_step)) for step, own in by_step.items()]


def _of_step(
    evidence: Evidence,
    step: str,
    own: dict[str, Point],
    times: dict[str, Time],
    dearest: float,
    questions: int,
) -> Quantity:
    name = f"{evidence.probe.metric}.{spelled(step)}"
    details: dict[str, Any] = {"step": step}
    ordered, shuffled = own.get(IN_ORDER), own.get(SHUFFLED)
    if ordered is None or ordered.id not in times:
        few = evidence.narrowed([ordered] if ordered is not None else [])
        return few.without_value(name, "cycle", METHOD, details=details)
    points, fast = [ordered], times[ordered.id]
    if shuffled is not None and shuffled.id in times:
        slow = times[shuffled.id]
        to_gain = slow.interval.high >= TO_GAIN * dearest
        answer = _gain(evidence, (shuffled, ordered), (slow, fast), questions)
        if answer.told == NO and not to_gain:
            answer = Answer(answer.interval, UNDECIDED, LITTLE if paired.in_turn(ordered) else "")
        details |= {"shuffled": numbers(slow.interval)} | _told(answer, "gain", "followed")
        points.append(shuffled)
    return _cycles(evidence, name, fast.interval, points, details)


def _cycles(
    evidence: Evidence, name: str, interval: Interval, points: Sequence[Point], details: dict[str, Any]
) -> Quantity:
    """Cycles as a quantity; without a value where visits disagree, whatever pairs of samples tell."""
    if wide := too_wide(interval, "cycle"):
        return evidence.narrowed(points).without_value(
            name, "cycle", METHOD, status=Status.UNSTABLE, reason=wide, details=details
        )
    return evidence.quantity(name, "cycle", METHOD, interval, points, details=details)


def _gain(
    evidence: Evidence, points: tuple[Point, Point], times: tuple[Time, Time], questions: int
) -> Answer:
    """What order gains: of shuffled lines and of those in order, in this sequence."""
    if all(map(paired.in_turn, points)):
        found = paired.pairs(evidence, *points, (points[0].work["steps"], points[1].work["steps"]))
        return paired.above(found.gains, found.visits, FOLLOWED, questions)
    return Answer(ratio(*times), followed(*times))


def _told(answer: Answer, amount: str, key: str, **beside: int) -> dict[str, Any]:
    """An answer as details of a quantity; without an amount where no pair counts."""
    known = math.isfinite(answer.interval.value)
    details: dict[str, Any] = {amount: numbers(answer.interval)} if known else {}
    return details | beside | {key: answer.told} | ({"why": answer.why} if answer.why else {})


def followed(slow: Time, fast: Time) -> str:
    """Whether lines in order come sooner than shuffled ones, each of visits of its own."""
    gain, raised = ratio(slow, fast), fast.visits * FOLLOWED
    if gain.low > FOLLOWED or _apart(slow.visits, raised):
        return YES
    return NO if gain.high <= FOLLOWED or _apart(raised, slow.visits) else UNDECIDED


def _apart(above: Array, below: Array) -> bool:
    """Whether every visit of one lies above every visit of the other, and there are enough of both."""
    return min(len(above), len(below)) >= ENOUGH and bool(above.min() > below.max())


def prefetch_run(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<places>`: cycles of a line by its place in a run: `1`, `2`, `3_4`, `5_8`, ...

    What a run of twice the length takes more is what the lines of its second half take.  Points have settings
    `length` (1, 2, 4, ...) and `order`, and work `steps`.
    """
    times = _each(
        evidence, evidence.usable(), lambda point: point.work["steps"] / int(point.settings["length"])
    )
    by_order: dict[str, dict[int, Point]] = {IN_ORDER: {}, SHUFFLED: {}}
    for point in evidence.points:
        by_order[str(point.settings["order"])][int(point.settings["length"])] = point
    curves: dict[str, Any] = {}
    for order, own in by_order.items():
        lengths = [length for length, one in sorted(own.items()) if one.id in times]
        curves[f"{order}_length"] = lengths
        curves[order] = numbers(times[own[length].id].value / length for length in lengths)
    asked = by_order[IN_ORDER]
    before = [0, *sorted(asked)]
    return [
        _of_places(evidence, first, last, [asked[at] for at in (first, last) if at], times, curves)
        for first, last in pairwise(before)
    ]


def _of_places(
    evidence: Evidence,
    before: int,
    last: int,
    points: list[Point],
    times: dict[str, Time],
    curves: dict[str, Any],
) -> Quantity:
    """The lines behind `before` lines up to the `last` one."""
    name = f"{evidence.probe.metric}.{last if last == before + 1 else f'{before + 1}_{last}'}"
    few = evidence.narrowed(points)
    if any(point.id not in times for point in points):
        return few.without_value(name, "cycle", METHOD)
    *less, more = (times[point.id] for point in points)
    taken = less_by(more, less[0]) if less else more.interval
    each = Interval(*(value / (last - before) for value in taken))
    details = curves | {"first": before + 1, "last": last}
    if each.low <= 0:
        return few.without_value(
            name, "cycle", METHOD, status=Status.UNSTABLE, details=details,
            reason="Two lengths of runs differ by no more than their scatter.",
        )  # fmt: skip
    return _cycles(evidence, name, each, points, details)


def prefetch_near(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<case>`: cycles of lines of a run and of one near it, with what that saves beside a far one.

    Points have a setting `case` (`even.up_1`: what went before, and how far from its end the line lies) and
    work `steps` and `before` (lines of the run).  Others are compared with the farthest line of their case,
    in their direction where there are two so far.
    """
    usable = [point for point in evidence.usable() if "before" in point.work]
    times = _each(evidence, usable, lambda point: point.work["steps"] / (point.work["before"] + 1))
    found, cases = [], {str(point.settings["case"]) for point in evidence.points}
    questions = len(cases) - len({case.rpartition("_")[0] for case in cases})  # the farthest is asked nothing
    for point in evidence.points:
        name = f"{evidence.probe.metric}.{point.settings['case']}"
        if point.id not in times:
            found.append(evidence.narrowed([point]).without_value(name, "cycle", METHOD))
            continue
        distance = _distance(point)
        details: dict[str, Any] = {"before": int(point.work["before"]), "distance": distance}
        far = max((one for one in usable if _before(one) == _before(point)), key=lambda one: _far(one, point))
        points, fast = [point], times[point.id]
        if abs(_distance(far)) > abs(distance):
            answer = _saving(evidence, (far, point), (times[far.id], fast), questions)
            details |= _told(answer, "saved", "brought", far=_distance(far))
            points.append(far)
        found.append(_cycles(evidence, name, fast.interval, points, details))
    return found


def _before(point: Point) -> str:
    """What went before: `even`, `odd`, `run`, `border`."""
    return str(point.settings["case"]).partition(".")[0]


def _distance(point: Point) -> int:
    """Lines from the end of what went before, negative where the line lies below."""
    way, _, lines = str(point.settings["case"]).partition(".")[2].partition("_")
    return -int(lines) if way == "down" else int(lines)


def _far(one: Point, point: Point) -> tuple[int, bool]:
    """How far a line lies, and whether in the direction of another."""
    return abs(_distance(one)), _distance(one) * _distance(point) > 0


def _saving(
    evidence: Evidence, points: tuple[Point, Point], times: tuple[Time, Time], questions: int
) -> Answer:
    """What a line saves beside a far one, in the sequence of far and near; cycles."""
    far, near = points
    if all(map(paired.in_turn, points)) and near.id.rpartition("_")[0] == far.id.rpartition("_")[0]:
        # of one line, though a body asks for those of the run as well
        divisors = (
            far.work["steps"] / (far.work["before"] + 1),
            near.work["steps"] / (near.work["before"] + 1),
        )
        found = paired.pairs(evidence, far, near, divisors)
        return paired.above(found.savings, found.visits, BROUGHT, questions)
    return Answer(less_by(*times), brought(*times))


def brought(slow: Time, fast: Time) -> str:
    """Whether a line comes sooner than a far one."""
    saved, raised = less_by(slow, fast), fast.visits + BROUGHT
    if saved.low > BROUGHT or _apart(slow.visits, raised):
        return YES
    return NO if saved.high < BROUGHT or _apart(raised, slow.visits) else UNDECIDED


def prefetch_streams(evidence: Evidence) -> list[Quantity]:
    """`<metric>`: the number of streams up to which order still saves most of what it saves at its best.

    Points have settings `count` and `order`, and work `steps`.
    """
    metric, usable = evidence.probe.metric, evidence.usable()
    each = _each(evidence, usable, lambda point: point.work["steps"])
    both: dict[int, dict[str, Point]] = {}
    for point in usable:
        both.setdefault(int(point.settings["count"]), {})[str(point.settings["order"])] = point
    counts = sorted(count for count, own in both.items() if len(own) == 2)
    if len(counts) < LEAST_COUNTS:
        asked = len({point.settings["count"] for point in evidence.points})
        status = Status.SKIPPED if asked < LEAST_COUNTS or len(usable) == len(evidence.points) else None
        reason = f"{len(counts)} numbers of streams gave both times; {LEAST_COUNTS} are needed."
        return [evidence.without_value(metric, "count", METHOD, status=status, reason=reason)]
    ordered = [each[both[count][IN_ORDER].id] for count in counts]
    shuffled = [each[both[count][SHUFFLED].id] for count in counts]
    used = [point for count in counts for point in both[count].values()]
    details: dict[str, Any] = {
        "count": counts,
        IN_ORDER: numbers(time.value for time in ordered),
        SHUFFLED: numbers(time.value for time in shuffled),
    }
    pairs = list(zip(shuffled, ordered, strict=True))
    answers = [
        _gain(evidence, (both[count][SHUFFLED], both[count][IN_ORDER]), times, len(counts))
        for count, times in zip(counts, pairs, strict=True)
    ]
    if all(answer.told != YES for answer in answers):
        return [
            evidence.narrowed(used).without_value(
                metric, "count", METHOD, status=Status.UNSTABLE, details=details,
                reason="No number of streams was surely quicker in order than shuffled; nothing ends.",
            )
        ]  # fmt: skip
    best = min(time.value for time in ordered)
    # a neighbour makes the shuffled lines of one number of streams dearer, and then all seem followed there
    usual = median(np.array([slow.value for slow in shuffled]))
    shares = [_share(min(slow.value, usual), fast.value, best) for slow, fast in pairs]
    details["share"] = numbers(shares)
    still = max((at for at, share in enumerate(shares) if share >= STILL), default=0)
    if still == len(counts) - 1:
        return [
            evidence.bound(
                metric, "count", METHOD, float(counts[-1]), used, details=details,
                reason=f"Up to {counts[-1]} streams, the most that were asked for, order saves {STILL:.0%} "
                "and more of what it saves at its best.",
            )
        ]  # fmt: skip
    low, high = float(counts[still]), float(counts[still + 1])
    ends = Interval(math.sqrt(low * high), low, high)
    return [evidence.quantity(metric, "count", METHOD, ends, used, details=details)]


def _share(slow: float, fast: float, best: float) -> float:
    """What order saves, over what it saves at its best."""
    return (slow - fast) / (slow - best) if slow > best else 0.0


def spelled(step: str) -> str:
    """A step as metrics name it: `4` -> `up_4`, `-1` -> `down_1`, `1_3` -> `pattern_1_3`."""
    if "_" in step:
        return f"pattern_{step}"
    return f"down_{step[1:]}" if step.startswith("-") else f"up_{step}"


def _each(evidence: Evidence, points: Sequence[Point], divisor: Callable[[Point], float]) -> dict[str, Time]:
    """Cycles of usable points, divided, by point."""
    some = {point.id: evidence.cycles(point).over(divisor(point)) for point in points}
    pooled = pooled_scatter(list(some.values()))
    return {
        name: Time(visit_interval(one, pooled, evidence.systematic), one.centres)
        for name, one in some.items()
    }


def ratio(above: Time, below: Time) -> Interval:
    """The quotient of two times that scatter apart from each other; relative errors in quadrature."""
    value = above.value / below.value
    room = math.hypot(*(math.log(one.interval.high / one.value) for one in (above, below)))
    return Interval(value, value * math.exp(-room), value * math.exp(room))


def less_by(more: Time, less: Time) -> Interval:
    """The difference of two times, errors in quadrature."""
    return symmetric(more.value - less.value, math.hypot(more.interval.half, less.interval.half))
