"""Rate against time under load: every window of every visit, one panel a precision."""

from __future__ import annotations

import msgspec

from reportgen.site.figures import style


class Course(msgspec.Struct, frozen=True):
    """Windows of all visits of one probe, and what was made of them."""

    title: str
    visits: tuple[int, ...]
    """Of which visit each window is."""
    seconds: tuple[float, ...]
    """When it began."""
    rates: tuple[float, ...]
    """Billions of operations a second."""
    burst: float | None
    sustained: float | None
    settling: float | None
    unit: str
    """GFLOP/s or GOP/s."""


class Courses(msgspec.Struct, frozen=True):
    """Panels in reading order."""

    panels: tuple[Course, ...]


MARGINS = style.Margins(left=0.75, right=1.15, top=0.3, bottom=0.5)
MARKERS = ("o", "s", "^", "D", "v")
"""One a visit, in turn."""
FIRST, LAST = style.LEVELS["l1"], style.LEVELS["dram"]


def draw(data: Courses) -> str:
    """SVG: points are windows, lines the burst and the sustained rate, a mark when the rate settled."""
    rows = len(data.panels)
    with style.canvas(0.5 + 2.3 * rows, MARGINS, rows) as (figure, panels):
        for axes, course in zip(panels, data.panels, strict=True):
            numbers = sorted(set(course.visits))
            for place, visit in enumerate(numbers):
                chosen = [at for at, one in enumerate(course.visits) if one == visit]
                axes.plot(
                    [course.seconds[at] for at in chosen],
                    [course.rates[at] for at in chosen],
                    linestyle="none",
                    marker=MARKERS[place % len(MARKERS)],
                    markersize=3,
                    markerfacecolor=style.PAPER,
                    markeredgecolor=style.SOFT,
                    markeredgewidth=0.8,
                    label=f"visit {place + 1}",
                )
            above = 4 if (course.burst or 0) >= (course.sustained or 0) else -4
            for value, stroke, name, side in (
                (course.burst, FIRST, "at first", above),
                (course.sustained, LAST, "in the end", -above),
            ):
                if value is not None:
                    axes.axhline(value, color=stroke.colour, linestyle=stroke.dash, linewidth=1.4)
                    axes.annotate(
                        name,
                        (1, value),
                        xycoords=("axes fraction", "data"),
                        xytext=(4, side),
                        textcoords="offset points",
                        va="bottom" if side > 0 else "top",
                        fontsize=8.5,
                    )
            if course.settling is not None:
                axes.axvline(course.settling, color=style.INK, linestyle=":", linewidth=1)
            axes.set_ylim(0, 1.12 * max(course.rates))
            axes.set_xlim(left=0)
            axes.grid(axis="y")
            axes.set_title(course.title)
            axes.set_ylabel(course.unit)
            if len(numbers) > 1:
                axes.legend(loc="lower left", ncols=len(numbers), fontsize=8, frameon=False)
        panels[-1].set_xlabel("seconds since the load began")
        return style.to_svg(figure)
