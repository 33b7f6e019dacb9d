"""How an interference index is read: shared, separate, partly shared, or not to be told.

The index is (T_AB - max(T_A, T_B)) / min(T_A, T_B), with all times in cycles of the clock measured
beside each sample: 0 when two kinds of instructions run side by side, 1 when one waits for the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.metric import parse

SHARED = "shared"
SEPARATE = "separate"
PARTLY = "partly shared"
CANNOT_TELL = "cannot tell"

INDEPENDENT_BELOW = 0.15
"""An index whose whole interval is below is read as separate."""

SERIALISED_FROM = 0.85
"""An index whose interval reaches it, and stays above the independent range, is read as shared."""

BEYOND_SERIAL = 1.15
"""One after the other is always possible; an index whose interval lies above this is not of sharing alone."""

FRONT_END_ROOM = 1.05
"""A mix that takes less than this times the front end's own time may be bound by the front end."""

ARRANGEMENT_MATTERS = 1.03
"""From this ratio between the slowest and the fastest arrangement of a pair on, the difference is said."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One of the four words, and why it cannot be told when it cannot."""

    name: str
    why: str = ""


def read(evidence: Evidence, quantity: Quantity) -> Reading:
    """Read the index of a pair; the whole interval must lie on one side of a border."""
    name = parse(quantity.metric)
    low, high = interval(quantity)
    if high < INDEPENDENT_BELOW:
        weak = [one for one in dict.fromkeys((name.subject, name.part)) if _control_fails(evidence, one)]
        if weak:
            return Reading(CANNOT_TELL, f"two copies of “{evidence.title(weak[0])}” do not serialise either")
        return Reading(SEPARATE)
    room = front_end_room(evidence, quantity)
    if room is not None and room < FRONT_END_ROOM and name.subject != name.part:
        return Reading(CANNOT_TELL, "the mix runs as fast as the front end can issue it")
    if low > BEYOND_SERIAL:
        return Reading(CANNOT_TELL, "the mix takes longer than one kind after the other would")
    if low < INDEPENDENT_BELOW:
        return Reading(CANNOT_TELL, "its interval reaches from independent into partly shared")
    return Reading(SHARED if central(quantity) >= SERIALISED_FROM else PARTLY)


def _control_fails(evidence: Evidence, operation: str) -> bool:
    control = evidence.usable(f"interference.{operation}.{operation}")
    return control is not None and interval(control)[1] < SERIALISED_FROM


def front_end_room(evidence: Evidence, quantity: Quantity) -> float | None:
    """Time of the mix over the time in which the front end could issue it; None when not recorded."""
    mixed = quantity.details.get("cycles_together")
    bound = quantity.details.get("front_end_cycles")
    if isinstance(mixed, (int, float)) and isinstance(bound, (int, float)) and bound > 0:
        return float(mixed) / float(bound)
    return None


def arrangements(quantity: Quantity) -> dict[str, float]:
    """Cycles a group by arrangement of the instructions, fastest first; empty where it does not matter."""
    found = quantity.details.get("arrangements")
    if not isinstance(found, dict) or not found:
        return {}
    ordered = sorted(found.items(), key=lambda one: float(one[1]))
    slow, fast = float(ordered[-1][1]), float(ordered[0][1])
    return dict(ordered) if slow >= ARRANGEMENT_MATTERS * fast > 0 else {}
