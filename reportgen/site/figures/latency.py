"""Dependent latency of every operation: a dot with its interval, grouped by operation class."""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style
from reportgen.units import significant


class Latency(msgspec.Struct, frozen=True):
    """One operation, cycles."""

    title: str
    group: str
    value: float
    low: float | None = None
    high: float | None = None


class Latencies(msgspec.Struct, frozen=True):
    """Operations in the order they are drawn; a group stays together."""

    rows: tuple[Latency, ...]


def draw(data: Latencies) -> str:
    """SVG of a dot chart on a logarithmic axis of cycles."""
    values = [bound for row in data.rows for bound in (row.value, row.low, row.high) if bound and bound > 0]
    low, high = min(values) * 0.8, max(values) * 1.6
    places: list[float] = []
    heads: list[tuple[float, str]] = []
    at = 0.0
    for number, row in enumerate(data.rows):
        if row.group and (not number or row.group != data.rows[number - 1].group):
            heads.append((at, row.group))
            at += 1.15
        places.append(at)
        at += 1
    with style.canvas(0.8 + 0.19 * at) as (figure, (axes,)):
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        style.plain_log_ticks("x", axes, low, high)
        axes.grid(axis="x")
        stroke = style.LEVELS["l1"]
        for place, row in zip(places, data.rows, strict=True):
            axes.plot([low, row.value], [place, place], color=style.GRID, linewidth=1, zorder=1)
            if row.low is not None and row.high is not None:
                axes.plot(
                    [max(row.low, low), row.high],
                    [place, place],
                    color=style.INK,
                    linewidth=1.6,
                    marker="|",
                    markersize=6,
                    zorder=2,
                )
            axes.plot([row.value], [place], stroke.marker, color=stroke.colour, markersize=4.6, zorder=3)
            axes.annotate(
                significant(row.value, 3),
                (max(row.value, row.high or 0.0), place),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=style.SOFT,
            )
        axes.set_yticks(places, [row.title for row in data.rows], fontsize=8.5)
        for place, group in heads:
            axes.annotate(
                group,
                (0, place),
                xycoords=("axes fraction", "data"),
                xytext=(-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=9,
                fontweight="bold",
            )
        axes.set_ylim(at - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_label_position("bottom")
        axes.set_xlabel("cycles from one result to the next that needs it")
        return style.to_svg(figure)
