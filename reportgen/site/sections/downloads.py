"""Files to take away, each with its sha256."""

from __future__ import annotations

from reportgen.model.exports.registry import EXPORTS
from reportgen.site import address
from reportgen.site.markup import Html, anchor, element
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View
from reportgen.units import format_bytes


def section(view: View) -> Section:
    """Derived data, raw data and definitions."""
    rows = (
        Row(
            (
                Cell(element("a", item.name, href=view.asset(f"download/{item.name}"), download=True)),
                Cell(item.what),
                Cell(_use(view, item.name)),
                Cell(format_bytes(item.size), sort=float(item.size)),
                Cell(element("code", item.sha256, class_="rg-digest")),
            )
        )
        for item in view.report.downloads
    )
    columns = (
        Column("file"),
        Column("what it is"),
        Column("use"),
        Column("size", number=True),
        Column("sha256"),
    )
    formats = view.links.written(view.here, "data-formats.md")
    intro = view.intro("downloads", formats=formats, dictionary=view.page(address.DICTIONARY))
    body = table("downloads", "Downloads of this report.", columns, rows, sortable=False)
    return Section("downloads", "Downloads", (intro, body))


def _use(view: View, file: str) -> Html:
    """How another program takes the file, where one does; the format is named as on the command line."""
    name = next((name for name, one in EXPORTS.items() if one.file == file), "")
    return anchor(name, view.links.written(view.here, "exports.md", name)) if name else Html("–")
