"""Measurements of code of the user's own in a data folder: derived once and kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

import reportgen
from reportgen import caches
from reportgen.errors import ReportgenError
from reportgen.measurement import exports
from reportgen.measurement.record import Measurement
from reportgen.runs import read, store
from reportgen.site.files import write_if_changed
from reportgen.site.results import Results, Unreadable, beside, deriving

MADE = {
    exports.JSON: "everything on this page, and samples",
    exports.CSV: "one row a piece of code: measured and predicted cycles",
}
_MAKERS = (
    "measurement/*.py", "analysis/slope.py", "analysis/evidence.py", "analysis/robust.py",
    "analysis/cycles.py", "analysis/derive.py",
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """A measurement with what lies beside it."""

    found: Measurement
    files: dict[str, tuple[Path, str]]
    """Name -> where its bytes lie, and what it is."""
    key: str
    reported: bool
    """Whether the device has a report that can be linked to."""


@dataclass
class Measurements:
    """What one process remembers; kept in the folder of the results."""

    results: Results
    known: dict[str, Measured] = field(default_factory=dict)

    def measured(self, ref: store.RunRef, *, reported: bool) -> Measured:
        """The measurement of a run of that kind.

        Raises:
            Unreadable: it is damaged.
        """
        try:
            parts = (_code(), self.results.key(ref.path), str(reported))
            key = hashlib.sha256("".join(parts).encode()).hexdigest()[:32]
            if key not in self.known:
                folder = self.results.folder / key
                found = self._kept(folder) or self._derive(ref.path, folder)
                self.known[key] = Measured(found, beside(ref.path, folder, MADE), key, reported)
            caches.touch(self.results.folder / key / exports.JSON)
            return self.known[key]
        except (ReportgenError, OSError) as error:
            text = str(error).replace(str(ref.path), f"{ref.device}/{ref.run}")
            raise Unreadable(text) from None

    def _kept(self, folder: Path) -> Measurement | None:
        try:
            return msgspec.json.decode((folder / exports.JSON).read_bytes(), type=Measurement)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _derive(self, path: Path, folder: Path) -> Measurement:
        # Imported here: deriving needs pandas and scipy, showing what was derived does not.
        from reportgen.measurement import derive

        with deriving(path):
            found = derive.derive(read.load(path))
        write_if_changed(folder / exports.JSON, exports.to_json(found))
        write_if_changed(folder / exports.CSV, exports.to_csv(found))
        return found


@cache
def _code() -> str:
    """Digest of the source that makes a measurement of a run."""
    root = Path(reportgen.__file__).parent
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _MAKERS for path in root.glob(pattern)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()
