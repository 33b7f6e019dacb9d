"""Validations of a data folder: derived once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reportgen.errors import ReportgenError
from reportgen.runs import read, store
from reportgen.runs.schema import MANIFEST, Run
from reportgen.site.kept_record import Records, Shape
from reportgen.site.results import Results, Unreadable
from reportgen.validation import exports
from reportgen.validation.record import Validation

SHAPE = Shape(
    type=Validation,
    json=exports.JSON,
    writers={exports.JSON: exports.to_json, exports.CSV: exports.to_csv},
    made={
        exports.JSON: "everything on this page: loops, predictions, errors, rankings",
        exports.CSV: "one row a loop: measured and predicted cycles with their ranges",
    },
    sources=("validation/*.py",),  # what makes the model is in the keys of the results
)


@dataclass(frozen=True)
class Checked:
    """A validation with what lies beside it."""

    run: Run
    found: Validation
    files: dict[str, tuple[Path, str]]
    """Name -> where its bytes lie, and what it is."""
    key: str


class Validations:
    """What one process remembers; kept in the folder of the results."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._records = Records(results, SHAPE)

    def checked(self, ref: store.RunRef) -> Checked:
        """The validation of a run of that kind, by the model of the run that it names.

        Raises:
            Unreadable: one of the two cannot be read, or the run of the model is not there.
        """
        run, model, survey = _made_of(ref)

        def derived() -> Validation:
            # Imported here: deriving needs pandas and scipy, showing what was derived does not.
            from reportgen.validation import derive

            known = read.load(survey) if survey is not None else None
            return derive.derive(read.load(ref.path), self._results.report(model).architecture, known)

        kept = self._records.of(ref, partial(self._parts, model, survey), derived)
        return Checked(run, kept.found, kept.files, kept.key)

    def missing(self, ref: store.RunRef) -> bool:
        """Whether a validation is still to be derived; not where it cannot be read."""
        try:
            _, model, survey = _made_of(ref)
        except Unreadable:
            return False
        return self._records.missing(ref, partial(self._parts, model, survey))

    def _parts(self, model: Path, survey: Path | None) -> list[str]:
        """What a validation depends on beside itself: the run of its model, and the survey that it had."""
        if not (model / MANIFEST).is_file():
            raise Unreadable(f"the run of its model, {model.name or 'which it does not name'}, is not here")
        if survey is not None and not (survey / MANIFEST).is_file():
            raise Unreadable(f"the survey that its model had, {survey.name}, is not here")
        self._results.report(model)  # one that cannot be read is told of here
        return [self._results.key(one) for one in (model, survey) if one]


def _made_of(ref: store.RunRef) -> tuple[Run, Path, Path | None]:
    """The run of a validation, and where those of its model and of its survey should lie."""
    try:
        run = read.load(ref.path).run
    except (ReportgenError, OSError) as error:
        raise Unreadable(str(error).replace(str(ref.path), f"{ref.device}/{ref.run}")) from None
    survey = ref.path.with_name(str(run.plan["survey"])) if run.plan.get("survey") else None
    return run, ref.path.with_name(str(run.plan.get("model", ""))), survey
