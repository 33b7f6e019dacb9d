"""The measured roofline: memory roofs, compute roofs, ridge points, kernels and the no-overlap bound.

Method: Williams, Waterman and Patterson (2009), "Roofline: an insightful visual performance
model"; P <= min(pi, beta I).  The bound without overlap of transfer and arithmetic is
1 / (1/pi + 1/(beta I)): half of the roof at the ridge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from reportgen.findings.wording.names import precision
from reportgen.site.figures import labels, style
from reportgen.site.figures.roofline_record import Compute, Kernel, Memory, Roofline, frame
from reportgen.units import format_interval, format_value, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = ("-", "--", "-.", ":")
TOGETHER = 1.04
"""Highest ratio of two flat roofs that share a label: their lines are one on such an axis."""
CLEAR = 2.5
"""Between the name of a roof and that of a kernel, points."""
LINE = 9
"""Height of a line of text, points."""
ABOVE = 2.5
"""From a sloping roof to its name, points."""


def draw(data: Roofline) -> str:
    """SVG on logarithmic axes; every kernel has a title that browsers show under the pointer."""
    left, right, bottom, top = frame(data)
    notes = len(data.memory) + bool(data.bound) + bool(data.nominal) + bool(data.sweeps)
    below = 0.62 + 0.19 * math.ceil(notes / 2)
    with style.canvas(4.5 + below, style.Margins(left=1.15, right=0.2, bottom=below)) as (figure, (axes,)):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        mark_ticks(axes, data.unit, (left, right, bottom, top))
        axes.grid(which="major")
        peak = max(roof.rate for roof in data.compute)
        for roof in data.memory:
            _memory(axes, roof, peak, left)
        _levels(axes, data.memory, left)
        if data.bound:
            _without_overlap(axes, data, left, right)
        _nominal(axes, data, left, right)
        named = _compute(axes, data, right)
        _sweeps(axes, data)
        _ridges(axes, data)
        _kernels(axes, data, named)
        axes.set_xlabel(f"arithmetic intensity, {data.unit}/byte")
        axes.set_ylabel(f"{data.unit}/s")
        figure.legend(
            *axes.get_legend_handles_labels(),
            loc="lower left",
            bbox_to_anchor=(1.0 / style.WIDTH_INCHES, 0.0),
            ncols=2,
            frameon=False,
            fontsize=8.5,
        )
        return titled(style.to_svg(figure), {one.label: one.told for one in data.kernels if one.told})


def mark_ticks(axes: Axes, unit: str, ends: tuple[float, float, float, float]) -> None:
    """Decades in plain words on both axes, unlabelled ticks at 2 and 5; `ends` as `frame` gives them."""
    left, right, bottom, top = (round(math.log10(end)) for end in ends)
    across, up = range(left, right + 1), range(bottom, top + 1)
    axes.set_xticks([10.0**power for power in across], [significant(10.0**power) for power in across])
    axes.set_yticks(
        [10.0**power for power in up],
        [format_value(10.0**power, f"{unit}/second") for power in up],
    )
    axes.set_xticks([step * 10.0**power for power in across[:-1] for step in (2, 5)], minor=True)
    axes.set_yticks([step * 10.0**power for power in up[:-1] for step in (2, 5)], minor=True)
    axes.tick_params(which="minor", length=2.5, labelbottom=False, labelleft=False)


def _paper() -> dict[str, object]:
    """A scrap of the page behind a label, so that lines under it do not make it illegible."""
    return {"facecolor": style.PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 0.5}


def _memory(axes: Axes, roof: Memory, peak: float, left: float) -> None:
    stroke = style.LEVELS.get(roof.level, style.PLAIN)
    ridge = peak / roof.rate
    axes.plot(
        [left, ridge],
        [left * roof.rate, peak],
        color=stroke.colour,
        linestyle=stroke.dash,
        label=f"{roof.level.upper()} {roof.kernel}, {format_value(roof.rate, 'byte/second', 3)}",
        zorder=3,
    )


def _levels(axes: Axes, roofs: Sequence[Memory], left: float) -> None:
    """Names along the beginnings of their lines; lines too near for a text between them share one."""
    scale = 72 / axes.figure.dpi
    origin, decade = axes.transData.transform([(1.0, 1.0), (10.0, 10.0)]) * scale
    slope = (decade[1] - origin[1]) / (decade[0] - origin[0])
    steep = math.hypot(1, slope)
    room = (LINE + ABOVE) * steep
    start = LINE * slope / steep + ABOVE  # an upper left corner stays off the axis
    falling = sorted(roofs, key=lambda roof: -roof.rate)
    places = [float(axes.transData.transform((left, left * roof.rate))[1]) * scale for roof in falling]
    for near in sharing(falling, places, room):
        axes.annotate(
            ", ".join(roof.level.upper() for roof in near),
            (left, left * near[0].rate),
            xytext=(start, start * slope + ABOVE * steep),
            textcoords="offset points",
            va="bottom",
            rotation=math.degrees(math.atan(slope)),
            rotation_mode="anchor",
            fontsize=8.5,
        )


def sharing(roofs: Sequence[Memory], places: Sequence[float], room: float) -> list[list[Memory]]:
    """Roofs in lists that one text names: in each, the next is nearer below than `room`; `places` fall."""
    found: list[list[Memory]] = []
    last = math.inf
    for roof, place in zip(roofs, places, strict=True):
        if last - place < room:
            found[-1].append(roof)
        else:
            found.append([roof])
        last = place
    return found


def _without_overlap(axes: Axes, data: Roofline, left: float, right: float) -> None:
    """Thin curves under the roof of one precision: transfer and arithmetic one after the other."""
    peak = next(roof.rate for roof in data.compute if roof.precision == data.bound)
    grid = [left * (right / left) ** (step / 80) for step in range(81)]
    for number, roof in enumerate(data.memory):
        axes.plot(
            grid,
            [1 / (1 / peak + 1 / (roof.rate * x)) for x in grid],
            color=style.LEVELS.get(roof.level, style.PLAIN).colour,
            linewidth=0.8,
            alpha=0.75,
            zorder=2,
            label=f"thin: no overlap, {precision(data.bound)}" if number == len(data.memory) - 1 else None,
        )


def _nominal(axes: Axes, data: Roofline, left: float, right: float) -> None:
    """Dashed: what a driver or a vendor states."""
    peak = max(roof.rate for roof in data.compute)
    for number, one in enumerate(data.nominal):
        ends = ([left, peak / one.rate], [left * one.rate, peak]) if one.level else (
            [peak / max(roof.rate for roof in data.memory), right], [one.rate, one.rate]
        )  # fmt: skip
        axes.plot(
            *ends,
            color=style.SOFT,
            linestyle=(0, (6, 4)),
            linewidth=1.0,
            zorder=2,
            label="dashed: nominal" if not number else None,
        )
        text = f"nominal {one.name.upper()}, measured {one.ratio:.0%} of it".replace("%", " %")
        at = (ends[0][0] * 1.6, ends[1][0] * 1.6) if one.level else (right, one.rate)
        axes.annotate(
            text,
            at,
            xytext=(0, 3) if one.level else (-110, 3),
            textcoords="offset points",
            ha="left" if one.level else "right",
            fontsize=7.5,
            color=style.SOFT,
        )


def _compute(axes: Axes, data: Roofline, right: float) -> list[tuple[float, str, bool]]:
    """Flat roofs; gives rate, text and whether the text is below its line, of each label."""
    fastest = max(roof.rate for roof in data.memory)
    named = []
    last = math.inf
    for number, roofs in enumerate(heights(data.compute)):
        for roof in roofs:
            axes.plot(
                [roof.rate / fastest, right],
                [roof.rate, roof.rate],
                color=style.INK,
                linestyle=DASHES[number % len(DASHES)],
                linewidth=1.5,
                zorder=3,
            )
        highest = roofs[0].rate
        # Above its line, unless the next roof up is too near for a line of text.
        under = last / highest < 1.5
        names = ", ".join(precision(roof.precision) for roof in roofs)
        text = f"{names} {format_interval(roofs[-1].rate, highest, f'{data.unit}/second', 3)}"
        axes.annotate(
            text,
            (right, highest),
            xytext=(-3, -3 if under else 3),
            textcoords="offset points",
            ha="right",
            va="top" if under else "bottom",
            fontsize=8.5,
            bbox=_paper(),
            zorder=5.5,  # over lines, under the marks of kernels
        )
        named.append((highest, text, under))
        last = highest
    return named


def heights(roofs: Sequence[Compute]) -> list[list[Compute]]:
    """Roofs from the highest down; those that one line of text may name together are in one list."""
    found: list[list[Compute]] = []
    for roof in sorted(roofs, key=lambda roof: -roof.rate):
        if found and found[-1][0].rate <= TOGETHER * roof.rate:
            found[-1].append(roof)
        else:
            found.append([roof])
    return found


def _sweeps(axes: Axes, data: Roofline) -> None:
    """Small open circles in the colour of the level: loads with ever more arithmetic between them."""
    for number, one in enumerate(data.sweeps):
        axes.plot(
            [intensity for intensity, _ in one.places],
            [rate for _, rate in one.places],
            color=style.LEVELS.get(one.level, style.PLAIN).colour,
            linewidth=0.6,
            marker="o",
            markersize=3.2,
            markerfacecolor=style.PAPER,
            markeredgewidth=0.9,
            zorder=3.5,
            label="small circles: a stream that computes" if not number else None,
        )


def _ridges(axes: Axes, data: Roofline) -> None:
    peaks = {roof.precision: roof.rate for roof in data.compute}
    for ridge in data.ridges:
        if ridge.precision not in peaks:
            continue
        stroke = style.LEVELS.get(ridge.level, style.PLAIN)
        peak = peaks[ridge.precision]
        if ridge.low is not None and ridge.high is not None:
            axes.plot(
                [ridge.low, ridge.high], [peak, peak], color=stroke.colour, linewidth=4, alpha=0.6, zorder=4
            )
        axes.plot(
            [ridge.intensity],
            [peak],
            marker=stroke.marker,
            markersize=5,
            markerfacecolor=style.PAPER,
            markeredgecolor=stroke.colour,
            markeredgewidth=1.3,
            linestyle="none",
            zorder=4,
        )


def _kernels(axes: Axes, data: Roofline, named: list[tuple[float, str, bool]]) -> None:
    """Filled marks in the colour of the level that serves them; sizes of one routine are joined."""
    groups: dict[str, list[Kernel]] = {}
    for kernel in data.kernels:
        groups.setdefault(kernel.group or kernel.label, []).append(kernel)
    for group in groups.values():
        axes.plot(
            [one.intensity for one in group],
            [one.rate for one in group],
            color=style.SOFT,
            linewidth=0.6,
            alpha=0.6,
            zorder=4,
        )
    for kernel in data.kernels:
        stroke = style.LEVELS.get(kernel.level)
        colour = stroke.colour if stroke is not None else style.INK
        if kernel.low is not None and kernel.high is not None:
            axes.plot(
                [kernel.intensity] * 2,
                [kernel.low, kernel.high],
                color=colour,
                linewidth=1.0,
                alpha=0.6,
                zorder=5,
            )
        axes.plot(
            [kernel.intensity],
            [kernel.rate],
            marker=stroke.marker if stroke is not None else "*",
            color=colour,
            markersize=5 if stroke is not None else 7,
            markerfacecolor=style.PAPER if kernel.predicted else colour,
            markeredgecolor=colour if kernel.predicted else style.PAPER,
            markeredgewidth=1.2 if kernel.predicted else 0.5,
            linestyle="none",
            zorder=6,
            gid=f"kernel-{kernel.label}",
        )
    _names(axes, data, named)


def _names(axes: Axes, data: Roofline, named: list[tuple[float, str, bool]]) -> None:
    scale = 72 / axes.figure.dpi
    corners = axes.transAxes.transform([(0, 0), (1, 1)]) * scale
    inner = labels.Box(*corners[0], *corners[1])
    taken = []
    for rate, text, under in named:
        y = axes.transData.transform((1.0, rate))[1] * scale
        width = labels.ADVANCE * 8.5 * len(text)
        low, high = (y - 13, y) if under else (y, y + 13)
        taken.append(labels.Box(inner.right - width, low - CLEAR, inner.right, high + CLEAR))
    spots = [
        (*(axes.transData.transform((kernel.intensity, kernel.rate)) * scale), kernel.label)
        for kernel in data.kernels
    ]
    for kernel, spot in zip(data.kernels, labels.place(spots, inner, taken), strict=True):
        if spot is not None:
            axes.annotate(
                kernel.label,
                (kernel.intensity, kernel.rate),
                xytext=(spot.dx, spot.dy),
                textcoords="offset points",
                fontsize=labels.SIZE,
                bbox=_paper(),
                zorder=7,
            )


def titled(svg: str, told: Mapping[str, str]) -> str:
    """The group `kernel-<label>` of each of `told` with a title, which a browser shows under the pointer."""

    def title(match: re.Match[str]) -> str:
        return (
            f"{match.group(0)}<title>{escape(told[match.group(1)])}</title>"
            if match.group(1) in told
            else match.group(0)
        )

    return re.sub(r'<g id="kernel-([A-Z]+\d*)">', title, svg)


def standalone(svg: str) -> str:
    """The drawing as a file of its own: on paper, and in the dark palette where its reader prefers that.

    Colours stay written out, so that a program without style sheets shows the light one.
    """
    dark = "".join(
        f'[style*="{what}: {colour}"]{{{what}:{other}!important}}'
        for colour, other in style.DARK.items()
        for what in ("fill", "stroke")
    )
    paper = f"svg{{background:{style.PAPER}}}"
    night = f"@media(prefers-color-scheme:dark){{svg{{background:{style.DARK[style.PAPER]}}}{dark}}}"
    return svg.replace("<defs>", f"<style>{paper}{night}</style>\n<defs>", 1)
