"""Memory of GPUs as devices show it to one thread: parts of a cache, translation, ends that are not sharp.

What a published figure gives is taken from it; the rest (widths of ends, misses of translation buffers) is as
curves of neighbouring tools look.  A visit finds other lines near and far than the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.cuda.chase import LEAST_LINES
from reportgen.runs.schema import Device
from reportgen.suite import expand
from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, ISA, KIB, MIB, GpuTruth, Question, Simulated, asked, suite

DEVICE = Device("a-gpu", "cuda", "NVIDIA", "a GPU", ISA, cores=132, memory_bytes=80 << 30)
CLOCK = GpuTruth().clock_hz
Places = NDArray[np.int64]
WINDOWS = 8
PASSING = frozenset({"cg", "volatile"})
"""Paths whose loads pass the first level by."""


@dataclass(frozen=True)
class Memory:
    """Cycles and bytes."""

    name: str
    l1_bytes: int
    l2_bytes: int
    l1: float
    near: float
    dram: float
    far: float = 0.0
    """Of lines in the other part of the second level; 0 where it is in one piece."""
    copies: bool = False
    """Whether a part keeps copies of the other's lines, so that few bytes are all near."""
    translation: int = 32 * MIB
    """Bytes that a first translation buffer reaches ..."""
    walk: float = 40.0
    """... and what a load beyond costs."""
    texture: float = 40.0
    """Cycles that loads take longer as textures."""
    l1_octaves: float = 0.04
    """How wide the end of the first level is ..."""
    l2_octaves: float = 0.12
    """... and that of the second."""
    scatter: float = 0.004
    """Relative, from visit to visit, of what lies beyond the first level."""

    def second_level(self, size: float, rng: np.random.Generator) -> float:
        """Cycles of a load that it serves, over a working set of so many bytes."""
        if not self.far or self.copies:
            return self.typical(size)
        lines = max(1, int(min(size, self.l2_bytes)) // 128)
        return self.near + rng.binomial(lines, 0.5) / lines * (self.far - self.near)

    def typical(self, size: float) -> float:
        """The same where half of the lines, or of those that are no copies, are far."""
        if not self.far:
            return self.near
        away = min(1.0, max(0.0, size / (self.l2_bytes / 2) - 1)) if self.copies else 0.5
        return self.near + away * (self.far - self.near)

    def load(self, size: float, path: str, rng: np.random.Generator) -> float:
        """Cycles of a load of a random cycle through so many bytes, in one visit."""
        return self.cost(size, path, self.second_level(size, rng), self.scatter * rng.normal())

    def cost(self, size: float, path: str, level: float, off: float = 0.0) -> float:
        """Cycles of such a load where the second level takes `level`, and a visit is `off` by a share."""
        inner = self.beyond_first(size, path)
        outer = inner * ended(size / self.l2_bytes, self.l2_octaves)
        strange = inner * max(0.0, 1 - self.translation / size)
        found = self.l1 + inner * (level - self.l1) + outer * (self.dram - level) + strange * self.walk
        return found * (1 + off * inner) + (self.texture if path == "texture" else 0.0)

    def beyond_first(self, size: float, path: str) -> float:
        """Share of the loads that the first level does not serve; without one, all."""
        if path in PASSING or not self.l1_bytes:
            return 1.0
        return ended(size / self.l1_bytes, self.l1_octaves)

    @property
    def truth(self) -> GpuTruth:
        """What the rest of a simulated run follows from."""
        far = self.far if self.far and not self.copies else self.near
        return replace(GpuTruth(), l2_bytes=self.l2_bytes, near=self.near, far=far)


def ended(ratio: float, octaves: float) -> float:
    """Share of loads that miss: sets overflow one after the other about the end."""
    return 0.5 * (1 + math.erf(math.log2(ratio) / octaves / math.sqrt(2)))


DEVICES = (
    Memory("H100", 256 * KIB, 50 * MIB, 33.0, 215.0, 690.0, far=290.0, copies=True),
    Memory("H100 without copies", 256 * KIB, 50 * MIB, 33.0, 215.0, 690.0, far=290.0),
    Memory("H100, far", 248 * KIB, 50 * MIB, 33.0, 272.0, 690.0, far=500.0, copies=True),
    Memory("A100", 192 * KIB, 40 * MIB, 33.0, 200.0, 566.0, far=400.0, copies=True),
    Memory("A100 without copies", 192 * KIB, 40 * MIB, 33.0, 169.0, 566.0, far=303.0),
    Memory("RTX 4090", 128 * KIB, 72 * MIB, 32.0, 273.0, 571.0),
    Memory("RTX 5090", 128 * KIB, 96 * MIB, 33.0, 300.0, 640.0),
    Memory("L4", 128 * KIB, 48 * MIB, 34.0, 274.0, 625.0, walk=30.0),
    Memory("T4", 64 * KIB, 4 * MIB, 32.0, 188.0, 420.0),
    Memory("V100", 128 * KIB, 6 * MIB, 28.0, 212.0, 434.0),
    Memory("B200", 256 * KIB, 126 * MIB, 37.0, 260.0, 810.0, far=420.0, copies=True),
    Memory("a large cache", 512 * KIB, 256 * MIB, 40.0, 320.0, 760.0),
)
"""Latencies as published for such devices (Luo et al. 2024, Jia et al. 2018, 2019, gpu-benches), or near."""


@cache
def planned(probe: str) -> tuple[dict[str, int | str], ...]:
    """Settings of every point of a probe, as the suite asks them of a GPU."""
    table = suite().tables["cuda"]
    (found,) = [one for one in expand.probes(suite(), ISA) if one.id == probe]
    return tuple(dict(point.settings) for point in expand.points(found, DEVICE, table))


def _chase(
    probe: str, settings: dict[str, int | str], size: int, each: Callable[[np.random.Generator], float]
) -> Simulated:
    point = ok_point(probe, settings, work={"steps": 64.0}, facts={"bytes_actual": size})
    return Simulated(point, (), WINDOWS, drawn=lambda rng: (64 * each(rng) * WINDOWS + EMPTY,))


def by_size(memory: Memory, probe: str) -> Question:
    """A chase over as many bytes as the points say, by their paths."""
    found = []
    for settings in planned(probe):
        size, path = int(settings["bytes"]), str(settings["path"])
        found.append(_chase(probe, settings, size, partial(memory.load, size, path)))
    return asked(probe), found


def translation(memory: Memory) -> Question:
    """A line of each of some places, far apart: near or far by chance, and beyond the reach a walk."""
    probe = "memory_hierarchy/tlb_reach"
    found = []
    for settings in planned(probe):
        count, stride = int(settings["count"]), int(settings["stride"])

        def load(rng: np.random.Generator, count: int = count, span: int = count * stride) -> float:
            level = memory.second_level(max(count, LEAST_LINES) * 128, rng)
            strange = 1.0 if span > memory.translation else 0.0  # in turn, and the oldest makes room
            return (level + strange * memory.walk) * (1 + memory.scatter * rng.normal())

        found.append(_chase(probe, settings, count * stride, load))
    return asked(probe), found


def reads(memory: Memory) -> Question:
    """All multiprocessors read: parts that keep copies hold half as much."""
    probe = "memory_hierarchy/l2_capacity_all"
    end = memory.l2_bytes / (2 if memory.copies else 1)
    found = []
    for settings in planned(probe):
        size = int(settings["bytes"])
        missing = ended(size / end, 0.12)
        each = (1 - missing) / 6e12 + missing / 2e12
        point = ok_point(probe, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})

        def cycles(rng: np.random.Generator, whole: float = size * each * CLOCK) -> tuple[float]:
            return (whole * (1 + 0.004 * rng.normal()) + EMPTY,)

        found.append(Simulated(point, (), size // 64, drawn=cycles))
    return asked(probe), found


def walks(memory: Memory, loads: int = 512) -> Question:
    """Lines of each walk are near and far by chance; the first level brings sectors of 32 bytes."""
    probe = "memory_hierarchy/sector_trace"
    found = []
    for settings in planned(probe):
        place = np.arange(loads) * int(settings["stride"])
        hits = (place % 32 != 0) & (settings["path"] == "ca")

        def cycles(
            rng: np.random.Generator, place: Places = place, hits: NDArray[np.bool_] = hits
        ) -> tuple[float, ...]:
            lines = rng.integers(0, 2, size=int(place[-1]) // 512 + 1)[place // 512]
            missed = memory.near + ((memory.far or memory.near) - memory.near) * lines
            taken = np.where(hits, memory.l1, missed) + 20 + 3 * rng.normal(size=len(place)) + EMPTY
            return tuple(taken.tolist())

        point = ok_point(probe, settings, work={"steps": 1.0})
        found.append(Simulated(point, (), drawn=cycles))
    return asked(probe), found


def streams(memory: Memory) -> Question:
    """All multiprocessors move bytes at one rate from the second level and at another from memory."""
    probe = "memory_hierarchy/bandwidth_saturation"
    arrays = {"read": 1, "write": 1, "copy": 2, "triad": 3}
    found = []
    for settings in planned(probe):
        size = int(settings["bytes"]) * arrays[str(settings["kernel"])]
        if int(settings["blocks"]) * int(settings["width"]) * 1024 > int(settings["bytes"]):
            continue  # more than there is to move at a time
        rate = 2e12 if size > memory.l2_bytes else 6e12
        point = ok_point(probe, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
        found.append(Simulated(point, (size / rate * CLOCK + EMPTY,), size // 64))
    return asked(probe), found


def questions(memory: Memory) -> list[Question]:
    """Of the suite, those that ask for latencies and ends of levels."""
    sizes = [by_size(memory, f"memory_hierarchy/{name}") for name in ("working_set_sweep", "pointer_chasing")]
    return [*sizes, translation(memory), reads(memory), streams(memory)]
