"""What a roofline figure shows, as a record: roofs, ridges, kernels, and the ends of its axes.

Both axes are whole decades, the horizontal one the same for every device unless a point or a ridge lies
outside, so that two figures can be laid side by side.
"""

from __future__ import annotations

import math

import msgspec

from reportgen.roofline.points import Point
from reportgen.roofline.sheet import Entry, Sheet
from reportgen.units import format_value, significant


class Memory(msgspec.Struct, frozen=True):
    """A slanted roof, byte/second."""

    level: str
    kernel: str
    rate: float


class Compute(msgspec.Struct, frozen=True):
    """A flat roof, work a second."""

    precision: str
    rate: float


class Ridge(msgspec.Struct, frozen=True):
    """Where a slanted roof meets a flat one, work a byte."""

    level: str
    precision: str
    intensity: float
    low: float | None = None
    high: float | None = None


class Kernel(msgspec.Struct, frozen=True):
    """A program that was run: where it stands."""

    label: str
    """Short name; the table beside the figure has the long one."""
    intensity: float
    rate: float
    low: float | None = None
    high: float | None = None
    level: str = ""
    """Level at whose intensity it stands; its mark is that of the level's roof."""
    group: str = ""
    """Kernels of one group are joined in the order given."""
    told: str = ""
    """What the pointer shows."""
    predicted: bool = False
    """Counted and not timed: it stands at its bound."""


class Nominal(msgspec.Struct, frozen=True):
    """A roof that somebody states: flat, or slanted where `level`."""

    name: str
    rate: float
    ratio: float
    """Measured over nominal."""
    level: bool = False


class Sweep(msgspec.Struct, frozen=True):
    """A stream from one level by intensity: (work a byte, work a second)."""

    level: str
    places: tuple[tuple[float, float], ...]


class Roofline(msgspec.Struct, frozen=True):
    """One chart: one unit of work, one core or all."""

    memory: tuple[Memory, ...]
    compute: tuple[Compute, ...]
    ridges: tuple[Ridge, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    bound: str = ""
    """Precision under whose roof the no-overlap bound is drawn."""
    nominal: tuple[Nominal, ...] = ()
    unit: str = "FLOP"
    sweeps: tuple[Sweep, ...] = ()


WIDEST = (0.01, 1000.0)
"""The horizontal axis, unless something lies outside."""
PREFERRED = ("fp32", "int8")
NAME = 12.0
"""How far the name of a roof reaches from its right end, as a factor of intensity.  What is predicted stands
on the roof, and has no room for its own name there."""


def drawable(sheet: Sheet) -> bool:
    """Whether there is a slanted and a flat roof to draw."""
    return bool(sheet.compute and sheet.memory)


def record(sheet: Sheet, unit: str) -> Roofline:
    """What the chart of one unit of work shows of a sheet, which has such roofs."""
    part = sheet.with_unit(unit)
    precisions = [roof.name for roof in part.compute]
    used = [entry.point.precision for entry in part.points if entry.point.precision in precisions]
    preferred = [name for name in (*PREFERRED, *used) if name in precisions]
    return Roofline(
        memory=tuple(Memory(roof.name, roof.kernel, roof.value) for roof in part.memory),
        compute=tuple(Compute(roof.name, roof.value) for roof in part.compute),
        ridges=tuple(Ridge(r.level, r.precision, r.value, r.low, r.high) for r in part.ridges),
        kernels=tuple(kernel for entry in part.points if (kernel := _kernel(part, entry)) is not None),
        bound=preferred[0] if preferred else precisions[0],
        nominal=tuple(Nominal(one.name, one.value, one.ratio, one.kind == "memory") for one in part.nominal),
        unit=unit,
        sweeps=tuple(
            Sweep(one.level, tuple(zip(one.intensity, one.rate, strict=True))) for one in part.sweeps
        ),
    )


def _kernel(sheet: Sheet, entry: Entry) -> Kernel | None:
    """Where an entry stands; None for one without an intensity or a roof to stand at."""
    point, bound = entry.point, entry.verdict.bound
    intensity = point.intensity(entry.level)
    rate = point.rate or (bound.value if bound is not None else None)
    if intensity is None or rate is None:
        return None
    level = entry.level if len(point.levels) < 2 else ""
    return Kernel(
        entry.id, intensity, rate, point.low, point.high, level, point.group, told(entry), point.rate is None
    )


def told(entry: Entry) -> str:
    """What the pointer shows of a kernel: intensity, rate, roof, share and what limits it."""
    point, verdict = entry.point, entry.verdict
    rate = f"{point.unit}/second"
    intensity = point.intensity(entry.level)
    parts = [
        f"{entry.id} {point.name}, {point.precision.upper()}",
        f"I = {significant(intensity, 3)} {point.unit}/byte in {entry.level.upper()}" if intensity else "",
        by_counters(point),
        f"achieved {format_value(point.rate, rate, 3)}" if point.rate else "",
    ]
    if verdict.bound is not None:
        roof = f"{format_value(verdict.bound.value, rate, 3)}, the {verdict.bound.limiter.upper()} roof"
        parts.append(f"at most {roof}" if verdict.share is None else f"{verdict.share * 100:.0f} % of {roof}")
    parts.append(f"{verdict.standing}{f': {verdict.limiter.upper()}' if verdict.limiter else ''}")
    return "\n".join(part for part in parts if part)


def by_counters(point: Point) -> str:
    """The intensity at every level whose bytes counters gave; empty where none did."""
    found = [(level, point.intensity(level)) for level in point.seen]
    listed = [f"{level.upper()}\u00a0{significant(value, 3)}" for level, value in found if value is not None]
    return f"by counters: {', '.join(listed)} {point.unit}/byte" if listed else ""


def frame(data: Roofline) -> tuple[float, float, float, float]:
    """Left, right, bottom and top: whole decades around roofs, ridges and kernels."""
    peaks = [roof.rate for roof in data.compute]
    places = [ridge.intensity for ridge in data.ridges] + [kernel.intensity for kernel in data.kernels]
    places += [peak / roof.rate for peak in peaks for roof in data.memory]
    swept = [place for one in data.sweeps for place in one.places]
    places += [intensity for intensity, _ in swept]
    left = min(WIDEST[0], 10.0 ** math.floor(math.log10(min(places))))
    right = max(WIDEST[1], 10.0 ** math.ceil(math.log10(max(places))))
    if any(kernel.intensity * NAME > right for kernel in data.kernels if kernel.predicted):
        right *= 10.0
    stated = [one.rate for one in data.nominal if not one.level]
    reached = [end for kernel in data.kernels for end in (kernel.rate, kernel.high) if end]
    reached += [rate for _, rate in swept]
    lowest = min([roof.rate * left for roof in data.memory] + [kernel.rate for kernel in data.kernels])
    bottom = 10.0 ** math.floor(math.log10(lowest))
    top = 10.0 ** math.ceil(math.log10(max([*peaks, *stated, *reached]) * 1.15))
    return left, right, bottom, top
