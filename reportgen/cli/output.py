"""Tables for people and the same rows as JSON for programs."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from reportgen.cli import table
from reportgen.errors import UserError

WIDE = 160
"""Columns where output is not a terminal, so that a log does not break a table at 80."""

Row = dict[str, Any]


def json_text(value: Any) -> str:
    """Indented JSON of records, lists and maps."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def columns() -> int:
    """What COLUMNS says, else those of the terminal, else `WIDE` where there is none."""
    told = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size((WIDE, 24)).columns if told else WIDE


def show(
    rows: Sequence[Row], headings: Sequence[str], as_json: bool, title: str = "", empty: str = ""
) -> None:
    """Print rows as a table with `headings`, or all their keys as JSON.

    There are no escape codes in it, so that a pipe, a log and NO_COLOR need no other table.

    Args:
        rows: one map a row; keys are headings in lower case with `_` for spaces.
        headings: of the columns, in order.
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
    keys = [heading.lower().replace(" ", "_") for heading in headings]
    cells = [[_cell(row.get(key, "")) for key in keys] for row in rows]
    lines = table.lines_of(headings, cells, columns())
    click.echo("\n".join(["", *([title] if title else []), *lines, ""]))


def prepare(folder: Path | None) -> None:
    """Make the folder that results shall go to, where one is named: before they take minutes to get.

    Raises:
        UserError: it cannot be written.
    """
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error.strerror) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(folder, os.strerror(errno.EACCES))


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Files of a folder, name -> content, over those that are there.

    Raises:
        UserError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise _unwritable(folder, error.strerror) from None


def _unwritable(folder: Path, why: str | None) -> UserError:
    return UserError(f"'{folder}' cannot be written ({why}).", "Name another folder with --out.")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)
