"""What a rule about a hypothesis may look at, and how it may end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence
from reportgen.findings.finding import Verdict
from reportgen.runs.schema import ProbeInfo

Ending = tuple[Verdict, str]
"""A verdict, and why, where the rule alone does not say."""
YES: Ending = (Verdict.SUPPORTED, "")


@dataclass(frozen=True, slots=True)
class Case:
    """What a rule may look at."""

    evidence: Evidence
    probe: ProbeInfo
    quantities: list[Quantity]
    """Usable quantities of the probe."""
    refused: list[Quantity]
    """Quantities of the probe without a value."""
    failed: frozenset[str]
    """Gates that a quantity of the probe did not pass."""
    refuted: frozenset[str]
    """Those of them that failed on quantities of this probe alone, so that no other can be to blame."""


Rule = tuple[str, Callable[[Case], Ending]]
"""A rule in words, and the rule."""

EQUAL_WITHIN = 0.02
"""Rates this close are the same: the highest of them is highest by chance."""


def no(reason: str) -> Ending:
    """Not supported."""
    return Verdict.NOT_SUPPORTED, reason


def undecided(reason: str) -> Ending:
    """Undecided."""
    return Verdict.UNDECIDED, reason


def nothing(case: Case) -> Ending:
    """No usable number: the reasons that the quantities give."""
    reasons = list(dict.fromkeys(quantity.reason for quantity in case.refused if quantity.reason))
    if len(reasons) > 1:
        reasons = [reason.rstrip(".") for reason in reasons]
    return undecided("; ".join(reasons) or "no usable number")
