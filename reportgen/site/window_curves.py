"""Curves of instructions in flight: time of a round against how many stand between two loads that miss."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.in_flight import short
from reportgen.site.figures.curves import Curves, Panel, Series, round_ticks
from reportgen.site.report import Report
from reportgen.units import significant


def in_flight(report: Report) -> Curves | None:
    """A panel for every kind of filling, with the interval in which the second load stops overlapping."""
    panels = tuple(_panels(report))
    return Curves(panels) if panels else None


def _panels(report: Report) -> Iterator[Panel]:
    for fact in report.of("window."):
        name, details = parse(fact.metric), report.details(fact.metric)
        counts, cycles = details.get("count"), details.get("cycles")
        if name.kind is not Kind.WINDOW or not counts or not cycles:
            continue
        known = fact.low in counts and fact.high in counts
        yield Panel(
            title=short(name.subject),
            across="instructions between the loads",
            up="cycles a round",
            settings=tuple(significant(count, 6) for count in counts),
            series=(Series("", tuple(range(len(counts))), tuple(cycles)),),
            ticks=tuple(round_ticks(counts)),
            bands=((counts.index(fact.low), counts.index(fact.high)),) if known else (),
        )
