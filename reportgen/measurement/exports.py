"""Files of a measurement: `measurement.json` whole, `measurement.csv` one row a piece of code."""

from __future__ import annotations

import csv
import io

import msgspec

from reportgen.measurement.record import Measurement, OwnRow
from reportgen.validation.record import MODEL

JSON = "measurement.json"
CSV = "measurement.csv"
HEAD = (
    "name", "status", "cycles", "cycles_low", "cycles_high", "seconds", "items", "instructions", "unroll",
    "accepted", "samples", "model_cycles", "model_low", "model_high", "model_decides", "place", "others",
    "reason",
)  # fmt: skip


def to_json(found: Measurement) -> bytes:
    """Indented JSON."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def to_csv(found: Measurement) -> bytes:
    """A row for each piece of code; what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for row in found.rows:
        writer.writerow(_cells(row))
    return out.getvalue().encode()


def _cells(row: OwnRow) -> list[str]:
    own = next((one for one in row.predictions if one.name == MODEL), None)
    others = [f"{one.name} {_text(one.cycles)}" for one in row.predictions if one is not own and one.cycles]
    model = (own.cycles, own.low, own.high) if own is not None else (None, None, None)
    return [
        row.name, row.status.value, *map(_text, (row.cycles, row.low, row.high, row.seconds)),
        f"{row.items:g}", str(row.instructions), str(row.unroll), str(row.n), str(row.taken),
        *map(_text, model), own.decides if own is not None else "", row.place, "; ".join(others), row.reason,
    ]  # fmt: skip


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
