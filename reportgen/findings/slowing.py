"""Why a rate falls under load: what the clock beside the windows excludes, and what it leaves.

A limit of power, temperature or current acts through the clock.  So a rate that fell while the clock stayed
did not fall for one of those, and a rate that fell as the clock did needs nobody else to explain it.
"""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.sustained import SETTLED
from reportgen.findings.evidence import central, interval
from reportgen.findings.wording import sustained

POWER = "power limit"
HEAT = "temperature limit"
CURRENT = "current limit of wide or dense instructions"
BUDGET = "load of others that draws on the same power budget"
TAKEN = "time or issue slots taken by others"
THROUGH_CLOCK = (POWER, HEAT, CURRENT, BUDGET)
ALL = (*THROUGH_CLOCK, TAKEN)


def slowed(ratio: Quantity) -> bool:
    """Whether the whole interval of sustained over burst lies clearly below one."""
    return interval(ratio)[1] < 1 - SETTLED


def clock_followed(ratio: Quantity) -> bool:
    """Whether the clock ended as much below its first value as the rate."""
    return abs(_clock(ratio) / central(ratio) - 1) <= SETTLED


def weigh(ratio: Quantity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(alternatives left, alternatives excluded with their evidence) for a rate that fell."""
    excluded: dict[str, str] = {}
    if clock_followed(ratio):
        excluded[TAKEN] = sustained.clock_followed(central(ratio), _clock(ratio))
    elif abs(_clock(ratio) - 1) <= SETTLED:
        excluded = dict.fromkeys(THROUGH_CLOCK, sustained.clock_stayed(_clock(ratio)))
    left = tuple(one for one in ALL if one not in excluded)
    return left, tuple(f"{one} ({why})" for one, why in excluded.items())


def _clock(ratio: Quantity) -> float:
    return float(ratio.details["clock_ratio"])
