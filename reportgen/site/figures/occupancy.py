"""How many warps one multiprocessor holds over each sweep, one panel a sweep."""

from __future__ import annotations

import math

import msgspec

from reportgen.site.figures import style


class Series(msgspec.Struct, frozen=True):
    """One line of a panel."""

    label: str
    """What tells it from the others: shared memory of a block."""
    places: tuple[int, ...]
    """Positions in the sweep's settings."""
    share: tuple[float, ...]
    """0 to 1."""


class Sweep(msgspec.Struct, frozen=True):
    """One probe: the setting that it varies, and the share of the warps at each."""

    title: str
    variable: str
    settings: tuple[str, ...]
    """As they stand on the axis, in the order of the sweep."""
    series: tuple[Series, ...]


class Occupancies(msgspec.Struct, frozen=True):
    """Panels in reading order."""

    sweeps: tuple[Sweep, ...]


COLUMNS = 2
MOST_LABELS = 6
"""Settings named under a panel; of more, every second or third is."""
STROKES = tuple(style.LEVELS.values())


def draw(data: Occupancies) -> str:
    """SVG of steps: a share holds until the next setting that was compiled."""
    rows = math.ceil(len(data.sweeps) / COLUMNS)
    columns = min(COLUMNS, len(data.sweeps))
    margins = style.Margins(left=0.6, right=0.12, top=0.32, bottom=0.5)
    with style.canvas(0.5 + 2.1 * rows, margins, rows, columns) as (figure, axes):
        figure.subplots_adjust(hspace=0.62)
        # Names of lines stand above the highest of them; panels keep one scale.
        top = 150 if any(len(sweep.series) > 1 for sweep in data.sweeps) else 108
        for axis in axes[len(data.sweeps) :]:
            axis.set_visible(False)
        for number, (axis, sweep) in enumerate(zip(axes, data.sweeps, strict=False)):
            for stroke, series in zip(STROKES, sweep.series, strict=False):
                axis.plot(
                    series.places,
                    [100 * share for share in series.share],
                    drawstyle="steps-post",
                    color=stroke.colour,
                    linestyle=stroke.dash,
                    linewidth=1.3,
                    marker=stroke.marker,
                    markersize=3.5,
                    label=series.label,
                )
            every = max(1, math.ceil(len(sweep.settings) / MOST_LABELS))
            places = list(range(0, len(sweep.settings), every))
            axis.set_xticks(places, [sweep.settings[place] for place in places])
            axis.set_ylim(0, top)
            axis.set_yticks([0, 25, 50, 75, 100])
            if number % columns:
                axis.tick_params(labelleft=False)
            axis.grid(axis="y")
            axis.set_title(sweep.title)
            axis.set_xlabel(sweep.variable)
            if len(sweep.series) > 1:
                axis.legend(
                    title="shared memory of a block",
                    title_fontsize=7,
                    fontsize=7,
                    ncols=2,
                    loc="upper right",
                    borderaxespad=0.1,
                    frameon=False,
                )
        figure.supylabel("warps held, % of the most", fontsize=9.5, x=0.012)
        return style.to_svg(figure)
