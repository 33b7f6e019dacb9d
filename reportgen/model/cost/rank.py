"""Two candidates for the same work: which costs less, or that the model cannot tell."""

from __future__ import annotations

import msgspec

from reportgen.model.cost.estimate import Estimate
from reportgen.model.cost.latency import Span

LEAST = 0.05
"""Candidates that differ by less are equal for any use."""


class Ranking(msgspec.Struct, frozen=True):
    """The comparison of two estimates, each for one result."""

    verdict: str
    """`first`, `second`, `cannot tell`."""
    ratio: float
    """Cycles of the second over those of the first, for one result."""
    low: float
    high: float
    why: str


def rank(first: Estimate, second: Estimate) -> Ranking:
    """The one that costs fewer cycles a result; decided where the ranges do not overlap."""
    return rank_spans(first.each, second.each)


def rank_spans(one: Span, other: Span) -> Ranking:
    """The same for two spans of cycles a result."""
    if min(one.value, other.value) <= 0:
        return Ranking("cannot tell", 0.0, 0.0, 0.0, "one of them has no estimate")
    ratio = other.value / one.value
    low = other.low / one.high if one.high > 0 else 0.0
    high = other.high / one.low if one.low > 0 else float("inf")
    if low > 1 + LEAST:
        return Ranking("first", ratio, low, high, f"the other takes at least {low:.2f} times as many cycles")
    if high < 1 - LEAST:
        return Ranking("second", ratio, low, high, f"it takes at most {high:.2f} times as many cycles")
    return Ranking("cannot tell", ratio, low, high, "the ranges of the two estimates overlap")
