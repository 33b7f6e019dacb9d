"""How far each multiprocessor is from the lines of the second-level cache: a heat map by groups of both."""

from __future__ import annotations

from itertools import groupby

import msgspec

from reportgen.site.figures import style
from reportgen.site.figures.interference import SCALE

LEFT, RIGHT, TOP, BOTTOM = 1.05, 0.9, 0.42, 0.3
LEAST, MOST, ROW = 1.6, 4.2, 0.045
"""Inches of the map, and of a row where they have room."""
NAMED = 0.13
"""Inches that the name of a group of multiprocessors needs."""
LETTERS = 0.075
"""The same of a letter of a group of lines."""


class DistanceMap(msgspec.Struct, frozen=True):
    """Cycles [multiprocessor, column], both in the order of their groups."""

    groups: tuple[int, ...]
    """Of each row, from 0 on."""
    lines: tuple[int, ...]
    """How many each column stands for."""
    line_groups: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]


def draw(data: DistanceMap) -> str:
    """SVG: pale is near, deep is far; lines part the groups, whose sizes stand beside them."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    rows = len(data.cycles)
    inside = min(MOST, max(LEAST, ROW * rows))
    scale = LinearSegmentedColormap.from_list("cycles", SCALE)
    values = np.array(data.cycles, dtype=float)
    low, high = (float(np.quantile(values, share)) for share in (0.01, 0.99))
    span = max(high - low, 0.05 * high)
    edges = np.concatenate([[0], np.cumsum(data.lines)]).astype(float)
    margins = style.Margins(left=LEFT, right=RIGHT, top=TOP, bottom=BOTTOM)
    with style.canvas(inside + TOP + BOTTOM, margins) as (figure, (axes,)):
        shares = np.clip((values - low) / span, 0, 1)
        axes.pcolorfast(edges, np.arange(rows + 1.0), shares, cmap=scale, vmin=0, vmax=1, rasterized=True)
        axes.set_xlim(0, edges[-1])
        axes.set_ylim(rows, 0)
        axes.set_xticks([])
        axes.set_yticks([])
        for side in axes.spines.values():
            side.set_visible(False)
        at = 0
        for group, some in groupby(data.groups):
            count = len(list(some))
            if at:
                axes.axhline(at, color=style.INK, linewidth=1.2)
            if count / rows * inside > NAMED:
                axes.annotate(f"group {group + 1}: {count}", (0, at + count / 2), xytext=(-6, 0),
                              textcoords="offset points", ha="right", va="center", fontsize=8.5,
                              annotation_clip=False)  # fmt: skip
            at += count
        first = 0.0
        for group, columns in groupby(range(len(data.lines)), key=lambda one: data.line_groups[one]):
            count = sum(data.lines[one] for one in columns)
            if first:
                axes.axvline(first, color=style.INK, linewidth=1.2)
            name = f"lines {'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[group % 26]}: {count}"
            width = count / edges[-1] * (style.WIDTH_INCHES - LEFT - RIGHT)
            if len(name) * LETTERS < width:
                axes.annotate(name, (first + count / 2, 0), xytext=(0, 5), textcoords="offset points",
                              ha="center", va="bottom", fontsize=8.5, annotation_clip=False)  # fmt: skip
            first += count
        axes.annotate("multiprocessors", (0, 0), xytext=(-6, 18), textcoords="offset points", ha="right",
                      va="bottom", fontsize=8.5, color=style.SOFT, annotation_clip=False)  # fmt: skip
        axes.set_xlabel("lines of the second-level cache, in the order of their groups", fontsize=8.5)
        key = figure.add_axes((1 - 0.72 / style.WIDTH_INCHES, BOTTOM / (inside + TOP + BOTTOM),
                               0.16 / style.WIDTH_INCHES, inside / (inside + TOP + BOTTOM)))  # fmt: skip
        key.pcolorfast((0, 1), (0, 1), np.linspace(0, 1, 129)[:, None], cmap=scale, rasterized=True)
        key.set_xlim(0, 1)
        key.set_ylim(0, 1)
        key.set_xticks([])
        key.yaxis.tick_right()
        key.set_yticks([0, 0.5, 1], [f"{low + share * span:.0f}" for share in (0, 0.5, 1)], fontsize=8.5)
        key.tick_params(length=0)
        key.set_title("cycles", fontsize=8.5)
        for side in key.spines.values():
            side.set_visible(False)
        return style.to_svg(figure)
