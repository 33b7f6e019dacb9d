"""The roofs of a run as intervals, with what is needed to place a kernel under one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.ceilings import LEVELS, bandwidths, peaks
from reportgen.runs.schema import Device
from reportgen.status import USABLE

COMPUTE: Literal["compute"] = "compute"
MEMORY: Literal["memory"] = "memory"

OP = "OP"
FLOP = "FLOP"

REPORTED = {"l1": "l1d_bytes", "l2": "l2_bytes", "l3": "l3_bytes"}
"""Cache level -> the size that the system reports."""


class Roof(msgspec.Struct, frozen=True):
    """One measured ceiling."""

    name: str
    """A precision (`fp32`) or a level (`dram`)."""
    kind: Literal["compute", "memory"]
    metric: str
    value: float
    """FLOP, OP or bytes a second."""
    low: float
    high: float
    unit: str = "FLOP/second"
    kernel: str = ""
    """Of a level: the bandwidth kernel that was fastest."""

    @property
    def work(self) -> str:
        """`FLOP` or `OP`; `byte` for a level."""
        return self.unit.partition("/")[0]


class Absent(msgspec.Struct, frozen=True):
    """Something that is not drawn, and why."""

    name: str
    reason: str


class Roofs(msgspec.Struct, frozen=True):
    """What one run says about where kernels can be."""

    compute: Mapping[str, Roof]
    """By precision."""
    memory: Mapping[str, Roof]
    """By level, from the core outwards."""
    ends: Mapping[str, tuple[float, float]]
    """By cache level: the largest size that fits and the smallest that does not, bytes."""
    absent: tuple[Absent, ...] = ()
    all_cores: Mapping[str, float] = {}
    """By level: rate of all cores over that of one core, with the same kernel."""
    cores: int = 1
    gpu: bool = False

    def levels(self, footprint: float) -> tuple[str, ...]:
        """Levels in which `footprint` bytes may lie: one, or several where it is near an end.

        Empty when no cache level is known.
        """
        if not self.ends:
            return ()
        found: list[str] = []
        for level, (fits, misses) in self.ends.items():
            if footprint <= fits:
                return (*found, level)
            if footprint < misses:
                found.append(level)
        return (*found, "dram")

    def up_to(self, level: str) -> tuple[str, ...]:
        """Levels through which data pass that lie in `level`: from the first one to itself."""
        known = [name for name in LEVELS if name in self.ends or name in self.memory or name == "dram"]
        return tuple(known[: known.index(level) + 1]) if level in known else (level,)


def roofs(quantities: Iterable[Quantity], device: Device | None = None) -> Roofs:
    """The roofs of one core.

    Args:
        quantities: of a run, those that gates withheld without their numbers.
        device: gives the number of cores, and the reported sizes of caches that were not measured.
    """
    given = tuple(quantities)
    levels = bandwidths(given)
    wanted = [(one.metric.partition(".")[2], one) for one in peaks(given)]
    compute = {name: roof for name, one in wanted if (roof := _roof(name, COMPUTE, one)) is not None}
    memory = {name: roof for name, one in levels.items() if (roof := _roof(name, MEMORY, one)) is not None}
    by_metric = {one.metric: one for one in given}
    return Roofs(
        compute=compute,
        memory=memory,
        ends=_ends(by_metric, device),
        absent=tuple(
            Absent(f"{called(name)} roof", one.reason or f"status {one.status}")
            for name, one in (*wanted, *levels.items())
            if name not in compute and name not in memory
        ),
        all_cores=_all_cores(memory, by_metric),
        cores=device.cores if device is not None else 1,
        gpu=device is not None and device.gpu,
    )


def called(name: str) -> str:
    """A roof as people write it: `tensor_bf16` -> "tensor BF16", `l2` -> "L2", `amx_int8` -> "AMX INT8"."""
    kind = name.removeprefix("tensor_")
    text = kind.upper().replace("_", " ")
    return text if kind == name else f"tensor {text}"


def _roof(name: str, kind: Literal["compute", "memory"], one: Quantity) -> Roof | None:
    if one.status not in USABLE or one.value is None or one.low is None or one.high is None or one.value <= 0:
        return None
    kernel = one.metric.rpartition(".")[2] if kind == MEMORY else ""
    return Roof(name, kind, one.metric, one.value, one.low, one.high, one.unit, kernel)


def _ends(by_metric: Mapping[str, Quantity], device: Device | None) -> dict[str, tuple[float, float]]:
    """Measured ends; up to the reported size of the last cache nothing is said to lie in memory."""
    ends = {}
    for level in REPORTED:
        one = by_metric.get(f"memory.{level}.capacity")
        if one is not None and one.status in USABLE and one.low is not None and one.high is not None:
            ends[level] = (one.low, one.high)
    if device is None:
        return ends
    reported = {
        level: float(size)
        for level, key in REPORTED.items()
        if isinstance(size := device.reported.get(key, 0), int | float) and size > 0
    }
    if not ends:
        return {level: (size, size) for level, size in reported.items()}
    last = list(reported)[-1] if reported else ""
    if last and reported[last] > max(misses for _, misses in ends.values()):
        fits = ends[last][0] if last in ends else 0.0
        ends[last] = (fits, reported[last])
    return ends


def _all_cores(memory: Mapping[str, Roof], by_metric: Mapping[str, Quantity]) -> dict[str, float]:
    found = {}
    for level, roof in memory.items():
        every = by_metric.get(f"{roof.metric}.all_cores")
        if every is not None and every.status in USABLE and every.value is not None:
            found[level] = every.value / roof.value
    return found
