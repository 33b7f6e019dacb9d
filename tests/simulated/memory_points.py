"""Memory probes of the simulated suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reportgen.status import Status
from tests.simulated.asked import Asked, ok_point, probe_info, refused
from tests.simulated.memory import (
    cache_latency,
    chase_latency,
    level_of,
    miss_ratio,
    placed_latency,
    translation,
)
from tests.simulated.sampler import Timed
from tests.simulated.truth import KIB, MIB, CpuTruth

CHASE_STEPS = 1024


def sweep_sizes(truth: CpuTruth) -> list[int]:
    """4 KiB to the truth's `sweep_high`, geometric, rounded to lines."""
    octaves = np.log2(truth.sweep_high / (4 * KIB))
    steps = np.arange(int(octaves * truth.per_octave) + 1)
    return sorted({int(np.rint(4 * KIB * 2 ** (step / truth.per_octave) / 64)) * 64 for step in steps})


def _visit_noise(truth: CpuTruth, size: float) -> float | None:
    """Scatter of visits beyond the first level; None within it."""
    if not miss_ratio(truth.caches[0], size):
        return None
    inside = size <= truth.caches[1].size
    return truth.noise.memory_visit * (1.0 if inside else truth.noise.outside)


def _placement(truth: CpuTruth, size: float, pages: str) -> Callable[[np.random.Generator], float] | None:
    """How a visit's pages change the latency of a chase, relative to what the formulas say."""
    if not any(cache.placed for cache in truth.caches):
        return None
    mean = cache_latency(truth, size)
    return lambda rng: placed_latency(truth, size, pages, rng) / mean


def _chase(truth: CpuTruth, probe: str, settings: dict[str, Any], size: int, pages: str) -> Timed:
    huge = size // (2 * MIB) * 2 * MIB if pages == "huge" and truth.huge_granted else 0
    point = ok_point(
        probe, settings, work={"steps": CHASE_STEPS},
        facts={"bytes_requested": size, "bytes_actual": size, "huge_bytes": huge},
    )  # fmt: skip
    added = chase_latency(truth, size, pages) - cache_latency(truth, size)
    mean = cache_latency(truth, size)
    placed = _placement(truth, size, pages)
    draw = None if placed is None else lambda rng: (mean * placed(rng) + added) / (mean + added)
    noise = _visit_noise(truth, size)
    level = level_of(truth, size)
    far = truth.cache(level).far if level != "dram" else 1.0
    if level in ("l1", "l2"):
        return Timed(point, cycles=(mean + added) * CHASE_STEPS, visit=noise, draw=draw, far=far)
    return Timed(
        point, seconds=(mean + added) * CHASE_STEPS / truth.cycle_hz, visit=noise, draw=draw, far=far
    )


def working_set_probe(truth: CpuTruth) -> Asked:
    """The latency curve, on both kinds of pages."""
    probe = "memory_hierarchy/working_set_sweep"
    timed = [
        _chase(truth, probe, {"bytes": size, "pages": pages}, size, pages)
        for pages in ("4k", "huge")
        for size in sweep_sizes(truth)
    ]
    return probe_info(
        probe, "working_set", "memory", "cycle", "How does load latency grow with the working set?",
        hypothesis="Latency rises in steps, one at the end of each cache level.", variable="bytes",
        title="Working-set sweep",
    ), timed  # fmt: skip


def line_probe(truth: CpuTruth) -> Asked:
    """Pairs of loads `offset` bytes apart, over a working set that only the second level holds."""
    probe = "memory_hierarchy/stride_sweep"
    first, second = truth.caches[0].latency + 0.5, truth.caches[1].latency
    timed = [
        Timed(
            ok_point(probe, {"offset": offset}, work={"steps": CHASE_STEPS}),
            cycles=CHASE_STEPS * (second + _second_load(truth, offset, first, second)) / 2,
            visit=truth.noise.memory_visit,
        )
        for offset in range(8, 257, 8)
    ]
    return probe_info(
        probe, "line", "memory.line", "byte", "How many bytes does a miss bring in?",
        hypothesis="A second access is cheap while it is in the same line.", variable="offset",
        title="Line size",
    ), timed  # fmt: skip


def _second_load(truth: CpuTruth, offset: int, first: float, second: float) -> float:
    """The second load of a pair; a prefetcher may have brought the line beside the first one."""
    if offset < truth.line:
        return first
    brought = truth.adjacent if offset < 2 * truth.line else 0.0
    return second - brought * (second - first)


def conflict_probe(truth: CpuTruth) -> Asked:
    """Lines `stride` bytes apart, so that they compete for the same sets of the first level."""
    probe = "memory_hierarchy/cache_conflict"
    cache = truth.caches[0]
    way = cache.size // cache.ways
    timed = []
    for stride in (2048, 4096, 8192):
        sets = max(1, way // stride)
        for count in range(4, 33):
            miss = 0.0 if count <= cache.ways * sets else min(1.0, (count - cache.ways * sets) / 2)
            latency = cache.latency + miss * (truth.caches[1].latency - cache.latency)
            point = ok_point(probe, {"count": count, "stride": stride}, work={"steps": CHASE_STEPS})
            timed.append(Timed(point, cycles=latency * CHASE_STEPS))
    return probe_info(
        probe, "conflict", "memory.l1.associativity", "count",
        "How many lines with the same low address bits fit?", variable="count",
        hypothesis="Latency is flat up to the number of ways.", title="Cache conflicts",
    ), timed  # fmt: skip


def tlb_probe(truth: CpuTruth) -> Asked:
    """One line a page."""
    probe = "memory_hierarchy/tlb_reach"
    counts = sorted({int(np.rint(16 * 2 ** (step / 8))) for step in range(8 * 9 + 1)})
    timed = []
    for count in counts:
        latency = cache_latency(truth, count * truth.line) + translation(truth, count)
        point = ok_point(
            probe, {"count": count, "pages": "4k"}, work={"steps": CHASE_STEPS},
            facts={"bytes_actual": count * truth.page, "huge_bytes": 0},
        )  # fmt: skip
        noise = _visit_noise(truth, count * truth.line)
        timed.append(Timed(point, cycles=latency * CHASE_STEPS, visit=noise))
    for count in (16, 32, 64):
        reason = "Huge pages were asked for and not granted; set transparent_hugepage to madvise or always."
        timed.append(refused(probe, {"count": count, "pages": "huge"}, Status.UNSUPPORTED, reason))
    return probe_info(
        probe, "tlb", "memory.dtlb1.reach", "count", "How many pages can be touched at full speed?",
        hypothesis="Latency is flat up to the entries of the first-level TLB.", variable="count",
        title="TLB reach",
    ), timed  # fmt: skip


def chase_probe(truth: CpuTruth) -> Asked:
    """One size well inside each level."""
    probe = "memory_hierarchy/pointer_chasing"
    sizes: dict[str, int] = {}
    inner = 8 * KIB
    for cache in truth.caches:
        sizes[cache.name] = min(cache.size // 2, max(inner, cache.size // 3))
        inner = cache.size * 2
    sizes["dram"] = truth.sweep_high
    timed = [
        _chase(truth, probe, {"level": level, "bytes": size}, size, "huge") for level, size in sizes.items()
    ]
    return probe_info(
        probe, "pointer_chase", "chase", "cycle", "What does a dependent load cost in each level?",
        hypothesis="Each level has its own latency.", variable="level", title="Pointer chase",
    ), timed  # fmt: skip


def _streams(kernel: str) -> int:
    return {"read": 1, "write": 1, "nt_write": 1, "copy": 2, "nt_copy": 2, "triad": 3}[kernel]


def bandwidth_probe(truth: CpuTruth) -> Asked:
    """Every kernel in every level, on one core and on all.

    The first two levels move with the core clock, the others do not.
    """
    probe = "memory_hierarchy/bandwidth_saturation"
    timed = []
    last = max(truth.reported_l3, truth.caches[-1].size)
    sizes = {cache.name: cache.size // 3 for cache in truth.caches} | {"dram": 4 * last}
    noise = truth.noise
    for level, size in sizes.items():
        inside = level in ("l1", "l2")
        for kernel, rate in truth.bandwidth.get(level, {}).items():
            for cores in sorted({1, truth.cores}):
                granted = size // 64 * 64
                seconds = granted * cores / (rate * (truth.scaling[level] if cores > 1 else 1))
                point = ok_point(
                    probe, {"kernel": kernel, "bytes": size, "cores": cores},
                    work={"bytes": granted},
                    facts={"bytes_actual": granted, "cores": cores, "streams": _streams(kernel)},
                )  # fmt: skip
                timed.append(
                    Timed(
                        point,
                        cycles=seconds * truth.cycle_hz if inside else 0.0,
                        seconds=0.0 if inside else seconds,
                        threads=cores,
                        visit=noise.bandwidth_visit * (1.0 if inside else noise.outside),
                    )
                )
    return probe_info(
        probe, "bandwidth", "bandwidth", "byte/second", "How many bytes a second does each level move?",
        hypothesis="Each level has its own ceiling.", variable="bytes", title="Bandwidth by level",
        constants={"note": "Bytes that the kernel names; lines fetched for a write are not counted."},
    ), timed  # fmt: skip
