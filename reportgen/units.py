"""Base SI units in data; prefixes only where people read.

Units in use: `cycle`, `second`, `byte`, `byte/second`, `FLOP/second`, `OP/second`,
`FLOP/byte`, `OP/byte`, `instruction/cycle`, `cycle/instruction`, `hertz`, `ratio`, `count`.
Bytes of capacity are shown with binary prefixes (KiB), rates with decimal ones (GB/s).
"""

from __future__ import annotations

import math

_DECIMAL = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
_BINARY = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))

_SHORT = {
    "cycle": "cycles",
    "second": "s",
    "byte/second": "B/s",
    "FLOP/second": "FLOP/s",
    "OP/second": "OP/s",
    "FLOP/byte": "FLOP/byte",
    "OP/byte": "OP/byte",
    "instruction/cycle": "per cycle",
    "cycle/instruction": "cycles each",
    "hertz": "Hz",
    "ratio": "",
    "count": "",
}

PREFIXED = frozenset({"byte/second", "FLOP/second", "OP/second", "hertz", "FLOP", "OP"})


def significant(value: float, digits: int = 4) -> str:
    """`value` with `digits` significant digits, no exponent between 1e-4 and 1e15."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, places):.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


WHOLE_DIGITS = 6
"""A whole count of so many digits is exact, and is told so."""


def format_bytes(size: float, digits: int = 4) -> str:
    """A capacity with a binary prefix: 32768 -> "32 KiB"."""
    for factor, prefix in _BINARY:
        if abs(size) >= factor:
            return f"{significant(size / factor, digits)} {prefix}"
    return f"{significant(size, digits)} B"


def format_moved(size: float, digits: int = 3) -> str:
    """Bytes that were moved, with a decimal prefix like the rate they are divided into: "12.6 MB"."""
    for factor, prefix in _DECIMAL:
        if abs(size) >= factor:
            return f"{significant(size / factor, digits)} {prefix}B"
    return f"{significant(size, digits)} B"


def format_value(value: float, unit: str, digits: int = 4) -> str:
    """`value` (base units) as people read it: (1.5e10, "byte/second") -> "15 GB/s"."""
    if unit == "byte":
        return format_bytes(value, digits)
    if unit == "count" and value == round(value) and abs(value) < 10**WHOLE_DIGITS:
        return str(round(value))
    short = _SHORT.get(unit, unit)
    if unit in PREFIXED:
        for factor, prefix in _DECIMAL:
            if abs(value) >= factor:
                return f"{significant(value / factor, digits)} {prefix}{short}"
    if unit == "second":
        for factor, prefix in _SMALL:
            if abs(value) >= factor:
                return f"{significant(value / factor, digits)} {prefix}s"
    number = significant(value, digits)
    return "1 cycle" if (number, short) == ("1", "cycles") else f"{number} {short}".strip()


def format_interval(low: float, high: float, unit: str, digits: int = 4) -> str:
    """`[low, high]` in one unit: "3.998 … 4.004 cycles"."""
    first, second = format_value(low, unit, digits), format_value(high, unit, digits)
    if first == second:
        return first
    head, _, tail = first.partition(" ")
    last, _, word = second.partition(" ")
    if {tail, word} == {"cycle", "cycles"}:
        return f"{head} … {last} cycles"
    if tail == word:
        return f"{head} … {second}"
    return f"{first} … {second}"


def format_statistic(value: float, low: float | None, high: float | None, *, share: bool = False) -> str:
    """A statistic with its interval where it has one: "0.93 (0.91 … 0.95)", a share "12.3 % (11.0 … 13.6)".

    Args:
        value: the statistic, a pure number; of a `share` 1 is the whole.
        low: lower end of the interval; None where it has none.
        high: upper end.
        share: in per cent, with one decimal place instead of two.
    """
    factor, sign, places = (100.0, " %", 1) if share else (1.0, "", 2)
    head = f"{factor * value:.{places}f}{sign}"
    if low is None or high is None:
        return head
    return f"{head} ({factor * low:.{places}f} … {factor * high:.{places}f})"


def parse_size(text: str) -> int:
    """Bytes of "4KiB", "1.5 MiB", "512"; raises ValueError naming what is expected."""
    body = text.strip()
    try:
        for factor, prefix in _BINARY:
            if body.lower().endswith(prefix.lower()):
                return int(float(body[: -len(prefix)]) * factor)
        return int(body.removesuffix("B"))
    except ValueError:
        raise ValueError(f"'{text}' is not a size; expected for example 4KiB, 1.5MiB") from None
