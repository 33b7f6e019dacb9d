"""Bandwidth of every level and kernel, one core beside all cores, a GPU beside one of its multiprocessors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from reportgen.site.figures import style
from reportgen.units import format_value, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Rate(msgspec.Struct, frozen=True):
    """Bytes a second that one kernel moves in one level."""

    level: str
    kernel: str
    """In words."""
    one: float | None = None
    one_low: float | None = None
    one_high: float | None = None
    every: float | None = None
    """With all cores at once; of a GPU, of whose launches `one` is the best, one multiprocessor."""
    every_low: float | None = None
    every_high: float | None = None


class Bandwidth(msgspec.Struct, frozen=True):
    """Rates, level by level in the order they are drawn."""

    rates: tuple[Rate, ...]
    cores: int
    """0 where rates are those of launches on a whole GPU."""


MARGINS = style.Margins(left=1.85, right=1.3)
"""The numbers of the fastest level stand to the right of the axes."""


def draw(data: Bandwidth) -> str:
    """SVG of a dot chart: a row a kernel, grouped by level, on a logarithmic axis."""
    values = [value for rate in data.rates for value in (rate.one, rate.every) if value]
    low, high = min(values) * 0.75, max(values) * 1.7
    places: list[float] = []
    at = 0.0
    for number, rate in enumerate(data.rates):
        if number and rate.level != data.rates[number - 1].level:
            at += 0.7
        places.append(at)
        at += 1
    with style.canvas(0.65 + 0.235 * at, MARGINS) as (figure, (axes,)):
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        steps = (1, 2, 5) if high / low < 300 else (1, 3) if high / low < 3000 else (1,)
        ticks = [step * 10.0**power for power in range(6, 15) for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        axes.set_xticks(ticks, [significant(tick / 1e9) for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.grid(axis="x")
        for place, rate in zip(places, data.rates, strict=True):
            stroke = style.LEVELS.get(rate.level, style.PLAIN)
            if rate.one and rate.every:
                axes.plot([rate.one, rate.every], [place, place], color=style.GRID, linewidth=2.5, zorder=1)
            _dot(axes, rate.one, rate.one_low, rate.one_high, place, stroke, filled=True)
            _dot(axes, rate.every, rate.every_low, rate.every_high, place, stroke, filled=False)
            best = max(value for value in (rate.one, rate.every) if value) if rate.one or rate.every else None
            if best:
                axes.annotate(
                    _said(rate, best, data.cores),
                    (max(best, rate.one_high or 0.0, rate.every_high or 0.0), place),
                    xytext=(8, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                    color=style.SOFT,
                )
        axes.set_yticks(places, [f"{rate.level.upper()} {rate.kernel}" for rate in data.rates])
        axes.set_ylim(at - 0.4, -0.7)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        of_cores = ", best launch (filled: all multiprocessors, open: one alone)"
        if data.cores:
            of_cores = f" (filled: 1 core, open: {data.cores} cores at once)"
        axes.set_xlabel(f"GB/s{of_cores}")
        return style.to_svg(figure)


def _said(rate: Rate, best: float, cores: int) -> str:
    text = format_value(rate.one or best, "byte/second", 3)
    if not (rate.one and rate.every):
        return text
    second = format_value(rate.every, "byte/second", 3)
    return f"{text} → {second}" if cores else f"{text}, one {second}"


def _dot(
    axes: Axes,
    value: float | None,
    low: float | None,
    high: float | None,
    place: float,
    stroke: style.Stroke,
    *,
    filled: bool,
) -> None:
    if value is None:
        return
    if low is not None and high is not None:
        axes.plot([low, high], [place, place], color=stroke.colour, linewidth=1.4, zorder=2)
    axes.plot(
        [value],
        [place],
        marker=stroke.marker,
        markersize=6,
        markerfacecolor=stroke.colour if filled else style.PAPER,
        markeredgecolor=stroke.colour,
        markeredgewidth=1.5,
        linestyle="none",
        zorder=3,
    )
