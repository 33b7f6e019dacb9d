"""HTML tables: caption, scopes, numeric sort keys, a wrapper that the keyboard can scroll.

Raw HTML rather than Markdown tables: a caption and row ids are possible, and a thousand rows take a
third of the time.  A table of data is kept out of the site's search index (headings and findings
are in it); only what is written `searchable` goes in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from reportgen.site.markup import Html, element, escaped, join


class Column(msgspec.Struct, frozen=True):
    """A column head; numbers are set right."""

    title: str
    number: bool = False
    note: str = ""
    """Shown when the pointer rests on the head."""


class Cell(msgspec.Struct, frozen=True):
    """What stands in a cell; `sort` is its numeric key, in base units."""

    html: str
    """Text, or `Html`."""
    sort: float | None = None
    note: str = ""


class Row(msgspec.Struct, frozen=True):
    """Cells in column order; the first is the row's head. `id` makes the row an anchor."""

    cells: tuple[Cell | str, ...]
    id: str = ""
    kind: str = ""
    """A class of the row: `rg-absent` softens a row without a value."""


def table(
    identity: str,
    caption: str,
    columns: Sequence[Column],
    rows: Iterable[Row],
    *,
    sortable: bool = True,
    filtered: bool = False,
    browsed: bool = False,
    searchable: bool = False,
) -> Html:
    """One table as HTML without blank lines.

    `identity` becomes the id of the table's wrapper (`table-<identity>`); `filtered` adds a box
    that narrows the rows as one types (by script: without one the table is simply whole); all tables
    of a page that are `browsed` have one such box together, with a choice of what stands under "class".
    """
    marks = {"sortable": sortable, "filterable": filtered, "browsed": browsed}
    classes = ["rg", *(name for name, on in marks.items() if on)]
    head = join(
        element(
            "th",
            column.title,
            scope="col",
            class_="number" if column.number else None,
            title=column.note or None,
        )
        for column in columns
    )
    body = join(_row(row, columns) for row in rows)
    content = join(
        (
            element("caption", caption, id=f"caption-{identity}"),
            element("thead", element("tr", head)),
            element("tbody", body),
        )
    )
    return element(
        "div",
        # On the table itself: the search index skips by tag name, and no table lies inside a table.
        element("table", content, class_=" ".join(classes), data_search_exclude=None if searchable else True),
        class_="rg-table",
        id=f"table-{identity}",
        role="region",
        tabindex=0,
        aria_labelledby=f"caption-{identity}",
    )


def _row(row: Row, columns: Sequence[Column]) -> Html:
    """Written out rather than put together from elements: nearly all of a page is cells."""
    parts = []
    tag, scope = "th", ' scope="row"'
    for item, column in zip(row.cells, columns, strict=True):
        number = ' class="number"' if column.number else ""
        if isinstance(item, Cell):
            sort = f' data-sort="{item.sort:.12g}"' if item.sort is not None else ""
            note = f' title="{escaped(item.note)}"' if item.note else ""
            parts.append(f"<{tag}{scope}{number}{sort}{note}>{escaped(item.html)}</{tag}>")
        else:
            parts.append(f"<{tag}{scope}{number}>{escaped(item)}</{tag}>")
        tag, scope = "td", ""
    return element("tr", Html("".join(parts)), id=row.id or None, class_=row.kind or None)
