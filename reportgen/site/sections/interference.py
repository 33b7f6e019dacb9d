"""Which operation classes get in each other's way: findings, heat map, table."""

from __future__ import annotations

from reportgen.findings.finding import Finding
from reportgen.findings.interference import read
from reportgen.findings.wording.numbers import listed
from reportgen.model.architecture import Interference
from reportgen.site import blocks
from reportgen.site.markup import Html, element, fold, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present

COLUMNS = (
    Column("first"),
    Column("second"),
    Column("ratio", number=True, note="0 beside each other, 1 one after the other"),
    Column("interval", number=True),
    Column("reading"),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)

CAPTION = (
    "Dark, 1: one after the other; pale, 0: beside each other. Hatched: not paired. Among many operations, "
    "those that were paired with the most are the columns."
)

STATED = 2
"""Pairs said in words: those that get most in each other's way.  Sentences of others read alike."""

READINGS = {
    "shared": "take as long as one after the other",
    "partly shared": "take longer together than the slower one alone",
    "separate": "take no longer together",
    "cannot tell": "do not tell",
}
"""What pairs of a reading were seen to do, the strongest first."""


def section(view: View) -> Section | None:
    """All pairs of the matrix and the named pairs."""
    pairs = view.report.architecture.interference
    if not pairs:
        return None
    found = [f for pair in pairs if (f := view.report.finding.get(pair.index.metric)) is not None]
    intro = view.intro("interference")
    rows = (
        Row(
            (
                Cell(view.report.title(pair.first)),
                Cell(view.report.title(pair.second)),
                blocks.bare_cell(pair.index, 3),
                blocks.bare_interval_cell(pair.index, 3),
                _reading(view, pair),
                blocks.count_cell(pair.index.n),
                blocks.standing_cell(pair.index),
            ),
            id=pair.index.metric,
            kind="" if blocks.sort_key(pair.index) is not None else "rg-absent",
        )
        for pair in pairs
    )
    others = [pair.index for pair in pairs if pair.first != pair.second and pair.index.value is not None]
    most = sorted(others, key=lambda index: -(index.value or 0.0))
    sharing = [rule for index in most if (rule := view.report.finding.get(f"sharing:{index.metric}"))]
    told = view.stated([rule.id for rule in sharing[:STATED]] or [index.metric for index in most[:STATED]])
    drawn = view.figure("interference", _alternative(view, found), CAPTION)
    body = table("interference", "Interference of each pair of operations.", COLUMNS, rows, filtered=True)
    return Section(
        "interference",
        "Pipeline interference",
        present((_summary(view), intro, told, drawn, body, *_evidence(view, sharing))),
    )


def _counts(view: View) -> dict[str, int]:
    """Pairs of different operations by their reading."""
    counts: dict[str, int] = {}
    for pair in view.report.architecture.interference:
        if pair.first != pair.second:
            counts[pair.reading or "no reading"] = counts.get(pair.reading or "no reading", 0) + 1
    return counts


def _summary(view: View) -> Html:
    """How many pairs read which way, in a sentence."""
    counts = _counts(view)
    told = [f"{counts[reading]} {meaning}" for reading, meaning in READINGS.items() if reading in counts]
    if not told:
        return Html("")
    text = f"Of {sum(counts.values())} pairs of different operations {listed(told)}."
    return element("p", text, class_="rg-sentence")


def _reading(view: View, pair: Interference) -> Cell:
    """The word, and what decided it where the number alone would be read otherwise."""
    quantity = view.report.evidence.by_metric.get(pair.index.metric)
    why = read(view.report.evidence, quantity).why if pair.reading and quantity is not None else ""
    note = element("span", why, class_="rg-note") if why else Html("")
    return Cell(join((pair.reading or "–", note)))


def _alternative(view: View, found: list[Finding]) -> str:
    """How many pairs read which way."""
    counts = _counts(view)
    told = ", ".join(f"{reading}: {count}" for reading, count in sorted(counts.items()))
    return (
        f"Heat map of {sum(counts.values())} pairs of different operations. Readings: {told}. "
        f"The numbers are in the table below; {len(found)} findings carry them in words."
    )


def _evidence(view: View, sharing: list[Finding]) -> tuple[Html, ...]:
    """The inferences with their alternatives, one fold for all."""
    if not sharing:
        return ()
    inner = join(view.findings(sharing, anchored=True))
    return (fold(f"Evidence of {len(sharing)} inferences", inner),)
