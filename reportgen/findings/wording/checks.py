"""Sentences about the same quantity through another channel."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.published.library import Figure
from reportgen.findings.wording.general import sentence_case
from reportgen.findings.wording.numbers import amount, listed, one, percent, span
from reportgen.status import Status

MOST_FIGURES = 5
"""So many figures are cited in one sentence; the others are counted, and stand on their page."""

Cited = tuple[Figure, str]
"""A figure and its source in short."""


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


def reported(noun: str, size: float, quantity: Quantity, agrees: bool, who: str = "operating system") -> str:
    """What the operating system or driver says beside what was measured, neither bent to the other."""
    return (
        f"The {who} reports {one(size, quantity.unit)} for {noun}; {_measured(quantity)}: "
        f"{'they agree' if agrees else 'they disagree'}."
    )


def _measured(quantity: Quantity) -> str:
    if quantity.status is Status.CENSORED and quantity.low is not None:
        return f"the measured boundary is at least {one(quantity.low, quantity.unit)}"
    if quantity.low is None or quantity.high is None:
        return f"measured is {amount(quantity)}"
    return f"the measured boundary is {span(quantity.low, quantity.high, quantity.unit)} (n = {quantity.n:,})"


# What is absent is said without the name of the metric: a remark about eighty metrics then says it once.


def not_reported(who: str = "operating system or driver") -> str:
    """The operating system or driver is silent."""
    return f"The {who} reports nothing about it."


def no_other_probe() -> str:
    """Nothing else in the run measures it."""
    return "No other probe of this run measures it."


def no_counter(said: str) -> str:
    """Hardware counters were not read; `said` is what they say of themselves."""
    return f"No hardware counter was read for it ({said or 'the run does not say why'})."


def counters_not_used(names: str) -> str:
    """Hardware counters were read, but none of them bears on the quantity."""
    return f"The hardware counters that were read do not bear on it ({names})."


def counter(counted: Quantity, gap: float, tolerance: float, agrees: bool) -> str:
    """Agreement or not with hardware counters."""
    verdict = "within" if agrees else "beyond"
    return (
        f"Hardware counters give {amount(counted)}, {percent(gap)} away, {verdict} the "
        f"{percent(tolerance)} or the overlap of intervals that count as agreement."
    )


def encoded(bound: Quantity, above: float, slack: float, agrees: bool) -> str:
    """A measured latency against the distance that the machine code keeps."""
    size = one(abs(above), bound.unit)
    where = "the same" if abs(above) < 0.005 else f"{size} {'above' if above > 0 else 'below'}"
    end = "a lower bound, and it holds" if agrees else "a lower bound, and it does not hold"
    return (
        f"The machine code keeps {one(central(bound), bound.unit)} between the two; measured is {where}, "
        f"with {one(slack, bound.unit)} allowed: {end}."
    )


def not_encoded(isa: str) -> str:
    """No compiler-encoded value in the run."""
    if isa.startswith("sm_"):
        return "The run holds no distance that the machine code keeps for it."
    return f"Machine code of {isa} holds no distances between instructions."


def stall_of_one_warp() -> str:
    """A rate of many warps, beside a stall of one."""
    return "The stall after an instruction is one warp's; the rate is that of all warps of a multiprocessor."


def nothing_to_encode() -> str:
    """A quantity that no assembler could encode."""
    return "Machine code can hold distances between instructions, and nothing about this."


def not_measured(isa: str) -> str:
    """Nothing ran in this run."""
    return f"Nothing was measured on a device in this run; that takes a GPU of {isa} with its driver."


def measured_too(measured: Quantity) -> str:
    """The same run measured it."""
    return f"This run measured {amount(measured)}."


def against_bound(
    near: Sequence[Cited], above: Sequence[Cited], below: Sequence[Cited], shown: Sequence[Cited]
) -> str:
    """Published measurements against a distance that machine code keeps: a lower bound."""
    counted = len(near) + len(above) + len(below)
    parts = []
    for some, where in (
        (near, "agree with it"),
        (above, "lie above it, which a lower bound allows"),
        (below, "lie below it, which a lower bound of the same code would not allow"),
    ):
        if some:
            parts.append(f"{len(some)} of {counted} published figures {where}: {_cited(some)}")
    if shown:
        parts.append(f"shown only: {_cited(shown)}")
    return sentence_case("; ".join(parts)) + "."


def no_figure() -> str:
    """No publication is on file."""
    return "No published figure is on file for this device or its architecture."


def figures(
    near: Sequence[Cited], far: Sequence[Cited], shown: Sequence[Cited], tolerance: float, slack: float
) -> str:
    """Published figures that decide, those within the tolerance first, and those that are only shown."""
    room = percent(tolerance) + (f" and {one(slack, 'cycle')}" if slack else "")
    counted = len(near) + len(far)
    parts = []
    if near:
        parts.append(f"{len(near)} of {counted} published figures lie within {room}: {_cited(near)}")
    if far:
        parts.append(f"{len(far)} of {counted} lie further away than {room}: {_cited(far)}")
    if shown:
        parts.append(f"shown only: {_cited(shown)}")
    return sentence_case("; ".join(parts)) + "."


def figures_shown(shown: Sequence[Cited]) -> str:
    """Published figures of which none decides."""
    why = "second-hand, modelled, nominal, of other conditions or of another product"
    return f"Published figures of which none decides ({why}): {_cited(shown)}."


def _cited(figures: Sequence[Cited]) -> str:
    named = [f"{figure.printed} ({figure.device}; {source})" for figure, source in figures[:MOST_FIGURES]]
    more = len(figures) - len(named)
    return listed([*named, f"{more} more"]) if more > 0 else ", ".join(named)
