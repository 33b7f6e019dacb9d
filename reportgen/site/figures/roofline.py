"""The measured roofline: memory roofs, compute roofs, ridge points and the no-overlap bound.

Method: Williams, Waterman and Patterson (2009), "Roofline: an insightful visual performance
model"; P <= min(pi, beta I).  The bound without overlap of transfer and arithmetic is
1 / (1/pi + 1/(beta I)): half of the roof at the ridge.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from reportgen.site.figures import style
from reportgen.units import format_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Memory(msgspec.Struct, frozen=True):
    """A slanted roof, byte/second."""

    level: str
    kernel: str
    rate: float


class Compute(msgspec.Struct, frozen=True):
    """A flat roof, FLOP/second."""

    precision: str
    rate: float


class Ridge(msgspec.Struct, frozen=True):
    """Where a slanted roof meets a flat one, FLOP/byte."""

    level: str
    precision: str
    intensity: float
    low: float | None = None
    high: float | None = None


class Kernel(msgspec.Struct, frozen=True):
    """A program that was run: where it stands."""

    label: str
    """Empty for a point of a sweep whose best point carries the name."""
    intensity: float
    rate: float


class Roofline(msgspec.Struct, frozen=True):
    """One chart: one unit of work, one core or all."""

    memory: tuple[Memory, ...]
    compute: tuple[Compute, ...]
    ridges: tuple[Ridge, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    bound: str = ""
    """Precision under whose roof the no-overlap bound is drawn."""


DASHES = ("-", "--", "-.", ":")


def draw(data: Roofline) -> str:
    """SVG on logarithmic axes of whole decades and octaves, so that two devices lay side by side."""
    peak = max(roof.rate for roof in data.compute)
    marks = [ridge.intensity for ridge in data.ridges] + [kernel.intensity for kernel in data.kernels]
    left = 2.0 ** (math.floor(math.log2(min(marks))) - 2)
    right = 2.0 ** (math.ceil(math.log2(max(marks))) + 3)
    floor = min([roof.rate * left for roof in data.memory] + [kernel.rate for kernel in data.kernels])
    bottom, top = 10.0 ** math.floor(math.log10(floor)), 10.0 ** math.ceil(math.log10(peak * 1.3))
    with style.canvas(4.7, style.Margins(left=1.2, right=0.25)) as (figure, (axes,)):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        _ticks(axes, left, right, bottom, top)
        axes.grid()
        for roof in data.memory:
            _memory(axes, roof, peak, left)
        if data.bound:
            _without_overlap(axes, data, left, right)
        _compute(axes, data, right)
        _ridges(axes, data)
        for kernel in data.kernels:
            # Below the roofs on the left, away from the labels of the compute roofs on the right.
            lefthand = kernel.intensity < (left * right) ** 0.5
            axes.plot(
                [kernel.intensity],
                [kernel.rate],
                "*",
                color=style.INK,
                markersize=9 if kernel.label else 5,
                zorder=5,
            )
            axes.annotate(
                kernel.label,
                (kernel.intensity, kernel.rate),
                xytext=(7 if lefthand else -4, -11),
                textcoords="offset points",
                ha="left" if lefthand else "right",
                fontsize=8.5,
            )
        axes.set_xlabel("arithmetic intensity, FLOP/byte")
        axes.set_ylabel("FLOP/s")
        axes.legend(loc="lower right", frameon=False, fontsize=8.5)
        return style.to_svg(figure)


def _ticks(axes: Axes, left: float, right: float, bottom: float, top: float) -> None:
    octaves = range(round(math.log2(left)), round(math.log2(right)) + 1)
    places = [power for power in octaves if not power % max(1, math.ceil(len(octaves) / 11))]
    axes.set_xticks(
        [2.0**power for power in places],
        [str(2**power) if power >= 0 else f"1/{2**-power}" for power in places],
    )
    axes.set_xticks([], minor=True)
    decades = [10.0**power for power in range(round(math.log10(bottom)), round(math.log10(top)) + 1)]
    axes.set_yticks(decades, [format_value(tick, "FLOP/second") for tick in decades])
    axes.set_yticks([], minor=True)


def _memory(axes: Axes, roof: Memory, peak: float, left: float) -> None:
    stroke = style.LEVELS.get(roof.level, style.PLAIN)
    ridge = peak / roof.rate
    axes.plot(
        [left, ridge],
        [left * roof.rate, peak],
        color=stroke.colour,
        linestyle=stroke.dash,
        label=f"{roof.level.upper()} {roof.kernel}, {format_value(roof.rate, 'byte/second', 3)}",
        zorder=3,
    )
    axes.annotate(
        roof.level.upper(),
        (left, left * roof.rate),
        xytext=(14, 0),
        textcoords="offset points",
        va="top",
        fontsize=8.5,
    )


def _without_overlap(axes: Axes, data: Roofline, left: float, right: float) -> None:
    """Thin curves under the roof of one precision: transfer and arithmetic one after the other."""
    peak = next(roof.rate for roof in data.compute if roof.precision == data.bound)
    grid = [left * (right / left) ** (step / 80) for step in range(81)]
    for number, roof in enumerate(data.memory):
        axes.plot(
            grid,
            [1 / (1 / peak + 1 / (roof.rate * x)) for x in grid],
            color=style.LEVELS.get(roof.level, style.PLAIN).colour,
            linewidth=0.9,
            zorder=2,
            label=f"thin: no overlap, {data.bound.upper()}" if number == len(data.memory) - 1 else None,
        )


def _compute(axes: Axes, data: Roofline, right: float) -> None:
    fastest = max(roof.rate for roof in data.memory)
    last = math.inf
    for number, roof in enumerate(sorted(data.compute, key=lambda roof: -roof.rate)):
        axes.plot(
            [roof.rate / fastest, right],
            [roof.rate, roof.rate],
            color=style.INK,
            linestyle=DASHES[number % len(DASHES)],
            linewidth=1.5,
            zorder=3,
        )
        # Above its line, unless the next roof up is too near for a line of text.
        below = last / roof.rate < 1.5
        axes.annotate(
            f"{roof.precision.upper()} {format_value(roof.rate, 'FLOP/second', 3)}",
            (right, roof.rate),
            xytext=(-3, -3 if below else 3),
            textcoords="offset points",
            ha="right",
            va="top" if below else "bottom",
            fontsize=8.5,
        )
        last = roof.rate


def _ridges(axes: Axes, data: Roofline) -> None:
    peaks = {roof.precision: roof.rate for roof in data.compute}
    for ridge in data.ridges:
        if ridge.precision not in peaks:
            continue
        stroke = style.LEVELS.get(ridge.level, style.PLAIN)
        peak = peaks[ridge.precision]
        if ridge.low is not None and ridge.high is not None:
            axes.plot(
                [ridge.low, ridge.high], [peak, peak], color=stroke.colour, linewidth=4, alpha=0.6, zorder=4
            )
        axes.plot(
            [ridge.intensity],
            [peak],
            marker=stroke.marker,
            markersize=6,
            markerfacecolor=style.PAPER,
            markeredgecolor=stroke.colour,
            markeredgewidth=1.6,
            linestyle="none",
            zorder=5,
        )
