"""Which lines of a GPU's second-level cache are near to which multiprocessors: heat map, groups."""

from __future__ import annotations

from reportgen.site import distance_map
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present

COLUMNS = (
    Column("group"),
    Column("multiprocessors", number=True),
    Column("their numbers"),
    Column("lines near", number=True, note="share of the lines that were loaded"),
    Column("cycles near", number=True, note="median of near lines, distance to all lines taken off"),
    Column("cycles far", number=True, note="median of far lines"),
)


def section(view: View) -> Section | None:
    """The map of a run whose lines are near or far."""
    groups = distance_map.groups(view.report)
    kept = view.report.details(distance_map.METRIC).get("map")
    if not groups or not kept:
        return None
    asked, lines = len(kept["multiprocessor"]), sum(kept["lines"])
    sizes = " and ".join(str(len(one["multiprocessors"])) for one in groups)
    alike = f"in {len(groups)} groups of {sizes}" if len(groups) > 1 else "in one group"
    drawn = view.figure(
        "distance",
        f"Heat map of {asked} multiprocessors, {alike} by the lines that are near to them, and {lines} "
        "lines; pale cells are near, deep cells far. The numbers of each group are in the table.",
        f"Cycles of a load that the second-level cache answers, from {asked} of "
        f"{view.report.run.device.cores} multiprocessors (rows) to {lines} lines (columns), both in the "
        "order of their groups.",
    )
    body = table(
        "distance", "Groups of multiprocessors by the lines that are near to them.", COLUMNS,
        (
            Row((
                Cell(f"group {number}", sort=number),
                Cell(str(len(one["multiprocessors"]))),
                distance_map.ranges(one["multiprocessors"]),
                Cell(f"{one['near_share']:.0%}", sort=one["near_share"]),
                _cycles(one["near"]),
                _cycles(one["far"]),
            ))
            for number, one in enumerate(groups, 1)
        ),
    )  # fmt: skip
    return Section("distance", "Near and far lines", present((view.intro("distance"), drawn, body)))


def _cycles(value: float | None) -> Cell:
    return Cell("–" if value is None else f"{value:.0f}", sort=value)
