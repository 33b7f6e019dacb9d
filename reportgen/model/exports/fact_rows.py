"""Every fact of a run as one row that carries its own definition, for the table formats.

A row can be read without anything beside it: what the metric means, in which unit, how it was found, how
far it goes, and of which device and run it is.
"""

from __future__ import annotations

from typing import NamedTuple

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.exports import dictionary
from reportgen.model.exports.finite import require_finite
from reportgen.status import USABLE


class Column(NamedTuple):
    """A column: name, kind (`text`, `number`, `count`, `numbers`) and what stands in it."""

    name: str
    kind: str
    meaning: str


COLUMNS: tuple[Column, ...] = (
    Column("id", "text", "the fact's address that never changes: device/run#metric"),
    Column("metric", "text", "metric id, the same in every run"),
    Column("title", "text", "what the kind of metric is called"),
    Column("value", "number", "in the base unit of the row; empty where the status allows none"),
    Column("low", "number", "lower end of the interval, in the same unit"),
    Column("high", "number", "upper end of the interval, in the same unit"),
    Column("unit", "text", "base unit of value, low, high and modes"),
    Column("n", "count", "accepted samples"),
    Column("status", "text", "ok, or what keeps the number from being one"),
    Column("reason", "text", "why the status is not ok"),
    Column("claim", "text", "claim level, from measured to nominal; empty without a value"),
    Column("confidence", "number", "0 to 1, see docs/method/confidence.md; empty without a value"),
    Column("modes", "numbers", "where the samples fall into several groups: the centre of each"),
    Column("method", "text", "how it was derived; a page of docs/method"),
    Column("probe", "text", "the probe that asked"),
    Column("definition", "text", "what the metric means"),
    Column("caveat", "text", "what to beware of"),
    Column("device", "text", "id of the device"),
    Column("run", "text", "id of the run"),
    Column("created", "text", "when the run was taken, ISO 8601"),
    Column("reportgen", "text", "version of reportgen that derived the row"),
)  # fmt: skip

Value = str | float | int | None | tuple[float, ...]


def rows(architecture: Architecture) -> list[tuple[Value, ...]]:
    """One row a fact in metric order, cells in the order of `COLUMNS`; None where there is no value.

    Raises:
        ValueError: a fact holds NaN or infinity.
    """
    require_finite(architecture.facts, "the table of facts")
    return [_row(architecture, fact) for fact in architecture.facts]


def _row(architecture: Architecture, fact: Fact) -> tuple[Value, ...]:
    entry = dictionary.lookup(fact.metric)
    claimed = fact.status in USABLE
    return (
        architecture.fact_id(fact.metric), fact.metric, entry.title if entry else "",
        fact.value, fact.low, fact.high, fact.unit, fact.n, str(fact.status), fact.reason,
        str(fact.claim) if claimed else "", fact.confidence if claimed else None, fact.modes,
        fact.method, fact.probe, entry.definition if entry else "", entry.caveat if entry else "",
        architecture.device, architecture.run, architecture.created, architecture.reportgen,
    )  # fmt: skip
