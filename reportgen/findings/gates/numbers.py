"""Numbers that no measurement can give: not finite, not positive, outside their own interval."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reportgen.findings.evidence import Evidence
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun
from reportgen.status import USABLE

SLACK = 1e-9
"""Relative room for rounding when a value is compared with its own interval."""


def _broken(evidence: Evidence) -> Iterator[Breach]:
    for quantity in evidence.quantities:
        if quantity.status not in USABLE:
            continue
        numbers = [x for x in (quantity.value, quantity.low, quantity.high) if x is not None]
        what = ""
        if not numbers:
            what = "its status allows a value and there is none"
        elif not all(math.isfinite(x) for x in (*numbers, *quantity.modes)):
            what = "it is not finite"
        elif (
            quantity.value is not None
            and quantity.value <= 0
            and parse(quantity.metric).kind is not Kind.INTERFERENCE
        ):
            what = "a time, a rate or a size is above zero"
        if what:
            yield Breach(
                (quantity.metric,), contradictions.not_a_number(noun(quantity.metric, evidence.title), what)
            )


def _outside(evidence: Evidence) -> Iterator[Breach]:
    for quantity in evidence.quantities:
        value, low, high = quantity.value, quantity.low, quantity.high
        if quantity.status not in USABLE or value is None:
            continue
        room = SLACK * abs(value)
        if (low is not None and value < low - room) or (high is not None and value > high + room):
            yield Breach(
                (quantity.metric,),
                contradictions.not_a_number(
                    noun(quantity.metric, evidence.title), "the value lies outside its own interval"
                ),
            )


GATES = (
    Gate(
        name="sound_number",
        severity=Severity.LIMIT,
        statement="A published value is finite, and above zero where it is a time, a rate or a size.",
        source="arithmetic: a duration, a count of bytes and a rate are positive",
        causes=("a time of zero or less slipped through", "a division by an empty count"),
        check=_broken,
    ),
    Gate(
        name="value_in_interval",
        severity=Severity.RELATION,
        statement="A value lies within its own interval.",
        source="definition of the interval",
        causes=("value and interval come from different samples",),
        check=_outside,
    ),
)
