"""What a measurement comes to: a row for each piece of code, and which of them costs less; JSON-ready."""

from __future__ import annotations

import msgspec

from reportgen.status import Status

MEASUREMENT_SCHEMA = 1

INSIDE, ABOVE, BELOW = "inside", "above", "below"
"""Where what was measured lies by the range of a prediction."""


class Prediction(msgspec.Struct, frozen=True):
    """What one predictor says of one piece of code, cycles of a round; sealed before anything is timed."""

    name: str
    version: str = ""
    target: str = ""
    """The processor that it takes this one for; of the cost model the run that it is of."""
    cycles: float | None = None
    low: float | None = None
    high: float | None = None
    decides: str = ""
    """Of the cost model: the bound that is largest."""
    unknown: tuple[str, ...] = ()
    """Instructions that it does not know."""
    fault: str = ""
    """Why it says nothing."""


class OwnRow(msgspec.Struct, frozen=True):
    """One piece of code."""

    name: str
    code: tuple[str, ...]
    """Its instructions as the decoder has them."""
    init: tuple[str, ...]
    status: Status
    reason: str
    cycles: float | None
    """Of a round."""
    low: float | None
    high: float | None
    seconds: float | None
    """Of a round, at the clock that was seen."""
    clock_hz: float | None
    """Cycles a second while it ran: the median of its samples."""
    items: float
    instructions: int
    """Of a round."""
    unroll: int
    """Rounds between two jumps back."""
    rounds: tuple[int, ...]
    """Rounds of each body that was timed."""
    arrays: int
    """One for each register that is an address."""
    array_bytes: int
    """Of each."""
    holds: str
    """What they held: `fp32`, `list`, ..."""
    registers: dict[str, str]
    """What registers held at the start."""
    n: int
    taken: int
    """Samples that passed all gates, and samples taken."""
    rejected: dict[str, int]
    """Why samples were not taken into account, and how many."""
    overhead: float | None
    """Cycles of a body beside its rounds: where the line meets no rounds."""
    samples: tuple[float, ...]
    """Cycles of a round in each accepted sample of the longest body, its overhead taken off."""
    program: str
    """sha256 of the machine code of the longest body."""
    verdict: str
    """Of the inspection of its machine code."""
    notes: tuple[str, ...]
    predictions: tuple[Prediction, ...]
    place: str = ""
    """Where the measured cycles lie by the range of the cost model: `inside`, `above`, `below`."""

    @property
    def each(self) -> float | None:
        """Cycles of one result."""
        return None if self.cycles is None else self.cycles / self.items


class Pairing(msgspec.Struct, frozen=True):
    """Two pieces of code, by cycles a result."""

    first: str
    second: str
    ratio: float
    """Cycles of the second over those of the first."""
    low: float
    high: float
    verdict: str
    """`first` or `second` costs less, or `cannot tell`."""


class Measurement(msgspec.Struct, frozen=True):
    """All of it."""

    schema: int
    run: str
    created: str
    device: str
    name: str
    passes: int
    rows: tuple[OwnRow, ...]
    pairs: tuple[Pairing, ...]
