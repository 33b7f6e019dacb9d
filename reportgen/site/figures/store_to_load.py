"""How long a load of what a store just wrote takes, by the widths of both and its place: a heat map."""

from __future__ import annotations

import math
from itertools import groupby

import msgspec

from reportgen.site.figures import style
from reportgen.site.figures.interference import SCALE

PLACES = ("first", "last", "across")
"""Columns of a width: from the first byte of the store on, its last bytes, across its end."""
ROW, HEAD, GAP = 0.34, 0.82, 0.18
"""Inches of a row, of a panel's heads, of the room under it."""
LEFT, RIGHT = 1.3, 0.22


class Cell(msgspec.Struct, frozen=True):
    """One case."""

    store: int
    load: int
    """Bits."""
    place: str
    cycles: float


class Panel(msgspec.Struct, frozen=True):
    """One register file: a row a width of stores, a column a width and place of loads."""

    title: str
    stores: tuple[int, ...]
    loads: tuple[tuple[int, str], ...]
    cells: tuple[Cell, ...]


class Cases(msgspec.Struct, frozen=True):
    """Panels from the top, on one scale of colours."""

    panels: tuple[Panel, ...]


def draw(data: Cases) -> str:
    """SVG: each cell carries its cycles; hatched where there is no such case or no number."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    scale = LinearSegmentedColormap.from_list("cycles", SCALE)
    some = [cell.cycles for panel in data.panels for cell in panel.cells]
    low, high = math.log(min(some)), math.log(max(some))
    heights = [HEAD + ROW * len(panel.stores) + GAP for panel in data.panels]
    total = sum(heights)
    margins = style.Margins(left=LEFT, right=RIGHT, top=0.05, bottom=0.05)
    with style.canvas(total, margins, rows=len(data.panels)) as (figure, every):
        top = total
        for axes, panel, height in zip(every, data.panels, heights, strict=True):
            rows, columns = len(panel.stores), len(panel.loads)
            bottom = top - height + GAP
            width = (style.WIDTH_INCHES - LEFT - RIGHT) / style.WIDTH_INCHES
            axes.set_position((LEFT / style.WIDTH_INCHES, bottom / total, width, ROW * rows / total))
            top -= height
            found = {(cell.store, cell.load, cell.place): cell.cycles for cell in panel.cells}
            corners, colours = [], []
            for row, store in enumerate(panel.stores):
                for at, (load, place) in enumerate(panel.loads):
                    cycles = found.get((store, load, place))
                    if cycles is None:
                        axes.add_patch(
                            Rectangle((at, row), 1, 1, facecolor="none", edgecolor=style.GRID, hatch="///")
                        )
                        continue
                    share = (math.log(cycles) - low) / (high - low) if high > low else 0.0
                    corners.append([(at, row), (at + 1, row), (at + 1, row + 1), (at, row + 1)])
                    colours.append(scale(share))
                    axes.text(
                        at + 0.5, row + 0.5, f"{cycles:.1f}", ha="center", va="center", fontsize=8,
                        color=style.ON_DEEP if share > 0.55 else style.ON_PALE,
                    )  # fmt: skip
            axes.add_collection(
                PolyCollection(corners, facecolors=colours, edgecolors=style.PAPER, linewidths=1)
            )
            axes.set_xlim(0, columns)
            axes.set_ylim(rows, 0)
            names = [place for _, place in panel.loads]
            axes.set_xticks([at + 0.5 for at in range(columns)], names, fontsize=8)
            axes.xaxis.tick_top()
            axes.set_yticks(
                [row + 0.5 for row in range(rows)],
                [f"{bits}-bit store" for bits in panel.stores],
                fontsize=8.5,
            )
            axes.tick_params(length=0)
            for bits, own in groupby(range(columns), key=lambda at: panel.loads[at][0]):
                places = list(own)
                axes.annotate(
                    f"{bits}-bit load", (places[0] + len(places) / 2, 0), xytext=(0, 20),
                    textcoords="offset points", ha="center", va="bottom", fontsize=8.5, annotation_clip=False,
                )  # fmt: skip
                if places[0]:
                    axes.axvline(places[0], color=style.SOFT, linewidth=1)
            axes.annotate(
                panel.title, (0, 0), xytext=(0, 36), textcoords="offset points", ha="left", va="bottom",
                fontsize=10, annotation_clip=False,
            )  # fmt: skip
            for side in axes.spines.values():
                side.set_visible(False)
        return style.to_svg(figure)
