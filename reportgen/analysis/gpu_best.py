"""The best of several launches, and what it owes to chance.

Of launches that are equally fast the one that scattered most upwards is chosen, so that the best of several
is better than it is.  By how much follows from how many are about as fast: the expected maximum of so many
normal values (Tippett, Biometrika 17, 1925).  The lower end of the interval allows for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportgen.analysis.robust import Interval, Visits, pooled_interval, pooled_variance

EXPECTED_MOST = (0.0, 0.0, 0.564, 0.846, 1.029, 1.163, 1.267, 1.352, 1.424)
"""Expected maximum of 0, 1, 2, ... normal values, in standard deviations; of more it grows slowly."""
ABOUT = 2.0
"""Launches this many standard deviations below the best are about as fast."""


def best(rates: Sequence[Visits], systematic: float = 0.0) -> tuple[int, Interval]:
    """Index of the best of some rates, and its 95 % interval.

    Args:
        rates: at least one, positive.
        systematic: relative standard deviation that all visits share.
    """
    every = list(rates)
    at = max(range(len(every)), key=lambda number: every[number].value)
    found = pooled_interval([every[at]], every, systematic)
    variance, _ = pooled_variance([every[at]], every)
    deviation = math.sqrt(variance * every[at].loss)
    rivals = sum(one.value >= every[at].value * (1 - ABOUT * deviation) for one in every)
    owed = EXPECTED_MOST[min(rivals, len(EXPECTED_MOST) - 1)] * deviation
    return at, Interval(found.value, found.low * math.exp(-owed), found.high)
