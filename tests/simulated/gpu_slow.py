"""Ordinary instructions of a drawn GPU that few lanes carry out: bit counts, double precision.

Sixteen lanes of a multiprocessor take a warp's in two cycles, or each quarter in eight; of double precision
there are 2 to 64 lanes (CUDA Programming Guide, "Throughput of Native Arithmetic Instructions").  Units that
take turns have a queue, and their results may take no whole number of cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.simulated.chooser import Chooser
from tests.simulated.gpu_matrix_drawn import through
from tests.simulated.gpu_truth import Question
from tests.simulated.multiprocessor import Unit

Slow = Mapping[str, Unit]
INTERVALS = {"popcnt": (2, 4, 8, 8), "fp64_fma": (2, 2, 4, 16, 64)}
"""Operation -> cycles of a quarter between two starts."""
WHOLE = 0.75


def draw(choose: Chooser) -> dict[str, Unit]:
    """Units of one device."""
    found = {}
    for name, intervals in INTERVALS.items():
        interval = float(choose.pick(intervals))
        latency = choose.real(max(4.0, interval), 24.0 + interval)
        whole = choose.chance(WHOLE)
        found[name] = Unit(float(round(latency)) if whole else latency, interval, choose.pick((0, 2, 6)))
    return found


def questions(slow: Slow) -> Iterator[Question]:
    """Their latencies and throughputs."""
    for name, unit in slow.items():
        yield through(f"instruction_latency/{name}", unit, length=(32, 64, 96))
        yield through(f"instruction_throughput/{name}", unit, accumulators=(1, 2, 4, 8))
