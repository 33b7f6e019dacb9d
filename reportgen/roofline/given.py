"""Points that a user gives: `name,W,Q,T` on the command line, or a CSV file.

Numbers may carry a unit: work in FLOP (or OP), bytes in B, time in s, each with a decimal prefix.  What could
be read two ways is refused with the remedy, never guessed: a rate where an amount is meant, the
spelling that may be a count or a rate, bits, binary prefixes beside decimal rates, a small letter for
a prefix.
"""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path

from reportgen.errors import UserError
from reportgen.roofline.bounds import Moved
from reportgen.roofline.ceilings import LEVELS
from reportgen.roofline.points import INTEGER, UNITS, WORDS, Point, Source, type_of
from reportgen.roofline.roofs import FLOP, OP

COLUMNS = ("name", "work", "bytes", "seconds")
OPTIONAL = ("precision", "level", "source")
HEADS = {"flop": "work", "op": "work", "w": "work", "q": "bytes", "t": "seconds", "time": "seconds"}
"""Other names of the columns."""
EXAMPLE = "name,work,bytes,seconds"

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?))\s*(.*)", re.I)
_DECIMAL = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_SHORT = {"": 1.0, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "p": 1e-12}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}


class PointError(UserError):
    """A point that cannot be placed: names where it stands, what is wrong, and the remedy."""


def from_option(text: str, level: str, precision: str, timed: bool = True) -> Point:
    """The point of `name,W,Q,T`; the name may hold commas.

    Args:
        text: as the user wrote it.
        level: that the bytes cross.
        precision: whose peak it is under.
        timed: without, `name,W,Q` will do: work that was counted and not timed.

    Raises:
        PointError: a part is missing, or has a unit or a value that no point can have.
    """
    where = f"--point '{text}'"
    parts = text.rsplit(",", 3)
    if not timed and len(parts) == 3:
        parts.append("")
    if len(parts) != 4 or not parts[0].strip():
        raise PointError(
            f"{where} is not name,W,Q,T.",
            "Give the name, the work (FLOP), the bytes and the time (s): --point 'mykernel,2e9,1.2e9,0.05'.",
        )
    cells = dict(zip(COLUMNS, (part.strip() for part in parts), strict=True))
    return _point(cells, where, level, precision, untimed=not timed)


def from_csv(path: Path, level: str, precision: str) -> tuple[Point, ...]:
    """The points of a CSV file with the columns name, work (or flop, op), bytes, seconds.

    Columns `precision`, `level` and `source` (counted, counter or compulsory: where the bytes come
    from) may follow; without them the arguments apply.

    Raises:
        PointError: the file cannot be read, lacks a column, or a row is wrong; names the row.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PointError(f"'{path}' cannot be read ({error.strerror}).", "Name a CSV file.") from error
    except UnicodeDecodeError as error:
        raise PointError(f"'{path}' is not UTF-8 text.", "Save it as CSV in UTF-8.") from error
    table = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(table.line_num, row) for row in table]
    except csv.Error as error:
        raise PointError(f"{path.name}, row {table.line_num}: {error}.", "Save it as CSV.") from error
    heads, unit = _heads(rows[0][1] if rows else [], path)
    points = []
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row) or row[0].lstrip().startswith("#"):
            continue
        where = f"{path.name}, row {line}"
        if len(row) != len(heads):
            raise PointError(
                f"{where}: it has {len(row)} cells, the head has {len(heads)}.",
                "Put a name with a comma in quotes; write decimals with a point.",
            )
        cells = dict(zip(heads, (cell.strip() for cell in row), strict=True))
        points.append(_point(cells, where, level, precision, unit))
    if not points:
        raise PointError(f"'{path}' has no rows.", f"Give one point a row under the head {EXAMPLE}.")
    return tuple(points)


def _heads(row: list[str], path: Path) -> tuple[list[str], str]:
    """The columns by their own names, and the unit of work if the head says it."""
    names = [cell.strip().lower() for cell in row]
    heads = [HEADS.get(name, name) for name in names]
    where = f"{path.name}, row 1"
    for name, head in zip(names, heads, strict=True):
        if head not in (*COLUMNS, *OPTIONAL):
            raise PointError(
                f"{where}: '{name}' is no column of a point.",
                f"The columns are {', '.join(COLUMNS)}, and if you like {', '.join(OPTIONAL)}; units go into "
                "the cells, as in '1.2 GB'.",
            )
    lacking = [name for name in COLUMNS if name not in heads]
    if lacking or len(set(heads)) != len(heads):
        what = f"column '{lacking[0]}' is missing" if lacking else "a column occurs twice"
        raise PointError(f"{where}: {what}.", f"The first row is {EXAMPLE}.")
    return heads, OP if "op" in names else FLOP


def _point(
    cells: dict[str, str], where: str, level: str, precision: str, unit: str = "", *, untimed: bool = False
) -> Point:
    """Checked; `untimed`: an empty time is one that was not taken."""
    name = cells["name"]
    if not name:
        raise PointError(f"{where}: the name is empty.", "Give every point a name.")
    precision = (cells.get("precision") or precision).lower()
    known_precision(precision, f"{where}: ")
    integer = type_of(precision) in INTEGER
    level = (cells.get("level") or level).lower()
    if level not in LEVELS:
        raise PointError(f"{where}: '{level}' is no memory level.", f"One of {', '.join(LEVELS)}.")
    source = (cells.get("source") or Source.COUNTER).lower()
    if source not in set(Source):
        raise PointError(f"{where}: '{source}' is no source of bytes.", f"One of {', '.join(Source)}.")
    work, written = _work(cells["work"], where)
    unit = written or (OP if integer else unit or FLOP)
    if (unit == OP) != integer:
        raise PointError(
            f"{where}: {unit} does not go with {precision}.",
            "Integer precisions count OP, the others FLOP; name the other with --precision or a column.",
        )
    size = _bytes(cells["bytes"], where)
    seconds = _seconds(cells["seconds"], where) if cells["seconds"] or not untimed else None
    rate = work / seconds if seconds is not None else None
    if not ((rate is None or 0 < rate < math.inf) and 0 < work / size < math.inf):
        raise PointError(
            f"{where}: work, bytes and time are too far apart to be divided.", "Look at their units."
        )
    return Point(
        name=name,
        work=work,
        moved={level: Moved(size)},
        precision=precision,
        unit=unit,
        rate=rate,
        low=rate,
        high=rate,
        work_source=Source.COUNTED,
        bytes_source=Source(source),
        group=name,
    )


def known_precision(precision: str, where: str = "") -> None:
    """Raise a PointError for what is neither a type nor a type in one of `UNITS`."""
    types = tuple(dict.fromkeys((*WORDS, *INTEGER)))
    if type_of(precision) not in types:
        raise PointError(
            f"{where}'{precision}' is no precision.",
            f"One of {', '.join(types)}; or of a unit, as in {UNITS[0]}_fp16.",
        )


def _split(text: str, where: str, what: str, example: str) -> tuple[float, str]:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise PointError(f"{where}: '{text}' is no {what}.", f"Write a number, as in {example}.")
    value = float(match.group(1))
    if not math.isfinite(value):
        raise PointError(f"{where}: the {what} is '{text}'.", "Give a finite number, or leave the point out.")
    return value, match.group(2).strip()


def _positive(value: float, text: str, where: str, what: str, remedy: str) -> float:
    if value <= 0:
        word = "negative" if value < 0 else "zero"
        raise PointError(f"{where}: the {what} is {word} ('{text}').", remedy)
    return value


def _work(text: str, where: str) -> tuple[float, str]:
    """Work, and `FLOP` or `OP` if the text says which."""
    value, unit = _split(text, where, "work", "2e9 or 2 GFLOP")
    if re.search(r"/\s*s|per\s*s", unit, re.I):
        raise PointError(
            f"{where}: '{text}' is a rate.", "Give the work itself (FLOP) and the time it took (s)."
        )
    if re.fullmatch(r"[kMGTPE]?(?:FLOP|OP|flop|op)[sS]", unit):
        right = re.sub(r"[sS]$", "", unit)
        right = re.sub(r"(?i)flop$", "FLOP", right) if "flop" in right.lower() else f"{right[:-2]}OP"
        raise PointError(
            f"{where}: '{unit}' may be a count or a rate.", f"Write {right} if it is the work of one call."
        )
    match = re.fullmatch(r"([kMGTPE]?)(FLOP|OP)?", unit)
    if match is None:
        raise PointError(
            f"{where}: '{unit}' is no unit of work.", "Write FLOP or OP with k, M, G, T or P before it."
        )
    if match.group(1) and not match.group(2):
        raise PointError(f"{where}: '{text}' has a prefix and no unit.", f"Write {text}FLOP or {text}OP.")
    zero = "A kernel without this kind of work has no place on this chart; count its OP and give those."
    amount = _positive(value, text, where, "work", zero if value == 0 else "Count the work of one call.")
    return amount * _DECIMAL[match.group(1)], match.group(2) or ""


def _bytes(text: str, where: str) -> float:
    value, unit = _split(text, where, "number of bytes", "1.2e9 or 1.2 GB")
    if re.search(r"/\s*s|per\s*s", unit, re.I):
        raise PointError(
            f"{where}: '{text}' is a rate.", "Give the bytes that were moved, not the bandwidth."
        )
    binary = re.fullmatch(r"(?i)([kmgtp]i)(b|bytes?)?", unit)
    if binary is not None:
        exact = value * _BINARY[binary.group(1).capitalize()]
        raise PointError(
            f"{where}: '{text}' has a binary prefix, and rates are in decimal bytes a second.",
            f"Write {exact:.0f}, or {exact / 1e9:.6g} GB.",
        )
    match = re.fullmatch(r"([kMGTPE]?)(B|bytes?)?", unit)
    if match is None:
        bits = re.fullmatch(r"[kMGTPE]?(?:b|bits?)", unit)
        raise PointError(
            f"{where}: '{unit}' is {'bits' if bits else 'no unit of bytes'}.",
            "Write B, kB, MB, GB or TB (decimal), with a large B.",
        )
    if match.group(1) and not match.group(2):
        raise PointError(f"{where}: '{text}' has a prefix and no unit.", f"Write {text}B.")
    remedy = (
        "Bytes cannot be negative: give those that cross the memory level."
        if value < 0
        else "A kernel that moves nothing has no intensity: give the bytes that cross a nearer level "
        "and name it with --level."
    )
    return _positive(value, text, where, "number of bytes", remedy) * _DECIMAL[match.group(1)]


def _seconds(text: str, where: str) -> float:
    value, unit = _split(text, where, "time", "0.05 or 50 ms")
    match = re.fullmatch(r"([munpµμ]?)(s|sec|seconds?)?", unit)
    if match is None or (match.group(1) and not match.group(2)):
        raise PointError(f"{where}: '{unit}' is no unit of time.", "Write s, ms, us or ns.")
    remedy = "Time enough calls that the clock sees them, and give the time of one."
    return _positive(value, text, where, "time", remedy) * _SHORT[match.group(1)]
