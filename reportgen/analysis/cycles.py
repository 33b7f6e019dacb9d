"""Samples -> cycles and seconds per repetition of the body, for all points at once.

    ticks_per_cycle = ((calibration_before + calibration_after) / 2 - empty) / calibration_cycles
    cycles  = (ticks - empty) / repetitions / ticks_per_cycle
    seconds = (ticks - empty) / repetitions / tick_hz

The calibration beside each sample is what makes ticks into cycles: a core whose clock moves
between two visits shows the same cycles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.analysis.robust import Array, Integers
from reportgen.runs.schema import ACCEPTED, ClockRecord

if TYPE_CHECKING:
    import pyarrow

WINDOW_TICKS = 1.5
"""Standard deviation, in ticks, of what an empty window under- or overstates the cost of the two
time-stamp reads around a body: the fences drain a full pipeline at one end only."""
WINDOW_CYCLES = 30.0
"""The same in cycles, at most: of a counter whose ticks are many cycles long, a tick would be far too much.
What drains is a core's pipeline, some tens of cycles."""
DITHERED = 0.9
"""Where fewer of the calibrations than this show one and the same reading, rounding averages out."""


@dataclass(frozen=True)
class Timing:
    """Accepted samples of one point, in the order they were taken; one row a thread."""

    cycles: Array
    seconds: Array
    passes: Integers
    sample: Integers
    thread: Integers
    place: Integers
    """CPU or multiprocessor; below zero where it is not known."""
    start: Integers
    stop: Integers
    """`start` + `ticks`, ticks."""
    repetitions: Integers
    taken: int
    """Samples taken, accepted or not; the rows of one sample's threads count once."""
    impossible: int
    """Accepted rows whose time is not positive."""

    @property
    def n(self) -> int:
        """Accepted samples; the rows of one sample's threads count once."""
        return int(np.count_nonzero(self.thread == 0))


def _coded(table: pyarrow.Table, name: str) -> tuple[Integers, list[str]]:
    """Codes of a string column and the strings they stand for; nothing is decoded row by row."""
    import pyarrow

    column = table.column(name)
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    coded = column.combine_chunks()
    if isinstance(coded, pyarrow.ChunkedArray):
        coded = coded.chunk(0)
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), coded.dictionary.to_pylist()


def timings(
    clock: ClockRecord, samples: pyarrow.Table, counted: tuple[str, ...] = (ACCEPTED,)
) -> dict[str, Timing]:
    """Every point that has rows in `samples` (columns of `SAMPLE_COLUMNS`), by point id.

    Args:
        clock: of the run.
        samples: of the run.
        counted: verdicts of the gates with which a sample counts.
    """
    if not samples.num_rows:
        return {}
    codes, names = _coded(samples, "point")
    gates, verdicts = _coded(samples, "gate")
    lead = samples.column("thread").to_numpy() == 0
    taken = np.bincount(codes[lead], minlength=len(names))
    good = [verdicts.index(gate) for gate in counted if gate in verdicts]
    accepted = np.flatnonzero(np.isin(gates, good))
    order = accepted[np.argsort(codes[accepted], kind="stable")]
    ends = np.cumsum(np.bincount(codes[order], minlength=len(names)))

    def column(name: str) -> Integers:
        return np.asarray(samples.column(name).to_numpy()[order], dtype=np.int64)

    ticks, empty, repetitions, start = map(column, ("ticks", "empty", "repetitions", "start"))
    before, after = column("calibration_before"), column("calibration_after")
    ticks_per_cycle, tick_hz = _rates(clock, before, after, empty)
    possible = (ticks > empty) & (ticks_per_cycle > 0) & (repetitions > 0)
    each = np.where(possible, ticks - empty, 1.0) / np.where(possible, repetitions, 1)
    cycles = each / np.where(possible, ticks_per_cycle, 1.0)
    seconds = each / tick_hz
    passes, sample, thread = map(column, ("pass", "sample", "thread"))
    place = column("cpu") if "cpu" in samples.column_names else np.full(len(order), -1, dtype=np.int64)
    stop = start + ticks

    result = {}
    for code, name in enumerate(names):
        rows = slice(int(ends[code - 1]) if code else 0, int(ends[code]))
        result[name] = Timing(
            cycles=cycles[rows],
            seconds=seconds[rows],
            passes=passes[rows],
            sample=sample[rows],
            thread=thread[rows],
            place=place[rows],
            start=start[rows],
            stop=stop[rows],
            repetitions=repetitions[rows],
            taken=int(taken[code]),
            impossible=int(np.count_nonzero(~possible[rows])),
        )
    return result


def _rates(clock: ClockRecord, before: Integers, after: Integers, empty: Integers) -> tuple[Array, Array]:
    """Ticks of a cycle and ticks of a second, row by row.

    Where ticks are cycles, the two calibrations are cycles and nanoseconds of one wait.
    """
    if clock.calibration_cycles:
        ticks_per_cycle = ((before + after) / 2 - empty) / clock.calibration_cycles
        return ticks_per_cycle, np.full(len(before), clock.tick_hz)
    paced = (before > 0) & (after > 0)
    tick_hz = np.where(paced, before / np.where(paced, after, 1) * 1e9, clock.tick_hz)
    return np.ones(len(before)), tick_hz


def calibration_error(clock: ClockRecord, samples: pyarrow.Table) -> float:
    """Relative standard deviation, common to all samples of a run, of ticks per cycle.

    The window's own cost is known to `WINDOW_TICKS`, or `WINDOW_CYCLES` where that is less.  A counter that
    advances in steps rounds every reading; that averages out where readings differ by a step or more, as they
    do when a calibration begins anywhere between two steps, and is an error of a run where they do not.
    """
    length = samples.column("calibration_before").to_numpy()
    if not len(length) or not clock.calibration_cycles:
        return 0.0
    typical = float(np.median(length))
    if typical <= 0:
        return 0.0
    step = max(clock.granularity, int(np.gcd.reduce(length[:2000].astype(np.int64))))
    same = float(np.mean(np.abs(length - typical) < step / 2))
    rounding = step / math.sqrt(12) if same > DITHERED else 0.0
    window = min(WINDOW_TICKS, WINDOW_CYCLES * typical / clock.calibration_cycles)
    return math.hypot(window, rounding) / typical
