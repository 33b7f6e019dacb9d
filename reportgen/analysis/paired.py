"""Points that took turns within a visit: what one costs beside the other, sample by sample.

The n-th samples of both were taken one right after the other, so what a neighbour, the clock or the placement
of pages does to one it does to the other.  An interval of the median of all pairs comes from their order
alone (sign test: Dixon and Mood 1946): whatever the distribution of the differences, it misses the median
with the stated error, a share of it for each of the questions that a probe asks (Bonferroni).  Pairs count
as independent of each other; that visits agree is asked apart, since something may hold for a whole visit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.evidence import Evidence
from reportgen.analysis.robust import Array, Integers, Interval, median
from reportgen.runs.schema import Point

YES, NO, UNDECIDED = "yes", "no", "undecided"
ERROR = 0.05
"""Chance that any answer of a probe is wrong by luck; each question has its share."""
LEAST_VISITS = 2
"""Visits that must have pairs: the order of lines is drawn anew in each."""
MANY = 30
"""Pairs from which on those beside a busy neighbour are not needed."""
MANY_OF_A_VISIT = 3
"""Pairs from which on a visit may contradict."""


@dataclass(frozen=True)
class Pairs:
    """Times of two points, in the order of their samples."""

    slow: Array
    fast: Array
    visits: Integers
    """Pass of each pair."""

    @property
    def gains(self) -> Array:
        """Slow over fast."""
        return self.slow / self.fast

    @property
    def savings(self) -> Array:
        """Slow less fast."""
        return self.slow - self.fast


@dataclass(frozen=True)
class Answer:
    """Whether the median of pairs lies above a limit."""

    interval: Interval
    told: str
    """`yes`, `no`, `undecided`."""
    why: str = ""
    """Why it is undecided."""


def in_turn(point: Point) -> bool:
    """Whether a point was sampled in turn with others."""
    return "turns" in point.facts


def pairs(evidence: Evidence, slow: Point, fast: Point, divisors: tuple[float, float]) -> Pairs:
    """Samples of both points that count, of the same number where both do, of visits that they shared.

    Where fewer than `MANY` pairs of `LEAST_VISITS` visits passed the gates, samples beside a busy neighbour
    count too: a chase waits for its lines, which takes few issue slots, and what the neighbour does to the
    caches it does to both.  Numbers of samples decide that, and never what they say.

    Args:
        evidence: the probe.
        slow: a usable point.
        fast: another, sampled in turn with it.
        divisors: what the cycles of a repetition of each are divided by.
    """
    found = _pairs(evidence.timings[slow.id], evidence.timings[fast.id], divisors)
    enough = len(found.visits) >= MANY and len(np.unique(found.visits)) >= LEAST_VISITS
    if enough or not evidence.beside:
        return found
    return _pairs(evidence.beside[slow.id], evidence.beside[fast.id], divisors)


def _pairs(first: Timing, second: Timing, divisors: tuple[float, float]) -> Pairs:
    found: list[tuple[float, float, int]] = []
    for number in np.intersect1d(first.passes, second.passes):
        here, there = first.passes == number, second.passes == number
        begins = max(first.start[here].min(), second.start[there].min())
        if begins > min(first.stop[here].max(), second.stop[there].max()):
            continue  # a worker that was started anew took one after the other
        _, one, other = np.intersect1d(first.sample[here], second.sample[there], return_indices=True)
        # those whose partner did not pass the gates, in turn: still of one visit
        above = np.concatenate([first.cycles[here][one], np.delete(first.cycles[here], one)]) / divisors[0]
        below = np.concatenate([second.cycles[there][other], np.delete(second.cycles[there], other)])
        found += [(*pair, int(number)) for pair in zip(above, below / divisors[1], strict=False)]
    columns = np.array(found, dtype=float).reshape(-1, 3)
    return Pairs(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int64))


def above(values: Array, visits: Integers, limit: float, questions: int) -> Answer:
    """Whether the median of `values` lies above `limit`.

    Args:
        values: one a pair.
        visits: pass of each.
        limit: what is asked.
        questions: how many the probe asks; each may err with `ERROR` / `questions`.
    """
    if not len(values):
        return Answer(Interval(math.nan, math.nan, math.nan), UNDECIDED, "No two samples were taken in turn.")
    interval, needed = _median(values, ERROR / max(questions, 1))
    if len(values) < needed:
        return Answer(interval, UNDECIDED, f"{len(values)} pairs of samples count; {needed} are needed.")
    if interval.low <= limit <= interval.high:
        return Answer(interval, UNDECIDED, "The interval holds the limit.")
    told = YES if interval.low > limit else NO
    centres = {
        int(one): median(own)
        for one in np.unique(visits)
        if len(own := values[visits == one]) >= MANY_OF_A_VISIT
    }
    if len(centres) < LEAST_VISITS:
        return Answer(
            interval, UNDECIDED, f"Pairs of {len(centres)} visits count; {LEAST_VISITS} are needed."
        )
    against = sum((centre > limit) is not (told == YES) for centre in centres.values())
    if against:
        return Answer(interval, UNDECIDED, f"{against} of {len(centres)} visits say otherwise.")
    return Answer(interval, told)


def _median(values: Array, error: float) -> tuple[Interval, int]:
    """The median with the interval between two ordered values, and how many values such an interval needs.

    The n-th lowest and n-th highest value enclose the median but with twice the chance of fewer than n heads
    in as many tosses.  Of too few values it goes from the lowest to the highest, and misses more often.
    """
    ordered, count = np.sort(values), len(values)
    needed = math.ceil(1 - math.log2(error))
    left, chance = 0, 2.0 ** (1 - count)
    while chance <= error and left < count // 2:
        left += 1
        chance += 2.0 * math.comb(count, left) / 2.0**count
    at = max(left - 1, 0)
    return Interval(median(values), float(ordered[at]), float(ordered[count - 1 - at])), needed
