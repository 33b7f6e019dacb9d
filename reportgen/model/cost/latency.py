"""Cycles from an operand to the result of an instruction, by what the run measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.analysis.store_to_load import place
from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost import graph, surveyed
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.uses import WIDTH
from reportgen.model.cost.x86_64 import Taken
from reportgen.status import USABLE

STORED = "store_to_load."
"""Stem of what a run measured from a store to a load, by widths and place."""
RENAMED = 1.05
"""Cycles of a store and a load, at most, of which no part is a wait for data: they are what passes until the
next such pair."""
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
        self._pairs = {fact.metric: fact for fact in architecture.facts if fact.method == surveyed.SURVEYED}
        self._stored = {
            fact.metric.partition(".")[2]: fact
            for fact in architecture.facts
            if fact.metric.startswith(STORED) and fact.status in USABLE and fact.value is not None
        }

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
        return _span(fact)

    def between(self, one: Instruction, register: str) -> Span | None:
        """From `register` (or a store: `graph.Edge.needed`) to the result of an instruction.

        None where a load reads other bytes than one store wrote and no run told what that takes.
        """
        by_pair = self._by_pair(one, register)
        if by_pair is not None:
            return by_pair
        computing = self._computing(one)
        through_memory, _, case = register.partition(".")
        if through_memory in (graph.MEMORY, graph.OVERLAP):
            forwarded = self._forwarded(one, through_memory == graph.MEMORY, case)
            return forwarded + (computing if self._taken[one].computes else NOTHING) if forwarded else None
        through = one.address is not None and one.loads and register in (one.address.base, one.address.index)
        return self._loading(one) + computing if through else computing

    def _by_pair(self, one: Instruction, register: str) -> Span | None:
        """Of a form of a survey, where it knows the latency of a pair: of what is merged, of indices."""
        operation = self._form(one)
        if not operation:
            return None
        if one.address is not None and register == one.address.index and surveyed.gathers(operation):
            return self._indices(operation)
        through_memory = register.partition(".")[0] in (graph.MEMORY, graph.OVERLAP)
        if register in one.writes or (through_memory and surveyed.in_memory(operation)):
            return self._pair(operation, surveyed.SELF)
        return None

    def _form(self, one: Instruction) -> str:
        parts = self._taken[one].parts if self._taken[one].computes else ()
        return parts[0].operation if parts and surveyed.is_surveyed(parts[0].operation) else ""

    def _indices(self, operation: str) -> Span | None:
        found = (self._pair(operation, pair) for pair in ("2to1", "3to1"))
        return next((span for span in found if span is not None), None)

    def _pair(self, operation: str, pair: str) -> Span | None:
        fact = self._pairs.get(surveyed.fact_of(operation, pair))
        return None if fact is None else _span(fact)

    def loading(self, one: Instruction) -> float:
        """Cycles from the address to what a load brings."""
        return self._loading(one).value

    def _loading(self, one: Instruction) -> Span:
        operation = self._form(one)
        if surveyed.gathers(operation):
            all_of_it, merged = self._indices(operation), self._pair(operation, surveyed.SELF)
            if all_of_it is not None and merged is not None:
                return Span(0.0, max(0.0, all_of_it.value - merged.value), all_of_it.high)
        return self._indexed if one.address is not None and one.address.index else self._load

    def computing(self, one: Instruction) -> float:
        """Cycles of an instruction's own computation."""
        return self._computing(one).value

    def forwarded(self, one: Instruction, edge: graph.Edge) -> float | None:
        """Cycles from a store to the result of the load that reads it; None as in `between`."""
        if self._by_pair(one, edge.needed) is not None:
            return None  # there is no load to wait for: the instruction is one with its access
        span = self._forwarded(one, edge.register == graph.MEMORY, edge.case)
        return None if span is None else span.value

    def _computing(self, one: Instruction) -> Span:
        taken = self._taken[one]
        if not taken.computes:
            return NOTHING
        part = taken.parts[0]
        merged = self._pair(part.operation, surveyed.SELF) if surveyed.gathers(part.operation) else None
        span = merged or self._measured(part.form)
        if span is not None and part.form:
            return span
        span = span or self.of(part.operation)
        if span is None:
            span = Span(0.0, GUESS, 2 * GUESS)
        span = span.scaled(part.share)
        if taken.eliminated:
            return Span(0.0, 0.0, span.high)
        if not part.measured:
            return Span(max(0.0, span.low - ALIKE), span.value, span.high + ALIKE)
        return span

    def _forwarded(self, one: Instruction, whole: bool, case: str) -> Span | None:
        """From a store to the load that reads it, as measured for its widths and place, or its kind of place.

        Without such a measurement a load that is not `whole` holds nothing up.
        A core that renames memory is seen by a store and a reload that take less than a load.  It may do so
        only where base and displacement stay the same, so the upper end is what a vector takes, which is not
        renamed.
        """
        measured = self._measured_case(case) if case else None
        if measured is not None or not whole:
            return measured
        renamed, plain = self.of("store_forward"), self.of("store_forward_256")
        high = plain.value if plain is not None else 3 * self._load.value
        if renamed is None or any(kind in ("xmm", "ymm", "zmm") for kind in one.operands):
            return Span(high * 0.8, high, high * 1.2)
        return Span(min(renamed.value, high), renamed.value, max(renamed.value, high))

    def _measured_case(self, case: str) -> Span | None:
        """A loop that is estimated is a short one; what many pairs take is the other end of the range."""
        own = [fact for how in (".short_loop", "") if (fact := self._stored.get(case + how)) is not None]
        if not own:
            own = self._alike(case)
        values = [fact.value for fact in own if fact.value is not None]
        if not values:
            return None
        ends = [end for fact in own for end in (fact.low, fact.high) if end is not None]
        if values[0] <= RENAMED:
            # No load brings anything from memory within a cycle: the value came by the name of its register,
            # and the cycle is what passes until the next such pair, which the store keeps its resource for.
            return Span(0.0, 0.0, max(values + ends))
        return Span(min(values + ends), values[0], max(values + ends))

    def _alike(self, case: str) -> list[Fact]:
        """Measured cases of the same register file and kind of place; of the same widths, where there are."""
        widths, kind = case.partition(".")[0], _place(case)
        same = [
            (name, fact)
            for name, fact in self._stored.items()
            if name.count(".") == 1 and name.startswith("v") is case.startswith("v") and _place(name) == kind
        ]
        closest = [fact for name, fact in same if name.partition(".")[0] == widths]
        chosen = closest or [fact for _, fact in same]
        return sorted(chosen, key=lambda fact: fact.value or 0.0, reverse=True)


def _place(case: str) -> str:
    """`64_32.4` -> "within"; before the store's first byte: as across its end."""
    widths, _, offset = case.replace("v", "").partition(".")
    stored, loaded = (int(bits) // 8 for bits in widths.split("_"))
    return "across" if int(offset) < 0 else place(stored, loaded, int(offset))


def _span(fact: Fact) -> Span | None:
    if fact.value is None:
        return None
    low = fact.low if fact.low is not None else fact.value
    high = fact.high if fact.high is not None else fact.value
    return Span(low, fact.value, high)
