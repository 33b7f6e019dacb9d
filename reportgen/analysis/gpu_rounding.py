"""What a GPU's clock leaves open: windows last whole cycles, the same ones again and again.

A window of some hundred cycles takes the same number each time, so that rounding does not average out: what
one step of it costs is known to a thousandth and no better, however often it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.robust import NORMAL_95, Array
from reportgen.runs.schema import Point, ProbeInfo, Run

ROUNDED = 0.95 * 0.5 / NORMAL_95
"""Ticks by which a time is off that is rounded to whole ones: evenly, between none and a half.  As a standard
deviation it gives the interval that holds 95 in 100."""

EVENLY = 1 / math.sqrt(12)
"""Standard deviation of what is spread evenly over one tick."""
ON_THE_LINE = 0.25
"""Cycles from a straight line within which whole ones lie on it."""


def of_slope(steps: Array, cycles: Array) -> float:
    """Standard error of a slope, in cycles, that whole cycles of a few lengths leave open.

    Args:
        steps: the lengths, each once.
        cycles: median time of each, as they weigh in the line: by 1/cycles^2.
    """
    weight = 1 / cycles**2
    arm = steps - float((weight * steps).sum() / weight.sum())
    pull = weight * arm / float((weight * arm**2).sum())
    return EVENLY * math.sqrt(float((pull**2).sum()))


def whole(steps: Array, cycles: Array, slope: float, intercept: float) -> bool:
    """Whether a step takes whole cycles and all lengths lie on its line: then nothing was rounded."""
    off = float(np.max(np.abs(cycles - intercept - slope * steps)))
    return max(off, abs(slope - round(slope)) * float(np.ptp(steps))) < ON_THE_LINE


def rounding_error(times: Iterable[Timing]) -> float:
    """Relative standard deviation of what is read in whole ticks, for a typical one of some points."""
    ticks = [float(np.median(one.stop - one.start)) for one in times if len(one.start)]
    typical = float(np.median(ticks)) if ticks else 0.0
    return ROUNDED / typical if typical > 0 else 0.0


def of_points(run: Run, probe: ProbeInfo, points: Iterable[Point], timings: Mapping[str, Timing]) -> float:
    """The same of a probe; none on a CPU, where the calibration beside each sample says it.

    Chains of several lengths have `of_slope`.
    """
    if not run.device.gpu or probe.analysis == "slope":
        return 0.0
    return rounding_error(timings[one.id] for one in points if one.id in timings)
