"""A roofline drawn with characters, for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportgen.roofline.sheet import Entry, Sheet
from reportgen.units import format_value

WIDTH, HEIGHT = 78, 20
NARROWEST = 40
MARGIN = 14
"""Columns for the labels of the vertical axis."""


def fitting(columns: int) -> int:
    """Width of a chart for a terminal of so many columns."""
    return max(NARROWEST, min(WIDTH, columns - MARGIN - 1))


def draw(sheet: Sheet, unit: str, width: int = WIDTH) -> list[str]:
    """Lines of text: slanted roofs by level, flat ones by precision, points by their short names.

    Work that was only counted stands at its bound.
    Empty where the sheet has no roofs of this unit of work or no points.
    """
    part = sheet.with_unit(unit)
    places = [
        (entry.id, intensity, rate)
        for entry in part.points
        if (rate := _rate(entry)) and (intensity := entry.point.intensity(entry.level))
    ]
    if not part.compute or not part.memory or not places:
        return []
    ridges = [one.value / level.value for one in part.compute for level in part.memory]
    xs = _decades([*ridges, *(x for _, x, _ in places)])
    ys = _decades([*(one.value for one in part.compute), *(y for _, _, y in places)])
    grid = [[" "] * width for _ in range(HEIGHT)]

    def column(x: float) -> int:
        return round((math.log10(x) - xs[0]) / (xs[1] - xs[0]) * (width - 1))

    def row(y: float) -> int:
        return HEIGHT - 1 - round((math.log10(y) - ys[0]) / (ys[1] - ys[0]) * (HEIGHT - 1))

    highest = max(one.value for one in part.compute)
    fastest = max(level.value for level in part.memory)
    for at in range(width):
        x = 10 ** (xs[0] + at / (width - 1) * (xs[1] - xs[0]))
        for level in part.memory:
            if level.value * x <= highest:
                _put(grid, row(level.value * x), at, "/")
        for one in part.compute:
            if one.value <= fastest * x:
                _put(grid, row(one.value), at, "-")
    for level in part.memory:
        start = max(10.0 ** xs[0], 10.0 ** ys[0] / level.value)
        _write(grid, row(level.value * start), column(start), level.name.upper())
    for one in sorted(part.compute, key=lambda roof: roof.value):
        _write(grid, row(one.value), width - len(one.name), one.name.upper())
    for name, x, y in places:
        _write(grid, row(y), column(x), name)
    labels = {
        row(10.0**power): format_value(10.0**power, f"{unit}/second") for power in range(ys[0], ys[1] + 1)
    }
    lines = [f"{labels.get(at, ''):>{MARGIN - 1}} {''.join(cells).rstrip()}" for at, cells in enumerate(grid)]
    return [*(line.rstrip() for line in lines), *_axis(xs, unit, width)]


def _rate(entry: Entry) -> float | None:
    bound = entry.verdict.bound
    return entry.point.rate or (bound.value if bound is not None else None)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _put(grid: list[list[str]], row: int, column: int, mark: str) -> None:
    if 0 <= row < HEIGHT and 0 <= column < len(grid[0]):
        grid[row][column] = mark


def _write(grid: list[list[str]], row: int, column: int, text: str) -> None:
    """Text whose place is taken moves up or down a little; the table has the exact numbers."""
    column = min(max(column, 0), len(grid[0]) - len(text))
    for away in (0, -1, 1, -2, 2, -3, 3):
        at = row + away
        if 0 <= at < HEIGHT and all(
            cell in " /-" for cell in grid[at][max(0, column - 1) : column + len(text) + 1]
        ):
            break
    else:
        at = min(max(row, 0), HEIGHT - 1)
    for place, letter in enumerate(text):
        _put(grid, at, column + place, letter)


def _axis(xs: tuple[int, int], unit: str, width: int) -> list[str]:
    marks = [" "] * width
    for power in range(xs[0], xs[1] + 1):
        text = f"{10.0**power:g}"
        at = min(round((power - xs[0]) / (xs[1] - xs[0]) * (width - 1)), width - len(text))
        marks[at : at + len(text)] = text
    return [" " * MARGIN + "".join(marks).rstrip(), " " * MARGIN + f"{unit}/byte"]
