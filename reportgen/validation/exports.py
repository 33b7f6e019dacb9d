"""Files of a validation: `validation.json` whole, `validation.csv` one row a loop."""

from __future__ import annotations

import csv
import io

import msgspec

from reportgen.validation.record import MODEL, Validation

JSON = "validation.json"
CSV = "validation.csv"
HEAD = (
    "loop", "name", "title", "items", "bytes", "held_out", "status", "measured_cycles", "measured_low",
    "measured_high", "model_cycles", "model_low", "model_high", "model_decides", "model_unknown",
)  # fmt: skip


def to_json(found: Validation) -> bytes:
    """Indented JSON."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def to_csv(found: Validation) -> bytes:
    """A row a loop, cycles of a round; what is not known is empty."""
    others = [one.name for one in found.predictors if one.name != MODEL]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [f"{name.lower().replace('-', '_')}_{key}" for name in others for key in ("cycles", "fault")]
    writer.writerow([*HEAD, *names])
    for row in found.rows:
        own = row.predictions[MODEL]
        said = [row.predictions.get(name) for name in others]
        writer.writerow(
            [
                *(row.loop, row.name, row.title, f"{row.items:g}", row.bytes, int(row.held_out)),
                *(row.status.value, *map(_text, (row.measured, row.low, row.high))),
                *(*map(_text, (own.cycles, own.low, own.high)), row.decides, "; ".join(own.unknown)),
                *(
                    text
                    for one in said
                    for text in ((_text(one.cycles), one.fault) if one else ("", "absent"))
                ),
            ]
        )
    return out.getvalue().encode()


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
