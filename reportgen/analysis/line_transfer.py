"""How long a line takes from one core to another: two threads hand it to and fro.

Each waits by loads until it sees the other's value, then leaves the next one.  The time of one way is the
slope over the number of hand-overs, so that what it costs to begin and to end drops out.  Both directions of
a pair are one quantity, for a round trip has both in it; apart they are shown, since the line and the page
that it lies in begin at the first core.

Which physical core a virtual CPU is may change between visits.  Visits that fall into two groups are two
modes and give no number; a visit that stands alone is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import NORMAL_95, Array, Interval, Visits, median, student_t, symmetric
from reportgen.analysis.slope import Line, fit_line
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "communication"
LEAST_COUNTS = 2
"""Numbers of hand-overs without which there is no slope."""
NOT_LINEAR = 0.1
"""Largest relative residual of a number's median that still counts as a straight line."""
ELSEWHERE = 1.25
"""Visits this factor apart were between other cores: transfers inside and outside of a group of cores differ
by more, and what else varies from visit to visit (where the line lies) by less."""
MODE_SHARE = 0.2
"""A smaller part of the visits is a stray one."""


MOVED = (
    "The visits fall into two groups (seconds one way): the two CPUs were not always the same cores, or not "
    "always as near to each other. No single time describes them."
)


class Way(NamedTuple):
    """One way between the cores of a pair."""

    seconds: Interval
    cycles: Interval
    linearity: float
    """Largest relative residual of a number's median."""
    passes: int
    curve: dict[str, Any]
    """Hand-overs and seconds of a body, and what begins and ends it."""


def line_transfer(evidence: Evidence) -> list[Quantity]:
    """`communication.transfer.<by>` (seconds one way, nearest pair), the same in `.cycles`, and `.farthest`.

    Args:
        evidence: points with settings `by`, `pair` and work `steps`, the hand-overs of a body.
    """
    found: list[Quantity] = []
    for by in dict.fromkeys(str(point.settings.get("by", "")) for point in evidence.points):
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("by") == by)
        found += _of_one_way(own, f"{evidence.probe.metric}.{by}")
    return found


def _of_one_way(evidence: Evidence, metric: str) -> list[Quantity]:
    usable = [point for point in evidence.usable() if point.work.get("steps", 0) > 0]
    pairs: dict[str, list[Point]] = {}
    for point in usable:
        pairs.setdefault(both_ways(str(point.settings["pair"])), []).append(point)
    asked = {both_ways(str(point.settings["pair"])) for point in evidence.points if "pair" in point.settings}
    ways: dict[str, Way] = {}
    refused: dict[str, tuple[Status, str, tuple[float, ...]]] = {}
    for pair, points in pairs.items():
        way = _way(evidence, points)
        if isinstance(way, Way):
            ways[pair] = way
        else:
            refused[pair] = way
    if not ways:
        if refused:
            status, reason, modes = next(iter(refused.values()))
            return [
                evidence.without_value(metric, "second", METHOD, status=status, reason=reason, groups=modes)
            ]
        return [evidence.without_value(metric, "second", METHOD)]
    nearest = min(ways, key=lambda pair: ways[pair].seconds.value)
    farthest = max(ways, key=lambda pair: ways[pair].seconds.value)
    left = len(asked) - len(ways)
    reason = f"{left} of {len(asked)} pairs gave no time." if left else ""
    details = _matrix(evidence, usable) | {
        "pair": nearest,
        "modes": {pair: numbers(modes) for pair, (_, _, modes) in refused.items() if modes},
        **ways[nearest].curve,
    }

    def told(ending: str, pair: str, unit: str, with_details: bool) -> Quantity:
        way = ways[pair]
        return evidence.quantity(
            f"{metric}{ending}", unit, METHOD, way.seconds if unit == "second" else way.cycles, pairs[pair],
            reason=reason, linearity=way.linearity, passes=way.passes,
            details=details if with_details else {"pair": pair},
        )  # fmt: skip

    found = [told("", nearest, "second", True), told(".cycles", nearest, "cycle", False)]
    return [*found, told(".farthest", farthest, "second", False)] if len(ways) > 1 else found


def both_ways(pair: str) -> str:
    """`5-2` -> `2-5`."""
    return "-".join(sorted(pair.split("-"), key=int))


def _way(evidence: Evidence, points: list[Point]) -> Way | tuple[Status, str, tuple[float, ...]]:
    """One way between two cores, or why it cannot be had."""
    counts = {point.work["steps"] for point in points}
    if len(counts) < LEAST_COUNTS:
        return Status.SKIPPED, f"{len(counts)} numbers of hand-overs gave a time; a slope needs more.", ()
    seconds = [evidence.seconds(point) for point in points]
    cycles = [evidence.cycles(point) for point in points]
    each = np.concatenate(
        [one.centres / point.work["steps"] for one, point in zip(seconds, points, strict=True)]
    )
    kept, modes = settled(each)
    if modes:
        return Status.UNSTABLE, MOVED, modes
    alike = np.split(kept, np.cumsum([len(one.centres) for one in seconds])[:-1])
    line, linearity, medians = _line(points, seconds, alike)
    if not line.slope > 0 or linearity > NOT_LINEAR:
        return (
            Status.UNSTABLE,
            f"Time does not grow in proportion to the number of hand-overs (off by {linearity:.1%}).",
            (),
        )
    in_cycles = _line(points, cycles, alike)[0]
    one_way = _interval(line, 0.0)
    curve = {"steps": sorted(counts), "seconds_of_body": numbers(medians), "intercept": line.intercept}
    passes = passes_that_agree(_by_pass(points, seconds, alike), one_way)
    return Way(one_way, _interval(in_cycles, evidence.systematic), linearity, passes, curve)


def settled(values: Array) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], tuple[float, ...]]:
    """Which of the positive visits belong together, and medians of two groups where there are two.

    They are cut at the widest gap in logarithms where that is wider than `ELSEWHERE`.  The smaller part is
    left out where it is less than `MODE_SHARE` of them or one visit alone, else there are two modes.
    """
    everything = np.ones(len(values), dtype=bool)
    if len(values) < 3:
        return everything, ()
    ordered = np.sort(values)
    gaps = np.diff(np.log(ordered))
    at = int(np.argmax(gaps)) + 1
    if gaps[at - 1] < math.log(ELSEWHERE):
        return everything, ()
    smaller = min(at, len(values) - at)
    if smaller > 1 and smaller >= MODE_SHARE * len(values):
        return everything, (median(ordered[:at]), median(ordered[at:]))
    below = values < ordered[at]
    return (below if at * 2 >= len(values) else ~below), ()


def _line(
    points: list[Point], observed: list[Visits], kept: list[np.ndarray[Any, np.dtype[np.bool_]]]
) -> tuple[Line, float, list[float]]:
    """The line through the visits that are kept, its largest residual, and the median of each number."""
    x = np.concatenate(
        [np.full(int(good.sum()), point.work["steps"]) for point, good in zip(points, kept, strict=True)]
    )
    y = np.concatenate([one.centres[good] for one, good in zip(observed, kept, strict=True)])
    counts = np.unique(x)
    medians = np.array([median(y[x == one]) for one in counts])
    # Strays are left out already; of nine visits five robust deviations cut off some that are none.
    line = fit_line(x, y, near=ELSEWHERE - 1)
    residual = np.abs(medians / (line.intercept + line.slope * counts) - 1)
    return line, float(residual.max()) if len(counts) > 2 else 0.0, [float(one) for one in medians]


def _interval(line: Line, systematic: float) -> Interval:
    half = student_t(line.freedom) * line.error if line.freedom > 0 else 0.1 * line.slope
    return symmetric(line.slope, math.hypot(half, NORMAL_95 * systematic * line.slope))


def _by_pass(
    points: list[Point], observed: list[Visits], kept: list[np.ndarray[Any, np.dtype[np.bool_]]]
) -> dict[float, float]:
    """The slope of each pass that saw several numbers of hand-overs."""
    seen: dict[float, list[tuple[float, float]]] = {}
    for point, one, good in zip(points, observed, kept, strict=True):
        for number, centre in zip(one.ids[good], one.centres[good], strict=True):
            seen.setdefault(float(number), []).append((point.work["steps"], float(centre)))
    slopes = {}
    for number, pairs in seen.items():
        steps, seconds = (np.array(column) for column in zip(*pairs, strict=True))
        if len(np.unique(steps)) >= LEAST_COUNTS:
            slopes[number] = fit_line(steps, seconds).slope
    return slopes


def _matrix(evidence: Evidence, usable: Iterable[Point]) -> dict[str, Any]:
    """Seconds one way of each pair and direction: of the most hand-overs, whose overhead weighs least."""
    longest: dict[str, Point] = {}
    for point in usable:
        pair = str(point.settings["pair"])
        if pair not in longest or longest[pair].work["steps"] < point.work["steps"]:
            longest[pair] = point
    return {
        "pairs": list(longest),
        "seconds": numbers(evidence.seconds(point).value / point.work["steps"] for point in longest.values()),
        "cpus": [str(point.facts.get("cpus", "")) for point in longest.values()],
    }
