"""Sentences about a rate under load for seconds: at first, in the end, and what lies between."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.sustained import FIRST, LAST, SETTLED
from reportgen.findings.evidence import central, interval
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.names import precision
from reportgen.findings.wording.numbers import amount, one, percent

SHARES = {FIRST: "first tenth", 1 - LAST: "last quarter"}


def told(name: MetricId, quantity: Quantity, operation: str, gpu: bool) -> str:
    """Measured: one of the four quantities of a long visit.

    Args:
        name: the metric, taken apart.
        quantity: its details say how many cores took part and how long the visit was.
        operation: title of the operation.
        gpu: whether the device is a GPU, which takes part as a whole.
    """
    what, length = precision(name.subject), one(float(quantity.details.get("length", 0.0)), "second")
    who = "the device" if gpu else _cores(int(quantity.details.get("cores", 1)))
    how = f" with “{operation}”" if operation else ""
    settled = bool(quantity.details.get("settled", True))
    if name.kind is Kind.BURST:
        return (
            f"In the {SHARES[FIRST]} of {length} under load {who} did {amount(quantity)} of {what} work{how}."
        )
    if name.kind is Kind.SUSTAINED:
        rest = "" if settled else " The rate had not settled then."
        return (
            f"In the {SHARES[1 - LAST]} of {length} under load {who} did {amount(quantity)} of {what} work"
            f"{how}.{rest}"
        )
    if name.kind is Kind.SETTLING_TIME:
        return (
            f"The {what} rate under load came to within {percent(SETTLED)} of its last value after "
            f"{amount(quantity)} and stayed there."
        )
    return ratio(what, length, quantity)


def _cores(cores: int) -> str:
    return f"all {cores} cores together" if cores > 1 else "one core"


def ratio(what: str, length: str, quantity: Quantity) -> str:
    """Measured: sustained over burst, and what the clock did meanwhile."""
    low, high = interval(quantity)
    clock = float(quantity.details.get("clock_ratio", 1.0))
    beside = f"the core clock seen beside the windows ended at {clock:.3f} of its first value"
    if low >= 1 - SETTLED and high <= 1 + SETTLED:
        return (
            f"No change of the {what} rate beyond {percent(SETTLED)} was detected over {length} under load: "
            f"the last rate over the first is {amount(quantity)}, and {beside}."
        )
    return f"Over {length} under load the {what} rate went to {amount(quantity)} of the first; {beside}."


def slowing(what: str, quantity: Quantity, with_the_clock: bool, excluded: tuple[str, ...]) -> str:
    """Inferred: an explanation of a rate that falls under load, worded as one that fits."""
    ruled_out = f" Ruled out as an explanation: {'; '.join(excluded)}." if excluded else ""
    fits = (
        "a limit of power, temperature or current that lowers the clock"
        if with_the_clock
        else "work of others that took a part of the cores meanwhile"
    )
    return (
        f"The {what} rate under load fell to {one(central(quantity), 'ratio')} of its first value in a way "
        f"consistent with {fits}.{ruled_out}"
    )


def clock_followed(rate: float, clock: float) -> str:
    """Evidence that the clock alone accounts for the change of the rate."""
    return f"the clock beside the windows ended at {clock:.3f} of its first value, the rate at {rate:.3f}"


def clock_stayed(clock: float) -> str:
    """Evidence that no clock limit accounts for the change of the rate."""
    return f"the clock beside the windows ended at {clock:.3f} of its first value"
