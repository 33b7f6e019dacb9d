"""Files of a survey: `survey.json` whole, `survey.csv` one row a form and pair of operands."""

from __future__ import annotations

import csv
import io

import msgspec

from reportgen.survey.record import Survey

JSON = "survey.json"
CSV = "survey.csv"
HEAD = (
    "form", "mnemonic", "operands", "extension", "encoding", "status", "cycles_per_instruction",
    "cycles_per_instruction_low", "cycles_per_instruction_high", "beside", "pair", "latency_status",
    "latency_cycles", "latency_low", "latency_high", "latency_beside", "latency_through", "reason",
    "cycles_per_instruction_predicted", "cycles_per_instruction_verdict", "latency_predicted",
    "latency_verdict",
)  # fmt: skip


def to_json(found: Survey) -> bytes:
    """Indented JSON."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def to_csv(found: Survey) -> bytes:
    """A row for each pair of operands of a form, one where it has none; what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for row in found.rows:
        own = [
            *(row.key, row.mnemonic, " ".join(row.operands), row.extension, row.encoding, row.status.value),
            *map(_text, (row.interval, row.low, row.high)), str(row.beside),
        ]  # fmt: skip
        for one in row.latencies or (None,):
            pair, beside = [""] * 7, ["", ""]
            reason = row.reason
            if one is not None:
                numbers = map(_text, (one.cycles, one.low, one.high))
                pair = [one.pair, one.status.value, *numbers, str(one.beside), one.through]
                beside = [_text(one.predicted), one.verdict]
                reason = "; ".join(part for part in (row.reason, one.reason) if part)
            writer.writerow([*own, *pair, reason, _text(row.predicted), row.verdict, *beside])
    return out.getvalue().encode()


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
