"""Which operations may use which abstract resource: operations on the left, resources on the right."""

from __future__ import annotations

from textwrap import wrap

import msgspec

from reportgen.site.figures import style


class Operations(msgspec.Struct, frozen=True):
    """Operations that may use the same resources; they share a node."""

    names: tuple[str, ...]
    resources: tuple[str, ...]


class ResourceGraph(msgspec.Struct, frozen=True):
    """The two sides; `resources` gives the order of the right one."""

    operations: tuple[Operations, ...]
    resources: tuple[str, ...]


MARGINS = style.Margins(left=0.05, right=0.05, top=0.3, bottom=0.05)
COLUMNS = 52
"""Characters of a line of names; the table under the figure has every name."""
LEFT, RIGHT = 0.6, 0.8
ROW = 0.42
"""Inches of a node."""
STROKES = (
    *((stroke.colour, "-") for stroke in style.LEVELS.values()),
    *((stroke.colour, "--") for stroke in style.LEVELS.values()),
)
"""By node, in turns: dashes where colours come again."""


def draw(data: ResourceGraph) -> str:
    """SVG of the graph; curves lead from operations to every resource that may serve them."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    order = arranged(data)
    rows = max(len(order), len(data.resources))
    height = ROW * rows + MARGINS.top + MARGINS.bottom
    with style.canvas(height, MARGINS) as (figure, (axes,)):
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        axes.set_ylim(rows, -0.2)
        places = {name: _place(i, len(data.resources), rows) for i, name in enumerate(data.resources)}
        axes.text(LEFT, -0.25, "operations", ha="right", va="bottom", fontsize=8.5, color=style.SOFT)
        axes.text(RIGHT, -0.25, "resources", ha="left", va="bottom", fontsize=8.5, color=style.SOFT)
        for i, node in enumerate(order):
            colour, dash = STROKES[i % len(STROKES)]
            y, middle = _place(i, len(order), rows), (LEFT + RIGHT) / 2
            for name in node.resources:
                corners = [(LEFT, y), (middle, y), (middle, places[name]), (RIGHT, places[name])]
                path = Path(corners, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
                axes.add_patch(
                    PathPatch(path, facecolor="none", edgecolor=colour, linestyle=dash, linewidth=1.3)
                )
            axes.plot([LEFT], [y], marker="o", color=colour)
            axes.text(LEFT - 0.015, y, label(node.names), ha="right", va="center", fontsize=8)
        for name, y in places.items():
            axes.plot([RIGHT], [y], marker="s", markersize=7, color=style.SOFT)
            axes.text(RIGHT + 0.02, y, name.replace("_", " "), ha="left", va="center", fontsize=8.5)
        return style.to_svg(figure)


def _place(index: int, count: int, rows: int) -> float:
    """Height of a node when `count` of them share `rows` lines."""
    return (index + 0.5) * rows / count


def label(names: tuple[str, ...]) -> str:
    """As many names of a node as fit on two lines, and how many more there are."""
    plain = [name.replace("_", " ") for name in names]
    for shown in range(len(plain), 0, -1):
        more = f" and {len(plain) - shown} more" if shown < len(plain) else ""
        lines = wrap(", ".join(plain[:shown]) + more, COLUMNS)
        if len(lines) <= 2:
            return "\n".join(lines)
    return f"{len(plain)} operations"


def arranged(data: ResourceGraph) -> tuple[Operations, ...]:
    """Nodes by the mean place of their resources, so that few curves cross."""
    place = {name: i for i, name in enumerate(data.resources)}

    def centre(node: Operations) -> tuple[float, tuple[str, ...]]:
        return sum(place[name] for name in node.resources) / len(node.resources), node.names

    return tuple(sorted(data.operations, key=centre))
