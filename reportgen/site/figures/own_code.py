"""Samples of code of the user's own: how far each lies from the value of its row, with the interval."""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style

LEAST = 1.0
"""Percent to either side that the axis shows at least."""
MOST = 25.0
"""Percent beyond which a sample stands at the edge."""
TURNS = 7
"""Heights at which samples stand in turn, so that equal ones are seen side by side."""


class Strip(msgspec.Struct, frozen=True):
    """One piece of code."""

    name: str
    samples: tuple[float, ...]
    """Percent from the value."""
    low: float
    high: float
    """Ends of the interval, percent from the value."""


class Strips(msgspec.Struct, frozen=True):
    """From top to bottom."""

    rows: tuple[Strip, ...]


LETTERS = 28
"""Of a name that are shown."""
_LEFT, _LETTER = 0.2, 0.075
"""Inches beside a name, and of a letter."""
SAMPLE, VALUE = style.LEVELS["l1"].colour, style.INK


def short(name: str) -> str:
    """As much of a name as there is room for."""
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"


def draw(data: Strips) -> str:
    """SVG: a row for each piece of code, a mark a sample, a bar for the interval of the value."""
    away = max(abs(value) for row in data.rows for value in (*row.samples, row.low, row.high))
    reach = min(max(away * 1.05, LEAST), MOST)
    left = _LEFT + _LETTER * max(len(short(row.name)) for row in data.rows)
    margins = style.Margins(left=left, right=0.25, top=0.1, bottom=0.55)
    with style.canvas(0.75 + 0.42 * len(data.rows), margins) as (figure, (axes,)):
        axes.set_xlim(-reach, reach)
        axes.set_ylim(len(data.rows) - 0.4, -0.6)
        axes.axvline(0, color=style.SOFT, linewidth=0.8, zorder=1)
        for place, row in enumerate(data.rows):
            ends = [min(max(value, -reach), reach) for value in (row.low, row.high)]
            axes.plot(ends, [place, place], color=VALUE, linewidth=4, solid_capstyle="butt", zorder=3)
            shown = [min(max(value, -reach), reach) for value in row.samples]
            heights = [place + 0.28 * (2 * (at % TURNS) / (TURNS - 1) - 1) for at in range(len(row.samples))]
            axes.scatter(shown, heights, s=7, color=SAMPLE, alpha=0.55, linewidths=0, zorder=2)
        axes.set_yticks(range(len(data.rows)), [short(row.name) for row in data.rows])
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel("percent from the value of the row")
        return style.to_svg(figure)
