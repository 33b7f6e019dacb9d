"""Instructions per cycle against independent accumulators, one small panel an operation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from reportgen.site.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Series(msgspec.Struct, frozen=True):
    """One form of the operation: `label` is its width or `scalar`."""

    label: str
    accumulators: tuple[float, ...]
    per_cycle: tuple[float, ...]


class Panel(msgspec.Struct, frozen=True):
    """The forms of one operation side by side."""

    title: str
    series: tuple[Series, ...]


class Saturation(msgspec.Struct, frozen=True):
    """Panels in reading order."""

    panels: tuple[Panel, ...]
    of: str = "a core"
    """Whose cycle it is."""


COLUMNS = 3
MARGINS = style.Margins(left=0.45, right=0.05, top=0.35, bottom=0.4)
ROOM_FOR_TWO_LINES = 0.15
"""Inches more on the left: the words of the vertical axis are longer than one row of panels is high."""
WIDE, TALL = 1.1, 1.62
"""Distance of panels; a panel's own axes are 1 wide and 1 tall."""
TICKS = (1, 2, 4, 8, 16)
SMALL = 8.5
LONGEST = 31
"""Letters of a title for which there is room."""


def draw(data: Saturation) -> str:
    """SVG of small multiples on common axes, so that panels compare by eye.

    All panels lie in one set of axes: fifteen sets of ticks take three times as long to draw.
    """
    from matplotlib.collections import LineCollection

    rows = math.ceil(len(data.panels) / COLUMNS)
    top = max(value for panel in data.panels for series in panel.series for value in series.per_cycle)
    # A plateau at 4.003 is not a reason for a line at 5.
    steps = [float(step) for step in range(math.ceil(top - 0.1) + 1)] if top >= 1 else [0, 0.25, 0.5, 0.75, 1]
    tall = max(top, steps[-1]) * 1.04
    used = {series.label for panel in data.panels for series in panel.series}
    strokes = {label: stroke for label, stroke in style.WIDTHS.items() if label in used}
    margins = MARGINS if rows > 1 else MARGINS._replace(left=MARGINS.left + ROOM_FOR_TWO_LINES)
    with style.canvas(0.75 + 1.5 * rows, margins) as (figure, (axes,)):
        axes.set_axis_off()
        axes.set_xlim(-0.02, COLUMNS * WIDE - 0.08)
        axes.set_ylim(-rows * TALL + 0.48, 0.22)
        grid, edges = [], []
        for number, panel in enumerate(data.panels):
            left, bottom = (number % COLUMNS) * WIDE, -(number // COLUMNS) * TALL - 1.0
            edges.append([(left, bottom + 1), (left, bottom), (left + 1, bottom)])
            for step in steps:
                height = bottom + step / tall
                grid.append([(left, height), (left + 1, height)])
                if not number % COLUMNS:
                    axes.text(left - 0.03, height, f"{step:g}", ha="right", va="center", fontsize=SMALL)
            for tick in TICKS:
                axes.text(
                    left + _across(tick), bottom - 0.05, str(tick), ha="center", va="top", fontsize=SMALL
                )
            axes.text(left, bottom + 1.08, panel.title, fontsize=SMALL)
            for series in panel.series:
                stroke = strokes.get(series.label, style.PLAIN)
                axes.plot(
                    [left + _across(count) for count in series.accumulators],
                    [bottom + value / tall for value in series.per_cycle],
                    color=stroke.colour,
                    linestyle=stroke.dash,
                    marker=stroke.marker,
                    markersize=4,
                    linewidth=1.5,
                    zorder=3,
                )
        axes.add_collection(LineCollection(grid, colors=style.GRID, linewidths=0.7, zorder=1))
        axes.add_collection(LineCollection(edges, colors=style.SOFT, linewidths=0.8, zorder=2))
        _legend(figure, strokes)
        # In the middle of the panels that are there, which may be fewer than a row has room for.
        columns = min(COLUMNS, len(data.panels))
        middle, _ = axes.transData.transform((((columns - 1) * WIDE + 1) / 2, 0))
        middle /= figure.bbox.width
        figure.supxlabel("independent accumulators", fontsize=9.5, x=middle, y=0.01)
        between = "\n" if rows == 1 else " "
        figure.supylabel(f"instructions per{between}cycle of {data.of}", fontsize=9.5, x=0.012)
        return style.to_svg(figure)


def _across(count: float) -> float:
    """Place of a count of accumulators in a panel: logarithmic, 1 to 16 with room at both ends."""
    return 0.06 + 0.88 * math.log2(count) / 4


def _legend(figure: Figure, strokes: dict[str, style.Stroke]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=stroke.colour,
            linestyle=stroke.dash,
            marker=stroke.marker,
            markersize=4,
            label=label,
        )
        for label, stroke in strokes.items()
    ]
    figure.legend(handles=handles, loc="upper left", ncols=len(handles), frameon=False, fontsize=9)
