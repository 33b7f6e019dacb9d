"""Where the levels of instruction supply end, and how fast each delivers."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.fetch import L1I, OP_CACHE, code, level
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.units import format_interval, significant

AGREED = tuple(f"fetch.{name}.capacity" for name in (L1I, OP_CACHE))
"""Boundaries on which code of two lengths agrees: what the section says first."""

SHOWN = 2
"""Inferences about ends that keep their number; further ones are folded."""
COLUMNS = (
    Column("straight code"),
    Column("ends at", number=True, note="largest size that keeps the rate … smallest that does not"),
    Column("instructions", number=True, note="the same as a count"),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
RATES = (
    Column("straight code"),
    Column("instructions a cycle", number=True),
    Column("interval", number=True),
    Column("bytes a cycle", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)


def section(view: View) -> Section | None:
    """What two lengths agree on, the curves, every boundary and every rate, and what is inferred."""
    found = view.report.of("fetch.")
    ends = [fact for fact in found if parse(fact.metric).kind is Kind.FETCH_CAPACITY]
    ends.sort(key=lambda fact: fact.metric not in AGREED)
    if not ends:
        return None
    known = view.report.finding
    told = [known.get(metric) for metric in AGREED]
    inferred = {fact.metric: f"resource:{fact.metric}" for fact in ends}
    agreed = [known[name] for metric, name in inferred.items() if metric in AGREED and name in known]
    others = [name for metric, name in inferred.items() if metric not in AGREED]
    drawn = view.figure(
        "code_footprint",
        sentence(told, "Cycles of an instruction against the size of straight code."),
        f"Cycles of an instruction in straight code that is run over and over. {_bands(ends)}",
    )
    parts = (
        view.intro("code_footprint"),
        view.stated(fact.metric for fact in ends if fact.metric in AGREED),
        drawn,
        table("code_footprint", "Ends of the levels.", COLUMNS, (_end(view, fact) for fact in ends)),
        _rates(view, [fact for fact in found if parse(fact.metric).kind is Kind.FETCH_RATE]),
        *view.findings(agreed),
        view.stated(others, SHOWN),
    )
    return Section("code_footprint", "Instruction supply", present(parts))


def _rates(view: View, rates: list[Fact]) -> Html:
    """The rate of each level; nothing where no size gave a time."""
    if not rates:
        return Html("")
    return table("code_rates", "Rates of the levels.", RATES, (_rate(view, fact) for fact in rates))


def _bands(ends: list[Fact]) -> str:
    """What the bands of the figure are."""
    if any(fact.metric in AGREED for fact in ends):
        return (
            "Code of two lengths that rises at one size meets a limit in bytes, at one count a limit in "
            "instructions; bands are those ends."
        )
    return "Bands are the ends of the first curve."


def _name(view: View, fact: Fact) -> Cell:
    name = parse(fact.metric)
    text = f"{code(name.subject)}, {level(name.part)}" if name.part else rows.name(view, fact.metric)
    return Cell(view.term(fact.metric, text), note=fact.metric)


def _end(view: View, fact: Fact) -> Row:
    counts = view.report.details(fact.metric).get("instructions")
    size, count = blocks.number_cell(fact), Cell("–")
    if fact.unit == "count":
        size, count = count, size
    elif counts:
        count = Cell(format_interval(counts[0], counts[1], "count"), sort=counts[0])
    cells = (size, count, blocks.count_cell(fact.n), blocks.standing_cell(fact))
    return Row((_name(view, fact), *cells), id=fact.metric, kind=rows.kind(fact))


def _rate(view: View, fact: Fact) -> Row:
    length = view.report.details(fact.metric).get("length")
    moved = (
        Cell("–")
        if fact.value is None or not length
        else Cell(significant(fact.value * length, 3), sort=fact.value * length)
    )
    cells = (
        blocks.bare_cell(fact),
        blocks.bare_interval_cell(fact),
        moved,
        blocks.count_cell(fact.n),
        blocks.standing_cell(fact),
    )
    return Row((_name(view, fact), *cells), id=fact.metric, kind=rows.kind(fact))
