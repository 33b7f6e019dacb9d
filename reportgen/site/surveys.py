"""Surveys of a data folder: derived once and kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

import reportgen
from reportgen import caches
from reportgen.errors import ReportgenError
from reportgen.runs import read, store
from reportgen.site.files import write_if_changed
from reportgen.site.results import Results, Unreadable, beside, deriving
from reportgen.survey import exports
from reportgen.survey.record import Survey

MADE = {
    exports.JSON: "every form with its numbers and their ranges, what was left out and why",
    exports.CSV: "one row a form and pair of operands",
}
_MAKERS = (
    "survey/*.py", "analysis/survey*.py", "analysis/slope.py", "analysis/evidence.py", "analysis/robust.py",
    "analysis/cycles.py", "analysis/derive.py",
)  # fmt: skip


@dataclass(frozen=True)
class Surveyed:
    """A survey with what lies beside it."""

    found: Survey
    files: dict[str, tuple[Path, str]]
    """Name -> where its bytes lie, and what it is."""
    key: str
    reported: bool
    """Whether the device has a report that can be linked to."""


@dataclass
class Surveys:
    """What one process remembers; kept in the folder of the results."""

    results: Results
    known: dict[str, Surveyed] = field(default_factory=dict)

    def surveyed(self, ref: store.RunRef, suite: Path | None) -> Surveyed:
        """The survey of a run of that kind, beside the newest run of the suite on its device.

        Raises:
            Unreadable: it is damaged, or one of the two cannot be read.
        """
        try:
            parts = [_code(), self.results.key(ref.path)]
            parts += [self.results.key(suite)] if suite is not None else []
            key = hashlib.sha256("".join(parts).encode()).hexdigest()[:32]
            if key not in self.known:
                folder = self.results.folder / key
                found = self._kept(folder) or self._derive(ref, folder)
                self.known[key] = Surveyed(found, beside(ref.path, folder, MADE), key, suite is not None)
            caches.touch(self.results.folder / key / exports.JSON)
            return self.known[key]
        except (ReportgenError, OSError) as error:
            text = str(error).replace(str(ref.path), f"{ref.device}/{ref.run}")
            raise Unreadable(text) from None

    def _kept(self, folder: Path) -> Survey | None:
        try:
            return msgspec.json.decode((folder / exports.JSON).read_bytes(), type=Survey)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _derive(self, ref: store.RunRef, folder: Path) -> Survey:
        # Imported here: deriving needs pandas and scipy, showing what was derived does not.
        from reportgen.survey import stored

        with deriving(ref.path):
            found = stored.derived(read.load(ref.path), ref.path.parents[1])
        write_if_changed(folder / exports.JSON, exports.to_json(found))
        write_if_changed(folder / exports.CSV, exports.to_csv(found))
        return found


@cache
def _code() -> str:
    """Digest of the source that makes a survey of a run."""
    root = Path(reportgen.__file__).parent
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _MAKERS for path in root.glob(pattern)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()
