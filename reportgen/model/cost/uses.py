"""Which resources an operation is scheduled on, and how sure that is.

The resource model knows the operations that were paired.  For another one, in this order: the same operation
at another width, on the same resources for as much longer as its own rate is lower; an operation that
resembles it in every core whose tables are published, likewise; any resource of its kind of register, in
equal shares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from reportgen.model.architecture import Architecture, Instruction
from reportgen.model.cost import surveyed
from reportgen.model.resources import Explanation, Resources
from reportgen.status import USABLE

Resource = frozenset[str]


class How(StrEnum):
    """Where the resources of an operation come from."""

    PAIRED = "paired"
    WIDTH = "as at another width"
    RESEMBLES = "as one that resembles it"
    SPREAD = "spread over all of its kind"
    OWN = "on its own"


@dataclass(frozen=True, slots=True)
class Demand:
    """One instruction of an operation: any of some resources, for so many cycles."""

    resources: Resource
    cycles: float
    low: float
    """The same if the operation shares nothing with others that it was not paired with."""
    how: How


_RESEMBLES: tuple[tuple[str, str], ...] = (
    (r"fp(32|64|16)_(add|max|compare|round)", "fp32_add"),
    (r"fp(32|64|16)_mul", "fp32_mul"),
    (r"fp(32|64|16)_fma|(bf16|int8|int16)_dot", "fp32_fma"),
    (r"fp(32|64)_(div|sqrt|rcp|rsqrt)\w*", "fp32_mul"),
    (r"vector_int(16|32)_mul|vector_sad|carryless_mul|aes_round", "fp32_mul"),
    (r"vector_int\d+_(add|min)|vector_(logic|ternary|move|compare)|blend", "vector_int32_add"),
    (r"vector_mul_add", "vector_int16_mul"),
    (r"vector_rotate", "vector_shift"),
    (r"(shuffle|permute|unpack|align|broadcast|extract|vector_shift|pack|widen)\w*", "shuffle_bytes"),
    (r"convert_(fp|int)\d+_(fp|int)\d+|galois\w*|vector_popcnt", "fp32_add"),
    (r"integer_(add|sub|logic|and_not|zero_extend|add_carry|move|compare)", "integer_add"),
    (r"lea_2|lea_scaled|byte_swap", "integer_add"),
    (r"lzcnt|tzcnt|popcnt", "popcnt"),
    (r"integer_(shift\w*|rotate)", "integer_shift"),
    (r"integer_(mul\w*|div\w*)|crc32|pdep|pext", "integer_mul"),
    (r"l1_load\w*", "l1_load"),
    (r"store\w*", "store"),
)
"""Operation without its width -> the paired one that it resembles, without its width."""

_VECTORS = "fp\\d+|vector|shuffle|permute|unpack|align|broadcast|extract|blend|pack|widen|move_mask"
_DOMAINS = (
    (r"(l1_load|store)\w*", r"(l1_load|store)\w*"),
    (
        rf"({_VECTORS}|convert|aes|carryless|galois|mask|compare_into|move_general|int\d+_dot|bf16_dot)\w*",
        rf"({_VECTORS})\w*",
    ),
    (r".*", r"(integer|popcnt|lea|lzcnt|tzcnt)\w*"),
)
"""Operations of a kind of register, and the paired ones of that kind."""

WIDTH = re.compile(r"_(128|256|512)$")


class Uses:
    """The demands of operations on one device."""

    def __init__(self, architecture: Architecture) -> None:
        self._known = {one.operation: one for one in architecture.instructions}
        self._resources = architecture.resources
        self._placed: dict[str, tuple[Resource, float]] = {}
        if self._resources is not None:
            self._placed = _first(self._resources)
        self._demands: dict[str, Demand | None] = {}

    def demand(self, operation: str) -> Demand | None:
        """What an operation asks for; None where its rate was not measured."""
        if operation not in self._demands:
            self._demands[operation] = self._find(operation)
        return self._demands[operation]

    def interval(self, operation: str) -> float | None:
        """Cycles an instruction takes alone; None where that was not measured."""
        one = self._known.get(operation)
        fact = one.issue_interval if one is not None else None
        if fact is not None and fact.status in USABLE and fact.value is not None:
            return fact.value
        return None

    def title(self, operation: str) -> str:
        """What people call an operation."""
        one = self._known.get(operation)
        return one.title if one is not None else operation

    @property
    def forms(self) -> dict[str, str]:
        """Operation -> the form that was measured; of those with a latency or a rate."""
        return {name: one.form for name, one in self._known.items() if _measured(one)}

    @property
    def whole(self) -> frozenset[str]:
        """Forms of a survey in memory that take far longer than their parts."""
        return frozenset(name for name, one in self._known.items() if one.group == surveyed.WHOLE)

    def _find(self, operation: str) -> Demand | None:
        interval = self.interval(operation)
        if operation in self._placed:
            resources, cycles = self._placed[operation]
            return Demand(resources, cycles, cycles, How.PAIRED)
        if interval is None:
            return None
        for how, other in (
            (How.WIDTH, self._other_width(operation)),
            (How.RESEMBLES, self._alike(operation)),
        ):
            if other:
                resources, _ = self._placed[other]
                # an instruction that is faster than all of these resources has further ones
                cycles = interval * len(resources)
                return Demand(resources, cycles, cycles, how)
        domain = self._domain(operation)
        if surveyed.is_surveyed(operation) and interval >= surveyed.LEAST:
            domain = frozenset()  # a program of its own: what it keeps busy for how long is not known
        if domain:
            return Demand(domain, interval * len(domain), 0.0, How.SPREAD)
        return Demand(frozenset((f"of {operation}",)), interval, interval, How.OWN)

    def _other_width(self, operation: str) -> str:
        stem = WIDTH.sub("", operation)
        for width in ("_256", "_128", "_512", ""):
            if stem + width in self._placed:
                return stem + width
        return ""

    def _alike(self, operation: str) -> str:
        stem = WIDTH.sub("", operation)
        for pattern, other in _RESEMBLES:
            if re.fullmatch(pattern, stem):
                return next(
                    (
                        other + width
                        for width in ("_256", "", "_128", "_512")
                        if other + width in self._placed
                    ),
                    "",
                )
        return ""

    def _domain(self, operation: str) -> Resource:
        for pattern, others in _DOMAINS:
            if re.fullmatch(pattern, operation):
                return frozenset[str]().union(
                    *(
                        resources
                        for name, (resources, _) in self._placed.items()
                        if re.fullmatch(others, name)
                    )
                )
        return frozenset()


def _measured(one: Instruction) -> bool:
    facts = (one.dependent_latency, one.issue_interval)
    return any(fact is not None and fact.status in USABLE for fact in facts)


def _first(resources: Resources) -> dict[str, tuple[Resource, float]]:
    """Operation -> its resources and cycles in the first explanations."""
    explanations: list[Explanation] = [
        group.explanations[0] for group in resources.groups if group.explanations
    ]
    uses = [use for one in explanations for use in one.uses] + [one.places[0] for one in resources.placed]
    return {use.operation: (frozenset(use.resources), use.cycles) for use in uses}
