"""Two runs metric by metric, with verdicts: the page of one pair."""

from __future__ import annotations

from reportgen.findings.wording import comparison as words
from reportgen.findings.wording.names import noun
from reportgen.model.compare import DIFFERENT, Code, Difference, Number, Verdict
from reportgen.site import address, templating
from reportgen.site.address import Links
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.pages import Page
from reportgen.site.pairs import Pair
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.status import Status
from reportgen.units import format_interval, format_value

FIRST = (*sorted(DIFFERENT), Verdict.CANNOT_TELL, Verdict.SAME)
"""Verdicts in the order of the table's rows: what differs leads."""


def page(pair: Pair, links: Links) -> Page:
    """The comparison of one pair."""
    here, found = pair.uri, pair.comparison
    names = [f"{side.device}/{side.run}" for side in (found.first, found.second)]
    title = f"{label(pair.first, found.one_device)} and {label(pair.second, found.one_device)}"
    changed = sum(row.code is Code.CHANGED for row in found.different)
    markdown = templating.page(
        "comparison.md.j2",
        title=title,
        summary=words.summary(found.counts, changed),
        rule=words.rule(),
        first=_report(pair.first, here, links),
        second=_report(pair.second, here, links),
        conditions=_conditions(pair),
        rows=_table(pair, here, links),
        method=links.method(here, "comparing"),
        command=f"reportgen compare {' '.join(names)}",
    )
    return Page(here, title, markdown)


def label(report: Report, one_device: bool) -> str:
    """What tells a run from the other of its pair: its date, or its device."""
    run = report.run
    if not one_device:
        return run.title
    return f"{run.title}, {run.created[:16].replace('T', ' ')}"


def tally(counts: dict[Verdict, int]) -> Html:
    """How many metrics ended with each verdict, those that differ first."""
    order = [verdict for verdict in FIRST if verdict in counts]
    return join((_verdict(verdict, f"{counts[verdict]} {verdict}") for verdict in order), " ")


def _verdict(verdict: Verdict, text: str) -> Html:
    return element("span", text, class_=f"rg-verdict rg-verdict-{verdict.value.replace(' ', '-')}")


def _report(report: Report, here: str, links: Links) -> Html:
    run = report.run
    return join(
        (
            anchor(run.title, links.to(here, address.run_page(run.device.id, run.run))),
            escape(f", run {run.run}, suite {run.suite.get('version', '–')}"),
        )
    )


def _conditions(pair: Pair) -> Html:
    rows = [Row((one.name, one.first, one.second)) for one in pair.comparison.conditions]
    if not rows:
        return element("p", "No condition that is recorded differs between the two.")
    columns = (Column("condition"), Column("first run"), Column("second run"))
    return table("conditions", "What differed when the two were taken.", columns, rows, sortable=False)


def _table(pair: Pair, here: str, links: Links) -> Html:
    columns = (
        Column("metric"),
        Column("verdict", note="and why it cannot be told, or what else has changed"),
        Column("first", number=True),
        Column("second", number=True),
        Column("change", number=True, note="second against first, with the interval that both allow"),
        Column("counts from", number=True, note="least relevant difference"),
        Column("machine code", note="whether the bytes that ran are the same"),
    )
    rows = sorted(pair.comparison.rows, key=lambda row: FIRST.index(row.verdict))
    return table(
        "differences",
        "Every metric of which either run has a number. Where the machine code changed between the two, a "
        "difference is one of code, and says nothing of the device.",
        columns,
        (_row(row, pair, here, links) for row in rows),
        filtered=True,
    )


def _row(row: Difference, pair: Pair, here: str, links: Links) -> Row:
    text = noun(row.metric, pair.first.title).removeprefix("the ")
    return Row(
        (
            Cell(anchor(text[:1].upper() + text[1:], links.term(here, row.metric)), note=row.metric),
            Cell(join((_verdict(row.verdict, row.verdict), _under(_why(row), "rg-note rg-why")))),
            _number(row.first, row.unit),
            _number(row.second, row.unit),
            _change(row),
            Cell(words.room(row.relevant, row.by_difference), sort=row.relevant),
            Cell(row.code.value),
        ),
        id=row.metric,
        kind="" if row.verdict in DIFFERENT else "rg-absent",
    )


def _why(row: Difference) -> str:
    """The reason, unless the caption gives it for all rows whose code changed."""
    return "" if row.reason == words.code_changed() else row.reason


def _change(row: Difference) -> Cell:
    told = words.change(row.ratio, row.ratio_low, row.ratio_high, row.by_difference)
    value, _, around = told.partition(" (")
    return Cell(join((value or "–", _under(around.removesuffix(")")))), sort=row.ratio if told else None)


def _under(text: str, kind: str = "rg-note") -> Html:
    """A second line of a cell, smaller."""
    return element("span", text, class_=kind) if text else Html("")


def _number(number: Number | None, unit: str) -> Cell:
    if number is None or (number.value is None and number.low is None):
        return Cell("–", note="" if number is None else f"{number.status.value}: {number.reason}")
    if number.status is Status.CENSORED and number.low is not None:
        return Cell(f"at least {format_value(number.low, unit)}", sort=number.low, note=f"n = {number.n}")
    around = ""
    if number.low is not None and number.high is not None:
        around = format_interval(number.low, number.high, unit)
    if number.value is None:
        return Cell(around, note=f"n = {number.n}")
    shown = join((format_value(number.value, unit), _under(around)))
    return Cell(shown, sort=number.value, note=f"n = {number.n}")
