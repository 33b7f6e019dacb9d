"""Tables for people and the same rows as JSON for programs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click
import msgspec

WIDE = 160
"""Columns where output is not a terminal, so that a log does not break a table at 80."""

Row = dict[str, Any]


def json_text(value: Any) -> str:
    """Indented JSON of records, lists and maps."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def columns() -> int:
    """Of the terminal, or `WIDE` where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE


def show(
    rows: Sequence[Row], columns: Sequence[str], as_json: bool, title: str = "", empty: str = ""
) -> None:
    """Print rows as a table with `columns` as its headings, or all their keys as JSON.

    Args:
        rows: one map a row; keys are column headings in lower case with `_` for spaces.
        columns: headings, in order.
        as_json: print a JSON list instead.
        title: above the table.
        empty: printed where there are no rows (but not in JSON).
    """
    if as_json:
        click.echo(json_text(list(rows)))
        return
    if not rows:
        click.echo(empty)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    keys = [column.lower().replace(" ", "_") for column in columns]
    for column, key in zip(columns, keys, strict=True):
        number = all(isinstance(row.get(key, 0), int | float) for row in rows)
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(key, ""))) for key in keys))
    Console(width=None if sys.stdout.isatty() else WIDE, file=sys.stdout).print(table)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)
