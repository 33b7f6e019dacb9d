"""What is derived of a run beside the suite (a validation, a survey, a measurement): made once, and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

import reportgen
from reportgen import caches
from reportgen.errors import ReportgenError
from reportgen.runs import store
from reportgen.site.files import write_if_changed
from reportgen.site.results import Results, Unreadable, beside, deriving

Record = TypeVar("Record")


@dataclass(frozen=True)
class Shape(Generic[Record]):
    """How records of one kind are made and written."""

    type: type[Record]
    json: str
    """Name of the file that is read again."""
    writers: dict[str, Callable[[Record], bytes]]
    """Name of a file -> what it holds of a record."""
    made: dict[str, str]
    """The same names -> what is in them, in words."""
    sources: tuple[str, ...]
    """Patterns of source files: where one changes, records are derived again."""


@dataclass(frozen=True)
class Kept(Generic[Record]):
    """A record with what lies beside it."""

    found: Record
    files: dict[str, tuple[Path, str]]
    """Name -> where its bytes lie, and what it is."""
    key: str


@dataclass
class Records(Generic[Record]):
    """What one process remembers of one kind; kept in the folder of the results."""

    results: Results
    shape: Shape[Record]
    known: dict[str, Kept[Record]] = field(default_factory=dict)

    def of(
        self, ref: store.RunRef, parts: Callable[[], Sequence[str]], derive: Callable[[], Record]
    ) -> Kept[Record]:
        """The record of a run.

        Args:
            ref: the run.
            parts: what the record depends on beside the run and the code.
            derive: makes it; called where it is not kept.

        Raises:
            Unreadable: the run, or what the record depends on, cannot be read.
        """
        try:
            key = self._key(ref, parts)
            folder = self.results.folder / key
            if key not in self.known:
                found = self._read(folder) or self._made(ref.path, folder, derive)
                self.known[key] = Kept(found, beside(ref.path, folder, self.shape.made), key)
            caches.touch(folder / self.shape.json)
            return self.known[key]
        except (ReportgenError, OSError) as error:
            raise Unreadable(str(error).replace(str(ref.path), f"{ref.device}/{ref.run}")) from None

    def missing(self, ref: store.RunRef, parts: Callable[[], Sequence[str]]) -> bool:
        """Whether the record of a run is still to be derived; not where it cannot be read."""
        try:
            key = self._key(ref, parts)
        except (ReportgenError, Unreadable, OSError):
            return False
        return key not in self.known and not (self.results.folder / key / self.shape.json).is_file()

    def _key(self, ref: store.RunRef, parts: Callable[[], Sequence[str]]) -> str:
        text = "".join((_digest(self.shape.sources), self.results.key(ref.path), *parts()))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _read(self, folder: Path) -> Record | None:
        try:
            return msgspec.json.decode((folder / self.shape.json).read_bytes(), type=self.shape.type)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _made(self, path: Path, folder: Path, derive: Callable[[], Record]) -> Record:
        with deriving(path):
            found = derive()
        for name, content in self.shape.writers.items():
            write_if_changed(folder / name, content(found))
        return found


@cache
def _digest(sources: tuple[str, ...]) -> str:
    """Digest of the source files that make a record."""
    root = Path(reportgen.__file__).parent
    digest = hashlib.sha256()
    for path in sorted({path for pattern in sources for path in root.glob(pattern)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()
