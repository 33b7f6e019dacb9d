"""The measured roofline: roofs, ridge points, and library routines placed under them."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import noun
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present, sentence

COLUMNS = (
    Column("metric"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)


def section(view: View) -> Section | None:
    """Compute roofs, ridges and routines of one core."""
    facts = view.report.of("peak.", "ridge.", "kernel.")
    if not facts:
        return None
    intro = view.intro("roofline")
    ridges = [view.report.finding.get(f.metric) for f in facts if parse(f.metric).kind is Kind.RIDGE]
    drawn = view.figure(
        "roofline",
        sentence(ridges[:4], "Roofline with the measured memory and compute roofs of one core."),
        "One core: slanted roofs by memory level, flat roofs by precision, open marks at the ridges.",
    )
    told = view.stated(f.metric for f in facts if parse(f.metric).kind is Kind.PEAK)
    body = table(
        "roofline",
        "Compute roofs, ridge points and library routines.",
        COLUMNS,
        (_row(view, fact) for fact in facts),
        filtered=len(facts) > 20,
    )
    return Section("roofline", "Roofline", present((told, intro, drawn, body)))


def _row(view: View, fact: Fact) -> Row:
    text = noun(fact.metric, view.report.title).removeprefix("the ")
    return Row(
        (
            Cell(view.term(fact.metric, text[:1].upper() + text[1:]), note=fact.metric),
            blocks.number_cell(fact),
            blocks.interval_cell(fact),
            blocks.count_cell(fact.n),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )
