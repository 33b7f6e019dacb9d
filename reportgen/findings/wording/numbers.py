"""Numbers with their interval and n, as sentences show them."""

from __future__ import annotations

import math

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.units import PREFIXED, format_interval, format_value

FEWEST = 3
"""Below so many samples a spread says nothing and is left out; n is shown all the same."""

MOST_DECIMALS, SMALL = 3, 0.5
"""Decimals at most; one more for values below `SMALL`."""


def decimals(value: float, low: float, high: float) -> int:
    """Decimals that show the first digit of the interval's half width, at most three or four."""
    half = max(abs(value - low), abs(high - value))
    most = MOST_DECIMALS + (0 < abs(value) < SMALL)
    if half <= 0:
        return most
    return min(most, max(0, -math.floor(math.log10(half))))


def _fixed(value: float, places: int) -> str:
    """A number with so many decimals; zero has no sign."""
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def unit_word(unit: str) -> str:
    """The unit as `reportgen.units` writes it after a number: "cycle" -> "cycles"."""
    return format_value(2.0, unit).partition(" ")[2]


def _scaled(unit: str) -> bool:
    return unit in PREFIXED or unit in ("byte", "second")


def one(value: float, unit: str) -> str:
    """A value without an interval: "1.003 cycles", "48 KiB"."""
    return format_value(value, unit)


def span(low: float, high: float, unit: str) -> str:
    """A closed interval: "0.999 … 1.001 cycles"."""
    if _scaled(unit):
        return format_interval(low, high, unit)
    places = decimals((low + high) / 2, low, high)
    first, last = _fixed(low, places), _fixed(high, places)
    return f"{first if first == last else f'{first} … {last}'} {unit_word(unit)}".strip()


def amount(quantity: Quantity) -> str:
    """Value, interval and n: "1.000 cycles (0.999 … 1.001, n = 240)"."""
    value, unit = central(quantity), quantity.unit
    count = f"n = {quantity.n:,}"
    if quantity.low is None or quantity.high is None or quantity.n < FEWEST:
        return f"{one(value, unit)} ({count})"
    low, high = quantity.low, quantity.high
    if _scaled(unit):
        return f"{one(value, unit)} ({format_interval(low, high, unit)}, {count})"
    places = decimals(value, low, high)
    number = f"{_fixed(value, places)} {unit_word(unit)}".strip()
    return f"{number} ({_fixed(low, places)} … {_fixed(high, places)}, {count})"


def percent(share: float) -> str:
    """A share: 0.0213 -> "2.1 %"."""
    return f"{100 * share:.1f} %"


def listed(items: list[str] | tuple[str, ...], last: str = "and") -> str:
    """A list in words: "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
