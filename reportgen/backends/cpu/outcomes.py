"""What conditional branches of the misprediction probe do: numbers that decide, and thresholds.

Numbers come from a linear congruential generator modulo 2^64 with Knuth's constants (MMIX; TAOCP vol. 2,
3.3.4, table 1, line 26), whose state goes on from round to round and from visit to visit: outcomes never
repeat.  A branch is taken where the number, unsigned, is below its threshold.  Of a number that is random a
threshold of 2^63 makes a coin: whatever a predictor does, it is wrong half of the time.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.errors import LaunchError

SITES = 8
"""Branches of a body, each with a threshold of its own."""
STEPS = 4
"""Steps of the generator before each branch.  On a Zen 4 core a misprediction right after another cost a
tenth more than one by itself, so there is time between them for the front end to get ahead again."""
COUNTER = 3 + SITES
"""Word that counts branches not taken."""
SIGMAS = 6.0
"""Standard deviations by which the share of branches taken may miss what was planned."""

_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407
_HALF, _ALL = 1 << 63, (1 << 64) - 1
_TURN = (1 << 64) // (2 * STEPS * SITES)
"""Step of a plain counter of which every site sees two values in turn, one on either side of a half."""


def random_sites(count: int) -> tuple[bool, ...]:
    """Which sites toss a coin: `count` of them, spread evenly."""
    return tuple(count > 0 and site % (SITES // count) == 0 for site in range(SITES))


def words(random: int, others: str, seed: int) -> list[int]:
    """State, multiplier, increment, thresholds, counter: as signed 64-bit words.

    Args:
        random: sites that toss a coin; a divisor of `SITES`, or 0.
        others: what the rest does: `taken`, `not_taken`, or `alternating` (only where none is random).
        seed: where the generator begins.
    """
    state = int(np.random.default_rng(seed).integers(1 << 62))
    if others == "alternating":
        numbers = [state, 1, _TURN, *[_HALF] * SITES, 0]
    else:
        rest = _ALL if others == "taken" else 0
        thresholds = [_HALF if coin else rest for coin in random_sites(random)]
        numbers = [state, _MULTIPLIER, _INCREMENT, *thresholds, 0]
    return [number - (1 << 64) if number >= _HALF else number for number in numbers]


def check(random: int, others: str, executed: int, not_taken: int) -> float:
    """Share of the branches that were taken.

    Raises:
        LaunchError: it is not the one that was planned, so the outcomes were not those meant.
    """
    tosses = executed * random / SITES
    expected = tosses / 2 + (executed - tosses) * {"taken": 1.0, "not_taken": 0.0, "alternating": 0.5}[others]
    # those that alternate may stop within a turn
    allowed = SIGMAS * math.sqrt(tosses) / 2 + SITES
    taken = executed - not_taken
    if abs(taken - expected) > allowed:
        raise LaunchError(
            f"{taken} of {executed} branches were taken, not {expected:.0f}: outcomes are not as planned"
        )
    return taken / executed
