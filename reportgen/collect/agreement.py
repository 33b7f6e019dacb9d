"""Points whose visits disagree: one of few was disturbed, and nothing tells which.

A neighbour's use of a shared cache shows in no calibration and no canary.  Of three visits one that took
eight times as long leaves an interval that says nothing; of five it is the odd one.  So the points that
disagree most are visited as often as the extra rounds allow.  All visits count, as they do elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from reportgen.backends import gates
from reportgen.backends.base import Batch, ClockConstants
from reportgen.collect.journal import Entry
from reportgen.runs.schema import ACCEPTED

APART = 1.25
"""Ratio of the longest to the shortest visit from which on they disagree.  Visits of an undisturbed core
agree within some percent; placement of pages makes them differ by ten."""
MOST = 0.04
"""Share of a run's points that are visited again for that, so that a busy machine costs little more time."""


def disagreeing(
    entries: Sequence[Entry],
    verdicts: Sequence[Sequence[str]],
    clock: ClockConstants,
    candidates: Collection[str],
    points: int,
) -> set[str]:
    """The points whose visits disagree most.

    Args:
        entries: visits, any number a point.
        verdicts: what the gates said of their rows.
        clock: constants of the sample frame.
        candidates: points that may be visited again.
        points: of the run; `MOST` of their number, and one at least, may be told.
    """
    centres: dict[str, list[float]] = defaultdict(list)
    for entry, verdict in zip(entries, verdicts, strict=True):
        if times := _times(entry.batch, verdict, clock):
            centres[entry.batch.point].append(median(times))
    apart = _apart({name: centres[name] for name in candidates if name in centres})
    worst = sorted(apart, key=lambda name: (-apart[name], name))
    return set(worst[: max(1, round(MOST * points))])


def _apart(centres: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Longest over shortest visit, of the points where that is much."""
    ratios = {name: max(found) / min(found) for name, found in centres.items()}
    return {name: ratio for name, ratio in ratios.items() if ratio > APART}


def _times(batch: Batch, verdict: Sequence[str], clock: ClockConstants) -> list[float]:
    """Time of one repetition of every accepted sample, in units of the calibration beside it."""
    times = []
    columns = batch.columns
    for row, gate in enumerate(verdict):
        if gate != ACCEPTED or columns["thread"][row]:
            continue
        empty = columns["empty"][row]
        time = (columns["ticks"][row] - empty) / columns["repetitions"][row]
        if clock.calibration_cycles:
            time /= gates.ticks_per_cycle(
                columns["calibration_before"][row],
                columns["calibration_after"][row],
                empty,
                clock.calibration_cycles,
            )
        if time > 0:
            times.append(time)
    return times
