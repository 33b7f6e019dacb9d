"""What the window of a throughput on a GPU loses, and what it does not wait for.

Counting a turn takes issue slots, which a unit misses that takes an instruction in every cycle, or nearly; a
warp of one chain misses the cycles behind the branch as well.  At its ends a window waits until all warps
have begun and the last results are there.  Nothing measures these; they are bounded, and the upper end of
the interval allows for them.

The second clock read waits for no result.  Instructions of a unit that takes several cycles for each are
then still in its queue, so that the rate comes out too high, by as many as that holds; the lower end allows
for it.
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
LEAST = 0.1
FULL = 0.01
"""A rate is full that misses the best by less."""
AHEAD = 12
"""Instructions that a quarter's unit takes before their turn, at most: five of memory, then some that wait in
the unit that four quarters share (Huerta et al. 2025); units of arithmetic hold fewer."""


def allowed(
    evidence: Evidence, found: Interval, points: list[Point], rates: list[float], members: list[int]
) -> Interval:
    """The interval of a rate with room for what its windows lose, and for what they do not wait for.

    Each window that fills the units bounds their rate by itself, the longest one most narrowly, as its ends
    are the smallest part of it.  Only where one warp does not fill a quarter, and there are more than needed,
    the last ones may go on alone for long: then the best window bounds from above.

    Args:
        evidence: of a probe of a GPU.
        found: instructions a cycle of a multiprocessor.
        points: those behind it and those of fewer chains or warps, ascending; work `instructions` a turn.
        rates: of each.
        members: numbers of those behind it.
    """
    best = int(np.argmax(rates))
    longest = max((at for at in members if at >= best), key=lambda at: _instructions(evidence, points[at]))
    above = longest if _one_fills(points[0], rates[0], rates[best]) else best
    one_chain = int(points[above].settings.get("accumulators", 1)) == 1
    latency = _latency(evidence, points[0], rates[0])
    lost = _lost(evidence, points[above], rates[above], latency, one_chain)
    ahead = _not_waited_for(evidence, points[longest], rates[longest])
    low = rates[longest] * (1 - ahead) * found.low / found.value
    return Interval(found.value, min(found.low, low), max(found.high, rates[above] * (1 + lost)))


def _one_fills(point: Point, rate: float, best: float) -> bool:
    """Whether a point is of one warp, which takes all that a quarter of a multiprocessor gives."""
    return point.settings.get("warps") == 1 and QUARTERS * rate >= best * (1 - FULL)


def of_pair(evidence: Evidence, point: Point, cycles: float) -> tuple[float, float]:
    """Shares by which the time of one or two kinds side by side may be too long, and too short.

    Args:
        evidence: of a probe of a GPU.
        point: with work `instructions` a turn and `second_count`, more than 0 where there are two kinds.
        cycles: of a turn of one warp, others beside it.
    """
    rate = point.work["instructions"] / cycles
    two = point.work.get("second_count", 0.0) > 0
    return (
        _lost(evidence, point, rate, 0.0, one_chain=False),
        _not_waited_for(evidence, point, rate, kinds=2 if two else 1),
    )


def _lost(evidence: Evidence, point: Point, rate: float, latency: float, one_chain: bool) -> float:
    """Share of a window in which the units may have had nothing to do."""
    each = QUARTERS / rate  # cycles of an instruction, all but one of which others may have
    missed = max(0.0, COUNTED + (BRANCH if one_chain else 0) + 1 - each)
    counted = missed / (point.work["instructions"] * each)
    ends = (2 * latency + ENDS) * rate / _instructions(evidence, point)
    return (1 + counted) * (1 + ends) - 1


def _not_waited_for(evidence: Evidence, point: Point, rate: float, kinds: int = 1) -> float:
    """Share of a window's instructions that may not have had their turn when its clock was read.

    The last one takes its place in the queue in one cycle; a unit that takes longer for each has then at
    least that one before it.  Windows of the suite are of a thousand and more; one of as few as a queue holds
    would leave the rate open, and is held to a tenth of it.  Two kinds may have a unit each, with half of
    them.
    """
    each = kinds * QUARTERS / rate
    queued = (AHEAD - 1 / each) * QUARTERS if each > 1 else 0.0
    return min(1 - LEAST, kinds * queued / _instructions(evidence, point))


def _instructions(evidence: Evidence, point: Point) -> float:
    """Of all warps of a multiprocessor, from the first to the second clock read."""
    warps = evidence.timings[point.id].repetitions
    return max(1.0, point.work["instructions"] * median(warps.astype(float)))


def _latency(evidence: Evidence, point: Point, rate: float) -> float:
    """Cycles of a step by the fewest chains, which is the latency or, where units were full, more."""
    threads = point.facts.get("threads", 0)
    warps = point.settings.get("warps", int(threads) // 32 if isinstance(threads, int) else 1)
    chains = int(point.settings.get("accumulators", 1)) * max(1, int(warps))
    return chains / rate if rate > 0 and math.isfinite(rate) else 0.0
