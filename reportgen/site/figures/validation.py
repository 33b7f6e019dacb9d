"""Predicted against measured cycles of a round, one panel a predictor, on equal logarithmic axes."""

from __future__ import annotations

import msgspec

from reportgen.site.figures import equal_axes, style

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


SEEN, HELD = style.LEVELS["l1"], style.LEVELS["dram"]


def draw(data: Scatter) -> str:
    """SVG: a mark a loop, those held out filled; a stem is the predicted range."""
    from matplotlib.collections import LineCollection

    dots = [dot for panel in data.panels for dot in panel.dots]
    ends = [value for dot in dots for value in (dot.measured, dot.predicted)]
    low, high = min(ends) / 1.3, max(ends) * 1.3
    height = 2.95 if len(data.panels) > 2 else 3.4
    with style.canvas(height, equal_axes.MARGINS, 1, len(data.panels)) as (figure, panels):
        for place, (axes, panel) in enumerate(zip(panels, data.panels, strict=True)):
            equal_axes.prepare(axes, low, high, (1 - AWAY, 1 + AWAY))
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
            equal_axes.finish(axes, panel.name, "" if place else "predicted cycles of a round")
        figure.text(0.5, 0.012, "measured cycles of a round", ha="center", va="bottom")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper left", ncols=2, frameon=False, fontsize=9)
        return style.to_svg(figure)
