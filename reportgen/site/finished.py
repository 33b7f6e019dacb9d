"""What a server keeps of its site between two builds: finished pages, and what the search has of them.

A new run changes a few pages of its device.  The other pages stand as they stood before, as long as their
text, the navigation around them, the settings and the templates do; passing each through the theme and
the search again takes longer than all that is new.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


class Finished:
    """Pages by their source path; of each the last one made."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[tuple[object, ...], str]] = {}
        self._entries: dict[str, list[Any]] = {}

    def recall(self, uri: str, parts: tuple[object, ...]) -> str | None:
        """The page that was made of the same parts; None where one of them changed."""
        before = self._pages.get(uri)
        return before[1] if before is not None and before[0] == parts else None

    def keep(self, uri: str, parts: tuple[object, ...], html: str) -> None:
        """Remember a page; the one before is forgotten."""
        self._pages[uri] = parts, html

    def forget_others(self, uris: Collection[str]) -> None:
        """Forget pages that the site no longer has."""
        self._pages = {uri: page for uri, page in self._pages.items() if uri in uris}

    def complete_search(self, index: Path, urls: Sequence[str], recalled: Collection[str]) -> None:
        """Add to the index of the search the entries of the pages that did not go through it.

        Args:
            index: the file that the search plugin wrote; nothing is done where there is none.
            urls: of all pages, in the order of the build, which is that of the entries.
            recalled: the urls of pages that were taken from before.
        """
        try:
            written = json.loads(index.read_bytes())
        except FileNotFoundError:
            return
        fresh: dict[str, list[Any]] = {url: [] for url in urls}
        for entry in written["docs"]:
            fresh[entry["location"].partition("#")[0]].append(entry)
        known = self._entries
        self._entries = {url: known.get(url, []) if url in recalled else fresh[url] for url in urls}
        if recalled:
            written["docs"] = [entry for url in urls for entry in self._entries[url]]
            index.write_text(json.dumps(written, separators=(",", ":")), encoding="utf-8")


class Linked:
    """Folders of links below `store`, one for each set of files that a folder of the site holds.

    A site is emptied before every build, and a link to a folder is one file to remove and to make.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self._used: set[str] = set()

    def link(self, sources: Mapping[str, Path], target: Path) -> None:
        """Let the folder `target` be a link to one that holds `sources` under their names.

        Where the file system has no links, or `target` is there already, nothing is done: who finds no file
        copies it.
        """
        files = {name: Path(os.path.abspath(source)) for name, source in sorted(sources.items())}  # noqa: PTH100
        key = hashlib.sha256(repr(files).encode()).hexdigest()[:32]
        folder = Path(os.path.abspath(self._store / key))  # noqa: PTH100  # links stay links
        self._used.add(key)
        try:
            if not folder.is_dir():
                partial = folder.with_name(f"{key}.{os.getpid()}.tmp")
                partial.mkdir(parents=True)
                for name, source in files.items():
                    (partial / name).symlink_to(source)
                partial.replace(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(folder)
        except OSError:
            return

    def forget_others(self) -> None:
        """Remove the folders that were not asked for since the last call."""
        for folder in self._store.iterdir() if self._store.is_dir() else ():
            if folder.name not in self._used:
                shutil.rmtree(folder)  # of the links themselves, not of what they lead to
        self._used = set()


def stamps(folders: Iterable[str]) -> list[tuple[str, int, int]]:
    """Path, size and time stamp of every template below some folders, except the pictures in dot folders."""
    found: list[tuple[str, int, int]] = []
    for folder in folders:
        for parent, inner, names in os.walk(folder):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for path in (Path(parent, name) for name in sorted(names) if name.endswith((".html", ".xml"))):
                state = path.stat()
                found.append((str(path), state.st_size, state.st_mtime_ns))
    return found
