"""What only a GPU has: its multiprocessors, and its memory by path, cluster and copy."""

from __future__ import annotations

from dataclasses import replace

from reportgen.findings.metric import Kind, parse
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html, fold, join
from reportgen.site.sections import distance, rows
from reportgen.site.tables import Column, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.status import Status

COLUMNS = (
    Column("metric"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)

EXECUTION = (Kind.WARPS, Kind.BANKS, Kind.BLOCKS, Kind.CROWDED, Kind.STEP, Kind.LAUNCH)
PATHS = (
    Kind.PATH_CAPACITY,
    Kind.SHARED_CAPACITY,
    Kind.PATH_LATENCY,
    Kind.PATH_TIME,
    Kind.PATH_LINE,
    Kind.SECTOR,
    Kind.DISTANCE,
    Kind.CLUSTER,
    Kind.BULK,
    Kind.TILE,
)
"""Kinds in the order of the table; `sections.memory` leaves them to this section."""
TOLD = (Kind.SHARED_CAPACITY, Kind.SECTOR, Kind.DISTANCE, Kind.BULK, Kind.TILE)
"""Kinds whose sentences stand above the figure; of the others the table says enough."""
STATED = 8
"""Sentences told openly; the table under the figure has the numbers of all."""
FEW_STEPS = 4
"""So many steps are told openly; the sentences of more are alike, and folded."""


def execution(view: View) -> Section | None:
    """Warps, banks, blocks, registers, shared memory, launches."""
    facts = _facts(view, EXECUTION)
    if not facts:
        return None
    steps = [fact.metric for fact in facts if parse(fact.metric).kind is Kind.STEP]
    others = view.stated((fact.metric for fact in facts if fact.metric not in steps), STATED)
    told = view.stated(steps)
    if len(steps) > FEW_STEPS:
        told = fold(f"{len(steps)} steps of the warps that stay on a multiprocessor", told)
    stated = join((others, told))
    caption = "Curves over the warps and blocks of a launch; bands are intervals in which a step lies."
    return _section(view, "execution", "Multiprocessors", facts, caption, stated)


def paths(view: View) -> Section | None:
    """Load paths, memory on the chip, sectors, near and far lines, clusters, copies."""
    facts = _facts(view, PATHS)
    if all(fact.status is Status.UNSUPPORTED for fact in facts):  # of a CPU, what it has not
        return None
    stated = view.stated((fact.metric for fact in facts if parse(fact.metric).kind in TOLD), STATED)
    caption = (
        "Cycles of a load by path and by size, of walks, clusters and copies; bands are boundary intervals."
    )
    found = _section(view, "paths", "Memory by path, cluster and copy", facts, caption, stated)
    beside = distance.section(view)
    return replace(found, children=(beside,)) if beside is not None else found


def _facts(view: View, kinds: tuple[Kind, ...]) -> list[Fact]:
    return sorted(
        (
            fact
            for fact in view.report.of("memory.", "execution.", "tensor.warps.")
            if parse(fact.metric).kind in kinds
        ),
        key=lambda fact: kinds.index(parse(fact.metric).kind),
    )


def _section(view: View, name: str, title: str, facts: list[Fact], caption: str, stated: Html) -> Section:
    """Words, sentences, figure and table."""
    findings = [view.report.finding.get(fact.metric) for fact in facts]
    drawn = view.figure(name, sentence(findings[:4], caption), caption)
    shown = (rows.row(view, fact) for fact in facts)
    what = f"{title}: every metric with its interval."
    body = table(name, what, COLUMNS, shown, filtered=len(facts) > 20)
    return Section(name, title, present((view.intro(name), stated, drawn, body)))
