"""Sentences about the same quantity through another channel."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.wording.general import sentence_case
from reportgen.findings.wording.numbers import amount, one, percent, span
from reportgen.status import Status


def other_probe(probe: str, other: Quantity, gap: float, tolerance: float, agrees: bool) -> str:
    """Agreement or not with another probe.

    Args:
        probe: id of the other probe.
        other: what it measured.
        gap: relative distance of the two values.
        tolerance: the distance up to which they are said to agree.
        agrees: the outcome.
    """
    verdict = "within" if agrees else "beyond"
    return (
        f"{probe} measures {amount(other)}, {percent(gap)} away, {verdict} the {percent(tolerance)} or the "
        "overlap of intervals that count as agreement."
    )


def throughput_times_work(operation: str, per_cycle: float, unit: str, gap: float, tolerance: float) -> str:
    """A peak per cycle against the throughput of its operation times the work of one instruction."""
    return (
        f"The throughput of {operation} times its work per instruction is {one(per_cycle, unit)}, "
        f"{percent(gap)} away; up to {percent(tolerance)} counts as agreement."
    )


def reported(noun: str, size: float, quantity: Quantity, agrees: bool) -> str:
    """What the operating system says beside what was measured, neither bent to the other."""
    return (
        f"The operating system reports {one(size, quantity.unit)} for {noun}; {_measured(quantity)}: "
        f"{'they agree' if agrees else 'they disagree'}."
    )


def _measured(quantity: Quantity) -> str:
    if quantity.status is Status.CENSORED and quantity.low is not None:
        return f"the measured boundary is at least {one(quantity.low, quantity.unit)}"
    if quantity.low is None or quantity.high is None:
        return f"measured is {amount(quantity)}"
    return f"the measured boundary is {span(quantity.low, quantity.high, quantity.unit)} (n = {quantity.n})"


def not_reported(noun: str) -> str:
    """The operating system is silent."""
    return f"The operating system reports nothing for {noun}."


def no_other_probe(noun: str) -> str:
    """Nothing else in the run measures it."""
    return f"No other probe of this run measures {noun}."


def no_counter(said: str) -> str:
    """Hardware counters were not read; `said` is what they say of themselves."""
    return f"No hardware counter was read for it ({said or 'the run does not say why'})."


def counters_not_used(names: str) -> str:
    """Hardware counters were read, but none of them bears on the quantity."""
    return f"The hardware counters that were read do not bear on it ({names})."


def no_figure(noun: str) -> str:
    """No publication is on file."""
    return f"{sentence_case(noun)} has no published figure on file for this device."
