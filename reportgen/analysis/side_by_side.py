"""What several threads did together: amounts over the time from the first beginning to the last end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.evidence import LEAST_SAMPLES, Evidence
from reportgen.analysis.robust import Integers, Visits, visits
from reportgen.runs.schema import Point

AT_ONCE = 0.8
"""Share of the time from the first beginning to the last end in which all threads of a sample must have been
at work: a thread that is put on its core late leaves the others alone for a while."""


def at_once(evidence: Evidence) -> Evidence:
    """The same probe with those samples only whose threads were at work at once, of points with enough such.

    Where too few are, cores may get unequal shares of the work, one ending long before the other every time:
    then all samples stay.
    """
    kept = dict(evidence.timings)
    for point in evidence.usable():
        timing = kept[point.id]
        order, begins = _samples(timing)
        first, last = (
            np.minimum.reduceat(timing.start[order], begins),
            np.maximum.reduceat(timing.stop[order], begins),
        )
        common = np.minimum.reduceat(timing.stop[order], begins) - np.maximum.reduceat(
            timing.start[order], begins
        )
        good = common >= AT_ONCE * np.maximum(last - first, 1)
        if not good.all() and np.count_nonzero(good) >= LEAST_SAMPLES:
            rows = np.diff(np.concatenate([begins, [len(order)]]))
            chosen = np.sort(order[np.repeat(good, rows)])
            kept[point.id] = _rows(timing, chosen)
    return replace(evidence, timings=kept, seen={})


def _rows(timing: Timing, chosen: Integers) -> Timing:
    names = ("cycles", "seconds", "passes", "sample", "thread", "place", "start", "stop", "repetitions")
    return replace(timing, **{name: getattr(timing, name)[chosen] for name in names})


def _samples(timing: Timing) -> tuple[Integers, Integers]:
    """An order in which the rows of one sample's threads lie side by side, and where each sample begins."""
    order = np.lexsort((timing.sample, timing.passes))
    key = np.stack([timing.passes[order], timing.sample[order]])
    begins = np.flatnonzero(np.concatenate([[True], np.any(key[:, 1:] != key[:, :-1], axis=0)]))
    return order, begins


def rate_of_all(evidence: Evidence, point: Point, amount: float, threads: int) -> Visits | None:
    """Amounts a second of all threads of a point, by visit.

    Args:
        evidence: the probe.
        point: a usable point.
        amount: what one repetition of one thread's body does.
        threads: of the point.

    Returns:
        None when too few samples have all of their threads.
    """
    if threads == 1:
        seconds = evidence.seconds(point)
        return Visits(amount / seconds.centres, seconds.counts, seconds.ids)
    timing = evidence.timings[point.id]
    order, begins = _samples(timing)
    rows = np.diff(np.concatenate([begins, [len(order)]]))
    span = np.maximum.reduceat(timing.stop[order], begins) - np.minimum.reduceat(timing.start[order], begins)
    done = np.add.reduceat(timing.repetitions[order].astype(float), begins) * amount
    whole = (rows == threads) & (span > 0)
    if np.count_nonzero(whole) < LEAST_SAMPLES:
        return None
    rate = done[whole] * evidence.run.sample_clock.tick_hz / span[whole]
    return visits(rate, timing.passes[order][begins][whole])
