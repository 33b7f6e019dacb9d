"""Dependent latency of every operation: marks with their intervals, grouped by operation class.

The widths of one operation share a row, so that some hundred and sixty operations stay legible; each
width has its own mark.
"""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style
from reportgen.units import significant


class Latency(msgspec.Struct, frozen=True):
    """One form of an operation, cycles."""

    label: str
    """Its width: `scalar`, `128 bit`, ..."""
    value: float
    low: float | None = None
    high: float | None = None


class Operation(msgspec.Struct, frozen=True):
    """One row."""

    title: str
    group: str
    forms: tuple[Latency, ...]


class Latencies(msgspec.Struct, frozen=True):
    """Operations in the order they are drawn; a group stays together."""

    rows: tuple[Operation, ...]


NAMES = 8.5
"""Font size of names, points."""
ADVANCE = 0.57
"""Mean width of a letter of a name, relative to the font size."""
TALL = 25
"""Rows beyond which the axis is named above as well: its other end is out of sight."""
LONGEST = 48
"""Letters of a name for which there is room."""


def _left(data: Latencies) -> float:
    """Inches beside the axis that the longest name takes."""
    letters = max(len(text) for row in data.rows for text in (row.title, row.group))
    return 0.15 + min(letters, LONGEST) * ADVANCE * NAMES / 72


def draw(data: Latencies) -> str:
    """SVG of a dot chart on a logarithmic axis of cycles."""
    from matplotlib.collections import LineCollection

    forms = [form for row in data.rows for form in row.forms]
    bounds = [bound for form in forms for bound in (form.value, form.low, form.high) if bound and bound > 0]
    low, high = min(bounds) * 0.8, max(bounds) * 1.9
    used = {form.label for form in forms}
    labels = [label for label in style.WIDTHS if label in used]
    places, heads, at = _places(data)
    tall = at > TALL
    above = (0.4 if len(labels) > 1 else 0.1) + (0.2 if tall else 0.0)  # of the legend, and of names of ticks
    with style.canvas(0.55 + above + 0.165 * at, style.Margins(left=_left(data), top=above)) as (
        figure,
        (axes,),
    ):
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        style.plain_log_ticks("x", axes, low, high)
        axes.grid(axis="x")
        if tall:
            axes.tick_params(axis="x", labeltop=True)
        stems = [
            [(low, place), (max(form.value for form in row.forms), place)]
            for place, row in zip(places, data.rows, strict=True)
        ]
        axes.add_collection(LineCollection(stems, colors=style.GRID, linewidths=1, zorder=1))
        spans = [
            [(max(form.low, low), place), (form.high, place)]
            for place, row in zip(places, data.rows, strict=True)
            for form in row.forms
            if form.low is not None and form.high is not None
        ]
        axes.add_collection(LineCollection(spans, colors=style.INK, linewidths=1.6, zorder=2))
        for number, label in enumerate(labels):
            points = [
                (form.value, place)
                for place, row in zip(places, data.rows, strict=True)
                for form in row.forms
                if form.label == label
            ]
            stroke = style.WIDTHS[label]
            axes.scatter(
                [value for value, _ in points],
                [place for _, place in points],
                # Widths of equal latency lie on each other: the outer ones are larger and hollow.
                s=14 + 26 * number,
                marker=stroke.marker,
                facecolors=stroke.colour if not number else "none",
                edgecolors=stroke.colour,
                linewidths=1.3,
                zorder=4 - 0.1 * number,
                label=label,
            )
        for place, row in zip(places, data.rows, strict=True):
            told = dict.fromkeys(significant(round(form.value, 2), 3) for form in row.forms)
            beside = max(form.value for form in row.forms) * (high / low) ** 0.042
            axes.text(beside, place, " / ".join(told), va="center", fontsize=8, color=style.SOFT)
        # Plain text beside the axis: a tick costs ten times as much to draw.
        axes.set_yticks([])
        before = low * (low / high) ** 0.012
        names = [(place, row.title, "normal") for place, row in zip(places, data.rows, strict=True)]
        for place, name, weight in (*names, *((place, group, "bold") for place, group in heads)):
            axes.text(before, place, name, ha="right", va="center", fontsize=NAMES, fontweight=weight)
        axes.set_ylim(at - 0.4, -0.6)
        axes.set_xlabel("cycles from one result to the next that needs it")
        if len(labels) > 1:
            figure.legend(loc="upper left", ncols=len(labels), frameon=False, fontsize=9)
        return style.to_svg(figure)


def _places(data: Latencies) -> tuple[list[float], list[tuple[float, str]], float]:
    """Height of every row, height and name of every group's head, and the height of all."""
    places: list[float] = []
    heads: list[tuple[float, str]] = []
    at = 0.0
    for number, row in enumerate(data.rows):
        if row.group and (not number or row.group != data.rows[number - 1].group):
            at += 0.35 if number else 0.0
            heads.append((at, row.group))
            at += 1.1
        places.append(at)
        at += 1
    return places, heads, at
