"""What each further one adds: a straight line of times over warps that wait, lanes that meet, paths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reportgen.analysis.robust import Interval, student_t, symmetric
from reportgen.analysis.slope import fit_line
from reportgen.status import Status

LINEAR = 0.05
"""Largest residual, relative, up to which times lie on one line."""
VISIBLE = 0.05
"""Share of the least time that the whole rise must be above to be told from none."""
LEAST = 3
BENT = "bent"
"""Detail of what has no number since no line says it: whether that is sure, or may be scatter."""


class Growth(NamedTuple):
    """time = base + each x count."""

    base: float
    each: Interval
    residual: float
    """Largest, relative to the line."""
    rise: float
    """From the least count to the most, relative to the least time."""
    most: float
    """The same by the upper end of what each adds, relative to the line at the least count."""
    surely: float
    """As `residual`, once the half interval of each time is taken off its distance."""

    @property
    def straight(self) -> bool:
        """Whether one line says it."""
        return self.residual <= LINEAR

    @property
    def bent(self) -> bool:
        """Whether no line says it, whatever the scatter."""
        return self.surely > LINEAR

    @property
    def visible(self) -> bool:
        """Whether more takes longer."""
        return self.rise > VISIBLE and self.each.low > 0

    @property
    def absent(self) -> bool:
        """Whether more takes no longer, to `VISIBLE`; where neither this nor `visible`, scatter hides it."""
        return not self.visible and self.most <= VISIBLE

    def refusal(self, bent: str, absent: str) -> tuple[Status, str] | None:
        """Status and reason of what is no number, None where the line says it.

        Args:
            bent: what is said where further ones do not all add the same, but for by how much.
            absent: what is said where they add nothing.
        """
        if self.bent:
            return Status.UNSTABLE, f"{bent}: a straight line is off by {self.residual:.1%}."
        if not self.straight:
            return (
                Status.UNSTABLE,
                f"Times are off a straight line by {self.residual:.1%}, within their scatter.",
            )
        if self.visible:
            return None
        if self.absent:
            return Status.UNSUPPORTED, absent
        return Status.UNSTABLE, "Whether further ones add anything, the scatter of these times hides."


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
    each, off = symmetric(line.slope, half), np.abs(y - fitted)
    known = np.maximum(0.0, off - np.array([one.half for one in times]))
    residual, surely = (
        float(np.max(some / fitted)) if (fitted > 0).all() else math.inf for some in (off, known)
    )
    most = float(each.high * (x[-1] - x[0]) / fitted[0]) if fitted[0] > 0 else math.inf
    return Growth(line.intercept, each, residual, float(y[-1] / y.min() - 1), most, surely)
