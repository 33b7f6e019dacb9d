"""Every report of a device, newest first; each keeps its own address."""

from __future__ import annotations

from reportgen.runs.schema import Run
from reportgen.site import address, blocks, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Entry, Shelf
from reportgen.site.markup import Html, anchor, code, join
from reportgen.site.pages import Page
from reportgen.site.sections import states
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View

COLUMNS = (
    Column("report"),
    Column("run"),
    Column("suite"),
    Column("kernel, driver or compiler"),
    Column("probes by status"),
    Column("note"),
)


def page(shelf: Shelf, links: Links) -> Page:
    """The list of a device's runs."""
    here = address.versions_page(shelf.device)
    body = table(
        "versions",
        f"Reports of {shelf.name}, newest first.",
        COLUMNS,
        (_row(shelf, entry, here, links) for entry in shelf.entries),
        sortable=False,
        searchable=True,
    )
    title = f"{shelf.name}: all reports"
    markdown = templating.page(
        "versions.md.j2",
        title=title,
        name=shelf.name,
        latest=links.to(here, address.device_page(shelf.device)),
        compared=links.to(here, address.COMPARE) if _can_be_compared(shelf) else "",
        body=body,
    )
    return Page(here, title, markdown)


def _can_be_compared(shelf: Shelf) -> bool:
    """Whether two of the reports were measured; those of a toolchain have a table of their own."""
    measured = [one for one in shelf.entries if one.report is not None and not one.report.run.toolchain_only]
    return len(measured) > 1


def _row(shelf: Shelf, entry: Entry, here: str, links: Links) -> Row:
    own = links.to(here, address.run_page(entry.device, entry.run))
    if entry.report is None:
        return Row(
            (
                Cell(anchor(entry.created, own)),
                Cell(code(entry.run)),
                Cell("–"),
                Cell("–"),
                Cell("–"),
                Cell(join(("could not be read: ", entry.error))),
            )
        )
    run = entry.report.run
    later = shelf.superseded_by(entry.run)
    notes: list[Html | str] = []
    if shelf.newest is entry:
        notes.append("newest")
    if run.toolchain_only:
        notes.append("toolchain: nothing was measured on a device")
    if run.plan.get("quick"):
        notes.append("quick")
    if run.supersedes:
        notes.append(f"corrects {run.supersedes}")
    if later is not None:
        notes.append(join(("corrected by ", code(later.run))))
    view = View(here, entry.report, links)
    return Row(
        (
            Cell(anchor(entry.created, own)),
            Cell(code(entry.run)),
            Cell(run.suite.get("version", "–")),
            Cell(_under(run)),
            Cell(states.summary(view) if run.toolchain_only else _probes(view)),
            Cell(join(notes, ", ") or "–"),
        )
    )


def _under(run: Run) -> str:
    """What it ran under, or what built it."""
    if run.toolchain_only:
        return f"{run.toolchain.get('compiler', '')} {run.toolchain.get('compiler_version', '–')}".strip()
    return str(run.environment.get("kernel") or run.environment.get("driver") or "–")


def _probes(view: View) -> Html:
    counts = states.counted(view)
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return join((join((str(count), blocks.status(state)), " ") for state, count in ranked), " ")
