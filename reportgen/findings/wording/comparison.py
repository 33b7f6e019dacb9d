"""Sentences about two runs set side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.findings.wording.numbers import listed, percent
from reportgen.status import Status


def room(relevant: float, absolute: bool) -> str:
    """A least relevant difference: relative, or absolute for an index."""
    return f"{relevant:g}" if absolute else f"{100 * relevant:g} %"


def too_wide(relevant: float, absolute: bool) -> str:
    """The intervals overlap and do not show equality either."""
    return f"the intervals overlap, too wide to show that it is the same within {room(relevant, absolute)}"


def too_near(relevant: float, absolute: bool) -> str:
    """The intervals are apart, by less than what matters."""
    least = room(relevant, absolute)
    return f"the intervals do not overlap, and whether the values differ by more than {least} is open"


def code_changed() -> str:
    """A difference that a change of the code may make."""
    return (
        "the machine code changed between the two runs: the difference is one of code, and says nothing of "
        "the device"
    )


def not_in(place: str) -> str:
    """One of the runs did not ask."""
    return f"not asked in the {place} run"


def no_number(place: str, status: Status, reason: str) -> str:
    """One of the runs has no value for it."""
    why = f": {reason}" if reason else ""
    return f"{status.value.replace('_', ' ')} in the {place} run{why}"


def other_unit(first: str, second: str) -> str:
    """The two are not of one unit."""
    return f"in {first} in the first run, in {second} in the second"


def other_cores(first: int, second: int) -> str:
    """A rate of all cores, of which there are not as many."""
    return f"{first} cores took part in the first run, {second} in the second"


def reaches_zero() -> str:
    """A ratio needs intervals above zero."""
    return "an interval reaches zero, so there is no ratio"


def summary(counts: Mapping[Any, int], changed: int) -> str:
    """All verdicts in one sentence.

    Args:
        counts: verdict (a word) -> number of metrics, in the order in which they are named.
        changed: how many of those that differ have other machine code.
    """
    total = sum(counts.values())
    if not total:
        return "Neither run holds a metric."
    parts = [f"{count} {verdict}" for verdict, count in counts.items()]
    code = f" Of those that differ, {changed} ran other machine code." if changed else ""
    return f"Second against first, {total} metrics: {listed(parts)}.{code}"


def rule() -> str:
    """The rule of the comparison, for the head of a table."""
    return (
        "Same: the interval of the ratio lies within the least relevant difference. Different: the two 95 % "
        "intervals do not overlap and the values differ by more than that. Everything else cannot be told. "
        "Boundaries are the same where their intervals overlap, at the resolution of the sweep."
    )


def change(value: float | None, low: float | None, high: float | None, absolute: bool) -> str:
    """A ratio as a change with its interval: "+3.4 % (+1.2 % … +5.7 %)"; an index as a difference."""
    if value is None or (low is None and high is None):
        return ""
    ends = [_signed(end, absolute) if end is not None else "open" for end in (low, high)]
    return f"{_signed(value, absolute)} ({ends[0]} … {ends[1]})"


def _signed(value: float, absolute: bool) -> str:
    distance = value if absolute else value - 1
    told = f"{abs(distance):.3f}" if absolute else percent(abs(distance))
    if not any(digit in "123456789" for digit in told):
        return told  # a change that rounds to nothing has no direction
    return f"{'+' if distance > 0 else '−'}{told}"
