"""How often a body is repeated in one sample, so that the sample lasts long enough for the time stamp."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.backends.cpu import clock
from reportgen.backends.cpu.frame import Stamps

BODY_SECONDS = 80e-6
"""Aim for one timed body: long against the time stamp's few ticks and the loop's end, short
against the milliseconds between interruptions."""
TRIAL = 2
"""Repetitions in the first trial."""
LEAST_STEPS = 8
"""Steps of the time stamp that a trial must last to tell how many repetitions are wanted.  On AArch64 a step
may be 42 ns, in which many a body runs more than once."""
GROWTH = 16
"""Repetitions of a trial that was too short, over those of the next one."""
MOST_TRIED = TRIAL * GROWTH**3
"""A body of which so many are nothing to the time stamp takes no time at all."""

Trial = Callable[[int], list[Stamps]]
"""repetitions -> stamps of four samples, after one repetition of warm-up."""


class Repetitions:
    """Repetitions of each point, the same on every visit.

    Args:
        tick_hz: ticks of the time-stamp counter a second, roughly.
    """

    def __init__(self, tick_hz: float) -> None:
        self.known: dict[str, int] = {}
        self._aim = BODY_SECONDS * tick_hz

    def of(self, point: str, trial: Trial) -> int:
        """Repetitions that make one timed body last about `BODY_SECONDS`."""
        count = self.known.get(point)
        if count is None:
            count = self.known[point] = self._found(trial)
        return count

    def _found(self, trial: Trial) -> int:
        step, tried = clock.granularity(), TRIAL
        while True:
            # the median of some short trials: one may be interrupted, one may fall into a tick
            ticks = sorted(stamps.ticks - stamps.empty for stamps in trial(tried))[1]
            if ticks >= LEAST_STEPS * step:
                return max(1, round(self._aim * tried / ticks))
            if tried >= MOST_TRIED:
                return tried
            tried *= GROWTH
