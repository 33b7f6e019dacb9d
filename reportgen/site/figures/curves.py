"""Small panels of curves over the settings of a sweep, for what has no figure of its own."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from reportgen.site.figures import style
from reportgen.units import significant


class Series(msgspec.Struct, frozen=True):
    """One line of a panel."""

    label: str
    places: tuple[int, ...]
    """Positions in the panel's settings."""
    values: tuple[float, ...]


class Panel(msgspec.Struct, frozen=True):
    """One sweep: settings stand side by side on the axis, at equal distances."""

    title: str
    across: str
    """What the settings are."""
    up: str
    """What the values are, with their unit."""
    settings: tuple[str, ...]
    """As they stand on the axis."""
    series: tuple[Series, ...]
    bands: tuple[tuple[int, int], ...] = ()
    """Boundary intervals, as positions in the settings."""
    steps: bool = False
    """Whether a value holds until the next setting."""
    rounds: tuple[int, ...] = ()
    """Positions whose settings are round and are named first; where there are none, every setting may be."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Names at places that may lie between settings; where there are none, settings themselves are named."""
    log: bool = False
    """Whether values span so much that they are drawn by their logarithms."""


class Curves(msgspec.Struct, frozen=True):
    """Panels in reading order."""

    panels: tuple[Panel, ...]


COLUMNS = 2
MOST_LABELS, SHORT, MOST_LONG = 6, 4, 4
"""Settings named under a panel, and how many where one has more than so many letters."""
TINY, MOST_TINY = 3, 10
"""So many where none has more than so few letters."""
APART = 7
"""So many names would fill the axis of a panel if all stood as near as the nearest two."""
MARKED = 24
"""Curves of more points are drawn without markers."""
STROKES = (*style.LEVELS.values(), style.PLAIN)
ROOM = 1.45
"""Height of a panel over its highest value, where names of lines stand above them."""


def named_places(panel: Panel) -> list[int]:
    """Positions of the settings that are written under a panel: few enough to stand beside each other."""
    rounds = _thinned(panel, panel.rounds)
    near = min((later - place for place, later in pairwise(rounds)), default=0)
    if near * APART >= len(panel.settings):
        return rounds
    return _thinned(panel, range(len(panel.settings)))


def _thinned(panel: Panel, places: Sequence[int]) -> list[int]:
    longest = max((len(panel.settings[place]) for place in places), default=0)
    most = MOST_TINY if longest <= TINY else MOST_LABELS if longest <= SHORT else MOST_LONG
    every = max(1, math.ceil(len(places) / most))
    return list(places[::every])


def round_ticks(numbers: Sequence[float]) -> Iterator[tuple[float, str]]:
    """Places and names of 10, 20, 50, 100, ... between the first and the last of ascending settings.

    Between two settings, which stand at equal distances, the axis is logarithmic.
    """
    for power in range(math.floor(math.log10(numbers[0])), math.ceil(math.log10(numbers[-1])) + 1):
        for step in (1, 2, 5):
            number = step * 10.0**power
            if not numbers[0] <= number <= numbers[-1]:
                continue
            after = bisect_left(numbers, number)
            share = 0.0
            if numbers[after] != number:
                share = math.log(numbers[after] / number) / math.log(numbers[after] / numbers[after - 1])
            yield after - share, significant(number, 6)


def draw(data: Curves) -> str:
    """SVG: two panels a row."""
    rows = math.ceil(len(data.panels) / COLUMNS)
    columns = min(COLUMNS, len(data.panels))
    margins = style.Margins(left=0.62, right=0.12, top=0.3, bottom=0.5)
    with style.canvas(0.45 + 2.3 * rows, margins, rows, columns, (0.26, 0.6)) as (figure, axes):
        for axis in axes[len(data.panels) :]:
            axis.set_visible(False)
        for axis, panel in zip(axes, data.panels, strict=False):
            for low, high in panel.bands:
                axis.axvspan(low, high, color=style.GRID, alpha=0.6, linewidth=0)
            for stroke, series in zip(STROKES, panel.series, strict=False):
                axis.plot(
                    series.places,
                    series.values,
                    drawstyle="steps-post" if panel.steps else "default",
                    color=stroke.colour,
                    linestyle=stroke.dash,
                    linewidth=1.3,
                    marker=stroke.marker if len(series.places) <= MARKED else None,
                    markersize=3.5,
                    label=series.label,
                )
            named_at = panel.ticks or [(place, panel.settings[place]) for place in named_places(panel)]
            axis.set_xticks([place for place, _ in named_at], [name for _, name in named_at])
            highest = max((max(series.values) for series in panel.series), default=1.0)
            named = len(panel.series) > 1
            if panel.log:
                lowest = min(min(series.values) for series in panel.series)
                axis.set_yscale("log")
                axis.set_ylim(lowest / 1.2, highest * 1.3)
                style.plain_log_ticks("y", axis, lowest / 1.2, highest * 1.3)
            else:
                axis.set_ylim(0, highest * (ROOM if named else 1.12))
            axis.grid(axis="y")
            axis.set_title(panel.title)
            axis.set_xlabel(panel.across)
            axis.set_ylabel(panel.up)
            axis.tick_params(labelsize=8)
            if named:
                axis.legend(fontsize=7, ncols=2, loc="upper left", borderaxespad=0.1, frameon=False)
        return style.to_svg(figure)
