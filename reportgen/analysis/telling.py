"""Whether an interval still tells a number, or only that its visits disagree."""

from __future__ import annotations

from reportgen.analysis.robust import Interval
from reportgen.units import format_interval

TELLS = 10.0
"""High over low end of an interval beyond which it tells no number: two visits of three agree, say, and a
neighbour had most of the memory during the other."""


def too_wide(interval: Interval, unit: str) -> str:
    """Why an interval of visits tells no number; empty where it does."""
    if interval.high <= TELLS * interval.low:
        return ""
    return f"Visits disagree: all they tell is {format_interval(interval.low, interval.high, unit, 3)}."
