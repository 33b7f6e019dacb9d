"""Predicted against measured cycles of a round, one panel a predictor, on equal logarithmic axes."""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style

AWAY = 0.2
"""The dashed lines: a fifth off to either side."""


class Dot(msgspec.Struct, frozen=True):
    """A loop, cycles of a round."""

    measured: float
    predicted: float
    low: float | None
    high: float | None
    held_out: bool


class Panel(msgspec.Struct, frozen=True):
    """A predictor."""

    name: str
    dots: tuple[Dot, ...]


class Scatter(msgspec.Struct, frozen=True):
    """Panels from left to right."""

    panels: tuple[Panel, ...]


MARGINS = style.Margins(left=0.65, right=0.1, top=0.62, bottom=0.55)
SEEN, HELD = style.LEVELS["l1"], style.LEVELS["dram"]


def draw(data: Scatter) -> str:
    """SVG: a mark a loop, those held out filled; a stem is the predicted range."""
    from matplotlib.collections import LineCollection

    dots = [dot for panel in data.panels for dot in panel.dots]
    ends = [value for dot in dots for value in (dot.measured, dot.predicted)]
    low, high = min(ends) / 1.3, max(ends) * 1.3
    height = 2.95 if len(data.panels) > 2 else 3.4
    with style.canvas(height, MARGINS, 1, len(data.panels)) as (figure, panels):
        for place, (axes, panel) in enumerate(zip(panels, data.panels, strict=True)):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(low, high)
            axes.set_ylim(low, high)
            axes.plot((low, high), (low, high), color=style.SOFT, linewidth=1, zorder=1)
            for factor in (1 - AWAY, 1 + AWAY):
                ends_ = (low * factor, high * factor)
                axes.plot((low, high), ends_, color=style.SOFT, linewidth=0.8, linestyle="--", zorder=1)
            spans = [
                [(dot.measured, max(dot.low, low)), (dot.measured, min(dot.high, high))]
                for dot in panel.dots
                if dot.low is not None and dot.high is not None
            ]
            axes.add_collection(LineCollection(spans, colors=style.GRID, linewidths=1.6, zorder=2))
            for held, stroke, label in ((False, SEEN, "looked at before"), (True, HELD, "held out")):
                some = [dot for dot in panel.dots if dot.held_out is held]
                axes.scatter(
                    [dot.measured for dot in some],
                    [dot.predicted for dot in some],
                    s=16,
                    marker=stroke.marker,
                    facecolors=stroke.colour if held else "none",
                    edgecolors=stroke.colour,
                    linewidths=1.1,
                    zorder=3,
                    label=label,
                )
            style.plain_log_ticks("x", axes, low, high)
            style.plain_log_ticks("y", axes, low, high)
            axes.set_aspect("equal")
            axes.grid(visible=True)
            axes.set_title(panel.name)
            if place:
                axes.set_yticklabels([])
            else:
                axes.set_ylabel("predicted cycles of a round")
        figure.text(0.5, 0.012, "measured cycles of a round", ha="center", va="bottom")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper left", ncols=2, frameon=False, fontsize=9)
        return style.to_svg(figure)
