"""Pages kept by what they are made of: one that was written before is taken as it lies in the tree.

An index beside the tree says of every page which making it came from and which bytes that gave.  The key
of a making is what its caller names (the run by its digest, links, other runs of the device) and all of
the program, templates and published figures included: a changed word is a changed page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

import reportgen
from reportgen.findings.published import library
from reportgen.site.files import write_if_changed
from reportgen.site.pages import Page


class Making(msgspec.Struct, frozen=True):
    """One line of the index."""

    key: str
    title: str
    bytes: str
    """sha256 of the page as it was written."""


class Kept:
    """The pages of a tree; remembers in one process what it has made or read."""

    def __init__(self, tree: Path, index: Path) -> None:
        self._tree, self._index = tree, index
        self._known: dict[str, tuple[str, Page]] = {}
        self._makings = _read(index)

    def page(self, uri: str, parts: tuple[object, ...], make: Callable[[], Page]) -> Page:
        """The page at `uri`; `make` is called where one made of the same `parts` is not there.

        `parts` are all that the page depends on beside the program, told apart by their `repr`.
        """
        key = hashlib.sha256(f"{program()}{parts!r}".encode()).hexdigest()
        if self._known.get(uri, ("", None))[0] != key:
            page = self._written(uri, key) or make()
            self._known[uri] = key, page
            self._makings[uri] = Making(key, page.title, _digest(page.markdown.encode()))
        return self._known[uri][1]

    def save(self) -> None:
        """Write the index; pages that the tree no longer has are left out."""
        self._makings = {uri: one for uri, one in self._makings.items() if (self._tree / uri).is_file()}
        self._known = {uri: one for uri, one in self._known.items() if uri in self._makings}
        write_if_changed(self._index, msgspec.json.encode(self._makings, order="deterministic"))

    def _written(self, uri: str, key: str) -> Page | None:
        making = self._makings.get(uri)
        if making is None or making.key != key:
            return None
        try:
            content = (self._tree / uri).read_bytes()
        except OSError:
            return None
        return Page(uri, making.title, content.decode()) if _digest(content) == making.bytes else None


@cache
def program() -> str:
    """Digest of the program, its templates and the published figures."""
    digest = hashlib.sha256()
    package = Path(reportgen.__file__).parent
    sources = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for path in (*sorted(sources), *sorted(library.root().glob("*.csv"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(index: Path) -> dict[str, Making]:
    try:
        return msgspec.json.decode(index.read_bytes(), type=dict[str, Making])
    except (OSError, msgspec.DecodeError):
        return {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
