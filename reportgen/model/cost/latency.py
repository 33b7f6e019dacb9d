"""Cycles from an operand to the result of an instruction, by what the run measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.model.architecture import Architecture
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.uses import WIDTH
from reportgen.model.cost.x86_64 import Taken
from reportgen.status import USABLE

GUESS = 1.0
"""Cycles of an operation whose latency was not measured, at the least."""
ALIKE = 1.0
"""An instruction that another stands for may differ by a cycle."""


@dataclass(frozen=True, slots=True)
class Span:
    """A number and the range that the model's uncertainty leaves it."""

    low: float
    value: float
    high: float

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.value + other.value, self.high + other.high)

    def scaled(self, factor: float) -> Span:
        """The same in another unit."""
        return Span(self.low * factor, self.value * factor, self.high * factor)


NOTHING = Span(0.0, 0.0, 0.0)


class Latencies:
    """Latencies of the instructions of a body."""

    def __init__(self, architecture: Architecture, taken: Mapping[Instruction, Taken]) -> None:
        self._known = {one.operation: one.dependent_latency for one in architecture.instructions}
        self._taken = taken
        load = self.of("l1_load")
        self._load = load if load is not None else Span(4.0, 4.0, 5.0)
        indexed = self.of("l1_load_indexed")
        self._indexed = indexed if indexed is not None else self._load

    def of(self, operation: str) -> Span | None:
        """Measured latency of an operation, or of the same at another width."""
        stem = WIDTH.sub("", operation)
        for name in (operation, *(f"{stem}{width}" for width in ("_256", "_128", "_512", ""))):
            span = self._measured(name)
            if span is not None:
                return span
        return None

    def _measured(self, operation: str) -> Span | None:
        fact = self._known.get(operation)
        if fact is None or fact.status not in USABLE or fact.value is None:
            return None
        low = fact.low if fact.low is not None else fact.value
        high = fact.high if fact.high is not None else fact.value
        return Span(low, fact.value, high)

    def between(self, one: Instruction, register: str) -> Span:
        """From `register` (or a store, `memory`) to the result of an instruction."""
        computing = self._computing(one)
        if register == "memory":
            return self._forwarded(one) + (computing if self._taken[one].computes else NOTHING)
        through = one.address is not None and one.loads and register in (one.address.base, one.address.index)
        return self._loading(one) + computing if through else computing

    def loading(self, one: Instruction) -> float:
        """Cycles from the address to what a load brings."""
        return self._loading(one).value

    def _loading(self, one: Instruction) -> Span:
        return self._indexed if one.address is not None and one.address.index else self._load

    def computing(self, one: Instruction) -> float:
        """Cycles of an instruction's own computation."""
        return self._computing(one).value

    def forwarded(self, one: Instruction) -> float:
        """Cycles from a store to the result of the load that reads it."""
        return self._forwarded(one).value

    def _computing(self, one: Instruction) -> Span:
        taken = self._taken[one]
        if not taken.computes:
            return NOTHING
        part = taken.parts[0]
        span = self.of(part.operation)
        if span is None:
            span = Span(0.0, GUESS, 2 * GUESS)
        span = span.scaled(part.share)
        if taken.eliminated:
            return Span(0.0, 0.0, span.high)
        if not part.measured:
            return Span(max(0.0, span.low - ALIKE), span.value, span.high + ALIKE)
        return span

    def _forwarded(self, one: Instruction) -> Span:
        """From a store to the load that reads it.

        A core that renames memory is seen by a store and a reload that take less than a load.  It may do so
        only where base and displacement stay the same, so the upper end is what a vector takes, which is not
        renamed.
        """
        renamed, plain = self.of("store_forward"), self.of("store_forward_256")
        high = plain.value if plain is not None else 3 * self._load.value
        if renamed is None or any(kind in ("xmm", "ymm", "zmm") for kind in one.operands):
            return Span(high * 0.8, high, high * 1.2)
        return Span(min(renamed.value, high), renamed.value, max(renamed.value, high))
