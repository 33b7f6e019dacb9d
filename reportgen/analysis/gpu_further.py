"""What each further one adds: a straight line of times over warps that wait, lanes that meet, paths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reportgen.analysis.robust import Interval, student_t, symmetric
from reportgen.analysis.slope import fit_line

LINEAR = 0.05
"""Largest residual, relative, up to which times lie on one line."""
VISIBLE = 0.05
"""Share of the least time that the whole rise must be above to be told from none."""
LEAST = 3


class Growth(NamedTuple):
    """time = base + each x count."""

    base: float
    each: Interval
    residual: float
    """Largest, relative to the line."""
    rise: float
    """From the least count to the most, relative to the least time."""

    @property
    def straight(self) -> bool:
        """Whether one line says it."""
        return self.residual <= LINEAR

    @property
    def visible(self) -> bool:
        """Whether more takes longer."""
        return self.rise > VISIBLE and self.each.low > 0


def growth(counts: Sequence[float], times: Sequence[Interval], systematic: float = 0.0) -> Growth:
    """The line through at least `LEAST` positive times, weighted by their inverse squares.

    Args:
        counts: ascending, of what may add time.
        times: with their intervals.
        systematic: relative standard deviation that all of them share.
    """
    x, y = np.array(counts, dtype=float), np.array([one.value for one in times])
    line = fit_line(x, y)
    fitted = line.intercept + line.slope * x
    own = max(one.half for one in times) / (x[-1] - x[0])
    spread = student_t(line.freedom) * line.error if line.freedom > 0 else 0.0
    half = math.sqrt(spread**2 + own**2 + (2 * systematic * line.slope) ** 2)
    residual = float(np.max(np.abs(y / fitted - 1))) if (fitted > 0).all() else math.inf
    return Growth(line.intercept, symmetric(line.slope, half), residual, float(y[-1] / y.min() - 1))
