"""Published measurements beside the distances that an assembler keeps: agree, above, below."""

from __future__ import annotations

import msgspec

from reportgen.findings.crosschecks import PUBLISHED
from reportgen.findings.published.library import library
from reportgen.findings.published.weighing import Weighed, weigh
from reportgen.site import address, encodings
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
    figure = one.figure
    low, high = figure.ends
    shown = format_value(figure.value, figure.unit)
    if low < high:
        shown = format_interval(low, high, figure.unit)
    source = library().sources[figure.source]
    cited = anchor(source.short, view.page(address.PUBLISHED, source_anchor(figure.source)))
    return Row(
        (
            Cell(anchor(title, view.probe(probe))),
            Cell(format_value(encoded, "cycle"), sort=encoded),
            Cell(shown, sort=figure.value, note=figure.conditions),
            Cell(_beside(one, encoded)),
            Cell(figure.device),
            Cell(cited),
        )
    )


def _beside(one: Weighed, encoded: float) -> Html:
    """Where the figure lies, and whether it may decide."""
    where = "agrees" if one.agrees else "above" if one.figure.ends[0] > encoded else "below"
    word = element("span", where, class_=f"rg-verdict rg-verdict-{where}")
    if one.decides:
        return word
    return element("span", f"{where}, shown only", class_="rg-reason")
