"""Which resource ends a count of instructions in flight: what a filling takes, what other counts exclude.

A resource that a filling takes is excluded where another filling, which takes more of it, had more in flight.
"""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.wording import in_flight

REORDER_BUFFER = "entries of the reorder buffer"
INTEGER = "integer registers"
VECTOR = "vector registers"
LOADS = "entries of the load queue"
STORES = "entries of the store queue"
INTEGER_SCHEDULER = "places in the integer schedulers"
VECTOR_SCHEDULER = "places in the vector schedulers, with the queue before them where there is one"
OTHER = "a resource that was not asked for"

TAKES: dict[str, dict[str, float]] = {
    "mixed": {REORDER_BUFFER: 1.0, INTEGER: 5 / 12, VECTOR: 5 / 12, STORES: 2 / 12},
    "integer": {INTEGER: 1.0, REORDER_BUFFER: 1.0},
    "vector": {VECTOR: 1.0, REORDER_BUFFER: 1.0},
    "load": {LOADS: 1.0, INTEGER: 1.0, REORDER_BUFFER: 1.0},
    "store": {STORES: 1.0, REORDER_BUFFER: 1.0},
    "waiting_integer": {INTEGER_SCHEDULER: 1.0, INTEGER: 1.0, REORDER_BUFFER: 1.0},
    "waiting_vector": {VECTOR_SCHEDULER: 1.0, VECTOR: 1.0, REORDER_BUFFER: 1.0},
}
"""Filling -> resource -> how many an instruction takes on average; first the one that it was made for."""


def own(filling: str) -> str:
    """The resource that a filling was made for."""
    return next(iter(TAKES[filling]))


def weigh(evidence: Evidence, filling: str, quantity: Quantity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(other resources that may be what is full, those excluded with their evidence)."""
    left, excluded = [], []
    for resource, share in list(TAKES[filling].items())[1:]:
        asked = [other for other, takes in TAKES.items() if other != filling and resource in takes]
        most = max(
            (
                (interval(found)[0] * TAKES[other][resource], other)
                for other in asked
                if (found := evidence.usable(f"window.{other}")) is not None
            ),
            default=(0.0, ""),
        )
        if most[0] >= interval(quantity)[1] * share:
            excluded.append(f"{resource} ({in_flight.taken(most[0], most[1])})")
        else:
            left.append(resource)
    return (*left, OTHER), tuple(excluded)
