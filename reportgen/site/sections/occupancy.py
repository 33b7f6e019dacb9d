"""How full one multiprocessor gets: a figure over every sweep, and the same numbers as a table."""

from __future__ import annotations

from typing import Any

from reportgen.findings.metric import Kind, parse
from reportgen.model.architecture import Fact
from reportgen.site.markup import anchor, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import format_bytes

COLUMNS = (
    Column("sweep"),
    Column("setting"),
    Column("threads a block", number=True),
    Column("registers a thread", number=True),
    Column("shared memory a block", number=True),
    Column("blocks", number=True, note="that one multiprocessor holds at a time"),
    Column("warps", number=True),
    Column("share", number=True, note="of the most warps that one multiprocessor holds"),
    Column("limited by"),
)


def section(view: View) -> Section | None:
    """The sweeps whose kernels tell how many fit."""
    facts = [fact for fact in view.report.of("occupancy.") if parse(fact.metric).kind is Kind.OCCUPANCY]
    if not facts:
        return None
    intro = view.intro("occupancy", run=view.report.run)
    drawn = view.figure(
        "occupancy",
        _alternative(view, facts),
        "Warps that one multiprocessor holds, over each sweep; the numbers are in the table below.",
    )
    rows = (row for fact in facts for row in _rows(view, fact))
    caption = "What fits on one multiprocessor, kernel by kernel."
    body = table("occupancy", caption, COLUMNS, rows, filtered=True)
    stated = view.stated(fact.metric for fact in facts)
    return Section("occupancy", "Occupancy", present((intro, drawn, body, stated)))


def _alternative(view: View, facts: list[Fact]) -> str:
    told = [
        f"{_title(view, fact)} from {100 * (fact.high or 0):.0f} % down to {100 * (fact.low or 0):.0f} %"
        for fact in facts
        if fact.low != fact.high
    ]
    return f"Steps of the share of warps that fit on one multiprocessor: {'; '.join(told)}."


def _title(view: View, fact: Fact) -> str:
    probe = view.report.evidence.probes.get(fact.probe)
    return probe.title if probe is not None and probe.title else fact.probe


def _rows(view: View, fact: Fact) -> list[Row]:
    details: dict[str, Any] = view.report.details(fact.metric)
    name = anchor(_title(view, fact), view.probe(fact.probe))
    probe = view.report.evidence.probes.get(fact.probe)
    variable = probe.variable.replace("_", " ") if probe is not None else "setting"
    rows = []
    for place, setting in enumerate(details["settings"]):
        shared, share = details["shared"][place], details["share"][place]
        rows.append(
            Row(
                (
                    Cell(name),
                    Cell(
                        join(
                            (variable, " ", format_bytes(setting) if variable.endswith("bytes") else setting)
                        )
                    ),
                    _count(details["threads"][place]),
                    _count(details["registers"][place]),
                    Cell(format_bytes(shared), sort=float(shared)),
                    _count(details["blocks"][place]),
                    _count(details["warps"][place]),
                    Cell(f"{100 * share:.0f} %", sort=share),
                    Cell(details["limited_by"][place] or "–"),
                ),
                id=fact.metric if not place else "",
            )
        )
    return rows


def _count(value: float) -> Cell:
    return Cell(f"{value:g}", sort=float(value))
