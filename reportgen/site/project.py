"""The MkDocs project of a folder of runs, for those who have reportgen installed and no checkout.

The hand-written pages and the settings of the site are shipped with the package.  A small file of settings
inherits from them and names the user's folders; MkDocs is run on it as a program of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from reportgen.errors import UserError

SETTINGS = "mkdocs.yml"
DOCS = "docs"
CACHE = Path(".cache") / "reportgen"
"""Where rendered pages are kept, in the folder that one works in; the plugin's own default."""
MARKS = ("404.html", "search/search_index.json")
"""What a folder holds that MkDocs has built; such a folder may be emptied and built again."""
BEGUN = ".reportgen-site"
"""File in a folder that is built into: one whose build was cut short is known by it; MkDocs leaves it."""


def root(package: Path | None = None) -> Path:
    """The folder with `mkdocs.yml` and `docs/`: inside the package in a wheel, beside it in a checkout.

    Args:
        package: folder of the package; this one's where not given.

    Raises:
        UserError: neither is there, as when the package folder was copied by hand.
    """
    package = package or Path(__file__).resolve().parents[1]
    for folder in (package / "_site", package.parent):
        if (folder / SETTINGS).is_file() and (folder / DOCS / "index.md").is_file():
            return folder
    raise UserError(
        "The pages of the site are missing.",
        "Install reportgen from its wheel or with 'pip install -e .' in a checkout.",
    )


def write(data: Path, out: Path | None, cache: Path, source: Path) -> Path:
    """Write the settings of the site of `data`, make the folder that it is built into; path of the settings.

    Args:
        data: folder of the runs.
        out: folder that MkDocs empties and fills; `None` to serve the site.
        cache: folder of the settings and of rendered pages; made where missing.
        source: what `root` found.

    Raises:
        UserError: `data` is no folder; `out` holds something that is no built site, or the runs; `out` or the
            cache cannot be written.
    """
    try:
        there = data.is_dir()
    except OSError as error:
        raise UserError(
            f"'{data}' cannot be read ({error.strerror}).", "Name another folder with --data."
        ) from None
    if not there:
        raise UserError(
            f"there is no folder '{data}'.", "'reportgen collect' makes one; name it with --data."
        )
    if out is not None:
        _prepare(out, data)
    settings = {
        "INHERIT": str(source / SETTINGS),
        "docs_dir": str(source / DOCS),
        "site_dir": str((out or cache / "site").resolve()),
        "plugins": {
            "search": {},
            "reportgen": {"data_dir": str(data.resolve()), "cache_dir": str(cache.resolve())},
        },
    }
    path = cache / SETTINGS
    try:
        cache.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")  # JSON is YAML too
    except OSError as error:
        raise UserError(
            f"'{path}' cannot be written ({error.strerror}).", "Start in a folder that you may write."
        ) from None
    return path


def _prepare(out: Path, data: Path) -> None:
    """MkDocs empties the folder that it builds into: only one of its own, or an empty one."""
    if data.resolve().is_relative_to(out.resolve()):
        raise UserError(f"'{out}' holds the runs, and is emptied first.", "Name another folder with --out.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        ours = (out / BEGUN).is_file() or all((out / mark).is_file() for mark in MARKS)
        taken = any(out.iterdir()) and not ours
        if not taken:
            (out / BEGUN).write_text("'reportgen site' empties this folder and fills it again.\n")
    except OSError as error:
        raise UserError(
            f"'{out}' cannot be written ({error.strerror}).", "Name another folder with --out."
        ) from None
    if taken:
        raise UserError(
            f"'{out}' was not built by MkDocs, which empties it first.", "Name a new folder with --out."
        )
