"""How every figure of the site looks: one drawing for light pages, recoloured for dark ones.

Colours are those of Okabe and Ito (2008), told apart by people with any common colour vision;
a marker and a dash go with each, so that no figure needs colour at all.  A memory level keeps its
colour on every page.  Foreground colours are stand-ins that occur nowhere else in a drawing:
`recolour` swaps them for the dark palette, so a figure is drawn once.

matplotlib is imported by the functions that draw, never with this module: a site whose figures are
all in the cache is rendered without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1f2329"
"""Text, axes, compute roofs."""
SOFT = "#5a6472"
"""Secondary text: units, tick labels of minor rank."""
GRID = "#d5d9e0"
PAPER = "#fefeff"
"""Inside of open markers: the page's own background."""

BLUE, BRIGHT_BLUE = "#0072b2", "#2b8fd3"
"""On a dark page the first has a contrast of 3 to 1, less than any other colour; the second has 4.6."""

DARK = {INK: "#e4e7ec", SOFT: "#aab2c0", GRID: "#454b5a", PAPER: "#1e2029", BLUE: BRIGHT_BLUE}
"""Foreground on dark pages.  Hues stay what they are: the meaning of a colour never changes."""

ON_PALE, ON_DEEP = "#000102", "#fffefd"
"""Numbers written on the cells of a heat map, whose background is the same on every page."""


class Stroke(NamedTuple):
    """How a series is drawn."""

    colour: str
    marker: str
    dash: Literal["-", "--", "-.", ":"]


LEVELS = {
    "l1": Stroke(BLUE, "o", "-"),
    "l2": Stroke("#009e73", "s", "--"),
    "l3": Stroke("#e69f00", "^", "-."),
    "dram": Stroke("#d55e00", "D", ":"),
    "shared": Stroke("#cc79a7", "v", "-"),
}
"""By memory level; the same on every page."""

PLAIN = Stroke("#56b4e9", "o", "-")

WIDTHS = {
    "scalar": Stroke(BLUE, "o", "-"),
    "128 bit": Stroke("#009e73", "s", "--"),
    "256 bit": Stroke("#e69f00", "^", "-."),
    "512 bit": Stroke("#d55e00", "D", ":"),
}
"""By width of the operation; the same on every page."""

WIDTH_INCHES = 6.7
"""640 CSS pixels at 96 to the inch; the text column of a page is a little wider."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"

LIMIT_BYTES = 200_000
"""No figure may be larger: a page is read on telephones too."""

_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "reportgen",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "hatch.linewidth": 0.8,
    "hatch.color": SOFT,
    "axes.axisbelow": True,
    "path.simplify": True,
}


class Margins(NamedTuple):
    """Room around the axes, inches.

    Given rather than computed: a layout engine draws everything twice, and fixed margins let the
    figures of two devices lie side by side.
    """

    left: float = 0.85
    right: float = 0.1
    top: float = 0.1
    bottom: float = 0.5


@contextmanager
def canvas(
    height: float,
    margins: Margins,
    rows: int = 1,
    columns: int = 1,
    gaps: tuple[float, float] = (0.1, 0.42),
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure of the site's width and `height` inches, with its axes row by row.

    `gaps` lie between columns and between rows, as shares of an axis' width and height.

    The settings hold while the block runs: draw and call `to_svg` inside it.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(WIDTH_INCHES, height))
        FigureCanvasSVG(figure)
        place = {
            "left": margins.left / WIDTH_INCHES,
            "right": 1 - margins.right / WIDTH_INCHES,
            "top": 1 - margins.top / height,
            "bottom": margins.bottom / height,
        }
        spaces = {"wspace": gaps[0], "hspace": gaps[1]} if rows * columns > 1 else {}
        grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw=place | spaces)
        yield figure, [axes for row in grid for axes in row]


def to_svg(figure: Figure) -> str:
    """The drawing as SVG text: the same bytes for the same figure, on any day."""
    out = StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = text.replace("'DejaVu Sans'", FONT)
    return re.sub(r'(<svg[^>]*?) width="[\d.]+pt" height="[\d.]+pt"', r"\1", text, count=1)


def recolour(svg: str) -> str:
    """The same drawing for a dark page."""
    return re.sub("|".join(DARK), lambda match: DARK[match.group(0).lower()], svg, flags=re.IGNORECASE)


def viewbox(svg: str) -> tuple[int, int]:
    """Width and height in CSS pixels, for the attributes that keep the page from jumping."""
    match = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if match is None:
        return 640, 400
    return round(float(match.group(1)) * 4 / 3), round(float(match.group(2)) * 4 / 3)


def size_axis(axes: Axes, low: float, high: float, octaves: int = 2) -> None:
    """A horizontal axis of sizes in powers of two, labelled in words ("32 KiB")."""
    import math

    from reportgen.units import format_bytes

    axes.set_xscale("log", base=2)
    axes.set_xlim(low, high)
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = octaves * max(1, math.ceil((last - first) / octaves / 9))
    ticks = [2.0**power for power in range(first + first % 2, last + 1, step)]
    axes.set_xticks(ticks, [format_bytes(tick) for tick in ticks])
    axes.set_xticks([2.0**power for power in range(first, last + 1)], minor=True)
    axes.tick_params(axis="x", which="minor", length=2, labelbottom=False)


def plain_log_ticks(axis: str, axes: Axes, low: float, high: float) -> None:
    """Ticks at 1, 2, 5 of each decade as plain text; thinned when there are many."""
    import math

    from reportgen.units import significant

    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 3000 else (1,)
    ticks = [s * 10.0**d for d in decades for s in steps if low <= s * 10.0**d <= high]
    labels = [significant(tick) for tick in ticks]
    if axis == "x":
        axes.set_xticks(ticks, labels)
        axes.set_xticks([], minor=True)
    else:
        axes.set_yticks(ticks, labels)
        axes.set_yticks([], minor=True)
