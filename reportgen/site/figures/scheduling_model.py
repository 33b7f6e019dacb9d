"""Predicted against measured cycles of instruction forms, on equal logarithmic axes.

Numbers that lie together are one mark, larger where they are more.
"""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style

WITHIN = 0.1
"""The dashed lines: a tenth off to either side."""
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


MARGINS = style.Margins(left=0.65, right=0.1, top=0.62, bottom=0.55)
STROKES = {
    "agrees": style.LEVELS["l1"],
    "slower": style.LEVELS["dram"],
    "faster": style.LEVELS["l2"],
    "unclear": style.LEVELS["shared"],
}
"""By verdict."""
LABELS = {
    "agrees": "the two agree",
    "slower": "device slower",
    "faster": "device faster",
    "unclear": "interval too wide",
}


def draw(data: Scatter) -> str:
    """SVG: a mark for each place where numbers lie."""
    ends = [value for panel in data.panels for dot in panel.dots for value in (dot.measured, dot.predicted)]
    low, high = min(ends) / 1.5, max(ends) * 1.5
    with style.canvas(3.7, MARGINS, 1, len(data.panels)) as (figure, panels):
        for place, (axes, panel) in enumerate(zip(panels, data.panels, strict=True)):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(low, high)
            axes.set_ylim(low, high)
            axes.plot((low, high), (low, high), color=style.SOFT, linewidth=1, zorder=1)
            for factor in (1 - WITHIN, 1 / (1 - WITHIN)):
                ends_ = (low * factor, high * factor)
                axes.plot((low, high), ends_, color=style.SOFT, linewidth=0.8, linestyle="--", zorder=1)
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
            style.plain_log_ticks("x", axes, low, high)
            style.plain_log_ticks("y", axes, low, high)
            axes.set_aspect("equal")
            axes.grid(visible=True)
            axes.set_title(panel.name)
            if place:
                axes.set_yticklabels([])
            else:
                axes.set_ylabel(f"cycles that {data.model} says")
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
