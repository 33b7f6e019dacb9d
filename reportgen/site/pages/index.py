"""The index of devices: a page of its own, and the table that the home page shows."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.site import address, blocks, catalogue, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Shelf
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.pages import Page, targets
from reportgen.site.report import Report
from reportgen.site.sections import states
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Picture, View, sentence

METRICS = (
    ("memory.l1.capacity", "L1"),
    ("memory.l2.capacity", "L2"),
    ("bandwidth.dram.read", "DRAM read"),
    ("peak.fp32", "FP32 peak"),
)
"""A few numbers by which devices are told apart at a glance."""
RATES = ("bandwidth.", "peak.")
"""Stems of metrics that are those of one core of a CPU, and of the whole of a GPU."""

FIGURE = "working_set"
"""The figure that opens the site."""
STEPS = "Each step up is a cache that no longer holds it; a band is the interval in which that cache ends."
NOTHING = Html("")

Pictures = Mapping[str, Mapping[str, Picture]]
"""Run -> figure -> where it lies."""

EMPTY = element(
    "p",
    join(
        (
            "There is no run yet. ",
            element("code", "reportgen collect"),
            " measures the machine it is started on.",
        )
    ),
)


def page(shelves: tuple[Shelf, ...], links: Links) -> Page:
    """All devices."""
    markdown = templating.page("devices.md.j2", body=listing(shelves, address.DEVICES, links))
    return Page(address.DEVICES, "Devices", markdown)


def listing(shelves: tuple[Shelf, ...], here: str, links: Links) -> Html:
    """The devices as seen from page `here`, and under them the targets of a compiler."""
    if not shelves:
        return EMPTY
    measured, built = catalogue.measured(shelves), catalogue.targets(shelves)
    parts = [_devices(measured, here, links)] if measured else [EMPTY]
    if built:
        lead = anchor(targets.TITLE, links.to(here, address.TARGETS))
        parts += [element("p", lead), targets.summary(built, here, links)]
    return join(parts)


def opening(shelves: tuple[Shelf, ...], here: str, links: Links, pictures: Pictures) -> Html:
    """What a report looks like: the memory hierarchy of the device that was measured last."""
    reports = [
        shelf.newest.report
        for shelf in catalogue.measured(shelves)
        if shelf.newest.report is not None and FIGURE in pictures.get(shelf.newest.run, {})
    ]
    if not reports:
        return NOTHING
    report = max(reports, key=lambda one: one.run.created)
    view = View(here, report, links, pictures[report.run.run])
    told = [report.finding.get(f"memory.{level}.latency") for level in report.level_order()]
    name = anchor(report.run.title, view.page(address.device_page(report.run.device.id)))
    caption = join(
        (name, ", newest report: the time of a load against how much memory a program walks through. ", STEPS)
    )
    return view.figure(FIGURE, sentence(told, "Load latency against the working set."), caption)


def _devices(shelves: tuple[Shelf, ...], here: str, links: Links) -> Html:
    columns = (
        Column("device"),
        Column("measured, UTC"),
        Column("reports", number=True),
        Column("probes by status"),
        *(Column(title, number=True, note=metric) for metric, title in METRICS),
    )
    return table(
        "devices",
        "Devices, each with its newest report.",
        columns,
        (_row(shelf, here, links) for shelf in shelves),
        filtered=len(shelves) > 8,
        searchable=True,
    )


def _row(shelf: Shelf, here: str, links: Links) -> Row:
    newest = shelf.newest
    name = anchor(shelf.name, links.to(here, address.device_page(shelf.device)))
    count = anchor(str(len(shelf.entries)), links.to(here, address.versions_page(shelf.device)))
    if newest.report is None:
        empty = tuple(Cell("–") for _ in METRICS)
        return Row((Cell(name), Cell(newest.created), Cell(count), Cell("could not be read"), *empty))
    view = View(here, newest.report, links)
    counts = states.counted(view)
    told = join(
        (
            join((str(count), blocks.status(state)), " ")
            for state, count in sorted(counts.items(), key=lambda item: -item[1])
        ),
        " ",
    )
    return Row(
        (
            Cell(name, note=shelf.device),
            Cell(newest.created),
            Cell(count, sort=float(len(shelf.entries))),
            Cell(told),
            *(_number(newest.report, metric) for metric, _ in METRICS),
        )
    )


def _number(report: Report, metric: str) -> Cell:
    """A number, a rate with what it is the rate of."""
    cell = blocks.number_cell(report.fact(metric), 3)
    if cell.sort is None or not metric.startswith(RATES):
        return cell
    whose = "whole GPU" if report.evidence.gpu else "1 core"
    return Cell(join((escape(cell.html), element("span", whose, class_="rg-note")), " "), sort=cell.sort)
