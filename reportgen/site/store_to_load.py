"""Cases of a store and a load as the heat map shows them."""

from __future__ import annotations

from reportgen.findings.metric import Kind, parse
from reportgen.site.figures.store_to_load import PLACES, Cases, Cell, Panel
from reportgen.site.report import Report

_FILES = {False: "general registers", True: "vector registers"}


def cases(report: Report) -> Cases | None:
    """A panel for each register file; only places that are found by their address, in a long loop."""
    panels = tuple(
        panel for vector, title in _FILES.items() if (panel := _panel(report, title, vector)) is not None
    )
    return Cases(panels) if panels else None


def _panel(report: Report, title: str, vector: bool) -> Panel | None:
    cells = []
    for fact in report.of("store_to_load."):
        name, details = parse(fact.metric), report.details(fact.metric)
        sizes = [details.get(key) for key in ("store_bytes", "load_bytes", "offset")]
        wanted = name.kind is Kind.STORE_TO_LOAD and not name.scope and fact.value is not None
        if wanted and name.subject.startswith("v") is vector and None not in sizes:
            store, load, offset = (int(size) for size in sizes if size is not None)
            place = "first" if not offset else "last" if offset + load <= store else "across"
            cells.append(Cell(8 * store, 8 * load, place, fact.value or 0.0))
    if not cells:
        return None
    return Panel(
        title=title,
        stores=tuple(sorted({cell.store for cell in cells})),
        loads=tuple(
            sorted({(cell.load, cell.place) for cell in cells}, key=lambda at: (at[0], PLACES.index(at[1])))
        ),
        cells=tuple(cells),
    )
