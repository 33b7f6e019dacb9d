"""Our own rates beside those of the vendor's routines in the same run: how far the roofs can be trusted."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.vendor import ALIKE
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html, element
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View, present
from reportgen.units import significant

COLUMNS = (
    Column("routine"),
    Column("ratio", number=True, note="our rate over that of the vendor's routine, in the same run"),
    Column("interval", number=True),
    Column("ours", number=True),
    Column("the vendor's", number=True, note="the fastest size of its routine"),
    blocks.STANDING,
)


def beside(view: View) -> tuple[Html, ...]:
    """A sentence and the table; nothing where the run has no routine of the vendor's."""
    facts = [fact for fact in view.report.of("vendor.") if parse(fact.metric).kind is Kind.VENDOR]
    if not facts:
        return ()
    body = table(
        "vendor",
        "Rates of the suite's own kernels over those of the vendor's routines.",
        COLUMNS,
        (_row(view, fact) for fact in facts),
    )
    return present((_told(facts), body))


def _told(facts: list[Fact]) -> Html:
    """How many roofs are as high as what the vendor's code reaches, and the lowest ratio."""
    known = [fact.value for fact in facts if fact.value is not None]
    if not known:
        return Html("")
    reached = sum(value >= 1 - ALIKE for value in known)
    text = (
        f"Rates no more than {100 * ALIKE:.0f} % below that of the vendor's routine in the same run "
        f"(the driver's copy, matrix products of cuBLAS): {reached} of {len(known)}; the lowest is "
        f"{significant(min(known), 3)} of it. Where a ratio is below 1, the roof that our kernel gave is too "
        "low by as much, or by more."
    )
    return element("p", text)


def _row(view: View, fact: Fact) -> Row:
    """The ratio, and the two rates that it was made of."""
    details = view.report.details(fact.metric)
    ours, theirs = (view.report.fact(str(details.get(side, ""))) for side in ("ours", "theirs"))
    title = Cell(view.term(fact.metric, rows.name(view, fact.metric)), note=fact.metric)
    return Row(
        (
            title,
            blocks.number_cell(fact, 3),
            blocks.interval_cell(fact, 3),
            _rate(view, ours),
            _rate(view, theirs),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind=rows.kind(fact),
    )


def _rate(view: View, fact: Fact | None) -> Cell:
    """A rate with a link to its definition."""
    if fact is None:
        return Cell("–")
    cell = blocks.number_cell(fact, 3)
    return Cell(view.term(fact.metric, cell.html), sort=cell.sort, note=fact.metric)
