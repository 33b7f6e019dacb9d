"""Which runs a site sets side by side: a device's newest with the one before, and devices with each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from reportgen.model.comparable import obstacles
from reportgen.model.compare import Comparison, compare
from reportgen.site import address
from reportgen.site.catalogue import Shelf
from reportgen.site.report import Report

MOST_PAIRS = 15
"""Pairs of devices that get a page; with more devices the command line compares the others."""


@dataclass(frozen=True)
class Pair:
    """Two reports, the comparison of their runs, and the page that shows it."""

    first: Report
    second: Report
    comparison: Comparison
    uri: str


def pairs(shelves: tuple[Shelf, ...]) -> Iterator[Pair]:
    """Runs of one device first, then devices; runs that are not comparable are left out.

    Targets of a toolchain are not set against each other: they have a table of their own.
    """
    for shelf in shelves:
        reports = [entry.report for entry in shelf.entries if entry.report is not None]
        for older in reports[1:]:
            if not obstacles(older.run, reports[0].run):
                yield _pair(older, reports[0])
                break
    newest = [
        report
        for shelf in shelves
        if (report := shelf.newest.report) is not None and not report.run.toolchain_only
    ]
    for first, second in islice(combinations(newest, 2), MOST_PAIRS):
        if not obstacles(first.run, second.run):
            yield _pair(first, second)


def _pair(first: Report, second: Report) -> Pair:
    here, there = (address.run_key(report.run.device.id, report.run.run) for report in (first, second))
    return Pair(first, second, compare(first.evidence, second.evidence), address.comparison_page(here, there))
