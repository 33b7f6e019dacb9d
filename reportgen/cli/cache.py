"""`reportgen cache`: what is kept so that it need not be made again, how large it is, and away with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reportgen import caches
from reportgen.cli import output
from reportgen.site.project import CACHE
from reportgen.units import format_bytes

_TITLE = f"Kept so that it need not be made again; {caches.VARIABLE} sets the limit of each."


@click.command(
    "cache",
    epilog=f"""\b
Examples:
  reportgen cache
  reportgen cache --empty
  {caches.VARIABLE}=100 reportgen collect --device sm_90

Each cache gives up its least recently used entries by itself when it holds more than {caches.VARIABLE}
MiB ({caches.DEFAULT_MIB} where that is not set). What a running command uses stays.""",
)
@click.option("--empty", is_flag=True, help="Remove everything, but for a cache that is in use.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(empty: bool, as_json: bool) -> None:
    """What is kept so that it need not be made again: size, limit, folder."""
    rows = [_row(cache, folder, empty) for cache, folder in places()]
    shown = rows if as_json else [row | _readable(row) for row in rows]
    headings = ["cache", "holds", "entries", "bytes", "limit", "state", "folder"]
    output.show(shown, headings, as_json, title=_TITLE)


def places() -> list[tuple[caches.Cache, Path]]:
    """Every cache with its folder, as seen from the folder the command runs in."""
    site = [(cache, CACHE / cache.name) for cache in (caches.RESULTS, caches.FIGURES)]
    return [(caches.CUDA, caches.folder_of_kernels()), *site]


def _row(cache: caches.Cache, folder: Path, empty: bool) -> dict[str, Any]:
    state = ""
    if empty and folder.is_dir():
        held = caches.InUse(cache, folder)
        removed = held.empty()
        held.close()
        state = "in use, or not to be written" if removed is None else f"{format_bytes(removed)} removed"
    there = caches.entries(cache, folder)
    return {
        "cache": cache.name,
        "holds": cache.holds,
        "entries": len(there),
        "bytes": sum(entry.size for entry in there),
        "limit": caches.limit(),
        "state": state,
        "folder": str(folder),
    }


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    return {key: format_bytes(row[key]) for key in ("bytes", "limit")}
