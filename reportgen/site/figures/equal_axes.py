"""Panels side by side with the same logarithmic axis to the right and upwards: predicted against measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reportgen.site.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGINS = style.Margins(left=0.65, right=0.1, top=0.62, bottom=0.55)


def prepare(axes: Axes, low: float, high: float, off: Iterable[float]) -> None:
    """Axes from `low` to `high`, the line of agreement, and dashed ones, each off it by a factor of `off`."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.plot((low, high), (low, high), color=style.SOFT, linewidth=1, zorder=1)
    for factor in off:
        ends = (low * factor, high * factor)
        axes.plot((low, high), ends, color=style.SOFT, linewidth=0.8, linestyle="--", zorder=1)


def finish(axes: Axes, title: str, upwards: str) -> None:
    """Ticks, grid and names, once all is drawn; without `upwards` the panel to the left has them."""
    low, high = axes.get_xlim()
    style.plain_log_ticks("x", axes, low, high)
    style.plain_log_ticks("y", axes, low, high)
    axes.set_aspect("equal")
    axes.grid(visible=True)
    axes.set_title(title)
    if upwards:
        axes.set_ylabel(upwards)
    else:
        axes.set_yticklabels([])
