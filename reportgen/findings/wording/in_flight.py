"""Sentences about instructions in flight behind a load that waits for memory."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central, interval
from reportgen.findings.metric import MetricId
from reportgen.findings.wording.numbers import amount, one

_FILLINGS = {
    "mixed": "integer additions, vector additions and stores in turn",
    "integer": "integer additions",
    "vector": "vector additions",
    "load": "loads that hit the first level",
    "store": "stores",
    "waiting_integer": "integer additions that wait for a load",
    "waiting_vector": "vector additions that wait for a load",
}

_SHORT = {
    "mixed": "all kinds in turn",
    "integer": "integer additions",
    "vector": "vector additions",
    "load": "loads",
    "store": "stores",
    "waiting_integer": "integer additions that wait",
    "waiting_vector": "vector additions that wait",
}
"""The same over a panel."""


def short(name: str) -> str:
    """`load` -> "loads"."""
    return _SHORT.get(name, name.replace("_", " "))


def filling(name: str) -> str:
    """`load` -> "loads that hit the first level"."""
    return _FILLINGS.get(name, name.replace("_", " "))


def measured(name: MetricId, quantity: Quantity) -> str:
    """Measured: how many instructions stand between two loads that miss while both are under way at once."""
    low, high = interval(quantity)
    return (
        f"Two loads that miss still overlap with {one(low, 'count')} {filling(name.subject)} between them "
        f"and no longer with {one(high, 'count')} (n = {quantity.n:,})."
    )


def parallelism(where: str, quantity: Quantity) -> str:
    """Measured: the mean count of loads that wait at once, where nothing makes one wait for another."""
    return (
        f"Of independent loads that miss all caches one core kept {amount(quantity)} under way to {where} at "
        "once, on average: the time of a load that waits alone over the time of a load among many."
    )


def explained(name: MetricId, quantity: Quantity, resource: str, excluded: tuple[str, ...]) -> str:
    """Inferred: a resource that would be full at this count."""
    ruled_out = f" Ruled out as an explanation: {'; '.join(excluded)}." if excluded else ""
    return (
        f"That no more than about {central(quantity):.0f} {filling(name.subject)} are in flight at once is "
        f"consistent with a limit of {resource}.{ruled_out}"
    )


def taken(count: float, other: str) -> str:
    """Evidence that a resource is larger."""
    return f"{filling(other)} took at least {count:.0f}"
