"""Sampling one prepared point: batches, gates, and when to stop."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field

from reportgen.backends import gates
from reportgen.backends.base import Batch, ClockConstants, Order, empty_columns
from reportgen.backends.cpu import clock
from reportgen.backends.cpu.frame import MOST_SAMPLES, Stamps
from reportgen.backends.cpu.preparation import MOST_ROWS, Visit

UNEVEN = 0.02
"""Warm-up and body run the same bytes.  Where the ratio of their times strays by more from that of the
visit's other samples, somebody was served in between, which the brackets on both sides cannot see.
(From the others, not from 1: some instruction mixes settle into another rhythm as they go on.)"""
STRAY = 3.0
"""Robust standard deviations of that ratio that it may stray too: a core may hand chains to its units in
another order every time (multiply-adds on a Zen 3 core: half of all undisturbed samples strayed by 2 %)."""
ENOUGH = 8
"""Samples with clean brackets from which on they tell how far the ratio strays by itself."""
MOVED = 0.002
"""A best rate that has moved by less judges no sample otherwise: the canary's read-out costs more."""
BATCH = 16
LONGEST_STRETCH = 5.0
"""A visit may exceed its cap this many times over to reach the least number of samples."""


@dataclass
class _Rows:
    """What was taken of one point."""

    columns: dict[str, list[int]] = field(default_factory=empty_columns)
    marks: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    bracketed: list[str] = field(default_factory=list)
    """What brackets alone say of each row."""
    best: float = 0.0
    """Best rate by which they were judged."""

    def judge(self, constants: ClockConstants, best: float, warm: bool) -> None:
        """Judge the rows that are new; all of them where the best rate has moved."""
        if abs(best - self.best) > MOVED * self.best:
            self.bracketed, self.best = [], best
        done = len(self.bracketed)
        new = {name: values[done:] for name, values in self.columns.items()}
        self.bracketed += gates.judge(new, constants, self.best, self.marks[done:])
        self.verdicts = (
            _without_uneven(self.columns, self.marks, self.bracketed) if warm else list(self.bracketed)
        )


def sample(order: Order, visit: Visit, rates: gates.BestRate, tick_hz: float) -> list[Batch]:
    """Batches of samples until enough accepted ones are precise, or a cap is reached.

    Args:
        order: which point, and for how long at most; points that take turns have as long each.
        visit: the prepared point, or those that take turns.
        rates: issue rates that this launcher has seen; grows.
        tick_hz: ticks a second, to tell measuring from calibrating.

    Returns:
        Samples of the point; of several that take turns those of each, as many, the n-th of all taken one
        right after the other.
    """
    every = [_Rows() for _ in range(visit.arms)]
    constants = clock.constants()
    threads = len(visit.cpus)
    seconds = order.seconds * visit.arms
    deadline = time.perf_counter() + seconds
    latest = deadline + seconds * (LONGEST_STRETCH - 1)
    began, taken, size = time.perf_counter(), 0, 4
    stop, best = "sample cap", 0.0
    while taken * threads < MOST_ROWS:
        batch_began = time.perf_counter()
        stamps = visit.take(size)
        each_point = [[one] for one in stamps] if visit.arms > 1 else [stamps]
        for own, per_thread in zip(every, each_point, strict=True):
            rows = len(own.marks)
            _record(own.columns, own.marks, per_thread, visit, taken)
            rates.add({name: values[rows:] for name, values in own.columns.items()}, constants)
        taken += size
        # a worker that was just started knows less than the run does
        best = rates.best() or order.canary_best
        for own in every:
            own.judge(constants, best, bool(visit.warm))
        if taken >= visit.least and all(
            gates.precise(_accepted(own.columns, own.verdicts, constants.calibration_cycles)) for own in every
        ):
            stop = "precise"
            break
        now = time.perf_counter()
        if now > deadline and (taken >= visit.least or now > latest):
            stop = "time cap"
            break
        each = (now - batch_began) / size
        size = max(4, min(BATCH, MOST_SAMPLES // visit.arms, int(seconds / 4 / each)))
    spent = (time.perf_counter() - began) / visit.arms
    return [
        _batch(order, own.columns, own.verdicts, stop, best, spent, _inside(own.columns, threads, tick_hz))
        for own in every
    ]


def hold(order: Order, visit: Visit, rates: gates.BestRate, tick_hz: float) -> list[Batch]:
    """One stretch of load, a sample a window: none is left out as the first, for the start matters.

    A window that another clock or a neighbour slowed is part of the answer, and a chain of microseconds
    beside milliseconds could not tell which: calibrations and canaries are kept, and judge nothing.

    Args:
        order: which point.
        visit: the prepared point, with its number of windows.
        rates: issue rates that this launcher has seen; windows are too long to add to them.
        tick_hz: ticks a second, to tell measuring from calibrating.
    """
    columns = empty_columns()
    marks: list[str] = []
    began = time.perf_counter()
    per_thread = visit.take(visit.windows)
    spent = time.perf_counter() - began
    _record(columns, marks, per_thread, visit, 0, gates.ACCEPTED)
    verdicts = gates.unbracketed(columns, marks)
    inside = _inside(columns, len(visit.cpus), tick_hz)
    best = rates.best() or order.canary_best
    return [_batch(order, columns, verdicts, "sample cap", best, spent, inside)]


def _inside(columns: dict[str, list[int]], threads: int, tick_hz: float) -> float:
    """Seconds that the bodies took, warm-up included."""
    return (sum(columns["ticks"]) + sum(columns["warmup"])) / threads / tick_hz


def _batch(
    order: Order,
    columns: dict[str, list[int]],
    verdicts: list[str],
    stop: str,
    best: float,
    spent: float,
    inside: float,
) -> Batch:
    measured = min(spent, inside)
    return Batch(
        point=order.point,
        columns=columns,
        gates=verdicts,
        stop=stop,
        canary_best=best,
        seconds={"measure": measured, "calibrate": spent - measured},
    )


def _record(
    columns: dict[str, list[int]],
    marks: list[str],
    per_thread: list[list[Stamps]],
    visit: Visit,
    taken: int,
    first: str = gates.FIRST,
) -> None:
    """Append a batch to columns and marks; `first` is the mark of its first sample."""
    for thread, stamps in enumerate(per_thread):
        for index, sample in enumerate(stamps):
            columns["sample"].append(taken + index)
            columns["thread"].append(thread)
            columns["repetitions"].append(visit.repetitions)
            columns["start"].append(sample.start)
            columns["ticks"].append(sample.ticks)
            columns["empty"].append(sample.empty)
            columns["calibration_before"].append(sample.calibration_before)
            columns["calibration_after"].append(sample.calibration_after)
            columns["canary_before"].append(sample.canary_before)
            columns["canary_after"].append(sample.canary_after)
            columns["warmup"].append(sample.warmup)
            columns["cpu"].append(sample.cpu)
            if not sample.answered:
                marks.append(gates.UNANSWERED)
            elif index == 0 and first != gates.ACCEPTED:
                marks.append(first)
            elif sample.cpu != visit.cpus[thread]:
                marks.append(gates.MIGRATED)
            elif sample.ticks <= sample.empty:
                marks.append(gates.STOOD_STILL)
            else:
                marks.append(gates.ACCEPTED)


def _without_uneven(columns: dict[str, list[int]], marks: list[str], verdicts: list[str]) -> list[str]:
    """The verdicts; samples whose warm-up and body disagree unlike the others' of the visit are set aside."""
    ratios = [
        (ticks - empty) / max(1, warmup - empty)
        for ticks, empty, warmup in zip(columns["ticks"], columns["empty"], columns["warmup"], strict=True)
    ]
    clean = [ratio for ratio, verdict in zip(ratios, verdicts, strict=True) if verdict == gates.ACCEPTED]
    told = clean if len(clean) >= ENOUGH else ratios
    usual, shortest = statistics.median(told), min(columns["warmup"])
    if usual <= 0 or shortest <= 0:
        return verdicts  # less than one step of the time stamp: there is nothing to compare
    margin = UNEVEN + clock.granularity() / shortest
    if told is clean:
        strays = statistics.median(abs(ratio / usual - 1) for ratio in clean)
        margin = max(margin, STRAY * gates.MAD_TO_SIGMA * strays)
    uneven = [
        gates.UNEVEN if mark == gates.ACCEPTED and abs(ratio / usual - 1) > margin else verdict
        for ratio, mark, verdict in zip(ratios, marks, verdicts, strict=True)
    ]
    return gates.together(columns["sample"], uneven)


def _accepted(columns: dict[str, list[int]], verdicts: list[str], cycles: int) -> list[float]:
    """Body lengths of the accepted samples, in cycles."""
    return [
        (ticks - empty) / gates.ticks_per_cycle(before, after, empty, cycles)
        for ticks, empty, before, after, verdict in zip(
            columns["ticks"],
            columns["empty"],
            columns["calibration_before"],
            columns["calibration_after"],
            verdicts,
            strict=True,
        )
        if verdict == gates.ACCEPTED and before > empty
    ]
