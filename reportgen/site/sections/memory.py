"""The memory hierarchy: where levels end, what a load costs in each, lines, ways and TLBs."""

from __future__ import annotations

from reportgen.findings.metric import LEVELS, Kind, parse
from reportgen.model.architecture import Fact
from reportgen.site import blocks, practice
from reportgen.site.markup import element
from reportgen.site.sections import rows
from reportgen.site.sections.gpu import PATHS
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present, sentence

COLUMNS = (
    Column("metric"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)

ORDER = (
    Kind.CAPACITY,
    Kind.LEVEL_LATENCY,
    Kind.LEVEL_TIME,
    Kind.LINE,
    Kind.ASSOCIATIVITY,
    Kind.TLB_REACH,
    Kind.CHASE,
    Kind.PARALLELISM,
)

LEFT_OUT = (*PATHS, Kind.MISS_SHARE, Kind.OTHER)
"""Ways of a GPU and shares of misses have sections of their own; a probe without any metric stands under what
has no value."""

HEADED = (Kind.CAPACITY, Kind.LEVEL_LATENCY, Kind.LINE, Kind.ASSOCIATIVITY, Kind.TLB_REACH, Kind.PARALLELISM)
"""Kinds of metric that have a heading of their own, on huge pages where there are two kinds."""


def section(view: View) -> Section | None:
    """Sweep, then every fact of the hierarchy."""
    facts = sorted(
        (fact for fact in view.report.of("memory.", "chase.") if parse(fact.metric).kind not in LEFT_OUT),
        key=_place,
    )
    if not facts:
        return None
    intro = view.intro("memory")
    ends = [view.report.finding.get(f"memory.{name}.capacity") for name in view.report.level_order()]
    told = view.stated(f"memory.{name}.capacity" for name in view.report.level_order())
    drawn = view.figure(
        "working_set",
        sentence(ends, "Curve of load latency against working-set size, on both kinds of pages."),
        "Each step up is a level that the working set has outgrown. A band is the interval in which a "
        "level ends; the number under a step is its latency.",
    )
    body = table(
        "memory",
        "Memory hierarchy: every metric with its interval.",
        COLUMNS,
        (_row(view, fact) for fact in facts),
    )
    children = [child for fact in facts if (child := _headed(view, fact)) is not None]
    parts = (told, intro, practice.block(view, "memory"), drawn, body)
    return Section("memory", "Memory hierarchy", present(parts), tuple(children))


def _place(fact: Fact) -> tuple[bool, int, int]:
    """Main curve first, then kinds as they are asked for, then levels from the core outwards."""
    name = parse(fact.metric)
    kind = ORDER.index(name.kind) if name.kind in ORDER else len(ORDER)
    return bool(name.pages), kind, LEVELS.index(name.subject) if name.subject in LEVELS else 0


def _row(view: View, fact: Fact) -> Row:
    plain = parse(fact.metric)
    headed = _has_heading(view, fact)
    name = view.term(fact.metric, rows.name(view, fact.metric))
    if headed:
        name = element("a", rows.name(view, fact.metric), href=f"#{fact.metric}")
    return Row(
        (Cell(name, note=fact.metric), *rows.cells(fact)),
        id="" if headed else plain.text,
        kind=rows.kind(fact),
    )


def _has_heading(view: View, fact: Fact) -> bool:
    name = parse(fact.metric)
    return name.kind in HEADED and not name.pages and fact.metric in view.report.finding


def _headed(view: View, fact: Fact) -> Section | None:
    if not _has_heading(view, fact):
        return None
    own = view.findings([view.report.finding[fact.metric]])
    small = view.stated([f"{fact.metric}_4k"])
    return Section(fact.metric, rows.name(view, fact.metric), present((*own, small)))
