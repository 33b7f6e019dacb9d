"""Files to take away, each with its sha256."""

from __future__ import annotations

from reportgen.site import address
from reportgen.site.markup import element
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
                Cell(format_bytes(item.size), sort=float(item.size)),
                Cell(element("code", item.sha256, class_="rg-digest")),
            )
        )
        for item in view.report.downloads
    )
    columns = (Column("file"), Column("what it is"), Column("size", number=True), Column("sha256"))
    formats = view.links.written(view.here, "data-formats.md")
    intro = view.intro("downloads", formats=formats, dictionary=view.page(address.DICTIONARY))
    body = table("downloads", "Downloads of this report.", columns, rows, sortable=False)
    return Section("downloads", "Downloads", (intro, body))
