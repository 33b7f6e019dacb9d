"""The index of devices: a page of its own, and the table that the home page shows."""

from __future__ import annotations

from reportgen.site import address, blocks, catalogue, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Shelf
from reportgen.site.markup import Html, anchor, element, join
from reportgen.site.pages import Page, targets
from reportgen.site.sections import states
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View

METRICS = (
    ("memory.l1.capacity", "L1"),
    ("memory.l2.capacity", "L2"),
    ("bandwidth.dram.read", "DRAM read, 1 core"),
    ("peak.fp32", "FP32 peak, 1 core"),
)
"""A few numbers by which devices are told apart at a glance."""

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


def _devices(shelves: tuple[Shelf, ...], here: str, links: Links) -> Html:
    columns = (
        Column("device"),
        Column("measured"),
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
            *(blocks.number_cell(newest.report.fact(metric), 3) for metric, _ in METRICS),
        )
    )
