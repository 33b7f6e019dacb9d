"""Shares of misses, measured and as replacement policies predict them, coloured where they differ."""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style
from reportgen.site.figures.interference import SCALE

ROW, HEAD, FOOT = 0.3, 0.42, 0.06
"""Inches of a row, of the heads, of the room under the last row."""
LEFT, RIGHT = 1.75, 0.1
DEEPEST = 0.4
"""Difference of two shares from which on a cell is as deep as can be."""
NARROW = 0.011
"""Ends of a prediction closer together are told as one number."""


class Cell(msgspec.Struct, frozen=True):
    """What a policy predicts for a sequence."""

    low: float
    high: float
    beyond: float
    """How far the measured share lies outside; 0 where it is within what is allowed."""


class Line(msgspec.Struct, frozen=True):
    """One policy."""

    title: str
    left: bool
    """No sequence excludes it."""
    cells: tuple[Cell, ...]


class Shares(msgspec.Struct, frozen=True):
    """Sequences as columns: measured shares, then policies, those that are left first."""

    sequences: tuple[str, ...]
    measured: tuple[float, ...]
    policies: tuple[Line, ...]


def draw(data: Shares) -> str:
    """SVG: each cell carries a share; coloured where the measured one does not fit, deeper if further."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap

    scale = LinearSegmentedColormap.from_list("beyond", SCALE[1:])
    columns, rows = len(data.sequences), len(data.policies) + 1
    height = HEAD + ROW * rows + FOOT
    margins = style.Margins(left=LEFT, right=RIGHT, top=0.05, bottom=0.05)
    with style.canvas(height, margins) as (figure, (axes,)):
        width = (style.WIDTH_INCHES - LEFT - RIGHT) / style.WIDTH_INCHES
        axes.set_position((LEFT / style.WIDTH_INCHES, FOOT / height, width, ROW * rows / height))
        corners, colours = [], []
        for at, share in enumerate(data.measured):
            axes.text(
                at + 0.5, 0.5, f"{share:.2f}", ha="center", va="center", fontsize=8.5, fontweight="bold",
                color=style.INK,
            )  # fmt: skip
        for row, line in enumerate(data.policies, start=1):
            for at, cell in enumerate(line.cells):
                share = min(cell.beyond / DEEPEST, 1.0)
                if cell.beyond:
                    corners.append([(at, row), (at + 1, row), (at + 1, row + 1), (at, row + 1)])
                    colours.append(scale(share))
                on_cell = style.ON_DEEP if share > 0.6 else style.ON_PALE
                axes.text(
                    at + 0.5, row + 0.5, told(cell), ha="center", va="center",
                    fontsize=7.5 if cell.high - cell.low >= NARROW else 8.5,
                    color=on_cell if cell.beyond else style.INK,
                )  # fmt: skip
        axes.add_collection(
            PolyCollection(corners, facecolors=colours, edgecolors=style.PAPER, linewidths=1, zorder=0)
        )
        axes.set_xlim(0, columns)
        axes.set_ylim(rows, 0)
        axes.set_xticks([at + 0.5 for at in range(columns)], data.sequences, fontsize=8.5)
        axes.xaxis.tick_top()
        axes.set_yticks(
            [row + 0.5 for row in range(rows)],
            ["measured", *(f"{line.title}, fits" if line.left else line.title for line in data.policies)],
            fontsize=8.5,
        )
        axes.tick_params(length=0)
        axes.axhline(1, color=style.SOFT, linewidth=1)
        axes.annotate(
            "access sequence", (0, 0), xytext=(0, 20), textcoords="offset points", ha="left", va="bottom",
            fontsize=8.5, color=style.SOFT, annotation_clip=False,
        )  # fmt: skip
        for side in axes.spines.values():
            side.set_visible(False)
        return style.to_svg(figure)


def told(cell: Cell) -> str:
    """A prediction in few letters: "0.33", ".17–.50"."""
    if cell.high - cell.low < NARROW:
        return f"{(cell.low + cell.high) / 2:.2f}"
    return "–".join(f"{end:.2f}".removeprefix("0") for end in (cell.low, cell.high))
