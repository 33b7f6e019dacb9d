"""What differs between versions of a compiler: the same sources, other instructions or other distances."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.site import address, encodings, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Shelf
from reportgen.site.encodings import Encoding
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.pages import Page
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, Row, table

TITLE = "Versions of the CUDA toolkit"

Told = tuple[str, str, tuple[str, ...]]
"""Outcome, distance in words, instructions: what is compared of an operation."""


def versions(shelves: Sequence[Shelf]) -> tuple[str, ...]:
    """Toolkits that built anything here, the oldest first: `12.9`, `13.0`, `13.5`."""
    found = {_version(report) for shelf in shelves for report in _reports(shelf)}
    return tuple(sorted(found - {""}, key=_ordered))


def _reports(shelf: Shelf) -> list[Report]:
    """Runs of a target that ask everything."""
    return [
        entry.report
        for entry in shelf.entries
        if entry.report is not None
        and entry.report.run.toolchain_only
        and not entry.report.run.plan.get("quick")
    ]


def _version(report: Report) -> str:
    return ".".join(report.run.toolchain.get("compiler_version", "").split(".")[:2])


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def by_version(shelf: Shelf) -> dict[str, Report]:
    """The newest run of each toolkit, the oldest toolkit first."""
    found: dict[str, Report] = {}
    for report in _reports(shelf):
        found.setdefault(_version(report), report)
    return dict(sorted(found.items(), key=lambda item: _ordered(item[0])))


def page(shelves: Sequence[Shelf], links: Links) -> Page:
    """Every target that several toolkits built for: how much is the same, and what is not."""
    here = address.TOOLKITS
    known = versions(shelves)
    rows: list[Row] = []
    counts: list[Row] = []
    for shelf in shelves:
        reports = by_version(shelf)
        if len(reports) < 2:
            continue
        read = {
            version: {one.operation: one for one in encodings.encodings(r)} for version, r in reports.items()
        }
        common = [
            name
            for name in next(iter(read.values()))
            if all(name in some and some[name].outcome != "skipped" for some in read.values())
        ]
        different = [name for name in common if len({told(some[name]) for some in read.values()}) > 1]
        rows += [_row(shelf, name, read, known, here, links) for name in different]
        counts.append(_count(shelf, reports, read, common, different, known, here, links))
    columns = (Column("operation"), Column("target"), *(Column(f"CUDA {version}") for version in known))
    differences = (
        table(
            "differences",
            "Operations that versions of the toolkit make otherwise.",
            columns,
            rows,
            filtered=True,
        )
        if rows
        else element("p", escape("Every operation that they share is made alike by all of them."))
    )
    markdown = templating.page(
        "toolkits.md.j2",
        title=TITLE,
        versions=[f"CUDA {version}" for version in known],
        counts=_counts(counts, known),
        differences=differences,
        targets=links.to(here, address.TARGETS),
        method=anchor("encoded numbers", links.method(here, "encoded")),
    )
    return Page(here, TITLE, markdown)


def told(one: Encoding) -> Told:
    """What is compared: outcome, distance, kinds of instruction."""
    if one.outcome != encodings.VERIFIED:
        return one.outcome, "", ()
    distance = encodings.distance_cell(one).html
    return one.outcome, str(distance), tuple(sorted(one.opcodes))


def _row(
    shelf: Shelf,
    operation: str,
    read: dict[str, dict[str, Encoding]],
    known: Sequence[str],
    here: str,
    links: Links,
) -> Row:
    title = next(some[operation].title for some in read.values())
    cells = [_cell(read[version][operation] if version in read else None) for version in known]
    target = anchor(_isa(shelf), links.to(here, address.device_page(shelf.device)))
    return Row((Cell(title, note=operation), Cell(target), *cells))


def _cell(one: Encoding | None) -> Cell:
    if one is None:
        return Cell("–", note="no run of this toolkit")
    if one.outcome != encodings.VERIFIED:
        why = element("div", one.reason, class_="rg-under")
        return Cell(join((element("span", one.outcome, class_="rg-reason"), why)))
    distance = encodings.distance_cell(one)
    under = element("div", encodings.mnemonics(one.opcodes, most=3), class_="rg-under")
    return Cell(join((distance.html, under)), sort=distance.sort, note=distance.note)


def _counts(rows: Sequence[Row], known: Sequence[str]) -> Html:
    columns = (
        Column("target"),
        Column("operations in all", number=True),
        Column("made alike", number=True),
        Column("other code", number=True, note="other instructions, or not the program that was meant"),
        Column(
            "other distance", number=True, note="same instructions; or a scoreboard instead of a distance"
        ),
        *(Column(f"run of CUDA {version}") for version in known),
    )
    return table("toolkits", "How much is the same, target by target.", columns, rows, sortable=False)


def _count(
    shelf: Shelf,
    reports: dict[str, Report],
    read: dict[str, dict[str, Encoding]],
    common: Sequence[str],
    different: Sequence[str],
    known: Sequence[str],
    here: str,
    links: Links,
) -> Row:
    distance_only = [
        name
        for name in different
        if len({(told(some[name])[0], told(some[name])[2]) for some in read.values()}) == 1
    ]
    runs = []
    for version in known:
        report = reports.get(version)
        url = links.to(here, address.run_page(shelf.device, report.run.run)) if report is not None else ""
        runs.append(Cell(anchor(report.run.toolchain.get("compiler_version", ""), url) if report else "–"))
    numbers = (
        len(common),
        len(common) - len(different),
        len(different) - len(distance_only),
        len(distance_only),
    )
    return Row(
        (
            Cell(anchor(_isa(shelf), links.to(here, address.device_page(shelf.device)))),
            *(Cell(str(number), sort=float(number)) for number in numbers),
            *runs,
        )
    )


def _isa(shelf: Shelf) -> str:
    report = shelf.newest.report
    return report.run.device.isa if report is not None else shelf.device
