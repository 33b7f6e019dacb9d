"""Rooflines of several devices over one another with characters, and a line at each workload's intensity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from reportgen.cli.roofline_chart import HEIGHT, MARGIN, WIDTH
from reportgen.roofline.across import Across, Row
from reportgen.roofline.bounds import attainable
from reportgen.site.figures.roofline_record import WIDEST
from reportgen.units import format_value


def draw(found: Across, width: int = WIDTH) -> Iterator[list[str]]:
    """One chart for each precision and level: roofs by the device's number, `*` where they meet."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found.rows:
        groups.setdefault((row.point.precision, row.point.home), []).append(row)
    for (precision, level), rows in groups.items():
        roofs = [
            (str(number), one.roofs.compute[precision].value, one.roofs.memory[level].value)
            for number, one in enumerate(found.devices, 1)
            if precision in one.roofs.compute and level in one.roofs.memory
        ]
        if roofs:
            yield _chart(roofs, rows, f"{precision.upper()} and {level.upper()} roofs", width)


def _chart(
    roofs: Sequence[tuple[str, float, float]], rows: Sequence[Row], title: str, width: int
) -> list[str]:
    places = [(row.id, intensity) for row in rows if (intensity := row.point.intensity())]
    across = [*WIDEST, *(x for _, x in places), *(peak / rate for _, peak, rate in roofs)]
    left, right = math.floor(math.log10(min(across))), math.ceil(math.log10(max(across)))
    bottom = math.floor(math.log10(min(rate * 10.0**left for _, _, rate in roofs)))
    top = math.ceil(math.log10(max(peak for _, peak, _ in roofs)))
    grid = [[" "] * width for _ in range(HEIGHT)]

    def column(x: float) -> int:
        return round((math.log10(x) - left) / (right - left) * (width - 1))

    def row(y: float) -> int:
        return HEIGHT - 1 - round((math.log10(y) - bottom) / (top - bottom) * (HEIGHT - 1))

    for at in sorted({column(x) for _, x in places}):
        for line in grid:
            line[at] = "|"
    for at in range(width):
        x = 10 ** (left + at / (width - 1) * (right - left))
        for mark, peak, rate in roofs:
            line = grid[row(attainable(peak, rate, x))]
            line[at] = mark if line[at] in " |" else "*"
    names = [" "] * width
    for name, x in places:
        at = min(column(x), width - len(name))
        if all(cell == " " for cell in names[max(0, at - 1) : at + len(name) + 1]):
            names[at : at + len(name)] = name
    unit = rows[0].point.unit
    labels = {
        row(10.0**power): format_value(10.0**power, f"{unit}/second") for power in range(bottom, top + 1)
    }
    marks = [" "] * width
    for power in range(left, right + 1):
        mark = f"{10.0**power:g}"
        at = min(column(10.0**power), width - len(mark))
        marks[at : at + len(mark)] = mark
    return [
        f"{title}; columns of | are the workloads",
        " " * MARGIN + "".join(names).rstrip(),
        *(f"{labels.get(at, ''):>{MARGIN - 1}} {''.join(line).rstrip()}" for at, line in enumerate(grid)),
        " " * MARGIN + "".join(marks).rstrip(),
        f"{' ' * MARGIN}{unit}/byte",
    ]
