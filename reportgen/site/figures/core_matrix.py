"""How long a line takes from each core to each other: a heat map with its numbers."""

from __future__ import annotations

import math

import msgspec

from reportgen.site.figures import style
from reportgen.site.figures.interference import SCALE

CELL, LEAST = 0.52, 0.1
"""Inches of a cell where they have room, and at least."""
LEFT, RIGHT, TOP, BOTTOM = 0.95, 0.3, 0.6, 0.08
LEGIBLE = 0.33
"""Inches of a cell that a number needs."""
HATCHED = 8
"""CPUs up to which what has no number is hatched: of more, only some pairs are asked."""
NAMED = 0.16
"""Inches that the name of a CPU needs."""


class CoreMatrix(msgspec.Struct, frozen=True):
    """Times of pairs of CPUs, in both directions where both were asked."""

    cpus: tuple[str, ...]
    cells: tuple[tuple[str, str, float], ...]
    """First CPU, second CPU, nanoseconds one way."""


def draw(data: CoreMatrix) -> str:
    """SVG: pale is near, deep is far, by logarithms; hatched or empty where there is no number."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    scale = LinearSegmentedColormap.from_list("nanoseconds", SCALE)
    count = len(data.cpus)
    side = min(CELL, max(LEAST, (style.WIDTH_INCHES - LEFT - RIGHT) / count))
    place = {cpu: at for at, cpu in enumerate(data.cpus)}
    found = {(place[first], place[second]): time for first, second, time in data.cells}
    low, high = math.log(min(found.values())), math.log(max(found.values()))
    # The deepest colour is for a time twice the shortest or more: small differences stay pale.
    high = max(high, low + math.log(2))
    height = TOP + side * count + BOTTOM
    with style.canvas(height, style.Margins(left=LEFT, right=RIGHT, top=TOP, bottom=BOTTOM)) as (
        figure,
        (axes,),
    ):
        width = side * count / style.WIDTH_INCHES
        axes.set_position((LEFT / style.WIDTH_INCHES, BOTTOM / height, width, side * count / height))
        corners, colours = [], []
        for row in range(count):
            for column in range(count):
                time = found.get((row, column))
                if time is None:
                    hatch = "///" if count <= HATCHED or row == column else None
                    axes.add_patch(
                        Rectangle((column, row), 1, 1, facecolor="none", edgecolor=style.GRID, hatch=hatch)
                    )
                    continue
                share = (math.log(time) - low) / (high - low)
                corners.append([(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)])
                colours.append(scale(share))
                if side >= LEGIBLE:
                    axes.text(
                        column + 0.5, row + 0.5, f"{time:.3g}", ha="center", va="center", fontsize=8,
                        color=style.ON_DEEP if share > 0.55 else style.ON_PALE,
                    )  # fmt: skip
        axes.add_collection(PolyCollection(corners, facecolors=colours, edgecolors=style.PAPER, linewidths=1))
        axes.set_xlim(0, count)
        axes.set_ylim(count, 0)
        step = max(1, math.ceil(NAMED / side))
        shown = range(0, count, step)
        names = [data.cpus[at] for at in shown]
        axes.set_xticks([at + 0.5 for at in shown], names, fontsize=8.5)
        axes.xaxis.tick_top()
        axes.set_yticks([at + 0.5 for at in shown], [f"CPU {name}" for name in names], fontsize=8.5)
        axes.tick_params(length=0)
        axes.annotate(
            "second CPU; rows: the first; ns one way", (0, 0), xytext=(0, 22), textcoords="offset points",
            ha="left", va="bottom", fontsize=8.5, color=style.SOFT, annotation_clip=False,
        )  # fmt: skip
        for side_ in axes.spines.values():
            side_.set_visible(False)
        return style.to_svg(figure)
