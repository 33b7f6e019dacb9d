"""Points of a roofline as a table for a terminal, and what to change about them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.units import format_value, significant

if TYPE_CHECKING:
    from reportgen.roofline.sheet import Entry

ROOMY = 120
"""Columns from which everything stands in one table."""

COLUMNS = ("id", "point", "data in", "intensity", "achieved", "roof", "of roof", "verdict")
LAST = "what to change, or time"
TIMED = ("achieved", "of roof", "verdict")
COUNTED = ("roof", "bound by", "time")


def show(entries: Sequence[Entry], columns: int, empty: str) -> None:
    """Print the table; where it is narrow, the advice follows it, each sentence once.

    Args:
        entries: of the sheet.
        columns: of the terminal.
        empty: printed where there are no entries.
    """
    if columns >= ROOMY or not entries:
        output.show([_row(entry) for entry in entries], (*COLUMNS, LAST), as_json=False, empty=empty)
        return
    timed = any(entry.point.rate is not None for entry in entries)
    units = {f"{entry.point.unit}/byte" for entry in entries}
    intensity = units.pop() if len(units) == 1 else "intensity"  # said once, where it is the same for all
    rows = [_short(entry, intensity) for entry in entries]
    output.show(rows, ("id", "point", intensity, *(TIMED if timed else COUNTED)), as_json=False)
    told: dict[str, list[str]] = {}
    for entry in entries:
        advice = _time(entry) if timed else ""
        advice = advice or (entry.verdict.advice[0] if entry.verdict.advice else "")
        if advice:
            told.setdefault(advice, []).append(entry.id)
    if told and timed:
        click.echo("What to change:")
    for advice, names in told.items():
        click.echo(wrapped(f"{', '.join(names)}: {advice}", columns))


def causes(entries: Iterable[Entry], columns: int) -> None:
    """Print why points may stand above a roof, the same causes once for all that have them."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        if entry.verdict.causes:
            groups.setdefault(tuple(cause.what for cause in entry.verdict.causes), []).append(entry)
    for some in groups.values():
        for entry in some:
            verdict = entry.verdict
            span = f"{verdict.low:.2f} … {verdict.high:.2f}" if verdict.low and verdict.high else ""
            last = ". Likely:" if entry is some[-1] else ","
            click.echo(f"{entry.id} {entry.point.name} is {verdict.share:.2f} times its roof ({span}){last}")
        for number, cause in enumerate(some[0].verdict.causes, 1):
            click.echo(wrapped(f"{number}. {cause.name}: {cause.what}. To find out: {cause.check}.", columns))


def wrapped(text: str, columns: int) -> str:
    """Lines of a terminal, indented; a word is never broken."""
    return textwrap.fill(
        text,
        columns,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _row(entry: Entry) -> output.Row:
    point, verdict = entry.point, entry.verdict
    rate = f"{point.unit}/second"
    intensity = point.intensity(entry.level)
    return {
        "id": entry.id,
        "point": point.name,
        "data_in": " or ".join(name.upper() for name in point.levels or (entry.level,)),
        "intensity": f"{significant(intensity, 3)} {point.unit}/byte" if intensity else "–",
        "achieved": format_value(point.rate, rate, 3) if point.rate else "–",
        "roof": format_value(verdict.bound.value, rate, 3) if verdict.bound else "–",
        "of_roof": f"{verdict.share * 100:.0f} %" if verdict.share is not None else "–",
        "verdict": _standing(entry),
        "what_to_change,_or_time": _time(entry) or (verdict.advice[0] if verdict.advice else ""),
    }


def _short(entry: Entry, heading: str) -> output.Row:
    row = _row(entry)
    number = str(row["intensity"])
    key = heading.lower()
    bound = entry.verdict.bound
    return {
        **row,
        key: number.removesuffix(f" {heading}"),
        "bound_by": bound.limiter.upper() if bound is not None else str(entry.verdict.standing),
        "time": " … ".join(_times(entry)),
    }


def _standing(entry: Entry) -> str:
    standing = str(entry.verdict.standing)
    limiter = entry.verdict.limiter
    return f"{standing}: {limiter.upper()}" if limiter else standing


def _time(entry: Entry) -> str:
    """Of work that was only counted."""
    ends = tuple(_times(entry))
    return f"{ends[0]} if all overlaps, {ends[1]} if nothing does" if ends else ""


def _times(entry: Entry) -> Iterator[str]:
    if entry.point.rate is None and entry.predicted is not None:
        for end in (entry.predicted.at_least, entry.predicted.at_most):
            yield format_value(end, "second", 3)
