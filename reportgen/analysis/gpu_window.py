"""What the window of a throughput on a GPU loses: the rate that it shows is that of the units, or less.

Counting a turn takes issue slots, which a unit misses that takes an instruction in every cycle, or nearly; a
warp of one chain misses the cycles behind the branch as well.  At its ends a window waits until all warps
have begun and the last results are there.  Nothing measures these; they are bounded, and the upper end of
the interval allows for them.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.robust import Interval, median
from reportgen.runs.schema import Point

QUARTERS = 4
"""Of a multiprocessor, each of which starts one instruction a cycle (since Volta)."""
COUNTED = 3
"""Issue slots of a turn's counting: add, compare, branch."""
BRANCH = 6
"""Cycles from a branch to the next instruction of its warp, which one chain does not fill."""
ENDS = 24
"""Cycles at both ends beside two latencies: warps that are released apart, clock reads."""


def allowed(evidence: Evidence, found: Interval, points: list[Point], rates: list[float]) -> Interval:
    """The interval of a rate with room above for what its window loses.

    Args:
        evidence: of a probe of a GPU.
        found: instructions a cycle of a multiprocessor.
        points: those behind it and those of fewer chains or warps, ascending; work `instructions` a turn.
        rates: of each.
    """
    at = int(np.argmax(rates))
    best, point = rates[at], points[at]
    each = QUARTERS / best  # cycles of an instruction, all but one of which others may have
    alone = int(point.settings.get("accumulators", 1)) == 1
    missed = max(0.0, COUNTED + (BRANCH if alone else 0) + 1 - each)
    counted = missed / (point.work["instructions"] * each)
    warps = evidence.timings[point.id].repetitions
    cycles = point.work["instructions"] * median(warps.astype(float)) / best
    ends = (2 * _latency(evidence, points[0], rates[0]) + ENDS) / cycles if cycles > 0 else 0.0
    return Interval(found.value, found.low, max(found.high, best * (1 + counted) * (1 + ends)))


def _latency(evidence: Evidence, point: Point, rate: float) -> float:
    """Cycles of a step by the fewest chains, which is the latency or, where units were full, more."""
    threads = point.facts.get("threads", 0)
    warps = point.settings.get("warps", int(threads) // 32 if isinstance(threads, int) else 1)
    chains = int(point.settings.get("accumulators", 1)) * max(1, int(warps))
    return chains / rate if rate > 0 and math.isfinite(rate) else 0.0
