"""Workloads under the roofs of several devices as text that fits into 80 columns: a line a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reportgen.cli.compare_table import wrapped
from reportgen.units import format_interval, format_value, significant

if TYPE_CHECKING:
    from reportgen.roofline.across import Ratio, Row, Side

INDENT, GAP = "    ", "  "
COLUMNS = ("on", "bound", "decided by", "at least", "of the bound")
"""Under the line of a workload: number of the device, rate, roof, time of one call, achieved share."""


def lines_of(rows: Sequence[Row], width: int) -> list[str]:
    """Headings and `rows` in lines of at most `width` columns; columns that say nothing are left out."""
    several = len({(row.point.precision, row.point.home) for row in rows}) > 1
    cells = [[_cells(place, side, row.point.unit) for place, side in enumerate(row.sides)] for row in rows]
    shown = [
        column
        for column, heading in enumerate(COLUMNS)
        if heading in ("on", "bound", "decided by") or any(one[column] for some in cells for one in some)
    ]
    headings = [COLUMNS[column] for column in shown]
    table = [[[one[column] for column in shown] for one in some] for some in cells]
    lengths = [
        max(len(text) for text in (heading, *(one[place] for some in table for one in some)))
        for place, heading in enumerate(headings)
    ]
    whole = len(INDENT) + sum(lengths) + len(GAP) * (len(lengths) - 1)
    lengths = lengths if whole <= width else [0] * len(lengths)
    lines = ["id  workload: intensity", *_line(headings, lengths, width), "─" * min(width, whole)]
    for row, some in zip(rows, table, strict=True):
        lines += wrapped(f"{row.id:<4}{_workload(row, several)}", width, further=INDENT)
        for one in some:
            lines += _line(one, lengths, width)
        for number, ratio in enumerate(row.ratios, 2):
            lines += wrapped(f"{number} against 1: {ratio_text(ratio)}", width, INDENT, INDENT * 2)
    return lines


def _line(cells: Sequence[str], lengths: Sequence[int], width: int) -> list[str]:
    """Cells under each other; one after the other where the lengths are not there, being too many."""
    if not any(lengths):
        return wrapped(GAP.join(filter(None, cells)), width, INDENT, INDENT * 2)
    aligned = GAP.join(f"{cell:<{length}}" for cell, length in zip(cells, lengths, strict=True))
    return [INDENT + aligned.rstrip()]


def _workload(row: Row, several: bool) -> str:
    """Its name, precision and level where these differ from row to row, and FLOP a byte."""
    point = row.point
    intensity = point.intensity()
    about = f" ({point.precision.upper()}, {point.home.upper()})" if several else ""
    told = f": {significant(intensity, 3)} {point.unit}/byte" if intensity else ""
    return f"{point.name}{about}{told}"


def _cells(place: int, side: Side, unit: str) -> tuple[str, ...]:
    return (
        str(place + 1),
        bound_text(side, unit),
        side.decides.upper() or "cannot tell",
        format_value(side.at_least, "second", 3) if side.at_least is not None else "",
        f"{side.share * 100:.0f} %" if side.share is not None else "",
    )


def bound_text(side: Side, unit: str) -> str:
    """The bound with its interval; a unit that both share is said once."""
    if side.bound is None:
        return "–"
    rate = f"{unit}/second"
    value = format_value(side.bound.value, rate, 3)
    if side.partial:
        return f"at most {value}"
    around = format_interval(side.bound.low, side.bound.high, rate, 3)
    sign = value.partition(" ")[2]
    return f"{value} ({around.removesuffix(f' {sign}') if around.count(sign) == 1 else around})"


def ratio_text(ratio: Ratio) -> str:
    """The ratio with its interval, and what follows."""
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return str(ratio.answer)
    span = f"{significant(ratio.low, 3)} … {significant(ratio.high, 3)}"
    return f"{significant(ratio.value, 3)} times ({span}): {ratio.answer}"


def absences(rows: Sequence[Row]) -> Iterator[str]:
    """Why something cannot be told, each reason once with the places that it is the reason of."""
    told: dict[str, list[str]] = {}
    for row in rows:
        for number, side in enumerate(row.sides, 1):
            told.setdefault(side.reason, []).append(f"{row.id} on {number}")
        for number, ratio in enumerate(row.ratios, 2):
            # A roof that is missing on a side has been told there.
            if ratio.value is not None:
                told.setdefault(ratio.reason, []).append(f"{row.id}, {number} against 1")
    told.pop("", None)
    for why, places in told.items():
        yield f"Cannot tell ({'; '.join(places)}): {why}."
