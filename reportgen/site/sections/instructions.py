"""Latency and throughput of every operation: chart, then table; each row leads to its probe."""

from __future__ import annotations

from reportgen.model.architecture import Instruction
from reportgen.site import blocks
from reportgen.site.markup import anchor, code, element, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import significant

LATENCY = (
    Column("operation"),
    Column("form"),
    Column("cycles", number=True, note="dependent latency: slope of cycles over chain length"),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
THROUGHPUT = (
    Column("operation"),
    Column("per cycle", number=True, note="instructions per cycle on the plateau"),
    Column("interval", number=True),
    Column("cycles each", number=True, note="issue interval: cycles per instruction on the plateau"),
    Column("knee", number=True, note="independent accumulators from which the plateau holds"),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)


def latency(view: View) -> Section | None:
    """Dependent latency of every operation."""
    rows = [row for row in view.report.architecture.instructions if row.dependent_latency]
    if not rows:
        return None
    intro = view.intro("latency")
    drawn = view.figure("latency", _alternative(view, rows), "Dependent latency, with intervals.")
    body = table(
        "latency",
        "Dependent latency of each operation.",
        LATENCY,
        (_latency_row(view, row) for row in rows),
        filtered=True,
    )
    return Section("latency", "Instruction latency", present((intro, drawn, body)))


def throughput(view: View) -> Section | None:
    """Plateau over independent accumulators, with its knee."""
    rows = [row for row in view.report.architecture.instructions if row.throughput]
    if not rows:
        return None
    intro = view.intro("throughput")
    drawn = view.figure(
        "throughput",
        _saturation(rows),
        "Instructions per cycle against independent accumulators, for the faster operations; "
        "panels share their axes.",
    )
    body = table(
        "throughput",
        "Throughput of each operation on its plateau.",
        THROUGHPUT,
        (_throughput_row(view, row) for row in rows),
        filtered=True,
    )
    return Section("throughput", "Instruction throughput", present((intro, drawn, body)))


def _note(view: View, row: Instruction) -> str:
    """The caveat of the instruction table, shown on hover."""
    probe = view.report.evidence.asked.get(row.operation)
    return str(probe.constants.get("note", "")) if probe is not None else ""


def _latency_row(view: View, row: Instruction) -> Row:
    fact = row.dependent_latency
    assert fact is not None
    note = _note(view, row)
    name = anchor(row.title or row.operation, view.probe(fact.probe))
    return Row(
        (
            Cell(join((name, element("span", note, class_="rg-note")), " ") if note else name),
            Cell(code(row.form)),
            blocks.bare_cell(fact),
            blocks.bare_interval_cell(fact),
            blocks.count_cell(fact.n),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )


def _throughput_row(view: View, row: Instruction) -> Row:
    fact, each = row.throughput, row.issue_interval
    assert fact is not None
    inverse = blocks.bare_cell(each)
    if each is not None:
        inverse = Cell(element("span", inverse.html, id=each.metric), sort=inverse.sort)
    return Row(
        (
            Cell(anchor(row.title or row.operation, view.probe(fact.probe))),
            blocks.bare_cell(fact),
            blocks.bare_interval_cell(fact),
            inverse,
            Cell(str(row.knee) if row.knee else "–", sort=float(row.knee) if row.knee else None),
            blocks.count_cell(fact.n),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )


def _alternative(view: View, rows: list[Instruction]) -> str:
    """The finding of the chart in words: the range, and the operations at its two ends."""
    known = [
        (fact.value, row.title or row.operation)
        for row in rows
        if (fact := row.dependent_latency) is not None and fact.value is not None
    ]
    if not known:
        return "No latency has a value in this run."
    (least, first), (most, last) = min(known), max(known)
    return (
        f"Dot chart of {len(known)} dependent latencies, from {significant(least)} cycles ({first}) "
        f"to {significant(most)} cycles ({last}); the numbers are in the table below."
    )


def _saturation(rows: list[Instruction]) -> str:
    known = [
        (fact.value, row.title or row.operation)
        for row in rows
        if (fact := row.throughput) is not None and fact.value is not None
    ]
    if not known:
        return "No throughput has a value in this run."
    (least, first), (most, last) = min(known), max(known)
    return (
        f"Small panels of rate against independent accumulators. Plateaus lie between "
        f"{significant(least)} ({first}) and {significant(most)} ({last}) instructions per cycle; "
        "the numbers are in the table below."
    )
