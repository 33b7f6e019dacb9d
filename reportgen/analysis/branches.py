"""What a wrongly predicted branch costs, and how many returns a core predicts.

A misprediction: branches whose outcomes nothing can predict, and the same code with outcomes that are always
the same.  Of random outcomes half are predicted wrongly, whatever the predictor does, so the cost is the
slope of time over the number of wrong predictions.

Returns: calls nested ever deeper.  Up to the depth that the core remembers every further call costs the same
with its return; from there on each further one costs more.  (Each return here goes back to where it went
back the last time, so a core that predicts returns from other memory too may show no end.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers, passes_that_agree
from reportgen.analysis.isotonic import without_spikes
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import NORMAL_95, Array, Interval, Visits, median, student_t
from reportgen.analysis.slope import NOT_LINEAR, fit_line
from reportgen.analysis.window import cut
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "branches"
LEAST_SHARES = 3
"""Shares of wrong predictions that a slope needs."""
LEAST_STEP = 1.4
"""Cost of a level of calls beyond the end over the cost of one before it."""
LEAST_DEPTHS = 6


def misprediction(evidence: Evidence) -> list[Quantity]:
    """`branch.misprediction`: cycles that one wrong prediction adds.

    The interval holds the slope with its error, and what each share of random outcomes gives by itself.

    Args:
        evidence: points with setting `others` and work `branches` and `mispredictions`, both of a body.
    """
    metric = evidence.probe.metric
    alternating = [point for point in evidence.usable() if point.settings.get("others") == "alternating"]
    usable = [
        point for point in evidence.usable() if point not in alternating and point.work.get("branches", 0) > 0
    ]
    if len({_wrong(point) for point in usable}) < LEAST_SHARES or all(_wrong(point) for point in usable):
        short = "" if len(evidence.usable()) < len(evidence.points) else "Too few shares of random outcomes."
        status = Status.SKIPPED if short else None
        return [evidence.without_value(metric, "cycle", METHOD, status=status, reason=short)]
    groups = evidence.modes(usable)
    if groups:
        return [
            evidence.without_value(
                metric, "cycle", METHOD, status=Status.UNSTABLE, groups=groups,
                reason="The samples fall into two groups (cycles per repetition of the body); no single cost "
                "describes them.",
            )
        ]  # fmt: skip
    observed = [evidence.cycles(point) for point in usable]
    wrong = np.array([_wrong(point) for point in usable])
    repeated = np.concatenate(
        [np.full(len(one.centres), at) for at, one in zip(wrong, observed, strict=True)]
    )
    line = fit_line(repeated, np.concatenate([one.centres for one in observed]))
    cycles = np.array([one.value for one in observed])
    linearity = float(np.max(np.abs(cycles / (line.intercept + line.slope * wrong) - 1)))
    branches = usable[0].work["branches"]
    details: dict[str, Any] = {
        "share": numbers(wrong / branches),
        "cycles": numbers(cycles / branches),
        "others": [str(point.settings["others"]) for point in usable],
        "intercept": line.intercept / branches,
        "slope": line.slope,
    }
    constant = median(cycles[wrong == 0])
    if alternating:
        beyond = evidence.cycles(alternating[0]).value - constant
        details["alternating"] = numbers([beyond / branches])[0]
    if not line.slope > 0 or linearity > NOT_LINEAR:
        why = (
            "Random outcomes take no longer than constant ones: no prediction was wrong, or nothing waits."
            if not line.slope > 0
            else f"Time is not proportional to the share of random outcomes (off by {linearity:.1%}, "
            f"{NOT_LINEAR:.0%} is allowed)."
        )
        status = Status.UNSTABLE if line.slope > 0 else Status.INVALID
        return [evidence.without_value(metric, "cycle", METHOD, status=status, reason=why, details=details)]
    interval = _cost(line.slope, line.error, line.freedom, evidence.systematic)
    each = [median((cycles[wrong == at] - constant) / at) for at in np.unique(wrong) if at]
    interval = Interval(interval.value, min(interval.low, *each), max(interval.high, *each))
    passes = passes_that_agree(_by_pass(wrong, observed), interval)
    return [
        evidence.quantity(
            metric, "cycle", METHOD, interval, usable, linearity=linearity, passes=passes, details=details
        )
    ]


def _wrong(point: Point) -> float:
    return point.work.get("mispredictions", 0.0)


def _cost(slope: float, error: float, freedom: int, systematic: float) -> Interval:
    half = math.hypot(student_t(freedom) * error, NORMAL_95 * systematic * slope) if freedom > 0 else slope
    return Interval(slope, slope - half, slope + half)


def _by_pass(wrong: Array, observed: list[Visits]) -> dict[float, float]:
    """The slope of each pass that saw at least two shares."""
    slopes = {}
    for one in sorted({float(number) for visits in observed for number in visits.ids}):
        seen = [
            (at, float(visits.centres[visits.ids == one][0]))
            for at, visits in zip(wrong, observed, strict=True)
            if one in visits.ids
        ]
        if len({at for at, _ in seen}) >= 2:
            x, y = (np.array(column) for column in zip(*seen, strict=True))
            slopes[one] = fit_line(x, y).slope
    return slopes


def call_return(evidence: Evidence) -> list[Quantity]:
    """`branch.return.depth`: calls nested so deep that all their returns are predicted.

    The interval is [deepest nest that costs no more a level, shallowest that does).

    Args:
        evidence: points with setting `depth`.
    """
    metric = f"{evidence.probe.metric}.depth"
    points = sorted(
        (point for point in evidence.usable() if "depth" in point.settings),
        key=lambda point: int(point.settings["depth"]),
    )
    if len(points) < LEAST_DEPTHS:
        status = None if len(evidence.usable()) < len(evidence.points) else Status.SKIPPED
        reason = f"{len(points)} depths gave a time; {LEAST_DEPTHS} are needed."
        return [evidence.without_value(metric, "count", METHOD, status=status, reason=reason)]
    depth = np.array([float(point.settings["depth"]) for point in points])
    cycles = np.array([evidence.cycles(point).value for point in points])
    # a level that seems to take less than nothing was taken beside a busy thread
    level = np.maximum(np.diff(cycles) / np.diff(depth), 1e-3)
    details: dict[str, Any] = {
        "depth": numbers(depth),
        "cycles": numbers(cycles),
        "level": numbers(cycles / depth),
    }
    height = without_spikes(np.log(level))
    at = cut(height)
    before, after = median(height[:at]), median(height[at:])
    if after - before < math.log(LEAST_STEP):
        return [
            evidence.bound(
                metric, "count", METHOD, float(depth[-1]), points, details=details,
                reason=f"Up to {depth[-1]:.0f} nested calls none costs more than those before it.",
            )
        ]  # fmt: skip
    line = fit_line(depth[: at + 1], cycles[: at + 1])
    more = math.exp(after) - math.exp(before)
    beyond = without_spikes(cycles - line.intercept - line.slope * depth) > more / 2
    if beyond.all():
        return [
            evidence.without_value(
                metric, "count", METHOD, status=Status.UNSTABLE, details=details,
                reason="No depth lies on the line of those that cost least; run again while the machine is "
                "quiet.",
            )
        ]  # fmt: skip
    last = int(np.flatnonzero(~beyond)[-1])
    low, high = float(depth[last]), float(depth[min(last + 1, len(depth) - 1)])
    details |= {"before": line.slope, "after": math.exp(after)}
    return [
        evidence.quantity(
            metric, "count", METHOD, Interval(math.sqrt(low * high), low, high), points, details=details
        )
    ]
