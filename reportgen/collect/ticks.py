"""Frequency of the tick, from pairs of (monotonic nanoseconds, ticks) read together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

READING_NS = 2000
"""The two clocks of a pair are read within this time of each other, bar bad luck."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class Frequency:
    """Ticks a second, with an interval; all 0 where no two readings exist."""

    hz: float
    low: float
    high: float


def frequency(sittings: Sequence[Sequence[Pair]]) -> Frequency:
    """Frequency over all sittings of a run (the clocks may start anew between two of them).

    The value is the slope from first to last reading, sittings weighted by their length.  The interval
    holds the slopes of the thirds of every sitting and the error of reading.
    """
    ticks = time = 0
    slopes: list[tuple[float, int]] = []
    for readings in sittings:
        pairs = [pair for pair in readings if pair != (0, 0)]
        if len(pairs) < 2 or pairs[-1][0] <= pairs[0][0]:
            continue
        ticks += pairs[-1][1] - pairs[0][1]
        time += pairs[-1][0] - pairs[0][0]
        cuts = [pairs[0], pairs[len(pairs) // 3], pairs[2 * len(pairs) // 3], pairs[-1]]
        for first, last in pairwise(cuts):
            if last[0] > first[0]:
                slopes.append(((last[1] - first[1]) / (last[0] - first[0]), last[0] - first[0]))
    if time <= 0:
        return Frequency(0.0, 0.0, 0.0)
    value = ticks / time
    # A short third says little: its slope is known only as well as its ends can be read.
    low = min([value, *(slope * (1 - READING_NS / span) for slope, span in slopes)])
    high = max([value, *(slope * (1 + READING_NS / span) for slope, span in slopes)])
    return Frequency(value * 1e9, low * 1e9, high * 1e9)


def paces(columns: Mapping[str, Sequence[int]], rows: Iterable[int]) -> list[float]:
    """Ticks a second at each of `rows`.

    Ticks are cycles, and the two calibrations of a row are cycles and nanoseconds of one wait.
    """
    pairs = [(columns["calibration_before"][row], columns["calibration_after"][row]) for row in rows]
    return [cycles / ns * 1e9 for cycles, ns in pairs if cycles > 0 and ns > 0]


def paced(found: Sequence[float]) -> Frequency:
    """Frequency of a clock whose ticks are cycles: the median pace, and the range of nine in ten."""
    if not found:
        return Frequency(0.0, 0.0, 0.0)
    ordered = sorted(found)
    ends = len(ordered) // 20
    return Frequency(ordered[len(ordered) // 2], ordered[ends], ordered[-1 - ends])
