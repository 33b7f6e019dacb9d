"""Whether a stream that computes overlaps its loads with its arithmetic."""

from __future__ import annotations

from reportgen.findings.endings import YES, Case, Ending, no, nothing, undecided
from reportgen.findings.evidence import central, interval
from reportgen.findings.metric import Kind, parse

HALF_WAY = 0.75
"""Of the roof at the ridge: half-way from what taking turns gives to the roof itself."""

IN_WORDS = (
    "Supported when at the ridge of every level the rate is above three quarters of the roof by its whole "
    "interval, not supported when it is below in one; half of the roof is what taking turns gives."
)


def overlaps(case: Case) -> Ending:
    """By the overlap of every level that has one."""
    reached = [quantity for quantity in case.quantities if parse(quantity.metric).kind is Kind.OVERLAP]
    if not reached:
        return nothing(case)
    short = [quantity for quantity in reached if interval(quantity)[1] < HALF_WAY]
    if short:
        return no(", ".join(f"{quantity.metric} is {central(quantity):.2f}" for quantity in short))
    unclear = [quantity.metric for quantity in reached if interval(quantity)[0] < HALF_WAY]
    if unclear:
        return undecided(f"the interval reaches across {HALF_WAY:g}: {', '.join(unclear)}")
    return YES
