"""Surveys of a data folder: derived once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reportgen.runs import read, store
from reportgen.site.kept_record import Records, Shape
from reportgen.site.results import Results
from reportgen.survey import exports
from reportgen.survey.record import Survey

SHAPE = Shape(
    type=Survey,
    json=exports.JSON,
    writers={exports.JSON: exports.to_json, exports.CSV: exports.to_csv},
    made={
        exports.JSON: "every form with its numbers and their ranges, what was left out and why",
        exports.CSV: "one row a form and pair of operands",
    },
    sources=(
        "survey/*.py", "analysis/survey*.py", "analysis/slope.py", "analysis/evidence.py",
        "analysis/robust.py", "analysis/cycles.py", "analysis/derive.py",
    ),
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


class Surveys:
    """What one process remembers; kept in the folder of the results."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._records = Records(results, SHAPE)

    def surveyed(self, ref: store.RunRef, refs: Sequence[store.RunRef]) -> Surveyed:
        """The survey of a run of that kind, beside the newest of `refs` that asked the suite of its device.

        Raises:
            Unreadable: it is damaged, or one of the two cannot be read.
        """
        suite = _suite(ref, refs)

        def derived() -> Survey:
            # Imported here: deriving needs pandas and scipy, showing what was derived does not.
            from reportgen.survey import stored

            return stored.derived(read.load(ref.path), ref.path.parents[1])

        kept = self._records.of(ref, partial(self._parts, suite), derived)
        return Surveyed(kept.found, kept.files, kept.key, suite is not None)

    def missing(self, ref: store.RunRef, refs: Sequence[store.RunRef]) -> bool:
        """Whether a survey is still to be derived; not where it cannot be read."""
        return self._records.missing(ref, partial(self._parts, _suite(ref, refs)))

    def _parts(self, suite: Path | None) -> list[str]:
        return [self._results.key(suite)] if suite is not None else []


def _suite(ref: store.RunRef, refs: Sequence[store.RunRef]) -> Path | None:
    """The newest run of the suite on the device of a survey; `refs` has the newest first."""
    return next((one.path for one in refs if one.device == ref.device and not (one.kind or one.error)), None)
