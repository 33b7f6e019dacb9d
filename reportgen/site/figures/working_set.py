"""Load latency against working-set size, with every boundary drawn as the interval it is."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from reportgen.site.figures import labels, style
from reportgen.units import format_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Curve(msgspec.Struct, frozen=True):
    """Latency of one load at each size, on one kind of page."""

    pages: str
    """`huge`, or `4k`: the small pages of the system, whatever their size."""
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


MARGINS = style.Margins(left=0.65, right=0.2)
"""A size may be named at the very end of the axis."""
PAGES = {
    "huge": style.Stroke(style.INK, "o", "-"),
    "4k": style.Stroke(style.SOFT, "s", "--"),
}
PAGE_NAMES = {"huge": "huge pages", "4k": "small pages"}
SIZE = 8.5
"""Of the words of a boundary, points."""
DIGITS = 3
"""Of the ends of a boundary."""
GAP = 4
"""Between these and the line, points."""
TOP, LINES = 3, 26
"""Points above the words of the first boundary, and that two lines take."""
PIECES = 24
"""Of a stretch between two points of a curve, when words look for a place beside it."""
HALF_OF_A_LABEL = 1.0
"""Octaves of the size axis."""


def draw(data: WorkingSet) -> str:
    """SVG of the sweep; sizes in powers of two, latency on a logarithmic axis."""
    sizes = [size for curve in data.curves for size in curve.bytes]
    cycles = [value for curve in data.curves for value in curve.cycles]
    bottom, top = min(cycles) * 0.55, max(cycles) * 2.4
    with style.canvas(4.1, MARGINS) as (figure, (axes,)):
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
        taken = _curves(axes, data)
        for row, boundary in enumerate(data.boundaries):
            _boundary(axes, boundary, max(sizes), row, taken)
        for plateau in data.plateaus:
            _plateau(axes, plateau, data)
        axes.set_xlabel("working set")
        axes.set_ylabel("cycles per dependent load")
        axes.legend(loc="lower right", facecolor=style.PAPER, edgecolor="none", framealpha=1)
        return style.to_svg(figure)


def _boundary(axes: Axes, boundary: Boundary, last: float, row: int, taken: list[labels.Box]) -> None:
    """The band of a boundary, and its words; `taken`, in points, grows by the place of these."""
    stroke = style.LEVELS.get(boundary.level, style.PLAIN)
    high = boundary.high if boundary.high is not None else last * 1.18
    axes.axvspan(boundary.low, high, color=stroke.colour, alpha=0.28, linewidth=0)
    axes.axvline(boundary.low, color=stroke.colour, linestyle=stroke.dash, linewidth=1.1)
    if boundary.high is not None:
        axes.axvline(boundary.high, color=stroke.colour, linestyle=stroke.dash, linewidth=1.1)
        text = f"{format_bytes(boundary.low, DIGITS)} – {format_bytes(boundary.high, DIGITS)}"
    else:
        text = f"at least {format_bytes(boundary.low, DIGITS)}"
    # Boundaries may lie an octave apart: each label has its own height, and the third stands on the
    # right of its band or in it, away from the other two and their bands.
    usual = [Words(boundary.low, "right", row)]
    if row >= 2:
        usual = [Words(high, "left", 0), Words(boundary.low, "left", 0)]
    # A short sweep has little room before its first band: words go where they are on nothing else.
    places_of: tuple[tuple[float, Side], ...] = (
        (boundary.low, "right"), (high, "left"), (boundary.low, "left"),
    )  # fmt: skip
    others = [Words(size, side, one) for one in (row, *range(len(style.LEVELS))) for size, side in places_of]
    frame, places = _box(axes), [(one, one.box(axes, text)) for one in (*usual, *others)]
    within = [(one, box) for one, box in places if box.inside(frame)] or places
    chosen, box = next(
        ((one, box) for one, box in within if not any(box.meets(other) for other in taken)), within[0]
    )
    taken.append(box)
    axes.annotate(
        f"{boundary.level.upper()} ends\n{text}",
        (chosen.size, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(GAP if chosen.side == "left" else -GAP, -TOP - LINES * chosen.row),
        textcoords="offset points",
        ha=chosen.side,
        va="top",
        fontsize=SIZE,
    )


Side: TypeAlias = Literal["left", "right"]


class Words(NamedTuple):
    """A place for the two lines of a boundary."""

    size: float
    """Beside which size they stand."""
    side: Side
    """Which of their ends is there."""
    row: int
    """From the top."""

    def box(self, axes: Axes, text: str) -> labels.Box:
        """What they cover, points."""
        across = _points(axes, self.size, 1.0)[0] + (GAP if self.side == "left" else -GAP)
        wide = labels.ADVANCE * SIZE * len(text)
        left = across if self.side == "left" else across - wide
        top = _box(axes).top - TOP - LINES * self.row
        return labels.Box(left, top - LINES + TOP, left + wide, top)


def _points(axes: Axes, size: float, cycles: float) -> tuple[float, float]:
    """Where a value lies, points from the lower left corner of the figure."""
    x, y = axes.transData.transform((size, cycles)) * (72 / axes.figure.dpi)
    return float(x), float(y)


def _box(axes: Axes) -> labels.Box:
    """The axes, points."""
    found = axes.get_window_extent()
    return labels.Box(*(float(end) * 72 / axes.figure.dpi for end in found.extents))


def _curves(axes: Axes, data: WorkingSet) -> list[labels.Box]:
    """What the lines of the sweep cover, in short pieces."""
    found = []
    for curve in data.curves:
        corners = [_points(axes, *one) for one in zip(curve.bytes, curve.cycles, strict=True)]
        for (left, low), (right, high) in pairwise(corners):
            for piece in range(PIECES + 1):
                x, y = (start + (end - start) * piece / PIECES for start, end in ((left, right), (low, high)))
                found.append(labels.Box(x - 2, y - 2, x + 2, y + 2))
    return found


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
