"""How many warps one multiprocessor holds over each sweep, one panel a sweep."""

from __future__ import annotations

import math

import msgspec

from reportgen.site.figures import style


class Sweep(msgspec.Struct, frozen=True):
    """One probe: the setting that it varies, and the share of the warps at each."""

    title: str
    variable: str
    settings: tuple[str, ...]
    """As they stand on the axis, in the order of the sweep."""
    share: tuple[float, ...]
    """0 to 1."""


class Occupancies(msgspec.Struct, frozen=True):
    """Panels in reading order."""

    sweeps: tuple[Sweep, ...]


COLUMNS = 2
MOST_LABELS = 8
"""Settings named under a panel; of more, every second or third is."""


def draw(data: Occupancies) -> str:
    """SVG of steps: a share holds until the next setting that was compiled."""
    rows = math.ceil(len(data.sweeps) / COLUMNS)
    columns = min(COLUMNS, len(data.sweeps))
    margins = style.Margins(left=0.6, right=0.12, top=0.32, bottom=0.55)
    with style.canvas(0.55 + 1.85 * rows, margins, rows, columns) as (figure, axes):
        for axis in axes[len(data.sweeps) :]:
            axis.set_visible(False)
        for number, (axis, sweep) in enumerate(zip(axes, data.sweeps, strict=False)):
            places = list(range(len(sweep.settings)))
            held = [100 * share for share in sweep.share]
            axis.step(places, held, where="post", color=style.INK, linewidth=1.0)
            stroke = style.LEVELS["l1"]
            axis.plot(
                places,
                held,
                linestyle="none",
                marker=stroke.marker,
                color=stroke.colour,
                markersize=4,
            )
            every = max(1, math.ceil(len(places) / MOST_LABELS))
            axis.set_xticks(places[::every], sweep.settings[::every])
            axis.set_ylim(0, 106)
            axis.set_yticks([0, 25, 50, 75, 100])
            if number % columns:
                axis.tick_params(labelleft=False)
            axis.grid(axis="y")
            axis.set_title(sweep.title)
            axis.set_xlabel(sweep.variable)
        figure.supylabel("warps held, % of the most", fontsize=9.5, x=0.012)
        return style.to_svg(figure)
