"""Curves of instruction supply: cycles of an instruction against size and count of straight code.

Where two lengths of instruction rise at one place of the left panel, a level is limited in bytes; at one
place of the right panel, in instructions.
"""

from __future__ import annotations

import math

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.fetch import L1I, OP_CACHE, short
from reportgen.model.architecture import Fact
from reportgen.site.figures.curves import Curves, Panel, Series
from reportgen.site.report import Report
from reportgen.units import format_bytes

PER_OCTAVE = 4
"""Steps of the axis, at least as many as the sweep has."""

Curve = tuple[str, float, tuple[float, ...], tuple[float, ...]]
"""Code, bytes of an instruction, sizes in bytes, cycles of an instruction."""


def footprint(report: Report) -> Curves | None:
    """Two panels over all kinds of code; the second only where lengths differ."""
    curves = tuple(_curves(report))
    if not curves:
        return None
    sizes, counts = _agreed(report, L1I), _agreed(report, OP_CACHE)
    if not sizes and not counts:
        sizes = _ends(report, curves[0][0])
    panels = [_panel(curves, "size of the code", "code", sizes, counted=False)]
    if len({length for _, length, _, _ in curves}) > 1:
        panels.append(_panel(curves, "instructions in the code", "instructions", counts, counted=True))
    return Curves(tuple(panels))


def _curves(report: Report) -> list[Curve]:
    found: dict[str, Curve] = {}
    for fact in report.of("fetch."):
        name, details = parse(fact.metric), report.details(fact.metric)
        sizes, cycles = details.get("bytes"), details.get("cycles")
        if name.kind is Kind.FETCH_CAPACITY and sizes and cycles:
            each = float(details["length"])
            found.setdefault(name.subject, (name.subject, each, tuple(sizes), tuple(cycles)))
    return list(found.values())


Bands = tuple[tuple[float, float], ...]


def _agreed(report: Report, which: str) -> Bands:
    """The interval on which two lengths agree."""
    return _interval(report.fact(f"fetch.{which}.capacity"))


def _ends(report: Report, code: str) -> Bands:
    """Every end of one kind of code, where no two lengths agree on any."""
    facts = (fact for fact in report.of("fetch.") if parse(fact.metric).kind is Kind.FETCH_CAPACITY)
    own = (fact for fact in facts if parse(fact.metric).subject == code)
    return tuple(band for fact in own for band in _interval(fact))


def _interval(fact: Fact | None) -> Bands:
    if fact is None or fact.low is None or fact.high is None:
        return ()
    return ((fact.low, fact.high),)


def _panel(curves: tuple[Curve, ...], title: str, across: str, bands: Bands, *, counted: bool) -> Panel:
    """All curves over one logarithmic axis, `PER_OCTAVE` places an octave."""
    scale = {name: (length if counted else 1.0) for name, length, _, _ in curves}
    places = {name: tuple(_place(size / scale[name]) for size in sizes) for name, _, sizes, _ in curves}
    first = min(min(some) for some in places.values())
    last = max(max(some) for some in places.values())
    values = [2 ** (place / PER_OCTAVE) for place in range(first, last + 1)]
    return Panel(
        title=title,
        across=across,
        up="cycles an instruction",
        settings=tuple(_count(value) if counted else format_bytes(round(value)) for value in values),
        series=tuple(
            Series(short(name), tuple(place - first for place in places[name]), cycles)
            for name, _, _, cycles in curves
        ),
        bands=tuple((_place(low) - first, _place(high) - first) for low, high in bands),
        rounds=tuple(place - first for place in range(first, last + 1) if place % (3 * PER_OCTAVE) == 0),
    )


def _place(value: float) -> int:
    return round(PER_OCTAVE * math.log2(value))


def _count(value: float) -> str:
    for factor, prefix in ((2**20, "Mi"), (2**10, "Ki")):
        if value >= factor:
            return f"{value / factor:g} {prefix}"
    return f"{value:g}"
