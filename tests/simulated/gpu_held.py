"""A simulated GPU under load for seconds: its rate at first, what takes from it, and what it holds.

Windows of a fixed amount of work follow each other.  Their rate falls when power, heat or current lower the
clock, or when others take a part of the device's time: then the clock stays, and each window takes longer all
the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.sustained import FIRST, LAST
from reportgen.backends.cuda.holding import WINDOW_SECONDS
from tests.simulated.asked import ok_point
from tests.simulated.chooser import Chooser
from tests.simulated.gpu_noise import HELD_WINDOWS
from tests.simulated.gpu_truth import GpuTruth, Question, Simulated, asked

Array = NDArray[np.float64]
SETTLED = 0.02
"""A rate this near to the last one has settled."""
WORK = {
    "roofline/sustained_fp32": ("fp32_fma", 64.0),
    "roofline/sustained_tensor_fp16": ("mma_m16n8k16_f16_f32", 4096.0),
}
"""Probe -> its operation, and the work of an instruction of a warp."""
TURN = 64.0
"""Instructions of a warp in a turn."""


@dataclass(frozen=True)
class TrueHeld:
    """What happens to the rate of one kind of load."""

    factor: float = 1.0
    """Rate in the end over that at first."""
    after: float = 0.5
    """When it begins to change, seconds ..."""
    over: float = 0.0
    """... and how long that takes; 0: a step."""
    through_clock: bool = True
    """Whether the clock takes it, or others who are given time."""
    swing: float = 0.0
    """By which the clock goes up and down once it is limited, window by window."""

    def rate(self, at: float) -> float:
        """Rate over that at first, so many seconds after the load began."""
        gone = min(1.0, max(0.0, (at - self.after) / self.over)) if self.over else float(at >= self.after)
        return 1 + (self.factor - 1) * gone

    def windows(self, longer: Array, swing: float = 0.0) -> tuple[Array, Array]:
        """Starts of windows in seconds, and their rates over the first one's.

        `longer`: by how much each takes longer than the rate says.
        """
        starts, rates, at = [], [], 0.0
        for number, more in enumerate(longer):
            rate = self.rate(at)
            if rate < 1:
                rate *= 1 + swing * (1 if number % 2 else -1)
            starts.append(at)
            rates.append(rate)
            at += WINDOW_SECONDS / rate * more
        return np.array(starts), np.array(rates)

    @property
    def burst(self) -> float:
        """Median rate of the windows that begin in the first part."""
        starts, rates = self.windows(np.ones(HELD_WINDOWS))
        return float(np.median(rates[starts < FIRST * self._length(starts, rates)]))

    @property
    def sustained(self) -> float:
        """The same of the last part."""
        starts, rates = self.windows(np.ones(HELD_WINDOWS))
        return float(np.median(rates[starts >= (1 - LAST) * self._length(starts, rates)]))

    @property
    def settles(self) -> float:
        """Seconds after which the rate stays near the last one."""
        change = abs(1 - self.factor)
        return self.after + self.over * max(0.0, 1 - SETTLED * self.factor / change) if change else 0.0

    @staticmethod
    def _length(starts: Array, rates: Array) -> float:
        return float(starts[-1] + WINDOW_SECONDS / rates[-1])


def draw(choose: Chooser) -> TrueHeld:
    """One device's answer to a load; in two of five nothing happens."""
    if choose.chance(0.4):
        return TrueHeld()
    return TrueHeld(
        factor=choose.real(0.55, 0.97),
        after=choose.real(0.25, 0.9),
        over=choose.pick((0.0, 0.0, choose.real(0.05, 0.5))),
        through_clock=choose.chance(0.75),
        swing=choose.pick((0.0, 0.0, 0.003, 0.01)),
    )


def burst(truth: GpuTruth, probe: str) -> float:
    """FLOP a second of the whole device at first."""
    rate, clock = {
        "roofline/sustained_fp32": (truth.fma_rate, truth.clock_hz),
        "roofline/sustained_tensor_fp16": (truth.mma_rate, truth.tensor_clock_hz),
    }[probe]
    return rate * WORK[probe][1] * truth.multiprocessors * clock


def questions(truth: GpuTruth, held: dict[str, TrueHeld]) -> Iterator[Question]:
    """Both loads, each in a visit of its own."""
    for probe, (operation, each) in WORK.items():
        first = burst(truth, probe)
        repetitions = max(1, round(first * WINDOW_SECONDS / (TURN * each)))
        clock = truth.tensor_clock_hz if "tensor" in probe else truth.clock_hz
        seconds = repetitions * TURN * each / first  # of a window at first
        point = ok_point(
            probe, {"operation": operation, "accumulators": 8, "warps": 16},
            work={"instructions": TURN, "flop": TURN * each},
            facts={"windows": HELD_WINDOWS, "blocks": truth.multiprocessors},
        )  # fmt: skip
        course = partial(_course, held[probe], seconds / WINDOW_SECONDS, clock)
        yield asked(probe), [Simulated(point, (), repetitions, clock, windows=course)]


def _course(held: TrueHeld, stretched: float, clock: float, longer: Array) -> tuple[Array, ...]:
    starts, rates = held.windows(longer * stretched, held.swing)
    lasting = WINDOW_SECONDS * stretched / rates * longer
    return starts, lasting, lasting * clock * (rates if held.through_clock else 1.0)
