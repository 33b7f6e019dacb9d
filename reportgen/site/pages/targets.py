"""Targets of a compiler side by side: what became of the programs, and every operation on every target."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.site import address, encodings, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Shelf
from reportgen.site.encodings import Encoding
from reportgen.site.markup import Html, anchor, element, join
from reportgen.site.pages import Page, toolkits
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, Row, table

TITLE = "CUDA targets (toolchain)"


EMPTY = element(
    "p",
    join(
        (
            "There is no toolchain run yet. ",
            element("code", "reportgen collect --device sm_all"),
            " makes one for every target, and needs no GPU.",
        )
    ),
)


def page(shelves: Sequence[Shelf], links: Links) -> Page:
    """The newest run of every target; where there is none, how to make one."""
    here = address.TARGETS
    reports = [shelf.newest.report for shelf in shelves if shelf.newest.report is not None]
    found = {report.run.device.isa: _by_operation(report) for report in reports}
    groups: dict[str, list[str]] = {}
    for some in found.values():
        for operation, one in some.items():
            group = "matrix" if encodings.is_matrix(one) else one.group or "other"
            known = groups.setdefault(group, [])
            if operation not in known:
                known.append(operation)
    several = len(toolkits.versions(shelves)) > 1
    markdown = templating.page(
        "targets.md.j2",
        title=TITLE,
        toolkits=", ".join(sorted({encodings.toolkit(report) for report in reports})) or "the CUDA toolkit",
        compared=links.to(here, address.TOOLKITS) if several else "",
        method=anchor("encoded numbers", links.method(here, "encoded")),
        summary=summary(shelves, here, links) if shelves else EMPTY,
        groups=[
            (
                group,
                f"{group.replace('_', ' ').capitalize()} operations",
                _table(group, some, found, reports, links),
            )
            for group, some in groups.items()
        ],
    )
    return Page(here, TITLE, markdown)


def _by_operation(report: Report) -> dict[str, Encoding]:
    return {one.operation: one for one in encodings.encodings(report)}


def summary(shelves: Sequence[Shelf], here: str, links: Links) -> Html:
    """One row a target: toolkit, date, what became of its probes, how many distances it encodes."""
    counts = [encodings.counted(shelf.newest.report) for shelf in shelves if shelf.newest.report]
    ended = [name for name in encodings.OUTCOMES if any(one[name] for one in counts)]
    columns = (
        Column("target"),
        Column("generation"),
        Column("compiler"),
        Column("built"),
        Column("runs", number=True),
        *(Column(name, number=True, note="probes") for name in ended),
        Column("encoded distances", number=True, note="operations with an encoded distance"),
    )
    return table(
        "targets",
        "Targets, each with its newest run; nothing was measured on a device.",
        columns,
        (_summary_row(s, s.newest.report, ended, here, links) for s in shelves if s.newest.report),
        searchable=True,
    )


def _summary_row(shelf: Shelf, report: Report, ended: Sequence[str], here: str, links: Links) -> Row:
    run = report.run
    counts = encodings.counted(report)
    known = sum(1 for fact in encodings.encoded_facts(report) if fact.value is not None)
    versions = anchor(str(len(shelf.entries)), links.to(here, address.versions_page(shelf.device)))
    return Row(
        (
            Cell(anchor(run.device.isa, links.to(here, address.device_page(shelf.device)))),
            Cell(str(run.device.reported.get("generation", "–"))),
            Cell(encodings.toolkit(report), note=run.toolchain.get("compiler_version", "")),
            Cell(run.created[:10]),
            Cell(versions, sort=float(len(shelf.entries))),
            *(Cell(str(counts[name]), sort=float(counts[name])) for name in ended),
            Cell(str(known), sort=float(known)),
        )
    )


def _table(
    group: str,
    operations: Sequence[str],
    found: dict[str, dict[str, Encoding]],
    reports: Sequence[Report],
    links: Links,
) -> Html:
    """Operations of one class on every target: encoded distance, and the instructions under it."""
    columns = (Column("operation"), *(Column(report.run.device.isa) for report in reports))
    rows = []
    for operation in operations:
        cells = [(report, found[report.run.device.isa].get(operation)) for report in reports]
        title = next(one.title for _, one in cells if one is not None)
        rows.append(
            Row(
                (Cell(title, note=operation), *(cell(report, one, links) for report, one in cells)),
                id=f"operation.{operation}",
            )
        )
    caption = f"Encoded distance in cycles, and instructions, of the class “{group.replace('_', ' ')}”."
    return table(f"targets-{group}", caption, columns, rows, filtered=len(rows) > 15)


def cell(report: Report, one: Encoding | None, links: Links) -> Cell:
    """One operation on one target: distance or why there is none, instructions under it."""
    if one is None:
        return Cell("–", note="not asked")
    if one.outcome != encodings.VERIFIED:
        return Cell(element("span", one.outcome, class_="rg-reason"), note=one.reason)
    distance = encodings.distance_cell(one)
    device = address.device_page(report.run.device.id)
    metric = one.latency.metric if one.latency is not None else ""
    shown = anchor(distance.html, links.to(address.TARGETS, device, metric)) if metric else distance.html
    under = element("div", encodings.mnemonics(one.opcodes, most=2), class_="rg-under")
    return Cell(join((shown, under)), sort=distance.sort, note=distance.note)
