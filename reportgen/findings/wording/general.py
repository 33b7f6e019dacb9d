"""Sentences that fit any quantity: bounds, several modes, metrics of no known kind."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.wording.numbers import amount, listed, one


def sentence_case(text: str) -> str:
    """The first letter in upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def at_least(noun: str, quantity: Quantity) -> str:
    """Censored: the probe's own range ended first, so there is a bound and no number."""
    bound = quantity.low if quantity.low is not None else central(quantity)
    return (
        f"{sentence_case(noun)} is at least {one(bound, quantity.unit)} (n = {quantity.n:,}): the range of "
        "the probe ended there, and no end was seen within it."
    )


def modes(noun: str, quantity: Quantity, of_the_body: bool = False) -> str:
    """Measured: samples in separate groups are reported as groups, without a mean.

    Args:
        noun: the metric as a noun phrase.
        quantity: its modes are in its own unit, unless
        of_the_body: they are cycles of one repetition of the timed body.
    """
    unit = "cycle" if of_the_body else quantity.unit
    groups = listed([one(mode, unit) for mode in quantity.modes])
    per = " per repetition of the body" if of_the_body else ""
    return (
        f"The samples for {noun} fall into {len(quantity.modes)} groups, at {groups}{per} "
        f"(n = {quantity.n:,}); no mean is given."
    )


def plain(noun: str, quantity: Quantity) -> str:
    """Measured: for a metric that no other builder knows."""
    return f"{sentence_case(noun)} is measured as {amount(quantity)}."


def contradicted(noun: str, quantity: Quantity, reasons: tuple[str, ...]) -> str:
    """In place of a result: the samples give a number that something else rules out."""
    return (
        f"The samples for {noun} give {amount(quantity)}, which is shown as a contradiction and not as a "
        f"result: {' '.join(reasons)}"
    )
