"""Loads of a stream with multiply-adds between them: in which order, and on which registers.

Every multiply-add squares a vector that a load brought, some loads before, and adds it to an accumulator:
it can be neither left out nor done before its load.  As many accumulators take turns as keep the units
busy.  The order is the same on every ISA.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

GROUP = 8
"""Loaded vectors to which a number of multiply-adds belongs: more than one, so that there can be fewer
multiply-adds than loads."""
SPACED = 4
"""Up to so many times as many multiply-adds as accumulators in a group, groups are repeated until each
accumulator has had as many turns as any other: the time of one chain is then never the longest."""


@dataclass(frozen=True)
class Blend:
    """A stream that computes: code of its parts, and what one turn of its loop takes and does."""

    init: tuple[str, ...]
    """Before the first time stamp of a round."""
    body: tuple[str, ...]
    """Lines of the timed body, with the label of the loop."""
    save: tuple[str, ...]
    """After the last time stamp."""
    step: int
    """Bytes of a turn of the loop."""
    vector_bytes: int
    multiply_adds: int
    """Instructions of a turn."""
    accumulators: int

    @property
    def flop_per_byte(self) -> float:
        """Of FP32: a multiply-add is two operations on each word of a vector."""
        return 2 * self.multiply_adds * (self.vector_bytes / 4) / self.step


class Slot(NamedTuple):
    """One loaded vector, and the multiply-adds that stand behind its load."""

    number: int
    register: int
    """Of the load registers, the one it is loaded into."""
    source: int
    """The one that the multiply-adds read: loaded half a round of registers before."""
    accumulators: tuple[int, ...]


def slots(multiply_adds: int, accumulators: int, registers: int) -> Iterator[Slot]:
    """One turn of the loop.

    Args:
        multiply_adds: of `GROUP` loaded vectors.
        accumulators: that take turns.
        registers: that loads take turns with; they divide `GROUP`.
    """
    spread = multiply_adds <= SPACED * accumulators
    groups = accumulators // math.gcd(multiply_adds, accumulators) if spread else 1
    behind: dict[int, list[int]] = {}
    for number in range(multiply_adds * groups):
        behind.setdefault(number * GROUP // multiply_adds, []).append(number % accumulators)
    for number in range(GROUP * groups):
        yield Slot(
            number,
            number % registers,
            (number - registers // 2) % registers,
            tuple(behind.get(number, ())),
        )
