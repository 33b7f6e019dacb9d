"""Which samples count, and when to stop taking them.  Pure functions over columns of integers.

A sample is bracketed by a calibration chain (dependent adds: one a cycle) and by a canary
(independent NOPs: as many a cycle as the front end issues).  A neighbour on the sibling thread, a
change of clock or an interrupt shows in one of the two:

* both calibrations agree within `AGREEMENT`, else the clock moved while the body ran;
* both canaries reach `CANARY_SHARE` of the best rate seen, else somebody else took issue slots.

Launchers judge while they sample, with the best rate known so far; sealing judges once more with
the best rate of the whole run.  Rejected samples stay in the raw data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from reportgen.backends.base import ClockConstants
from reportgen.runs.schema import ACCEPTED as ACCEPTED
from reportgen.runs.schema import SLOW as SLOW

AGREEMENT = 0.004
"""Largest |before/after - 1| of the two calibrations.  The chain of 4096 adds takes about 3000
ticks and is read to about 3 ticks at either end, so 0.2 % is noise and 0.4 % is not."""
LONG_BODY = 100
LONG_AGREEMENT = 0.02
"""A body longer than a hundred calibrations (0.6 ms: library calls) sees the clock move by more than
0.4 % as a rule; what is wanted of it is a rate per second, so 2 % do."""
CANARY_SHARE = 0.97
"""Share of the best issue rate that both canaries reach.  A busy sibling thread costs 30-50 %,
the read-out of the canary about 1 %."""
MIN_ACCEPTED = 5
"""Accepted samples below which nothing is claimed about a point."""
PRECISION = 0.0025
"""Relative standard error of the median at which sampling stops."""
SUPPORT = 3
SUPPORT_SHARE = 0.01
"""The best issue rate is the highest around which at least three samples and one in a hundred
gather: a clean core comes back to the same rate, a lucky reading of the clock does not."""
RATE_BIN = 0.01
"""Relative width of a histogram bin of rates; a mode may straddle two."""
SHORT_BODY = 20
"""A body longer than so many calibrations says little of its canaries: the clock may have moved in
between, and a rate above the core's dispatch width came out of such samples."""

MAD_TO_SIGMA = 1.4826
"""Median absolute deviation -> standard deviation, for normal noise."""
MEDIAN_COST = 1.2533
"""Standard error of a median over that of a mean, for normal noise: sqrt(pi/2)."""

FIRST = "first of batch"
DISAGREE = "calibrations disagree"
MIGRATED = "migrated"
STOOD_STILL = "clock stood still"
INTERRUPTED = "empty window long"
"""The window that is subtracted took so much longer than others of the visit that a chain would be off."""
UNEVEN = "warm-up and body disagree"
WRONG = "wrong result"
"""The program left other results than at its first run."""
UNANSWERED = "partner did not answer"
"""A thread waited for another so long that it gave up: what follows in that call is no measurement."""
THROTTLED = "throttled"
"""The device said before or after the visit that heat or a failing supply held it down."""

REJUDGED = frozenset({ACCEPTED, DISAGREE, SLOW})
"""Verdicts that a second judgement may change; the others are facts that only the launcher saw."""


def ticks_per_cycle(before: int, after: int, empty: int, calibration_cycles: int) -> float:
    """Ticks of one core cycle, from the two calibrations of a sample."""
    return ((before + after) / 2 - empty) / calibration_cycles


def canary_rates(columns: dict[str, list[int]], clock: ClockConstants) -> list[float]:
    """Per row the lower of its two canary rates, instructions per cycle; 0 where none was taken."""
    if not clock.calibration_cycles:
        return [0.0] * len(columns["ticks"])
    rates = []
    for before, after, empty, first, second in zip(
        columns["calibration_before"],
        columns["calibration_after"],
        columns["empty"],
        columns["canary_before"],
        columns["canary_after"],
        strict=True,
    ):
        slower = max(first, second) - empty
        per_cycle = ticks_per_cycle(before, after, empty, clock.calibration_cycles)
        taken = min(first, second, before, after) > 0 and slower > 0
        rates.append(clock.canary_instructions * per_cycle / slower if taken else 0.0)
    return rates


class BestRate:
    """The best canary rate of all samples seen: the highest mode of their histogram."""

    def __init__(self) -> None:
        self._bins: dict[int, list[float]] = {}
        self._total = 0

    def add(self, columns: dict[str, list[int]], clock: ClockConstants) -> None:
        """Take the samples of one batch: those of one thread, of agreeing calibrations, and short."""
        for rate, before, after, ticks, thread in zip(
            canary_rates(columns, clock),
            columns["calibration_before"],
            columns["calibration_after"],
            columns["ticks"],
            columns["thread"],
            strict=True,
        ):
            short = not thread and ticks < SHORT_BODY * before
            if rate > 0 and short and agree(before, after, clock.agreement, clock.granularity):
                entry = self._bins.setdefault(int(math.log(rate) / RATE_BIN), [0.0, 0.0])
                entry[0] += 1
                entry[1] += rate
                self._total += 1

    def best(self) -> float:
        """Mean rate of the highest two neighbouring bins with support; 0 while there are none."""
        wanted = max(SUPPORT, SUPPORT_SHARE * self._total)
        for index in sorted(self._bins, reverse=True):
            here, below = self._bins[index], self._bins.get(index - 1, [0.0, 0.0])
            if here[0] + below[0] >= wanted:
                return (here[1] + below[1]) / (here[0] + below[0])
        return 0.0


def agree(before: int, after: int, agreement: float = AGREEMENT, step: int = 1) -> bool:
    """Whether two calibrations are the same clock; a counter cannot tell those that differ by its step."""
    return abs(before - after) <= max(agreement * min(before, after), step)


def _tolerance(ticks: int, calibration: int, clock: ClockConstants) -> float:
    return LONG_AGREEMENT if ticks > LONG_BODY * calibration else clock.agreement


def judge(
    columns: dict[str, list[int]], clock: ClockConstants, best: float, marks: Sequence[str] | None = None
) -> list[str]:
    """The gate of every row of one visit: `accepted`, or why not.

    Args:
        columns: `ticks`, `empty`, both calibrations, both canaries, `sample`; lists of equal length.
            A calibration of 0 was not taken and is not judged (library code, several threads), nor is
            one of a clock whose ticks are cycles (`calibration_cycles` 0).
        clock: constants of the sample frame.
        best: best canary rate, instructions per cycle; 0 when unknown, then canaries pass.
        marks: verdicts of the launcher.  What it alone could see (`first of batch`, `migrated`,
            `clock stood still`) stays.

    Rows of one multi-thread sample stand and fall together, and their canaries are not judged here:
    its own threads are each other's neighbours (`reportgen.collect.own_cores` looks at all visits).
    """
    rates = canary_rates(columns, clock)
    samples = columns["sample"]
    usual = median(columns["empty"]) if columns["empty"] else 0
    threads: dict[int, int] = {}
    for sample in samples:
        threads[sample] = threads.get(sample, 0) + 1
    verdicts = []
    for row, sample in enumerate(samples):
        mark = marks[row] if marks is not None else ACCEPTED
        if mark not in REJUDGED:
            verdicts.append(mark)
            continue
        if columns["ticks"][row] <= 0:
            verdicts.append(STOOD_STILL)
        elif clock.calibration_cycles and (fault := _brackets(columns, row, clock, usual)):
            verdicts.append(fault)
        elif threads[sample] == 1 and 0 < rates[row] < clock.canary_share * best:
            verdicts.append(SLOW)
        else:
            verdicts.append(ACCEPTED)
    return together(samples, verdicts)


def _brackets(columns: dict[str, list[int]], row: int, clock: ClockConstants, usual: float) -> str:
    """What speaks against the two calibrations of a row, if they were taken; `usual`: its empty window."""
    before, after = columns["calibration_before"][row], columns["calibration_after"][row]
    if before <= 0:
        return ""
    longer = max(0, round(columns["empty"][row] - usual))
    if not agree(before, before + longer, clock.agreement, clock.granularity):
        return INTERRUPTED
    tolerance = _tolerance(columns["ticks"][row], before, clock)
    return "" if agree(before, after, tolerance, clock.granularity) else DISAGREE


def unbracketed(columns: dict[str, list[int]], marks: Sequence[str]) -> list[str]:
    """The same for the windows of a visit that is one stretch of load: by the launcher's marks alone."""
    return together(columns["sample"], marks)


def together(samples: Sequence[int], verdicts: Sequence[str]) -> list[str]:
    """Verdicts of rows, those of one sample alike: one row that fails takes the others with it."""
    worst = {
        sample: verdict for sample, verdict in zip(samples, verdicts, strict=True) if verdict != ACCEPTED
    }
    return [worst.get(sample, verdict) for sample, verdict in zip(samples, verdicts, strict=True)]


def falls(
    columns: dict[str, list[int]], verdicts: Sequence[str], clock: ClockConstants, best: float
) -> list[float]:
    """How far the clock fell during each sample that was set aside for it, relative; no neighbour beside it.

    Each canary is read by the calibration at its own side: a neighbour costs instructions a cycle, whatever
    the clock does, and a clock that falls costs none.  Without a best rate nothing tells the two apart.

    Returns:
        A number above the agreement for each such sample, in the order of the rows.
    """
    if not clock.calibration_cycles or best <= 0:
        return []
    found = []
    for row, verdict in enumerate(verdicts):
        empty = columns["empty"][row]
        before, after = (columns[f"calibration_{side}"][row] - empty for side in ("before", "after"))
        first, second = (columns[f"canary_{side}"][row] - empty for side in ("before", "after"))
        if verdict != DISAGREE or min(before, after, first, second) <= 0 or after <= before:
            continue
        issue = clock.canary_instructions / clock.calibration_cycles
        if min(issue * before / first, issue * after / second) >= clock.canary_share * best:
            found.append(1 - before / after)
    return found


def relative_error(values: Sequence[float]) -> float:
    """Robust relative standard error of the median of `values`; infinite for fewer than two."""
    if len(values) < 2:
        return float("inf")
    centre = median(values)
    if centre <= 0:
        return float("inf")
    spread = MAD_TO_SIGMA * median(abs(value - centre) for value in values)
    return float(MEDIAN_COST * spread / math.sqrt(len(values)) / centre)


def precise(values: Sequence[float]) -> bool:
    """Whether accepted `values` (cycles or ticks, any unit) are enough: the stopping criterion."""
    return len(values) >= MIN_ACCEPTED and relative_error(values) < PRECISION
