"""Predicted against measured cycles of instruction forms, on equal logarithmic axes.

Numbers that lie together are one mark, larger where they are more.
"""

from __future__ import annotations

import msgspec

from reportgen.site.figures import equal_axes, style
from reportgen.survey.record import AGREES, FASTER, SLOWER, UNCLEAR

SIZES = ((1, 5.0), (4, 12.0), (16, 26.0), (64, 52.0))
"""From so many forms on, area of a mark in square points."""


class Dot(msgspec.Struct, frozen=True):
    """Numbers that lie together, cycles."""

    measured: float
    predicted: float
    number: int
    verdict: str


class Panel(msgspec.Struct, frozen=True):
    """Numbers of one kind."""

    name: str
    dots: tuple[Dot, ...]


class Scatter(msgspec.Struct, frozen=True):
    """Panels from left to right."""

    panels: tuple[Panel, ...]
    model: str
    """Who predicts."""
    within: float
    """Share of the larger number by which the two may differ and agree: the dashed lines."""


STROKES = {
    AGREES: style.LEVELS["l1"],
    SLOWER: style.LEVELS["dram"],
    FASTER: style.LEVELS["l2"],
    UNCLEAR: style.LEVELS["shared"],
}
"""By verdict."""
LABELS = {
    AGREES: "the two agree",
    SLOWER: "device slower",
    FASTER: "device faster",
    UNCLEAR: "interval too wide",
}


def draw(data: Scatter) -> str:
    """SVG: a mark for each place where numbers lie."""
    ends = [value for panel in data.panels for dot in panel.dots for value in (dot.measured, dot.predicted)]
    low, high = min(ends) / 1.5, max(ends) * 1.5
    with style.canvas(3.7, equal_axes.MARGINS, 1, len(data.panels)) as (figure, panels):
        for place, (axes, panel) in enumerate(zip(panels, data.panels, strict=True)):
            equal_axes.prepare(axes, low, high, (1 - data.within, 1 / (1 - data.within)))
            for verdict, stroke in STROKES.items():
                for least, area in SIZES:
                    some = [dot for dot in panel.dots if dot.verdict == verdict and _size(dot) == least]
                    if some:
                        axes.scatter(
                            [dot.measured for dot in some],
                            [dot.predicted for dot in some],
                            s=area,
                            marker=stroke.marker,
                            facecolors="none",
                            edgecolors=stroke.colour,
                            linewidths=0.9,
                            zorder=3,
                        )
            equal_axes.finish(axes, panel.name, "" if place else f"cycles that {data.model} says")
        for verdict, stroke in STROKES.items():
            if any(dot.verdict == verdict for panel in data.panels for dot in panel.dots):
                panels[0].scatter(
                    [], [], s=22, marker=stroke.marker, facecolors="none", edgecolors=stroke.colour,
                    linewidths=1.1, label=LABELS[verdict],
                )  # fmt: skip
        figure.text(0.5, 0.012, "measured cycles", ha="center", va="bottom")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper left", ncols=4, frameon=False, fontsize=9)
        return style.to_svg(figure)


def _size(dot: Dot) -> int:
    return max(least for least, _ in SIZES if dot.number >= least)
