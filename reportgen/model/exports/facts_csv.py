"""`facts.csv`: one row a fact with its definition, UTF-8, header first; an empty cell is "no value".

Numbers have the fewest digits that give the same double again; modes are separated by spaces.
"""

from __future__ import annotations

import csv
import io

from reportgen.model.architecture import Architecture
from reportgen.model.exports.fact_rows import COLUMNS, Value, rows


def encode(architecture: Architecture) -> bytes:
    """The table of facts.

    Raises:
        ValueError: a fact holds NaN or infinity.
    """
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(column.name for column in COLUMNS)
    table.writerows([_cell(value) for value in row] for row in rows(architecture))
    return text.getvalue().encode()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " ".join(repr(float(one)) for one in value)
    return repr(value) if isinstance(value, float) else str(value)
