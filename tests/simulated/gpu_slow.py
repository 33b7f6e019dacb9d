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
from tests.simulated.multiprocessor import QUARTERS, Unit

Slow = Mapping[str, Unit]
COUNTS = (2, 4, 8, 8)
"""Cycles of a quarter between two bit counts."""
WHOLE = 0.75


def draw(choose: Chooser, doubles: float) -> dict[str, Unit]:
    """Units of one device; `doubles`: multiply-adds of double precision a cycle of a multiprocessor."""
    found = {}
    for name, interval in (("popcnt", float(choose.pick(COUNTS))), ("fp64_fma", QUARTERS / doubles)):
        latency = choose.real(max(4.0, interval), 24.0 + interval)
        whole = choose.chance(WHOLE)
        found[name] = Unit(float(round(latency)) if whole else latency, interval, choose.pick((0, 2, 6)))
    return found


def questions(slow: Slow) -> Iterator[Question]:
    """Their latencies and throughputs."""
    for name, unit in slow.items():
        yield through(f"instruction_latency/{name}", unit, length=(32, 64, 96))
        yield through(f"instruction_throughput/{name}", unit, accumulators=(1, 2, 4, 8))
