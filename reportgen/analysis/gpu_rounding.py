"""What a GPU's clock leaves open: windows last whole cycles, the same ones again and again.

A window of some hundred cycles takes the same number each time, so that rounding does not average out: what
one step of it costs is known to a thousandth and no better, however often it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.robust import NORMAL_95
from reportgen.runs.schema import Point, ProbeInfo, Run

ROUNDED = 0.95 * 0.5 / NORMAL_95
"""Ticks by which a time is off that is rounded to whole ones: evenly, between none and a half.  As a standard
deviation it gives the interval that holds 95 in 100."""


def rounding_error(times: Iterable[Timing]) -> float:
    """Relative standard deviation of what is read in whole ticks, for a typical one of some points."""
    ticks = [float(np.median(one.stop - one.start)) for one in times if len(one.start)]
    typical = float(np.median(ticks)) if ticks else 0.0
    return ROUNDED / typical if typical > 0 else 0.0


def of_points(run: Run, probe: ProbeInfo, points: Iterable[Point], timings: Mapping[str, Timing]) -> float:
    """The same of a probe; none on a CPU, where the calibration beside each sample says it.

    Chains of several lengths tell it themselves, by their residuals.
    """
    if not run.device.gpu or probe.analysis == "slope":
        return 0.0
    return rounding_error(timings[one.id] for one in points if one.id in timings)
