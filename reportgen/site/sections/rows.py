"""The row of a fact as tables of several sections show it."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.findings.wording.names import noun
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html, element, join
from reportgen.site.tables import Cell, Row
from reportgen.site.view import View
from reportgen.status import Status


def name(view: View, metric: str) -> str:
    """What a metric is called at the head of a row."""
    text = noun(metric, view.report.title).removeprefix("the ")
    return text[:1].upper() + text[1:]


def cells(fact: Fact) -> tuple[Cell, ...]:
    """Value, interval, n and standing of a fact."""
    return (
        blocks.number_cell(fact),
        blocks.interval_cell(fact),
        blocks.count_cell(fact.n),
        blocks.standing_cell(fact),
    )


def kind(fact: Fact) -> str:
    """Class of the row: that of an absent number where the fact has none."""
    return "" if blocks.sort_key(fact) is not None else "rg-absent"


def row(view: View, fact: Fact) -> Row:
    """Name with its definition, value, interval, n, standing; its address is the metric."""
    title = Cell(view.term(fact.metric, name(view, fact.metric)), note=fact.metric)
    return Row((title, *cells(fact)), id=fact.metric, kind=kind(fact))


def lacking(view: View, facts: Iterable[Fact]) -> Html:
    """What the device does not have, in one line by reason; each name is the address of its metric."""
    reasons: dict[str, list[Html]] = {}
    for fact in facts:
        if fact.status is Status.UNSUPPORTED:
            text = element("span", name(view, fact.metric), id=fact.metric)
            reasons.setdefault(fact.reason or "no reason is recorded", []).append(text)
    if not reasons:
        return Html("")
    told = join((join((join(names, ", "), f" ({reason})")) for reason, names in reasons.items()), "; ")
    return element("p", join(("Not on this device: ", told, ".")), class_="rg-reason")
