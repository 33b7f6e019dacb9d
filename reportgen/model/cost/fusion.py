"""Pairs of instructions that a core issues as one."""

from __future__ import annotations

from reportgen.model.cost.instruction import Instruction

FIRST = frozenset("cmp test add sub and or xor inc dec".split())
"""What fuses with a conditional branch behind it; which of them, differs a little from core to core."""


def fuses(first: Instruction, second: Instruction) -> bool:
    """Whether two neighbours take one issue slot."""
    return second.flow == "conditional" and first.mnemonic in FIRST and not first.memory
