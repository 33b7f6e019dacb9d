"""Published figures beside encoded distances of a target, and beside measurements of a device."""

from __future__ import annotations

import msgspec

from reportgen.findings.claims import READ
from reportgen.findings.crosschecks import PUBLISHED
from reportgen.findings.metric import Kind, parse
from reportgen.findings.published.library import library
from reportgen.findings.published.weighing import Weighed, weigh
from reportgen.findings.wording.names import noun
from reportgen.model.architecture import Fact
from reportgen.site import address, blocks, encodings
from reportgen.site.markup import Html, anchor, element, escape
from reportgen.site.pages.published import source_anchor
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import format_interval, format_value

COLUMNS = (
    Column("operation"),
    Column("encoded", number=True),
    Column("published", number=True),
    Column("beside it"),
    Column("device"),
    Column("source"),
)


MEASURED = (
    Column("quantity"),
    Column("measured here", number=True),
    Column("published", number=True),
    Column("beside it"),
    Column("device"),
    Column("source"),
)


def measured(view: View) -> Section | None:
    """One row a published figure of a quantity of this device, in the order of the run."""
    rows: list[Row] = []
    near = far = 0
    for fact in view.report.of(""):
        quantity = view.report.evidence.by_metric[fact.metric]
        name = parse(fact.metric)
        again = name.kind is Kind.CHASE and view.report.fact(f"memory.{name.subject}.latency") is not None
        if again or name.kind in READ or blocks.sort_key(fact) is None:
            continue
        for weighed in weigh(view.report.evidence, quantity):
            near += weighed.decides and weighed.agrees
            far += weighed.decides and not weighed.agrees
            rows.append(_row_of(view, fact, weighed))
    if not rows:
        return None
    intro = view.intro("published", published=view.page(address.PUBLISHED), near=near, far=far)
    caption = "Published figures beside measurements of this run."
    body = table("published", caption, MEASURED, rows, filtered=len(rows) > 15)
    return Section("published", "Beside published figures", present((intro, body)))


def _row_of(view: View, fact: Fact, one: Weighed) -> Row:
    text = noun(fact.metric, view.report.title).removeprefix("the ")
    where = "agrees" if one.agrees else "higher" if one.above else "lower"
    return Row(
        (
            Cell(anchor(text[:1].upper() + text[1:], f"#{fact.metric}"), note=fact.metric),
            blocks.number_cell(fact),
            _printed(one),
            Cell(_mark(where, one)),
            Cell(one.figure.device),
            Cell(_cited(view, one)),
        )
    )


def section(view: View) -> Section | None:
    """One row a published figure of an operation of this target."""
    rows: list[Row] = []
    outcomes: dict[str, str] = {}
    for one in encodings.encodings(view.report):
        metric = one.latency.metric if one.latency is not None else ""
        quantity = view.report.evidence.by_metric.get(metric)
        if quantity is None:
            continue
        as_measured = msgspec.structs.replace(quantity, metric=one.probe.metric)
        if quantity.value is None:
            continue
        weighed = weigh(view.report.evidence, as_measured)
        rows += [_row(view, one.title, one.probe.id, quantity.value, figure) for figure in weighed]
        found = view.report.finding.get(metric)
        if weighed and found is not None:
            outcomes[metric] = next(check.outcome for check in found.checks if check.channel == PUBLISHED)
    if not rows:
        return None
    intro = view.intro("beside", published=view.page(address.PUBLISHED))
    counts = {name: list(outcomes.values()).count(name) for name in ("agrees", "above", "below", "absent")}
    told = ", ".join(f"{n} {_WORDS[name]}" for name, n in counts.items() if n)
    summary = element("p", escape(f"Of {len(outcomes)} operations with a published figure: {told}."))
    caption = "Published measurements beside encoded distances."
    body = table("beside", caption, COLUMNS, rows, filtered=len(rows) > 15)
    return Section("published", "Beside published figures", present((intro, summary, body)))


_WORDS = {
    "agrees": "agree",
    "above": "lie above the encoded distance",
    "below": "lie below it",
    "absent": "have figures that decide nothing",
}


def _row(view: View, title: str, probe: str, encoded: float, one: Weighed) -> Row:
    where = "agrees" if one.agrees else "above" if one.figure.ends[0] > encoded else "below"
    return Row(
        (
            Cell(anchor(title, view.probe(probe))),
            Cell(format_value(encoded, "cycle"), sort=encoded),
            _printed(one),
            Cell(_mark(where, one)),
            Cell(one.figure.device),
            Cell(_cited(view, one)),
        )
    )


def _printed(one: Weighed) -> Cell:
    """The figure, its conditions on hover."""
    figure = one.figure
    low, high = figure.ends
    shown = format_interval(low, high, figure.unit) if low < high else format_value(figure.value, figure.unit)
    return Cell(shown, sort=figure.value, note=figure.conditions)


def _cited(view: View, one: Weighed) -> Html:
    source = library().sources[one.figure.source]
    return anchor(source.short, view.page(address.PUBLISHED, source_anchor(one.figure.source)))


def _mark(where: str, one: Weighed) -> Html:
    """Where the figure lies, and whether it may decide."""
    word = element("span", where, class_=f"rg-verdict rg-verdict-{where}")
    if one.decides:
        return word
    return element("span", f"{where}, shown only", class_="rg-reason")
