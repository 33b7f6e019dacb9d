"""Latency: the slope of cycles over chain length.

A chain of `length` dependent steps costs overhead + length x latency; a straight line through
several lengths leaves the overhead in its intercept.  Each visit's median is one observation of
the line.  Errors are relative (clock, contamination), so observations are weighted by 1/cycles^2;
the interval is Student's t on the residuals, which hold pass-to-pass scatter and lack of fit alike,
joined by what all calibrations of the run share and, on a GPU, by what whole cycles leave open.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers, passes_that_agree
from reportgen.analysis.gpu_rounding import of_slope, whole
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    NORMAL_95,
    Array,
    Interval,
    Visits,
    mad_deviation,
    median,
    pooled_scatter,
    student_t,
    symmetric,
)
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "slope"
UNIT = "cycle"
NOT_LINEAR = 0.02
"""Largest relative residual of a length's median that still counts as a straight line."""
SHOWN = 3.0
"""Scatters of one length from visit to visit by which its median is off before that is the chain's doing: a
core may settle into another rhythm every time."""
MOST_SCATTER = 0.25
"""Half of the interval over the slope up to which lengths that are off for that reason still tell one."""
WHOLE = "whole number"
"""In the hypothesis of a probe whose steps are thought to take whole cycles."""
STRAY = 0.01
"""An observation this close to the line (relative) is never left out."""


class Line(NamedTuple):
    """cycles = intercept + slope x steps."""

    slope: float
    intercept: float
    error: float
    """Standard error of the slope."""
    freedom: int
    kept: Array
    """False for observations left out as stray."""


def fit_line(steps: Array, cycles: Array, near: float = STRAY) -> Line:
    """Weighted least squares through positive `cycles`, with at most a quarter left out as stray.

    Stray is further from the line by the median slope of all pairs (Theil 1950, Sen 1968) than five robust
    deviations of the residuals and than `near` (relative): a visit during which a neighbour held the core.
    """
    kept = np.ones(len(steps), dtype=bool)
    lengths = np.unique(steps)
    if len(steps) >= 6 and len(lengths) >= 2:
        guess = _by_pairs(steps, cycles)
        residual = cycles / (guess[1] + guess[0] * steps) - 1
        limit = max(5 * mad_deviation(residual), near)
        stray = np.abs(residual - median(residual)) > limit
        if stray.sum() * 4 <= len(steps) and len(np.unique(steps[~stray])) == len(lengths):
            kept = ~stray
    x, y = steps[kept], cycles[kept]
    slope, intercept = _least_squares(x, y)
    freedom = len(x) - 2
    weight = 1 / y**2
    centre = float((weight * x).sum() / weight.sum())
    spread = float((weight * (x - centre) ** 2).sum())
    residuals = (y - intercept - slope * x) / y
    variance = float((residuals**2).sum()) / freedom if freedom > 0 else 0.0
    error = math.sqrt(variance / spread) if spread > 0 else math.inf
    return Line(slope, intercept, error, freedom, kept)


def _by_pairs(steps: Array, cycles: Array) -> tuple[float, float]:
    """Slope and intercept of the line by medians: up to a quarter of the observations do not move it far."""
    first, second = np.triu_indices(len(steps), 1)
    apart = steps[first] != steps[second]
    first, second = first[apart], second[apart]
    slope = median((cycles[second] - cycles[first]) / (steps[second] - steps[first]))
    return slope, median(cycles - slope * steps)


def _least_squares(steps: Array, cycles: Array) -> tuple[float, float]:
    weight = 1 / cycles**2
    total = weight.sum()
    x, y = float((weight * steps).sum() / total), float((weight * cycles).sum() / total)
    spread = float((weight * (steps - x) ** 2).sum())
    slope = float((weight * (steps - x) * (cycles - y)).sum()) / spread if spread else math.nan
    return slope, y - slope * x


def slope(evidence: Evidence, companions: dict[str, Quantity]) -> Quantity:
    """`latency.<operation>` of one probe.

    Args:
        evidence: points with setting `length` and work `steps`.
        companions: latencies by operation, of those that the probe's constants name: each is
            subtracted from a step as often as it is named.
    """
    metric, probe = evidence.probe.metric, evidence.probe
    usable = [point for point in evidence.usable() if point.work.get("steps", 0) > 0]
    lengths = sorted({point.work["steps"] for point in usable})
    if not usable:
        return evidence.without_value(metric, UNIT, METHOD)
    asked = {point.work.get("steps", point.id) for point in evidence.points}
    if len(lengths) < min(3, max(2, len(asked))):
        refused = evidence.refusal()[1] if len(usable) < len(evidence.points) else ""
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE,
            reason=f"{len(lengths)} of {len(asked)} chain lengths gave a time; a slope needs more. {refused}",
        )  # fmt: skip
    groups = evidence.modes(usable)
    if groups:
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, groups=groups,
            reason="The samples fall into two groups (cycles per repetition of the body); "
            "no single latency describes them.",
        )  # fmt: skip

    observed = [evidence.cycles(point) for point in usable]
    steps = np.concatenate(
        [np.full(len(one.centres), point.work["steps"]) for point, one in zip(usable, observed, strict=True)]
    )
    cycles = np.concatenate([one.centres for one in observed])
    line = fit_line(steps, cycles)
    x = np.unique(steps)
    y = np.array([median(cycles[line.kept & (steps == one)]) for one in x])
    details: dict[str, object] = {
        "length": numbers(x),
        "cycles": numbers(y),
        "intercept": line.intercept,
        "slope": line.slope,
        "form": str(probe.constants.get("form", "")),
    }
    linearity = float(np.max(np.abs(y / (line.intercept + line.slope * x) - 1))) if len(x) > 2 else None
    if not line.slope > 0:
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.INVALID, details=details,
            reason="Longer chains do not take longer: the chain is not dependent, or was removed.",
        )  # fmt: skip
    scatter = pooled_scatter(observed).deviation
    if linearity is not None and linearity > max(NOT_LINEAR, SHOWN * scatter):
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, details=details,
            reason=f"Time is not proportional to chain length (off by {linearity:.1%}, "
            f"{NOT_LINEAR:.0%} is allowed); the steps do not all cost the same.",
        )  # fmt: skip

    rounded = _rounded(evidence, x, y, line)
    # What rounding does to the times is in their residuals, too, where the lengths happen to show it.
    random = max(student_t(line.freedom) * line.error, NORMAL_95 * rounded)
    half = math.hypot(random, NORMAL_95 * evidence.systematic * line.slope)
    step = symmetric(line.slope, half if line.freedom > 0 else 0.01 * line.slope)
    if linearity is not None and linearity > NOT_LINEAR and step.half > MOST_SCATTER * step.value:
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, details=details,
            reason=f"One length differs by {scatter:.0%} from visit to visit, too much to tell a slope.",
        )  # fmt: skip
    reason = "" if linearity is not None else "Two chain lengths: linearity was not checked."
    if linearity is not None and linearity > NOT_LINEAR:
        reason = f"A length is off the line by {linearity:.1%}; visits of one length differ by {scatter:.1%}."
    latency = _of_one_instruction(evidence, step, companions)
    if isinstance(latency, str):
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, reason=latency, details=details
        )
    if latency.value <= 0:
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.INVALID, details=details,
            reason="The companions' latencies are longer than the step that contains them.",
        )  # fmt: skip
    return evidence.quantity(
        metric, UNIT, METHOD, latency, usable, reason=reason, linearity=linearity,
        passes=_agreeing(usable, observed, step), details=details,
    )  # fmt: skip


def _rounded(evidence: Evidence, steps: Array, cycles: Array, line: Line) -> float:
    """Standard error of the slope by whole cycles, which a GPU reads again and again.

    A chain of dependent instructions is thought to take whole cycles a step; where it does, none is rounded.
    """
    if not evidence.run.device.gpu or len(steps) < 2:
        return 0.0
    thought = WHOLE in evidence.probe.hypothesis
    exact = thought and whole(steps, cycles, line.slope, line.intercept)
    return 0.0 if exact else of_slope(steps, cycles)


def _of_one_instruction(
    evidence: Evidence, step: Interval, companions: dict[str, Quantity]
) -> Interval | str:
    """Latency of the operation from that of a step, or why it cannot be had."""
    value, half = step.value, step.half
    for name in evidence.probe.constants.get("companions", ()):
        other = companions.get(name)
        if other is None or other.value is None or other.low is None or other.high is None:
            return f"A step includes {name}, whose own latency this run does not have."
        value -= other.value
        half = math.hypot(half, (other.high - other.low) / 2)
    repeat = max(1, int(evidence.probe.constants.get("repeat", 1)))
    return symmetric(value / repeat, half / repeat)


def _agreeing(points: list[Point], observed: list[Visits], step: Interval) -> int:
    """Passes whose own lengths give the same slope."""
    ids = sorted({float(one) for visits in observed for one in visits.ids})
    slopes = {}
    for one in ids:
        pairs = [
            (point.work["steps"], float(visits.centres[visits.ids == one][0]))
            for point, visits in zip(points, observed, strict=True)
            if one in visits.ids
        ]
        if len({length for length, _ in pairs}) >= 2:
            lengths, cycles = (np.array(column) for column in zip(*pairs, strict=True))
            slopes[one] = _least_squares(lengths, cycles)[0]
    return passes_that_agree(slopes, step)
