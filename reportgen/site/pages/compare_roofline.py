"""The same workloads under the roofs of every device: part of the page that compares devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.roofline import across, batches, textbook
from reportgen.roofline.across import Across, Ratio, Row, Side
from reportgen.roofline.points import type_of
from reportgen.roofline.roofs import called
from reportgen.site import address, blocks
from reportgen.site.address import Links
from reportgen.site.figures import roofline
from reportgen.site.figures.cache import Drawn
from reportgen.site.markup import Html, anchor, element, join
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, table
from reportgen.site.tables import Row as Line
from reportgen.units import format_interval, format_value, significant

MODEL = "llama2_7b"
LEVEL = "dram"
PRECISIONS = ("bf16", "fp16", "fp32", "fp64")
"""The first one whose peak was measured on every device is compared: that in which models are decoded."""


def comparison(reports: Sequence[Report]) -> Across | None:
    """Textbook kernels and the batches of a decoded model on every device that has the roofs for them.

    None for fewer than two devices, or where they have no peak in common.
    """
    sheets = [one.roofline for one in reports if any(roof.name == LEVEL for roof in one.roofline.memory)]
    peaks = [{type_of(roof.name) for roof in sheet.compute} for sheet in sheets]
    common = [name for name in PRECISIONS if sum(name in some for some in peaks) > 1]
    shared = [name for name in common if all(name in some for some in peaks)] or common
    if len(sheets) < 2 or not shared:
        return None
    able = [sheet for sheet, some in zip(sheets, peaks, strict=True) if shared[0] in some]
    points = (*textbook.kernels(LEVEL, shared[0]), *batches.path(MODEL, LEVEL, shared[0]))
    return across.across(map(across.subject, able), points)


def files(found: Across, figure: Drawn) -> dict[str, bytes]:
    """Source path -> content of the figure and its data."""
    return {
        _place("light.svg"): figure.light.encode(),
        _place("dark.svg"): figure.dark.encode(),
        _place("svg"): roofline.standalone(figure.light).encode(),
        _place("json"): across.to_json(found),
        _place("csv"): across.to_csv(found),
    }


def _place(ending: str) -> str:
    return f"compare/figures/roofline.{ending}"


def body(found: Across, figure: Drawn, links: Links, devices: Iterable[str] = ()) -> Html:
    """Figure, data and table.

    Args:
        found: of `comparison`.
        figure: drawn from it.
        links: between pages.
        devices: ids of all that the page compares.
    """
    point = found.rows[0].point
    roofs = f"{called(point.precision)} and {LEVEL.upper()} roofs"
    names = ", ".join(f"{number} {one.name}" for number, one in enumerate(found.devices, 1))
    drawing = blocks.figure(
        "figure-roofline",
        links.to(address.COMPARE, _place("light.svg")),
        links.to(address.COMPARE, _place("dark.svg")),
        (figure.width, figure.height),
        f"Rooflines of {names}: {roofs}, with the bounds of the workloads in the table below.",
        f"{roofs}. Vertical: the intensity of each workload, by its short name in the table; marks: its "
        "bound on each device. From left to right, bandwidth decides, then, from the ridge on, the peak.",
    )
    data = join(
        (
            anchor("bounds as CSV", links.to(address.COMPARE, _place("csv"))),
            anchor("all of it as JSON", links.to(address.COMPARE, _place("json"))),
            anchor("figure as a file that works by itself (SVG)", links.to(address.COMPARE, _place("svg"))),
        ),
        ", ",
    )
    limit = batches.limit([row.point for row in found.rows if row.point.size])
    told = f"Decoding: one token a sequence, {batches.PAST} tokens in the cache of each. "
    if limit is not None:
        told += (
            f"However many sequences share the weights, the intensity stays below {significant(limit, 3)} "
            "FLOP/byte, since each reads keys and values of its own."
        )
    return join(
        (
            element("p", told),
            element("p", _scopes(found, devices)),
            drawing,
            element("p", join(("Data: ", data)), class_="rg-files"),
            bounds(found),
        )
    )


def _scopes(found: Across, devices: Iterable[str]) -> str:
    """What the roofs are those of, and who is left out."""
    told = f"Roofs of {found.devices[0].scope} each."
    if found.mixed:
        scopes = "; ".join(f"{number}: {one.scope}" for number, one in enumerate(found.devices, 1))
        told = f"Roofs are those of different things, and so is their ratio. {scopes}."
    absent = sorted(set(devices) - {one.device for one in found.devices})
    if absent:
        precision = called(found.rows[0].point.precision)
        told += f" Without a measured {precision} peak and {LEVEL.upper()} bandwidth: {', '.join(absent)}."
    return told


def bounds(found: Across) -> Html:
    """The table: bound of each workload on each device, what decides it, and the ratio of bounds."""
    others = range(2, len(found.devices) + 1)
    columns = (
        Column("workload", note="each operand moved once"),
        Column("intensity", number=True),
        *(
            Column(f"{number} {one.name}", number=True, note="bound, and the roof that gives it")
            for number, one in enumerate(found.devices, 1)
        ),
        *(
            Column(f"{n} against 1", number=True, note="ratio of the bounds with its interval")
            for n in others
        ),
    )
    return table(
        "compare-bounds",
        "Bound of each workload on each device, the roof that decides it, and the ratio of bounds.",
        columns,
        (_row(row) for row in found.rows),
    )


def _row(row: Row) -> Line:
    point = row.point
    intensity = point.intensity()
    name = join((element("span", row.id, class_="rg-short"), f" {point.name}"))
    return Line(
        (
            Cell(name),
            Cell(f"{significant(intensity, 3)} {point.unit}/byte" if intensity else "–", sort=intensity),
            *(_side(side, f"{point.unit}/second") for side in row.sides),
            *map(_ratio, row.ratios),
        )
    )


def _side(side: Side, rate: str) -> Cell:
    if side.bound is None:
        return Cell("–", note=side.reason)
    told = f"decided by {called(side.decides)}" if side.decides else "cannot tell which roof"
    if side.at_least is not None:
        told += f", at least {format_value(side.at_least, 'second', 3)}"
    interval = format_interval(side.bound.low, side.bound.high, rate, 3)
    return Cell(
        join((format_value(side.bound.value, rate, 3), element("span", told, class_="rg-note"))),
        sort=side.bound.value,
        note="; ".join(filter(None, (interval, side.reason))),
    )


def _ratio(ratio: Ratio) -> Cell:
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return Cell(str(ratio.answer), note=ratio.reason)
    kind = ratio.answer.name.lower().replace("_", "-")
    word = element("span", str(ratio.answer), class_=f"rg-verdict rg-verdict-{kind}")
    span = f"{significant(ratio.low, 3)} … {significant(ratio.high, 3)}"
    shown = join((f"{significant(ratio.value, 3)} ", word, element("span", span, class_="rg-note")))
    return Cell(shown, sort=ratio.value, note=ratio.reason)
