"""Rooflines of several devices on one pair of axes, with a vertical line at each workload's intensity.

Method as in `roofline`; one precision and one memory level, so that each device has one roofline.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from reportgen.roofline.across import Across
from reportgen.roofline.bounds import attainable
from reportgen.roofline.roofs import called
from reportgen.site.figures import style
from reportgen.site.figures.roofline import mark_ticks, titled
from reportgen.site.figures.roofline_record import WIDEST
from reportgen.units import format_value, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STROKES = (
    style.Stroke(style.BLUE, "o", "-"),
    style.Stroke("#d55e00", "D", "--"),
    style.Stroke("#009e73", "s", "-."),
    style.Stroke("#cc79a7", "v", ":"),
    style.Stroke("#e69f00", "^", "-"),
    style.Stroke("#56b4e9", "P", "--"),
)
"""By place of the device."""
TIERS = 3
"""Rows above the axes for the names of the vertical lines."""
TIER_INCHES = 0.15


class Line(msgspec.Struct, frozen=True):
    """One device; a roof that was not measured is None."""

    number: int
    name: str
    peak: float | None
    bandwidth: float | None
    unit: str = ""
    """Name of the peak, where it is that of a unit of its own."""


class Mark(msgspec.Struct, frozen=True):
    """The bound of a workload on one device."""

    label: str
    """Short name of the workload and number of the device: `A2`."""
    number: int
    intensity: float
    rate: float
    low: float
    high: float
    told: str


class Vertical(msgspec.Struct, frozen=True):
    """A workload's intensity."""

    label: str
    intensity: float


class Lines(msgspec.Struct, frozen=True):
    """All that the figure shows."""

    precision: str
    level: str
    unit: str
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    verticals: tuple[Vertical, ...]


def record(found: Across, labels: tuple[str, ...] = ()) -> Lines | None:
    """What the figure shows of a comparison; None where no device has a roof for it.

    Args:
        found: workloads of the precision and level of the first one; others are left out.
        labels: names of the vertical lines; the short names of the workloads where not given.
    """
    if not found.rows:
        return None
    head = found.rows[0].point
    precision, level = head.precision, head.home
    lines, marks, verticals = [], [], []
    for number, one in enumerate(found.devices, 1):
        peak, rate = one.roofs.compute.get(precision), one.roofs.memory.get(level)
        if peak is not None or rate is not None:
            flat = peak.value if peak is not None else None
            unit = peak.name if peak is not None and peak.name != precision else ""
            lines.append(Line(number, one.name, flat, rate.value if rate is not None else None, unit))
    for row, label in zip(found.rows, labels or tuple(row.id for row in found.rows), strict=True):
        intensity = row.point.intensity(level)
        if (row.point.precision, row.point.home) != (precision, level) or intensity is None:
            continue
        verticals.append(Vertical(label, intensity))
        for number, (one, side) in enumerate(zip(found.devices, row.sides, strict=True), 1):
            if side.bound is None:
                continue
            rate_text = format_value(side.bound.value, f"{head.unit}/second", 3)
            told = (
                f"{row.id} {row.point.name}, {called(precision)} on {one.name}\n"
                f"I = {significant(intensity, 3)} {head.unit}/byte in {level.upper()}\n"
                f"at most {rate_text}\ndecided by {called(side.decides) or 'cannot tell'}"
            )
            bound = side.bound
            marks.append(
                Mark(f"{row.id}{number}", number, intensity, bound.value, bound.low, bound.high, told)
            )
    if not lines:
        return None
    return Lines(precision, level, head.unit, tuple(lines), tuple(marks), tuple(verticals))


def frame(data: Lines) -> tuple[float, float, float, float]:
    """Left, right, bottom and top: whole decades, the horizontal ones those of every roofline."""
    places = [one.intensity for one in data.verticals]
    places += [one.peak / one.bandwidth for one in data.lines if one.peak and one.bandwidth]
    left = min(WIDEST[0], 10.0 ** math.floor(math.log10(min(places))))
    right = max(WIDEST[1], 10.0 ** math.ceil(math.log10(max(places))))
    low = [_at(one, left) for one in data.lines]
    high = [_at(one, right) for one in data.lines]
    bottom = 10.0 ** math.floor(math.log10(min(low)))
    return left, right, bottom, 10.0 ** math.ceil(math.log10(max(high) * 1.15))


def _at(one: Line, intensity: float) -> float:
    """The roof of a device, or the one of its two roofs that there is."""
    return attainable(one.peak or math.inf, one.bandwidth or math.inf, intensity)


def draw(data: Lines) -> str:
    """SVG on logarithmic axes; every bound has a title that browsers show under the pointer."""
    ends = frame(data)
    below = 0.62 + 0.19 * len(data.lines)
    above = 0.1 + TIER_INCHES * TIERS
    margins = style.Margins(left=1.15, right=0.3, top=above, bottom=below)
    with style.canvas(3.9 + below + above, margins) as (figure, (axes,)):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(*ends[:2])
        axes.set_ylim(*ends[2:])
        mark_ticks(axes, data.unit, ends)
        axes.grid(which="major")
        for one in data.lines:
            _line(axes, data, one, ends)
        _numbers(axes, data, ends[1])
        _verticals(axes, data)
        _marks(axes, data)
        axes.set_xlabel(f"arithmetic intensity, {data.unit}/byte")
        axes.set_ylabel(f"{data.unit}/s")
        figure.legend(
            *axes.get_legend_handles_labels(),
            loc="lower left",
            bbox_to_anchor=(1.0 / style.WIDTH_INCHES, 0.0),
            frameon=False,
            fontsize=8.5,
        )
        return titled(style.to_svg(figure), {mark.label: mark.told for mark in data.marks})


def _line(axes: Axes, data: Lines, one: Line, ends: tuple[float, float, float, float]) -> None:
    stroke = STROKES[(one.number - 1) % len(STROKES)]
    ridge = [one.peak / one.bandwidth] if one.peak and one.bandwidth else []
    xs = [ends[0], *ridge, ends[1]]
    roofs = ", ".join(
        f"{called(name)} {format_value(value, unit, 3)}"
        for name, value, unit in (
            (one.unit or data.precision, one.peak, f"{data.unit}/second"),
            (data.level, one.bandwidth, "byte/second"),
        )
        if value
    )
    axes.plot(
        xs,
        [_at(one, x) for x in xs],
        color=stroke.colour,
        linestyle=stroke.dash,
        label=f"{one.number}  {one.name}: {roofs}",
        zorder=3,
    )


def _numbers(axes: Axes, data: Lines, right: float) -> None:
    """Each device's number at the end of its line, higher where that of the line below is too near."""
    scale = 72 / axes.figure.dpi
    last = -math.inf
    for one in sorted(data.lines, key=lambda one: _at(one, right)):
        y = axes.transData.transform((right, _at(one, right)))[1] * scale
        raised = max(0.0, last + 10 - y)
        last = y + raised
        axes.annotate(
            str(one.number),
            (right, _at(one, right)),
            xytext=(5, raised),
            textcoords="offset points",
            va="center",
            fontsize=9,
            fontweight="bold",
            color=STROKES[(one.number - 1) % len(STROKES)].colour,
            annotation_clip=False,
        )


def _verticals(axes: Axes, data: Lines) -> None:
    """A line at each intensity; its name above the axes, in another row where the last one is too near."""
    scale = 72 / axes.figure.dpi
    ends = [-math.inf] * TIERS
    for one in sorted(data.verticals, key=lambda one: one.intensity):
        axes.axvline(one.intensity, color=style.SOFT, linewidth=0.9, linestyle=(0, (3, 2)), zorder=2)
        x = axes.transData.transform((one.intensity, 1.0))[0] * scale
        half = 0.31 * 8 * len(one.label) + 1.5
        tier = next((place for place in range(TIERS) if ends[place] < x - half), None)
        if tier is None:
            continue
        ends[tier] = x + half
        axes.annotate(
            one.label,
            (one.intensity, 1.0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(0, 2 + tier * TIER_INCHES * 72),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=8,
            annotation_clip=False,
        )


def _marks(axes: Axes, data: Lines) -> None:
    for mark in data.marks:
        stroke = STROKES[(mark.number - 1) % len(STROKES)]
        axes.plot([mark.intensity] * 2, [mark.low, mark.high], color=stroke.colour, alpha=0.6, zorder=5)
        axes.plot(
            [mark.intensity],
            [mark.rate],
            marker=stroke.marker,
            color=stroke.colour,
            markersize=6,
            markeredgecolor=style.PAPER,
            markeredgewidth=0.6,
            linestyle="none",
            zorder=6,
            gid=f"kernel-{mark.label}",
        )
