"""Measurements of code of the user's own in a data folder: derived once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reportgen.measurement import exports
from reportgen.measurement.record import Measurement
from reportgen.runs import read, store
from reportgen.site.kept_record import Records, Shape
from reportgen.site.results import Results

SHAPE = Shape(
    type=Measurement,
    json=exports.JSON,
    writers={exports.JSON: exports.to_json, exports.CSV: exports.to_csv},
    made={
        exports.JSON: "everything on this page, and samples",
        exports.CSV: "one row a piece of code: measured and predicted cycles",
    },
    sources=(
        "measurement/*.py", "analysis/slope.py", "analysis/evidence.py", "analysis/robust.py",
        "analysis/cycles.py", "analysis/derive.py",
    ),
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


class Measurements:
    """What one process remembers; kept in the folder of the results."""

    def __init__(self, results: Results) -> None:
        self._records = Records(results, SHAPE)

    def measured(self, ref: store.RunRef, *, reported: bool) -> Measured:
        """The measurement of a run of that kind.

        Raises:
            Unreadable: it is damaged.
        """

        def derived() -> Measurement:
            # Imported here: deriving needs pandas and scipy, showing what was derived does not.
            from reportgen.measurement import derive

            return derive.derive(read.load(ref.path))

        # A page that may link to a report is another page.
        kept = self._records.of(ref, lambda: [str(reported)], derived)
        return Measured(kept.found, kept.files, kept.key, reported)
