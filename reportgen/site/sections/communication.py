"""What it costs that cores share: lines from one to another, words of one line, one word for many."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.model.architecture import Fact
from reportgen.site import blocks, practice
from reportgen.site.communication_figures import STORE, pairs
from reportgen.site.markup import Html, fold
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.status import Status
from reportgen.units import significant

STEM = "communication."
COLUMNS = (
    Column("what is shared"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
PAIRS = (
    Column("first CPU", number=True, note="the line, and the page that it lies in, begin at its core"),
    Column("second CPU", number=True),
    Column("ns one way", number=True),
)
LEADING = (
    STORE,
    f"{STORE}.farthest",
    "communication.transfer.exchange",
    "communication.false_sharing.locked_add.granule",
    "communication.contended.locked_add.rate",
    "communication.contended.read.cycles",
)
"""Metrics whose findings open the section; the table has all."""
ORDER = (Kind.TRANSFER, Kind.GRANULE, Kind.SHARING, Kind.CONTENDED_RATE, Kind.CONTENDED)
"""Of the rows of the table."""
FEW = 12
"""Pairs up to which their table stands open."""


def section(view: View) -> Section | None:
    """Times between cores as a matrix, costs of sharing as curves, tables, and what they fit."""
    found = [fact for fact in view.report.of(STEM) if parse(fact.metric).kind in ORDER]
    if not found or all(fact.status is Status.UNSUPPORTED for fact in found):  # of a GPU, or of one CPU
        return None
    known = view.report.finding
    inferred = [
        item
        for fact in found
        for stem in ("groups", "pairs")
        if (item := known.get(f"{stem}:{fact.metric}")) is not None
    ]
    times = "Time of a line from one CPU to another, one way, by a store."
    parts = (
        view.intro("communication"),
        view.stated(metric for metric in LEADING if any(fact.metric == metric for fact in found)),
        practice.block(view, "communication"),
        *view.findings(inferred),
        view.figure(
            "between_cores",
            sentence([known.get(STORE), known.get(f"{STORE}.farthest")], times),
            f"{times} Of the most hand-overs that were timed; hatched or empty: not asked, or no number.",
        ),
        _pairs(view),
        view.figure(
            "shared_words",
            sentence([known.get(metric) for metric in LEADING[3:]], "Cycles and rates of shared words."),
            "Above, each of two cores adds to a word of its own; the band is where the cost of one line ends."
            " Below, all cores add to one word; or each reads a line that the next one keeps writing.",
        ),
        _everything(view, found),
    )
    return Section("communication", "Between cores", present(parts))


def _everything(view: View, found: list[Fact]) -> Html:
    return table(
        "communication",
        "What cores share: every metric with its interval.",
        COLUMNS,
        (rows.row(view, fact) for fact in sorted(found, key=_place)),
    )


def _place(fact: Fact) -> int:
    return ORDER.index(parse(fact.metric).kind)


def _pairs(view: View) -> Html:
    cells = pairs(view.report)
    if not cells:
        return Html("")
    listed = table(
        "between_cores",
        "Line transfer by pair of CPUs.",
        PAIRS,
        (
            Row((Cell(first, float(first)), Cell(second, float(second)), Cell(significant(time, 4), time)))
            for first, second, time in cells
        ),
    )
    return listed if len(cells) <= FEW else fold(f"{len(cells)} pairs", listed)
