"""A roofline as one HTML file: works from a folder or an attachment, fetches nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from reportgen.roofline.roofs import FLOP, OP
from reportgen.roofline.sheet import Sheet
from reportgen.site import roofline_data
from reportgen.site.figures import roofline, style
from reportgen.site.figures.roofline_record import drawable, record
from reportgen.site.markup import Html, element, escape, facts, join, void
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
    body = join(
        (
            element("h1", title),
            facts(conditions),
            chart,
            above(sheet),
            kernels(sheet, lambda _, text: escape(text), "Kernels under the roofs."),
            absent(sheet),
            _script(SCHEME, *(_asset(name) for name in ("tables.js", "roofline.js"))),
        ),
        "\n",
    )
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
    width, height = style.viewbox(svg)
    source = base64.b64encode(roofline.standalone(svg).encode()).decode()
    image = void(
        "img",
        src=f"data:image/svg+xml;base64,{source}",
        alt=f"Roofline of {sheet.name} in {unit}/s; the table below holds every kernel of it.",
        width=width,
        height=height,
    )
    scroll = element("div", image, class_="rg-scroll")
    data = element("script", roofline_data.embedded(sheet), type="application/json")
    return element("div", join((element("figure", scroll, class_="rg-figure"), data)), class_="rg-roofline")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _script(*parts: str) -> Html:
    return element("script", Html("\n".join(parts)))
