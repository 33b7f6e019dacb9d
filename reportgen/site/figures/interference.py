"""How far each pair of operation classes gets in each other's way, as a heat map."""

from __future__ import annotations

import math
from textwrap import wrap

import msgspec

from reportgen.site.figures import style


class Pair(msgspec.Struct, frozen=True):
    """One cell: 0 the two run beside each other, 1 one after the other."""

    first: str
    second: str
    ratio: float | None
    """Below 0 is noise around 0 and drawn as 0; absent where there is no number."""
    mark: str = ""
    """`?` where the front end alone explains the time."""


class HeatMap(msgspec.Struct, frozen=True):
    """All pairs; `names` gives the order of rows and columns, `titles` what they are called."""

    names: tuple[str, ...]
    titles: tuple[str, ...]
    pairs: tuple[Pair, ...]


LEFT = 1.62
ABOVE = 8.5 / 72 * 0.57
"""Inches of a letter of a column's name."""
SLANT = 50
"""Degrees by which the names of columns rise."""

SCALE = ("#f3f6f9", "#b7d4e8", "#5ba3cf", "#0072b1", "#003f68")
"""Pale to deep in one hue, from independent to serialised: order survives any colour vision.  The
fourth is a shade off `style.BLUE`, which dark pages replace: numbers on these have colours of their own."""

SQUARE = 16
"""Up to so many operations the matrix has a column for each; a wider one would not carry its numbers."""


def columns(data: HeatMap) -> tuple[str, ...]:
    """The operations that are columns, in the order of `names`: so few that every pair has a cell.

    Where a few operations were paired with many, those few; chosen greedily by the pairs they cover.
    """
    if len(data.names) <= SQUARE:
        return data.names
    left = {frozenset((pair.first, pair.second)) for pair in data.pairs if pair.first != pair.second}
    chosen: set[str] = set()
    while left:
        best = max(data.names, key=lambda name: sum(name in pair for pair in left))
        chosen.add(best)
        left = {pair for pair in left if best not in pair}
    return tuple(name for name in data.names if name in chosen)


def _margins(short: list[str]) -> style.Margins:
    """Room for the names of columns, which rise to the right: the last ones reach beyond the matrix."""
    angle = math.radians(SLANT)
    longest = max(len(name) for name in short)
    cell = (style.WIDTH_INCHES - LEFT - 0.5) / len(short)
    beyond = max(
        len(name) * ABOVE * math.cos(angle) - (len(short) - number - 0.5) * cell
        for number, name in enumerate(short)
    )
    top = 0.15 + longest * ABOVE * math.sin(angle)
    return style.Margins(left=LEFT, right=max(0.1, beyond + 0.05), top=top, bottom=0.05)


def draw(data: HeatMap) -> str:
    """SVG of the matrix; each cell also carries its number."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    scale = LinearSegmentedColormap.from_list("interference", SCALE)
    cells: dict[tuple[str, str], Pair] = {}
    for pair in data.pairs:
        cells[(pair.first, pair.second)] = pair
        cells.setdefault((pair.second, pair.first), pair)
    across = columns(data)
    count, rows = len(across), len(data.names)
    corners, colours = [], []
    # Columns carry the short name that metric ids use, rows what people call the operation; a number goes
    # with both, as the two may have few words in common.
    place = {name: number for number, name in enumerate(data.names, 1)}
    short = [f"{place[name]} {name.replace('_', ' ')}" for name in across]
    margins = _margins(short)
    height = margins.top + 0.05 + (0.37 if rows <= SQUARE else 0.3) * rows
    with style.canvas(height, margins) as (figure, (axes,)):
        for row, first in enumerate(data.names):
            for column, second in enumerate(across):
                cell = cells.get((first, second))
                if cell is None or cell.ratio is None:
                    axes.add_patch(
                        Rectangle((column, row), 1, 1, facecolor="none", edgecolor=style.GRID, hatch="///")
                    )
                    continue
                share = min(max(cell.ratio, 0.0), 1.0)
                corners.append([(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)])
                colours.append(scale(share))
                axes.text(
                    column + 0.5,
                    row + 0.5,
                    f"{max(cell.ratio, 0.0):.2f}{cell.mark}",
                    ha="center",
                    va="center",
                    fontsize=8 if count <= 14 else 6.5,
                    color=style.ON_DEEP if share > 0.55 else style.ON_PALE,
                )
        axes.add_collection(PolyCollection(corners, facecolors=colours, edgecolors=style.PAPER, linewidths=1))
        axes.set_xlim(0, count)
        axes.set_ylim(rows, 0)
        middles = [place + 0.5 for place in range(rows)]
        axes.set_xticks(
            middles[:count], short, rotation=SLANT, ha="left", rotation_mode="anchor", fontsize=8.5
        )
        titles = (
            "\n".join(wrap(f"{number} {title}", 24, max_lines=2, placeholder=" …"))
            for number, title in enumerate(data.titles, 1)
        )
        axes.set_yticks(middles, list(titles), fontsize=8.5)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        return style.to_svg(figure)
