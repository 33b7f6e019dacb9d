"""Validations of a data folder: derived once and kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

import reportgen
from reportgen import caches
from reportgen.errors import ReportgenError
from reportgen.model.architecture import Architecture
from reportgen.runs import read, store
from reportgen.runs.schema import MANIFEST, Run
from reportgen.site.files import write_if_changed
from reportgen.site.results import Results, Unreadable, beside, deriving
from reportgen.validation import exports
from reportgen.validation.record import Validation

MADE = {
    exports.JSON: "everything on this page: loops, predictions, errors, rankings",
    exports.CSV: "one row a loop: measured and predicted cycles with their ranges",
}


@dataclass(frozen=True)
class Checked:
    """A validation with what lies beside it."""

    run: Run
    found: Validation
    files: dict[str, tuple[Path, str]]
    """Name -> where its bytes lie, and what it is."""
    key: str


@dataclass
class Validations:
    """What one process remembers; kept in the folder of the results."""

    results: Results
    known: dict[str, Checked] = field(default_factory=dict)

    def checked(self, ref: store.RunRef) -> Checked:
        """The validation of a run of that kind, by the model of the run that it names.

        Raises:
            Unreadable: one of the two cannot be read, or the run of the model is not there.
        """
        try:
            run = read.load(ref.path).run
            model = ref.path.with_name(str(run.plan.get("model", "")))
            if not (model / MANIFEST).is_file():
                raise Unreadable(
                    f"the run of its model, {model.name or 'which it does not name'}, is not here"
                )
            report = self.results.report(model)
            survey = ref.path.with_name(str(run.plan["survey"])) if run.plan.get("survey") else None
            if survey is not None and not (survey / MANIFEST).is_file():
                raise Unreadable(f"the survey that its model had, {survey.name}, is not here")
            parts = (_code(), *(self.results.key(one) for one in (ref.path, model, survey) if one))
            key = hashlib.sha256("".join(parts).encode()).hexdigest()[:32]
            if key not in self.known:
                folder = self.results.folder / key
                found = self._kept(folder) or self._derive(ref.path, folder, report.architecture, survey)
                self.known[key] = Checked(run, found, beside(ref.path, folder, MADE), key)
            caches.touch(self.results.folder / key / exports.JSON)
            return self.known[key]
        except (ReportgenError, OSError) as error:
            text = str(error).replace(str(ref.path), f"{ref.device}/{ref.run}")
            raise Unreadable(text) from None

    def _kept(self, folder: Path) -> Validation | None:
        try:
            return msgspec.json.decode((folder / exports.JSON).read_bytes(), type=Validation)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _derive(
        self, path: Path, folder: Path, architecture: Architecture, survey: Path | None
    ) -> Validation:
        # Imported here: deriving needs pandas and scipy, showing what was derived does not.
        from reportgen.validation import derive

        with deriving(path):
            known = read.load(survey) if survey is not None else None
            found = derive.derive(read.load(path), architecture, known)
        write_if_changed(folder / exports.JSON, exports.to_json(found))
        write_if_changed(folder / exports.CSV, exports.to_csv(found))
        return found


@cache
def _code() -> str:
    """Digest of the source that makes a validation; that of the model is in the keys of the results."""
    digest = hashlib.sha256()
    for path in sorted((Path(reportgen.__file__).parent / "validation").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
