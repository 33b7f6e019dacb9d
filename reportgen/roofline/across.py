"""One workload under the roofs of several devices: bound on each, what decides it there, ratio of bounds.

The intensity belongs to the workload: work and the bytes that cross one level are the same everywhere, and
only the roofs differ.  So the ratio of bounds of two devices is a function of the intensity alone: that of
their bandwidths far to the left, that of their peaks far to the right, monotone from one to the other.  Where
the bytes are an interval it is therefore taken at both ends.  A ratio's interval goes from the lowest bound
of one over the highest of the other to the reverse: it holds 1 exactly where the two intervals overlap.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property

import msgspec

from reportgen.errors import UserError
from reportgen.roofline.bounds import Bound, Moved, bound, predict
from reportgen.roofline.given import known_precision
from reportgen.roofline.points import INTEGER, Point, Source, type_of
from reportgen.roofline.roofs import FLOP, OP, Roof, Roofs, called
from reportgen.roofline.sheet import Sheet, letters

BY_INTENSITY = "intensity"
"""Group of a point of which only the intensity is known: it has no amount of work, so no time."""


COLUMNS = (
    "id", "name", "precision", "level", "work", "unit", "bytes", "intensity", "device", "run", "bound", "low",
    "high", "decides", "at_least", "ratio", "ratio_low", "ratio_high", "answer", "reason",
)  # fmt: skip


class Answer(StrEnum):
    """Of the ratio of two bounds."""

    HIGHER = "higher"
    LOWER = "lower"
    CANNOT_TELL = "cannot tell"


class Subject(msgspec.Struct, frozen=True, dict=True):
    """A device with its roofs."""

    device: str
    """Id."""
    name: str
    run: str
    compute: tuple[Roof, ...]
    memory: tuple[Roof, ...]
    gpu: bool = False

    @cached_property
    def roofs(self) -> Roofs:
        """What bounds are taken from; sizes of caches play no part.

        Under a type stands the fastest unit that computes in it, under a unit's own name that unit: a
        device is not compared by a unit that its programs for this type would leave idle.
        """
        compute = {roof.name: roof for roof in self.compute}
        for roof in sorted(self.compute, key=lambda roof: roof.value):
            compute[type_of(roof.name)] = roof
        return Roofs(
            compute=compute,
            memory={roof.name: roof for roof in self.memory},
            ends={},
            gpu=self.gpu,
        )

    @property
    def scope(self) -> str:
        """What its roofs are those of."""
        return "the whole device" if self.gpu else "one core"


class Side(msgspec.Struct, frozen=True):
    """The workload on one device."""

    device: str
    bound: Bound | None
    """None where no roof that applies was measured."""
    decides: str = ""
    """Name of the roof that gives the bound; empty where that cannot be told."""
    reason: str = ""
    """Why it cannot be told."""
    partial: bool = False
    """A roof that may be the lower one was not measured: the bound can only be lower than stated."""
    at_least: float | None = None
    """Seconds of one call by the roofs, where the amount of work is known."""
    share: float | None = None
    """Achieved rate over the bound, of a workload that was timed on this device."""


class Ratio(msgspec.Struct, frozen=True):
    """The bound on one device over that on the first one."""

    device: str
    answer: Answer
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


class Row(msgspec.Struct, frozen=True):
    """One workload."""

    id: str
    point: Point
    sides: tuple[Side, ...]
    ratios: tuple[Ratio, ...]
    """Of every device but the first, in their order."""


class Across(msgspec.Struct, frozen=True):
    """Workloads by devices."""

    devices: tuple[Subject, ...]
    rows: tuple[Row, ...]

    @property
    def mixed(self) -> bool:
        """Whether roofs of one core stand beside those of a whole device."""
        return len({one.scope for one in self.devices}) > 1


def subject(sheet: Sheet) -> Subject:
    """The device of a roofline."""
    return Subject(sheet.device, sheet.name, sheet.run, sheet.compute, sheet.memory, sheet.gpu)


def at_intensity(intensity: float, level: str, precision: str) -> Point:
    """A workload of which only work a byte is known.

    Raises:
        UserError: no positive intensity, or no precision that there is.
    """
    if not 0 < intensity < math.inf:
        raise UserError(
            f"the intensity {intensity:g} is no work a byte.", "Give a positive number of FLOP/byte."
        )
    known_precision(precision)
    unit = OP if type_of(precision) in INTEGER else FLOP
    return Point(
        name="given intensity",
        work=intensity,
        moved={level: Moved(1.0)},
        precision=precision,
        unit=unit,
        bytes_source=Source.COUNTED,
        group=BY_INTENSITY,
    )


def across(subjects: Iterable[Subject], points: Sequence[Point]) -> Across:
    """Every workload on every device.

    Args:
        subjects: at least two; ratios are to the first, and a workload with a time was timed there.
        points: each with the bytes of one level.
    """
    devices = tuple(subjects)
    return Across(devices, tuple(_row(letters(n), point, devices) for n, point in enumerate(points)))


def _row(name: str, point: Point, devices: tuple[Subject, ...]) -> Row:
    first = devices[0]
    sides = tuple(_side(point, one, timed=one is first) for one in devices)
    ratios = tuple(
        _ratio(point, one, side, first, sides[0]) for one, side in zip(devices[1:], sides[1:], strict=True)
    )
    return Row(name, point, sides, ratios)


def _side(point: Point, where: Subject, *, timed: bool) -> Side:
    lowest = bound(point.work, point.moved, point.precision, where.roofs)
    if lowest is None:
        names = " nor ".join(called(name) for name in (point.precision, point.home))
        return Side(where.device, None, reason=f"neither {names} roof was measured")
    missing = list(lowest.unknown)
    if point.precision not in where.roofs.compute:
        missing.insert(0, point.precision)
    decides, reason = lowest.limiter, ""
    if missing:
        names = " and ".join(called(name) for name in missing)
        decides, reason = "", f"no {names} roof was measured, and that may be the lower one"
    elif lowest.rivals:
        names = " and ".join(called(name) for name in (lowest.limiter, *lowest.rivals))
        decides, reason = "", f"the intervals of {names} overlap at this intensity"
    times = (
        None
        if point.group == BY_INTENSITY
        else predict(point.work, point.moved, point.precision, where.roofs)
    )
    return Side(
        where.device,
        lowest,
        decides,
        reason,
        bool(missing),
        times.at_least if times is not None and not missing else None,
        point.rate / lowest.value if timed and point.rate is not None else None,
    )


def _ratio(point: Point, one: Subject, side: Side, first: Subject, base: Side) -> Ratio:
    for where, what in ((one, side), (first, base)):
        if what.bound is None or what.partial:
            return Ratio(one.device, Answer.CANNOT_TELL, reason=f"{where.name}: {what.reason}")
    found = []
    for size in dict.fromkeys(end for moved in point.moved.values() for end in (moved.least, moved.upper)):
        ends = {level: Moved(size) for level in point.moved}
        over = bound(point.work, ends, point.precision, one.roofs)
        under = bound(point.work, ends, point.precision, first.roofs)
        if over is not None and under is not None:
            found.append((over.value / under.value, over.low / under.high, over.high / under.low))
    low, high = min(one[1] for one in found), max(one[2] for one in found)
    answer, reason = Answer.CANNOT_TELL, "the interval of the ratio holds 1"
    if low > 1 or high < 1:
        answer, reason = Answer.HIGHER if low > 1 else Answer.LOWER, ""
    return Ratio(one.device, answer, found[0][0], low, high, reason)


def to_json(found: Across) -> bytes:
    """The whole record, indented."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def to_csv(found: Across) -> bytes:
    """One row a workload and device, in base units; the ratio is to the first device."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in found.rows:
        point = row.point
        moved = point.moved[point.home].least
        for one, side, ratio in zip(found.devices, row.sides, (None, *row.ratios), strict=True):
            lowest = side.bound
            cells = (
                row.id, point.name, point.precision, point.home, point.work, point.unit, moved,
                point.intensity(), one.device, one.run, lowest and lowest.value, lowest and lowest.low,
                lowest and lowest.high, side.decides, side.at_least, ratio and ratio.value,
                ratio and ratio.low, ratio and ratio.high, ratio and str(ratio.answer),
                side.reason or (ratio.reason if ratio else ""),
            )  # fmt: skip
            table.writerow(
                "" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in cells
            )
    return text.getvalue().encode()
