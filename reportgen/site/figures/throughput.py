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


COLUMNS = 3
MARGINS = style.Margins(left=0.6, top=0.6, bottom=0.55)


def draw(data: Saturation) -> str:
    """SVG of small multiples on common axes, so that panels compare by eye."""
    rows = math.ceil(len(data.panels) / COLUMNS)
    top = max(value for panel in data.panels for series in panel.series for value in series.per_cycle)
    used = {series.label for panel in data.panels for series in panel.series}
    strokes = {label: stroke for label, stroke in style.WIDTHS.items() if label in used}
    with style.canvas(1.0 + 1.5 * rows, MARGINS, rows, COLUMNS) as (figure, grid):
        for number, (axes, panel) in enumerate(zip(grid, data.panels, strict=False)):
            for series in panel.series:
                stroke = strokes.get(series.label, style.PLAIN)
                axes.plot(
                    series.accumulators,
                    series.per_cycle,
                    color=stroke.colour,
                    linestyle=stroke.dash,
                    marker=stroke.marker,
                    markersize=4,
                    linewidth=1.5,
                    clip_on=False,
                )
            axes.set_title(panel.title, fontsize=9)
            axes.set_xscale("log", base=2)
            axes.set_xlim(0.85, 18.5)
            axes.set_ylim(0, top * 1.06)
            axes.grid(axis="y")
            axes.set_xticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
            axes.set_xticks([], minor=True)
            # A plateau at 4.003 is not a reason for a tick at 5.
            ticks = list(range(math.ceil(top - 0.1) + 1)) if top >= 1 else [0, 0.25, 0.5, 0.75, 1]
            axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
            if number % COLUMNS:
                axes.tick_params(axis="y", labelleft=False)
        for axes in grid[len(data.panels) :]:
            axes.set_visible(False)
        _legend(figure, strokes)
        figure.supxlabel("independent accumulators", fontsize=9.5)
        figure.supylabel("instructions per cycle", fontsize=9.5)
        return style.to_svg(figure)


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
