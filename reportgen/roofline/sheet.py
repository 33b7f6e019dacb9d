"""All that one roofline shows, as one record: roofs, ridges, points with verdicts, and what is missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.bounds import Times, predict
from reportgen.roofline.nominal import Nominal, Stated, beside
from reportgen.roofline.points import Point, measured
from reportgen.roofline.roofs import Absent, Roof, Roofs, roofs
from reportgen.roofline.verdict import Verdict, judge
from reportgen.runs.schema import Run
from reportgen.status import USABLE, Status

COLUMNS = (
    "id", "name", "precision", "level", "work", "unit", "bytes", "intensity", "rate", "low", "high",
    "seconds", "roof", "limiter", "share", "share_low", "share_high", "verdict", "reasons", "advice",
    "causes", "work_source", "bytes_source", "metric",
)  # fmt: skip


class Ridge(msgspec.Struct, frozen=True):
    """Where a level's roof meets a compute roof: work a byte."""

    metric: str
    precision: str
    level: str
    value: float
    low: float
    high: float


class Sweep(msgspec.Struct, frozen=True):
    """A stream from one level with ever more arithmetic on what it loads: a measured roof with its bend."""

    metric: str
    """Of the ridge that it shows."""
    precision: str
    level: str
    intensity: tuple[float, ...]
    """Work a byte, ascending."""
    rate: tuple[float, ...]
    """Work a second."""


class Entry(msgspec.Struct, frozen=True):
    """A point with its short name on the figure and what can be said of it."""

    id: str
    """Letter of its group, and a number where the group has several."""
    point: Point
    verdict: Verdict
    predicted: Times | None = None
    """How long one call takes by the roofs alone."""

    @property
    def level(self) -> str:
        """Level at whose intensity it is drawn."""
        return self.verdict.level or self.point.home


class Sheet(msgspec.Struct, frozen=True):
    """One run's roofline."""

    device: str
    """Id."""
    name: str
    run: str
    compute: tuple[Roof, ...]
    memory: tuple[Roof, ...]
    ridges: tuple[Ridge, ...]
    nominal: tuple[Nominal, ...]
    points: tuple[Entry, ...]
    absent: tuple[Absent, ...]
    """What is not drawn, and why."""
    gpu: bool = False
    """Whether the roofs are those of a whole device rather than of one core."""
    sweeps: tuple[Sweep, ...] = ()

    def with_unit(self, unit: str) -> Sheet:
        """Only what belongs on the chart of FLOP, or on that of OP."""
        compute = tuple(roof for roof in self.compute if roof.work == unit)
        names = {roof.name for roof in compute}
        return msgspec.structs.replace(
            self,
            compute=compute,
            ridges=tuple(ridge for ridge in self.ridges if ridge.precision in names),
            nominal=tuple(one for one in self.nominal if one.kind == "memory" or one.name in names),
            points=tuple(entry for entry in self.points if entry.point.unit == unit),
            sweeps=tuple(sweep for sweep in self.sweeps if sweep.precision in names),
        )


def build(
    run: Run,
    quantities: Iterable[Quantity],
    stated: Iterable[Stated] = (),
    points: Sequence[Point] | None = None,
    precision: str = "",
    level: str = "",
) -> Sheet:
    """The roofline of a run.

    Args:
        run: its manifest.
        quantities: ridges included, those that gates withheld without their numbers.
        stated: nominal ceilings of the same device.
        points: what to place; the run's own library kernels where not given.
        precision: of the run's own kernels, only those of this one.
        level: place the run's own kernels by the bytes that cross this level alone.
    """
    given = tuple(quantities)
    ceilings = roofs(given, run.device)
    nominal, unstated = beside(ceilings, stated)
    unplaced: tuple[Absent, ...] = ()
    if points is None:
        own, unplaced = measured(given, ceilings)
        points = [one for one in own if precision in ("", one.precision)]
        if level:
            points, inside = _at_level(points, level)
            unplaced = (*unplaced, *inside)
    return Sheet(
        device=run.device.id,
        name=run.title,
        run=run.run,
        compute=tuple(ceilings.compute.values()),
        memory=tuple(ceilings.memory.values()),
        ridges=tuple(_ridges(given)),
        nominal=nominal,
        points=entries(points, ceilings),
        absent=(*ceilings.absent, *unstated, *unplaced),
        gpu=ceilings.gpu,
        sweeps=tuple(_sweeps(given)),
    )


def _at_level(points: Iterable[Point], level: str) -> tuple[list[Point], tuple[Absent, ...]]:
    """Each point under the roof of one level, and those whose data do not cross it."""
    crossing, inside = [], []
    for one in points:
        if level in one.moved:
            moved = {level: one.moved[level]}
            crossing.append(msgspec.structs.replace(one, moved=moved, levels=(level,)))
        else:
            inside.append(Absent(one.name, f"its data lie inside {level.upper()}, and none cross it again"))
    return crossing, tuple(inside)


def entries(points: Sequence[Point], ceilings: Roofs) -> tuple[Entry, ...]:
    """Points with short names and verdicts: groups in the order given, each by its size."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.group, []).append(point)
    made = []
    for place, group in enumerate(groups.values()):
        group.sort(key=lambda point: float(point.size) if point.size.isdigit() else 0.0)
        for number, point in enumerate(group, 1):
            name = letters(place) + (str(number) if len(group) > 1 else "")
            times = predict(point.work, point.moved, point.precision, ceilings)
            made.append(Entry(name, point, judge(point, ceilings), times))
    return tuple(made)


def letters(place: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA."""
    head = letters(place // 26 - 1) if place >= 26 else ""
    return head + chr(ord("A") + place % 26)


def _ridges(quantities: Iterable[Quantity]) -> Iterable[Ridge]:
    for one in quantities:
        if one.metric.startswith("ridge.") and one.status in USABLE and one.value is not None:
            _, *which = one.metric.split(".")
            if len(which) != len(("precision", "level")):
                continue  # seen, not predicted
            precision, level = which
            low, high = (one.value if end is None else end for end in (one.low, one.high))
            yield Ridge(one.metric, precision, level, one.value, low, high)


def _sweeps(quantities: Iterable[Quantity]) -> Iterable[Sweep]:
    """Of every ridge that a stream shows, or does not; a withheld one is none."""
    for one in quantities:
        if not one.metric.startswith("ridge.observed.") or one.status is Status.INVALID:
            continue
        intensity, rate = one.details.get("intensity"), one.details.get("rate")
        if intensity and rate:
            _, _, precision, level = one.metric.split(".")
            yield Sweep(one.metric, precision, level, tuple(intensity), tuple(rate))


def to_json(sheet: Sheet) -> bytes:
    """The whole record, indented."""
    return msgspec.json.format(msgspec.json.encode(sheet), indent=1) + b"\n"


def to_csv(sheet: Sheet) -> bytes:
    """One row a point, in base units; UTF-8 with a header, an empty cell is "no value"."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for entry in sheet.points:
        point, verdict = entry.point, entry.verdict
        moved = point.moved.get(entry.level)
        bound = verdict.bound
        row = (
            entry.id, point.name, point.precision, entry.level, point.work, point.unit,
            moved.least if moved else None, point.intensity(entry.level), point.rate, point.low, point.high,
            point.seconds, bound.value if bound else None, verdict.limiter, verdict.share, verdict.low,
            verdict.high, verdict.standing, "; ".join(filter(None, (verdict.under, *verdict.reasons))),
            "; ".join(verdict.advice),
            "; ".join(f"{cause.name} ({cause.fit:.2f})" for cause in verdict.causes),
            point.work_source, point.bytes_source, point.metric,
        )  # fmt: skip
        table.writerow(
            "" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row
        )
    return text.getvalue().encode()
