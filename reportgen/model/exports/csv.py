"""`metrics.csv`: one row a metric, in the order of the ids."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.exports.finite import require_finite
from reportgen.runs.disk import write_file
from reportgen.status import USABLE

METRICS = "metrics.csv"
COLUMNS = ("metric", "value", "low", "high", "unit", "n", "status", "reason", "claim", "confidence")


def encode(architecture: Architecture) -> bytes:
    """The table as UTF-8 with a header; an empty cell is "no value".

    Numbers are written with the fewest digits that give the same double again.

    Raises:
        ValueError: a fact holds NaN or infinity.
    """
    require_finite(architecture.facts, METRICS)
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(_row(fact) for fact in architecture.facts)
    return text.getvalue().encode()


def write_metrics(folder: Path, architecture: Architecture) -> Path:
    """Write `metrics.csv` into an existing folder.

    Raises:
        OSError: the folder cannot be written; an earlier file is untouched.
    """
    path = folder / METRICS
    write_file(path, encode(architecture))
    return path


def _row(fact: Fact) -> tuple[str, ...]:
    claimed = fact.status in USABLE
    return (
        fact.metric,
        _number(fact.value),
        _number(fact.low),
        _number(fact.high),
        fact.unit,
        str(fact.n),
        str(fact.status),
        fact.reason,
        str(fact.claim) if claimed else "",
        _number(fact.confidence) if claimed else "",
    )


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))
