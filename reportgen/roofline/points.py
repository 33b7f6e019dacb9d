"""Kernels on a roofline: those of the suite, those that a user measured, and work that was only counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.roofline import traffic
from reportgen.roofline.bounds import Moved
from reportgen.roofline.roofs import FLOP, OP, Absent, Roofs
from reportgen.status import USABLE

KERNEL = "kernel."
BLAS = {"s": "fp32", "d": "fp64"}
"""First letter of a BLAS routine -> its precision, for runs that do not state it."""
WORDS = {"fp64": 8.0, "fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "fp4": 0.5, "int8": 1.0}
"""Bytes of an element."""
INTEGER = ("int8", "int16", "int32", "int4")
UNITS = ("tensor", "amx")
"""Units beside the ordinary ones, whose peaks are named for them: `tensor_fp16`."""
PRODUCTS = ("sgemm", "dgemm")


def type_of(precision: str) -> str:
    """The type that a peak computes in, whatever its unit: `tensor_fp16` -> fp16."""
    unit, _, name = precision.partition("_")
    return name if unit in UNITS else precision


class Source(StrEnum):
    """Where a count of work or bytes comes from."""

    COUNTED = "counted"
    """From the definition of what is computed, operation by operation."""
    COUNTER = "counter"
    """Read from performance counters, or otherwise measured by its user."""
    COMPULSORY = "compulsory"
    """The least there can be: each operand once, and more where no cache can hold what is used again."""


class Point(msgspec.Struct, frozen=True):
    """One kernel: its work, its bytes, and its time where it was measured."""

    name: str
    """`sgemm n=512`."""
    work: float
    """FLOP or OP of one call."""
    moved: dict[str, Moved]
    """Level -> bytes that cross it."""
    precision: str
    unit: str = FLOP
    """`FLOP` or `OP`."""
    rate: float | None = None
    """Work a second; absent for work that was only counted."""
    low: float | None = None
    high: float | None = None
    work_source: Source = Source.COUNTED
    bytes_source: Source = Source.COMPULSORY
    levels: tuple[str, ...] = ()
    """Levels in which its data may lie; the last of `moved` where it is not known."""
    seen: tuple[str, ...] = ()
    """Levels whose bytes counters gave, from the core outwards."""
    footprint: float | None = None
    """Distinct bytes that one call touches."""
    group: str = ""
    """Routine, of which this is one size."""
    size: str = ""
    metric: str = ""
    note: str = ""
    """How work and bytes were counted, in words."""

    @property
    def home(self) -> str:
        """The level that is taken for its intensity: the outermost in which its data may lie."""
        return self.levels[-1] if self.levels else next(reversed(self.moved), "")

    @property
    def seconds(self) -> float | None:
        """Time of one call."""
        return self.work / self.rate if self.rate else None

    def intensity(self, level: str = "") -> float | None:
        """Work a byte at a level, by the least bytes; None where none cross it."""
        moved = self.moved.get(level or self.home)
        return self.work / moved.least if moved is not None and moved.least > 0 else None


class Workload(msgspec.Struct, frozen=True):
    """Work that was counted and not timed: a layer, or a whole model."""

    name: str
    flop: float
    """FLOP, or OP where `unit` says so."""
    bytes: dict[str, float]
    """Level -> bytes that cross it at least."""
    precision: str
    source: Source
    bytes_most: dict[str, float] = {}
    """Level -> bytes at most (nothing fused), where known."""
    unit: str = FLOP


def from_workload(one: Workload) -> Point:
    """A counted workload as a point without a time."""
    moved = {level: Moved(size, one.bytes_most.get(level)) for level, size in one.bytes.items()}
    return Point(
        name=one.name,
        work=one.flop,
        moved=moved,
        precision=one.precision,
        unit=one.unit,
        work_source=Source.COUNTED if one.source is Source.COMPULSORY else one.source,
        bytes_source=one.source,
        group=one.name,
    )


def measured(quantities: Iterable[Quantity], roofs: Roofs) -> tuple[tuple[Point, ...], tuple[Absent, ...]]:
    """The library kernels of a run, and those that have no place, with the reason."""
    points, absent = [], []
    for one in quantities:
        if not one.metric.startswith(KERNEL):
            continue
        routine, _, size = one.metric.removeprefix(KERNEL).partition(".")
        # a routine none of whose sizes was measured has none in its name
        name = f"{routine} {one.details.get('variable', 'n')}={size}" if size else routine
        work, moved = one.details.get(_work(one)), one.details.get("bytes")
        if one.status not in USABLE or one.value is None:
            absent.append(Absent(name, one.reason or f"status {one.status}"))
        elif not work or not moved:
            absent.append(Absent(name, "the run does not state its work and its bytes"))
        else:
            points.append(_measured(one, routine, size, name, roofs))
    return tuple(points), tuple(absent)


def precision_of(kernel: Quantity) -> str:
    """The precision that a library kernel computes in: as its probe states it, else as BLAS names it."""
    routine = kernel.metric.removeprefix(KERNEL)
    return str(kernel.details.get("precision") or BLAS.get(routine[:1], ""))


def _work(kernel: Quantity) -> str:
    """Under which name a kernel states its work: `flop`, or `op` of integers."""
    return "op" if kernel.unit.startswith(OP) else "flop"


def _counted(details: Mapping[str, Any], level: str) -> float:
    """Bytes that counters saw cross a level; of the first one with those of shared memory, its own path."""
    found = float(details.get(f"counter_{level}_bytes", 0.0))
    return found + float(details.get("counter_shared_bytes", 0.0)) if found and level == "l1" else found


def _measured(one: Quantity, routine: str, size: str, name: str, roofs: Roofs) -> Point:
    details: Mapping[str, Any] = one.details
    precision = precision_of(one)
    moved = float(details["bytes"])
    footprint = float(details.get("footprint") or moved)
    levels = roofs.levels(footprint) or ("dram",)
    crossed = roofs.up_to(levels[-1])
    if routine in PRODUCTS and size.isdigit():
        n = float(size)
        bytes_by_level = traffic.product(n, n, n, WORDS[type_of(precision)], crossed, roofs.ends)
    else:
        bytes_by_level = traffic.single_pass(moved, crossed)
    kind = _work(one)
    work, done = float(details[kind]), float(details.get(f"counter_{kind}", 0.0))
    seen = {crossing: Moved(found) for crossing in crossed if (found := _counted(details, crossing))}
    # what was executed, in the same time
    more = done / work if done else 1.0
    return Point(
        name=name,
        work=done or work,
        moved=bytes_by_level | seen,
        precision=precision,
        unit=OP if kind == "op" else FLOP,
        rate=None if one.value is None else one.value * more,
        low=None if one.low is None else max(0.0, one.low) * more,
        high=None if one.high is None else one.high * more,
        work_source=Source.COUNTER if done else Source.COUNTED,
        bytes_source=Source.COUNTER if seen else Source(details.get("bytes_source", Source.COMPULSORY)),
        levels=levels,
        seen=tuple(seen),
        footprint=footprint,
        group=routine,
        size=size,
        metric=one.metric,
        note=str(details.get("counted", "")),
    )
