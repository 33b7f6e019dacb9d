"""Loads that cross the border of a cache line: each is an access more, as the run measured it.

Which rounds they are, follows from the step of the address and the size of a line, both known, and from where
the arrays begin, which is not: they are taken to begin at a line, and all registers of an address with them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.model.cost import graph
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.uses import Uses
from reportgen.model.cost.x86_64 import Part, Taken

LOAD, SPLIT = "l1_load", "l1_load_split"


def shares(body: Sequence[Instruction], line: float) -> dict[int, float]:
    """Place of an instruction -> share of the rounds in which what it loads lies in two lines.

    Args:
        body: one round.
        line: bytes of a cache line.
    """
    size = int(line)
    found = {}
    for index, place in graph.places(body).items():
        if not body[index].loads:
            continue
        wide = place.bits // 8
        rounds = size // math.gcd(size, abs(place.step)) if place.step else 1
        starts = [(place.offset + number * place.step) % size for number in range(rounds)]
        share = sum(start + wide > size for start in starts) / rounds
        if share:
            found[index] = share
    return found


def counted(
    body: Sequence[Instruction], taken: Mapping[Instruction, Taken], uses: Uses, line: float
) -> dict[Instruction, Taken]:
    """What instructions are taken as, with as many more loads as borders that are crossed cost."""
    found = dict(taken)
    for index, share in shares(body, line).items():
        one = body[index]
        found[one] = replace(
            taken[one], parts=tuple(_with(part, share, uses) for part in taken[one].parts)
        )  # fmt: skip
    return found


def _with(part: Part, share: float, uses: Uses) -> Part:
    """A load that takes longer in some of the rounds; any other part, or a load whose cost is not known."""
    stem, _, width = part.operation.rpartition("_")
    if stem != LOAD or not width.isdigit():
        return part
    whole = uses.interval(part.operation)
    split = uses.interval(f"{SPLIT}_{width}")
    if not whole or split is None or split <= whole:
        return part
    return replace(part, share=part.share * (1 + share * (split / whole - 1)))
