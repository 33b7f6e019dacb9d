"""Proof that a body is the user's own code, as often as was meant and nothing beside it.

The code is put into the frame as the bytes that the assembler made of the user's text.  What runs is decoded
again, and must be the same instructions in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.backends.cpu.isa import Instruction
from reportgen.backends.cpu.own_body import plain

KIND = "own_code"
EXPECTED = frozenset({"text", "unproven"})
"""Keys of the expectation that are no opcodes."""


def spelled(region: Iterable[Instruction], first: int) -> list[str]:
    """The decoded region, each instruction as `plain` has it.

    Args:
        region: of the decoder.
        first: offset of its first instruction.
    """
    found, at = [], first
    for one in region:
        named = one.place is not None and one.place.base == "rip"
        found.append(plain(one.text, one.flow, one.target - at, named))
        at += one.size
    return found


def faults(region: Sequence[Instruction], first: int, expected: str) -> list[str]:
    """Where the region is not what was meant; instructions that only align the loop are left out."""
    found = [text for text in spelled(region, first) if not text.startswith("nop")]
    wanted = [text for text in expected.splitlines() if not text.startswith("nop")]
    if len(found) != len(wanted):
        return [f"wanted {len(wanted)} instructions, found {len(found)}"]
    return [
        f"instruction {number} is '{is_}', and '{meant}' was written"
        for number, (is_, meant) in enumerate(zip(found, wanted, strict=True), 1)
        if is_ != meant
    ][:3]
