"""Mixtures of experts that an exporter wrote out: how many tokens an expert gets, which only data decide.

A router takes the k largest of E scores of each of T tokens.  Exporters then compare the chosen experts with
each expert in turn (a one-hot code, or an equality), take the places that are not zero, and run the expert
on these tokens.  Their number depends on the data; together they are T k, so an even spread, as a
balanced router aims at, gives the work exactly and the weights that are read as an upper bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from reportgen.workload.rules.contrib import expected_experts

KeyT = TypeVar("KeyT")
"""What stands for a tensor in a front end."""

COMPARES = frozenset({"OneHot", "Equal"})
PASSES = frozenset(
    "Cast Transpose Gather Slice Squeeze Unsqueeze Reshape Identity Copy Flatten Split Greater".split()
)
"""Kinds that hand choices, or a comparison of them, on."""


@dataclass
class Choice:
    """What one router chose."""

    tokens: int
    k: int
    experts: int
    asked: int = 0
    """How many experts have got their tokens."""

    def next_share(self) -> int:
        """Tokens of the next expert: all together are tokens x k."""
        place = self.asked % self.experts
        self.asked += 1
        share, left = divmod(self.tokens * self.k, self.experts)
        return share + (place < left)

    def told(self) -> str:
        """The assumption in a sentence."""
        hit = expected_experts(self.experts, self.k, self.tokens)
        return (
            f"A mixture of experts sends each of {self.tokens} tokens to {self.k} of {self.experts}: they "
            f"are spread evenly; a random choice would hit {hit:.3g} experts on average"
        )


@dataclass
class Routes(Generic[KeyT]):
    """Follows the choices of routers through a graph."""

    chosen: dict[KeyT, Choice] = field(default_factory=dict)
    compared: dict[KeyT, Choice] = field(default_factory=dict)

    def choose(self, indices: KeyT, tokens: int, k: int, experts: int) -> None:
        """Note that `indices` are the k largest of the scores of each token."""
        if 0 < k < experts:
            self.chosen[indices] = Choice(tokens, k, experts)

    def follow(self, kind: str, ins: Iterable[KeyT], outs: Iterable[KeyT]) -> None:
        """Hand on what is known of the inputs of an operation."""
        if not self.chosen or (kind not in PASSES and kind not in COMPARES):
            return
        for one in ins:
            if one in self.compared and kind in PASSES:
                self.compared.update(dict.fromkeys(outs, self.compared[one]))
                return
            if one in self.chosen:
                found = self.compared if kind in COMPARES else self.chosen
                found.update(dict.fromkeys(outs, self.chosen[one]))
                return

    def hits(self, mask: KeyT, size: int) -> tuple[int, Choice] | None:
        """How many elements of a mask of `size` are set, where it compares the choices of a router."""
        choice = self.compared.get(mask)
        if choice is None:
            return None
        together = choice.tokens * choice.k
        return (together if size >= together * choice.experts else choice.next_share()), choice
