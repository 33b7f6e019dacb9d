"""What several threads did together: amounts over the time from the first beginning to the last end."""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import LEAST_SAMPLES, Evidence
from reportgen.analysis.robust import Visits, visits
from reportgen.runs.schema import Point


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
    # Rows of one sample lie side by side in the order in which they were taken, by thread or not.
    order = np.lexsort((timing.sample, timing.passes))
    key = np.stack([timing.passes[order], timing.sample[order]])
    begins = np.flatnonzero(np.concatenate([[True], np.any(key[:, 1:] != key[:, :-1], axis=0)]))
    rows = np.diff(np.concatenate([begins, [len(order)]]))
    span = np.maximum.reduceat(timing.stop[order], begins) - np.minimum.reduceat(timing.start[order], begins)
    done = np.add.reduceat(timing.repetitions[order].astype(float), begins) * amount
    whole = (rows == threads) & (span > 0)
    if np.count_nonzero(whole) < LEAST_SAMPLES:
        return None
    rate = done[whole] * evidence.run.sample_clock.tick_hz / span[whole]
    return visits(rate, timing.passes[order][begins][whole])
