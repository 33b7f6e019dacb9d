"""Loads that miss, with other instructions between them or many at once, on a core of known capacities."""

from __future__ import annotations

import numpy as np

from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

PROBE = "out_of_order/instruction_window"
MISSES, LOADS = "out_of_order/parallel_misses", 80
LOWEST, HIGHEST, PER_OCTAVE = 20, 768, 10


def window_probe(truth: CpuTruth) -> Asked:
    """Every filling between its lowest and highest count."""
    octaves = np.log2(HIGHEST / LOWEST)
    steps = np.arange(round(octaves * PER_OCTAVE) + 1)
    counts = sorted({round(LOWEST * 2 ** (step / PER_OCTAVE)) for step in steps})
    timed = []
    for filling, capacity in truth.in_flight.items():
        for count in counts:
            point = ok_point(PROBE, {"filling": filling, "count": count}, work={"pairs": 1.0})
            timed.append(
                Timed(point, cycles=round_of(truth, capacity, count), visit=truth.noise.memory_visit)
            )
    return probe_info(
        PROBE, "window", "window", "count", "How many instructions are in flight behind a load that waits?",
        hypothesis="Two loads overlap until a resource is full.", variable="count",
        title="instructions in flight",
    ), timed  # fmt: skip


def misses_probe(truth: CpuTruth) -> Asked:
    """Chases side by side, and loads of a list (no chases)."""
    timed = []
    for chains in (1, 2, 4, 8, 10, 0):
        parallel = min(chains or truth.parallel_misses, truth.parallel_misses)
        point = ok_point(MISSES, {"chains": chains}, work={"loads": float(LOADS)})
        cycles = LOADS * truth.dram_latency / parallel
        timed.append(Timed(point, cycles=cycles, visit=truth.noise.memory_visit))
    return probe_info(
        MISSES, "parallelism", "memory.dram.parallelism", "count", "How many misses are under way at once?",
        hypothesis="Independent loads wait together.", variable="chains", title="misses in flight",
    ), timed  # fmt: skip


def round_of(truth: CpuTruth, capacity: int, count: int) -> float:
    """Cycles of a round: one latency of memory or two, or what the front end needs for the filling."""
    waits = truth.dram_latency * (1 if count <= capacity else 2)
    return max(waits, 2 * count / truth.front_end) + 0.1 * count
