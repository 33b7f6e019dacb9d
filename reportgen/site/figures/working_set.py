"""Load latency against working-set size, with every boundary drawn as the interval it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from reportgen.site.figures import labels, style
from reportgen.units import format_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Curve(msgspec.Struct, frozen=True):
    """Latency of one load at each size, on one kind of page."""

    pages: str
    """`huge` or `4k`."""
    bytes: tuple[float, ...]
    cycles: tuple[float, ...]


class Boundary(msgspec.Struct, frozen=True):
    """Where a level ends: `low` the largest size that fits, `high` the smallest that does not."""

    level: str
    low: float
    high: float | None = None
    """Absent where the sweep ended first."""


class Plateau(msgspec.Struct, frozen=True):
    """Latency of one level, cycles."""

    level: str
    cycles: float


class WorkingSet(msgspec.Struct, frozen=True):
    """The sweep as it is drawn."""

    curves: tuple[Curve, ...]
    boundaries: tuple[Boundary, ...] = ()
    plateaus: tuple[Plateau, ...] = ()


PAGES = {
    "huge": style.Stroke(style.INK, "o", "-"),
    "4k": style.Stroke(style.SOFT, "s", "--"),
}
PAGE_NAMES = {"huge": "huge pages", "4k": "4 KiB pages"}
SIZE = 8.5
"""Of the words of a boundary, points."""
GAP = 4
"""Between these and the line, points."""
HALF_OF_A_LABEL = 1.0
"""Octaves of the size axis."""


def draw(data: WorkingSet) -> str:
    """SVG of the sweep; sizes in powers of two, latency on a logarithmic axis."""
    sizes = [size for curve in data.curves for size in curve.bytes]
    cycles = [value for curve in data.curves for value in curve.cycles]
    bottom, top = min(cycles) * 0.55, max(cycles) * 2.4
    with style.canvas(4.1, style.Margins(left=0.65)) as (figure, (axes,)):
        style.size_axis(axes, min(sizes) * 0.85, max(sizes) * 1.18)
        axes.set_yscale("log")
        axes.set_ylim(bottom, top)
        style.plain_log_ticks("y", axes, bottom, top)
        axes.grid(axis="y")
        for curve in data.curves:
            stroke = PAGES.get(curve.pages, style.PLAIN)
            axes.plot(
                curve.bytes,
                curve.cycles,
                color=stroke.colour,
                linestyle=stroke.dash,
                marker=stroke.marker,
                markersize=3.4,
                markerfacecolor=stroke.colour if curve.pages == "huge" else style.PAPER,
                label=PAGE_NAMES.get(curve.pages, curve.pages),
                zorder=3,
            )
        for row, boundary in enumerate(data.boundaries):
            _boundary(axes, boundary, max(sizes), row)
        for plateau in data.plateaus:
            _plateau(axes, plateau, data)
        axes.set_xlabel("working set")
        axes.set_ylabel("cycles per dependent load")
        axes.legend(loc="lower right", facecolor=style.PAPER, edgecolor="none", framealpha=1)
        return style.to_svg(figure)


def _boundary(axes: Axes, boundary: Boundary, last: float, row: int) -> None:
    stroke = style.LEVELS.get(boundary.level, style.PLAIN)
    high = boundary.high if boundary.high is not None else last * 1.18
    axes.axvspan(boundary.low, high, color=stroke.colour, alpha=0.28, linewidth=0)
    axes.axvline(boundary.low, color=stroke.colour, linestyle=stroke.dash, linewidth=1.1)
    if boundary.high is not None:
        axes.axvline(boundary.high, color=stroke.colour, linestyle=stroke.dash, linewidth=1.1)
        text = f"{format_bytes(boundary.low)} – {format_bytes(boundary.high)}"
    else:
        text = f"at least {format_bytes(boundary.low)}"
    # Boundaries may lie an octave apart: each label has its own height, and the third stands on the
    # right of its band where there is room, away from the other two.
    left, right = axes.get_xlim()
    beside = row >= 2 and math.log(high / left) < 0.78 * math.log(right / left)
    # In a short sweep the first band may begin so far left that words before it would lie on the axis.
    scale = 72 / axes.figure.dpi
    before, after = (
        abs(axes.transData.transform((end, 1.0))[0] - axes.transAxes.transform((side, 0.0))[0]) * scale
        for side, end in enumerate((boundary.low, high))
    )
    squeezed = before < GAP + labels.ADVANCE * SIZE * len(text) < after
    axes.annotate(
        f"{boundary.level.upper()} ends\n{text}",
        (high if beside or squeezed else boundary.low, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(GAP if beside or squeezed else -GAP, -3 if beside else -3 - 26 * row),
        textcoords="offset points",
        ha="left" if beside or squeezed else "right",
        va="top",
        fontsize=SIZE,
    )


def _plateau(axes: Axes, plateau: Plateau, data: WorkingSet) -> None:
    """The level's name and latency, written under the middle of its stretch of the curve."""
    ends = {boundary.level: boundary for boundary in data.boundaries}
    sizes = sorted(size for curve in data.curves for size in curve.bytes)
    order = [level.level for level in data.plateaus]
    place = order.index(plateau.level)
    before = ends.get(order[place - 1]) if place else None
    start = before.high if before is not None and before.high is not None else sizes[0]
    own = ends.get(plateau.level)
    stop = own.low if own is not None else sizes[-1]
    if stop <= start:
        return
    last = own is None
    middle = stop if last else (start * stop) ** 0.5
    # A short stretch of a rising curve has lower points beside its middle, within the width of the words.
    beside = [
        cycles
        for curve in data.curves
        for size, cycles in zip(curve.bytes, curve.cycles, strict=True)
        if abs(math.log2(size / middle)) < HALF_OF_A_LABEL
    ]
    axes.annotate(
        f"{plateau.level.upper()} {plateau.cycles:.3g}",
        (middle, min(plateau.cycles, *beside) if beside else plateau.cycles),
        xytext=(0, -7),
        textcoords="offset points",
        ha="right" if last else "center",
        va="top",
        fontsize=8.5,
        color=style.SOFT,
    )
