"""What a validation comes to: loops beside predictions, errors, rankings; JSON-ready."""

from __future__ import annotations

import msgspec

from reportgen.status import Status

VALIDATION_SCHEMA = 1

MODEL = "cost model"
"""Name of this project's own predictor."""


class Number(msgspec.Struct, frozen=True):
    """A statistic with the interval of its bootstrap; no interval where there is one kind of loop only."""

    value: float
    low: float | None = None
    high: float | None = None


class Errors(msgspec.Struct, frozen=True):
    """Of one predictor on one set of loops."""

    loops: int
    kinds: int
    mape: Number
    """Mean of |predicted - measured| / measured."""
    median: Number
    """Median of the same."""
    tau: Number | None
    """Kendall's rank correlation of predicted and measured cycles of a round."""


ZERO_EXTENSION = "movz"
"""The harness's own step, which wraps the index of a loop: OSACA's tables lack it for some processors, and it
costs a slot."""


class Predictor(msgspec.Struct, frozen=True):
    """Who predicts."""

    name: str
    version: str = ""
    target: str = ""
    """What it takes the processor for."""
    absent: str = ""
    """Why it predicts nothing here."""


class Cause(msgspec.Struct, frozen=True):
    """A bound of the cost model, cycles of a round."""

    name: str
    cycles: float
    low: float
    high: float


class Prediction(msgspec.Struct, frozen=True):
    """What one predictor says of one loop, cycles of a round; no interval but the cost model's."""

    cycles: float | None = None
    low: float | None = None
    high: float | None = None
    unknown: tuple[str, ...] = ()
    """Instructions that it does not know."""
    fault: str = ""
    """Why it says nothing."""


class Row(msgspec.Struct, frozen=True):
    """One loop."""

    name: str
    title: str
    loop: str
    """What it computes; variants share it."""
    items: float
    bytes: int
    """Working set."""
    held_out: bool
    status: Status
    reason: str
    measured: float | None
    """Cycles of a round."""
    low: float | None
    high: float | None
    predictions: dict[str, Prediction]
    """By name of the predictor."""
    decides: str
    """The cost model's bound that is largest."""
    bounds: tuple[Cause, ...]

    def said(self, predictor: str) -> float | None:
        """Its cycles."""
        found = self.predictions.get(predictor)
        return found.cycles if found is not None else None

    def error(self, predictor: str) -> float | None:
        """(predicted - measured) / measured; None where one of them is missing."""
        said = self.said(predictor)
        return None if said is None or not self.measured else said / self.measured - 1


def lacks(row: Row, predictor: str) -> bool:
    """Whether a predictor lacks an instruction of a loop, the harness's own zero-extension apart."""
    said = row.predictions.get(predictor)
    return said is not None and any(not text.startswith(ZERO_EXTENSION) for text in said.unknown)


class Score(msgspec.Struct, frozen=True):
    """Errors of a predictor on a set of loops."""

    predictor: str
    group: str
    """Which loops: a key of `GROUPS`."""
    errors: Errors | None
    within: Number | None = None
    """Share of the loops whose measured time lies in the predicted range, where there is one."""


class Pair(msgspec.Struct, frozen=True):
    """Two variants of a loop, by cycles a result."""

    loop: str
    first: str
    second: str
    ratio: float
    """Measured: cycles of the second over those of the first."""
    measured: str
    """`first` or `second` costs less, or `cannot tell`."""
    verdicts: dict[str, str]
    """By predictor, in the same words."""


class Ranking(msgspec.Struct, frozen=True):
    """How well a predictor ranks pairs."""

    predictor: str
    pairs: int
    """That it has numbers of, and that were measured."""
    decided: int
    right: int


class Miss(msgspec.Struct, frozen=True):
    """A loop that the cost model is far off, and which of its bounds that speaks against."""

    name: str
    measured: float
    predicted: float
    error: float
    wrong: str


class Validation(msgspec.Struct, frozen=True):
    """All of it."""

    schema: int
    run: str
    created: str
    device: str
    name: str
    model_run: str
    """The run whose model was checked."""
    predictors: tuple[Predictor, ...]
    rows: tuple[Row, ...]
    scores: tuple[Score, ...]
    pairs: tuple[Pair, ...]
    rankings: tuple[Ranking, ...]
    worst: tuple[Miss, ...]
    changed: tuple[str, ...]
    """Loops of which the cost model said something else when the run was sealed."""
    survey_run: str = ""
    """The survey that told the model what its run does not know; empty where there was none."""


GROUPS = {
    "covered": "loops that it covers",
    "common": "loops that all cover",
    "known": "loops whose instructions all of them know",
    "held-out": "held-out loops that it covers",
    "held-out common": "held-out loops that all cover",
}
"""Sets of loops; all of them only with loops that were measured."""
