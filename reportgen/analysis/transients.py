"""Samples at the start of a visit that are still settling: found over the whole run, and left out.

Caches, predictors and clocks settle while the first samples of a visit are taken.  In one visit a slow first
sample may be chance; over all visits of a run it is not.  For each place in the order, the median is taken
over visits of the sample's time over that of the later half of its visit.  The places from the first on at
which that is clearly above one are transient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.robust import NORMAL_MAD, median

LEAST_VISITS = 12
"""Visits that must show a place for anything to be said of it."""
LEAST_SAMPLES = 4
"""Accepted samples of a visit that can tell its first ones from its later half."""
SLOWER = 0.002
"""A place is transient from this median excess on (relative) ..."""
CLEARLY = 4.0
"""... and from so many standard errors of that median."""


def transient_samples(timings: Mapping[str, Timing]) -> int:
    """How many samples at the start of each visit are transient; their numbers count from 0.

    Only samples of one thread are asked: those of several wait for each other.
    """
    excess: dict[int, list[float]] = {}
    for timing in timings.values():
        if timing.n < LEAST_SAMPLES or timing.n != len(timing.cycles):
            continue
        for one in np.unique(timing.passes):
            own = np.flatnonzero(timing.passes == one)
            if len(own) < LEAST_SAMPLES:
                continue
            order = own[np.argsort(timing.sample[own])]
            cycles = timing.cycles[order]
            half = len(order) // 2
            settled = median(cycles[half:])
            for number, value in zip(timing.sample[order[:half]], cycles[:half], strict=True):
                excess.setdefault(int(number), []).append(float(value) / settled - 1)
    count = 0
    for number in sorted(excess):
        values = np.array(excess[number])
        if len(values) < LEAST_VISITS:
            break
        middle = median(values)
        error = NORMAL_MAD * median(np.abs(values - middle)) * (np.pi / 2 / len(values)) ** 0.5
        if middle <= max(SLOWER, CLEARLY * error):
            break
        count = number + 1
    return count


def settled(timings: Mapping[str, Timing], count: int) -> dict[str, Timing]:
    """The same without the first `count` samples of each visit; a point that would keep none keeps all."""
    return {name: _without(timing, count) for name, timing in timings.items()}


def _without(timing: Timing, count: int) -> Timing:
    kept = timing.sample >= count
    if kept.all() or not kept.any():
        return timing
    return replace(
        timing,
        cycles=timing.cycles[kept],
        seconds=timing.seconds[kept],
        passes=timing.passes[kept],
        sample=timing.sample[kept],
        thread=timing.thread[kept],
        place=timing.place[kept],
        start=timing.start[kept],
        stop=timing.stop[kept],
        repetitions=timing.repetitions[kept],
    )
