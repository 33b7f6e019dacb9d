"""A sentence about a quantity, worded no stronger than its evidence."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from reportgen.status import Status


class Claim(StrEnum):
    """How far a sentence goes; always shown beside it."""

    MEASURED = "measured"
    INFERRED = "inferred"
    COMPILER_ENCODED = "compiler-encoded"
    PUBLISHED = "published"
    NOMINAL = "nominal"


class Verdict(StrEnum):
    """How a probe's hypothesis ends."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    UNDECIDED = "undecided"


class CrossCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same quantity through another channel."""

    channel: str
    """`other probe`, `operating system` (or `driver`), `compiler-encoded`, `counter`, `published`,
    `measured`."""
    outcome: str
    """`agrees`, `disagrees`, `absent`; of a published figure against a lower bound also `above`, `below`."""
    explanation: str


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sentence with its evidence."""

    id: str
    """Stable: the metric id, or `rule:metric` for what a rule says about several."""
    claim: Claim
    sentence: str
    status: Status
    confidence: float
    """0..1, the documented function of `confidence_inputs`."""
    confidence_inputs: dict[str, float]
    metrics: tuple[str, ...]
    probes: tuple[str, ...]
    points: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Explanations that the evidence does not exclude; only an inference has them, and a boundary."""
    excluded: tuple[str, ...] = ()
    """Alternatives removed, each with the evidence that did: `clock limit (every sample ...)`."""
    checks: tuple[CrossCheck, ...] = ()
    contradictions: tuple[str, ...] = ()
    """Gates that failed; then the number is shown as a contradiction, not as a result."""
    hypothesis: str = ""
    verdict: Verdict = Verdict.UNDECIDED
