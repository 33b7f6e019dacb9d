"""A roofline as one HTML file: works from a folder or an attachment, fetches nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterable

import msgspec

from reportgen.roofline import across
from reportgen.roofline import sheet as sheets
from reportgen.roofline.across import Across, Row
from reportgen.roofline.roofs import FLOP, OP
from reportgen.roofline.sheet import Sheet
from reportgen.site import roofline_data
from reportgen.site.figures import roofline, roofline_across, style
from reportgen.site.figures.roofline_record import drawable, record
from reportgen.site.markup import Html, element, escape, facts, join, void
from reportgen.site.pages.compare_roofline import bounds
from reportgen.site.render import ASSETS
from reportgen.site.sections.roofline import above, absent, kernels

STYLES = ("roofline_page.css", "report.css", "roofline.css")
"""The first gives what the theme gives on the site."""
SCHEME = (
    "document.body.dataset.mdColorScheme ="
    " matchMedia('(prefers-color-scheme: dark)').matches ? 'slate' : 'default';"
)


def page(sheet: Sheet, title: str, conditions: Iterable[tuple[object, object]] = ()) -> str:
    """The whole file.

    Args:
        sheet: what is shown; the chart is that of the unit of work of its points, else of FLOP.
        title: heading and title.
        conditions: term and value, of what a reader must know: device, run, how the work was counted.
    """
    units = [unit for unit in (FLOP, OP) if drawable(sheet.with_unit(unit))]
    used = [unit for unit in units if sheet.with_unit(unit).points]
    chart = _chart(sheet, (used or units)[0]) if units else Html("")
    parts = (
        chart,
        _downloads(sheets.to_csv(sheet), sheets.to_json(sheet)),
        above(sheet),
        kernels(sheet, lambda _, text: escape(text), "Kernels under the roofs."),
        absent(sheet),
    )
    return _document(title, conditions, parts)


def across_page(found: Across, title: str, conditions: Iterable[tuple[object, object]] = ()) -> str:
    """The same of a comparison: a figure for each precision and level, and the bounds on each device.

    Args:
        found: the workloads on every device.
        title: heading and title.
        conditions: term and value, as for `page`.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found.rows:
        groups.setdefault((row.point.precision, row.point.home), []).append(row)
    figures = (
        _across_figure(
            msgspec.structs.replace(found, rows=tuple(rows)), f"{precision.upper()} and {level.upper()}"
        )
        for (precision, level), rows in groups.items()
    )
    devices = (
        (f"device {number}", f"{one.name} ({one.device}), run {one.run}; roofs of {one.scope}")
        for number, one in enumerate(found.devices, 1)
    )
    parts = (*figures, _downloads(across.to_csv(found), across.to_json(found)), bounds(found))
    return _document(title, (*devices, *conditions), parts)


def _across_figure(found: Across, roofs: str) -> Html:
    record_of = roofline_across.record(found)
    if record_of is None:
        return Html("")
    names = ", ".join(f"{number} {one.name}" for number, one in enumerate(found.devices, 1))
    image = _image(
        roofline_across.draw(record_of),
        f"Rooflines of {names}: {roofs} roofs, with the bounds of the workloads in the table below.",
    )
    caption = element(
        "figcaption",
        f"{roofs} roofs. Vertical: the intensity of each workload, by its short name in the table; marks: "
        "its bound on each device. Left of a ridge bandwidth decides, right of it the peak.",
    )
    return element("figure", join((element("div", image, class_="rg-scroll"), caption)), class_="rg-figure")


def _document(title: str, conditions: Iterable[tuple[object, object]], parts: Iterable[Html]) -> str:
    script = _script(SCHEME, *(_asset(name) for name in ("tables.js", "roofline.js")))
    body = join((element("h1", title), facts(conditions), *parts, script), "\n")
    head = join(
        (
            void("meta", charset="utf-8"),
            void("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", title),
            element("style", Html("\n".join(map(_asset, STYLES)))),
        ),
        "\n",
    )
    start = element("body", body, class_="md-typeset", data_md_color_scheme="default")
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n{start}\n</html>\n'


def _chart(sheet: Sheet, unit: str) -> Html:
    """The drawing, for readers without script and for paper, and what the script draws from."""
    svg = roofline.draw(record(sheet.with_unit(unit), unit))
    image = _image(svg, f"Roofline of {sheet.name} in {unit}/s; the table below holds every kernel of it.")
    scroll = element("div", image, class_="rg-scroll")
    data = element("script", roofline_data.embedded(sheet), type="application/json")
    return element("div", join((element("figure", scroll, class_="rg-figure"), data)), class_="rg-roofline")


def _image(svg: str, alt: str) -> Html:
    width, height = style.viewbox(svg)
    source = _inline("image/svg+xml", roofline.standalone(svg).encode())
    return void("img", src=source, alt=alt, width=width, height=height)


def _downloads(csv: bytes, record: bytes) -> Html:
    """The data in the file itself, so that they go wherever it goes."""
    links = (
        element("a", text, href=_inline(kind, content), download=f"roofline.{ending}")
        for text, kind, ending, content in (
            ("table as CSV", "text/csv", "csv", csv),
            ("all of it as JSON", "application/json", "json", record),
        )
    )
    return element("p", join(("Data: ", join(links, ", "))), class_="rg-files")


def _inline(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _script(*parts: str) -> Html:
    return element("script", Html("\n".join(parts)))
