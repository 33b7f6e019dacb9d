"""How long reads of registers hold up instructions that follow each other, at most.

A quarter of a multiprocessor keeps the registers of its warps in two banks, even and odd ones, each of which
gives one register of a warp a cycle (since Volta: Jia et al. 2018; Huerta et al. 2025).  What an operand read
stays in a cache of its place and bank where the instruction says so (`.reuse`), until another instruction of
the warp reads there.  A mix of two kinds of instructions loses what each kind alone keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reportgen.backends.cuda.registers import sources
from reportgen.backends.cuda.sass import Instruction

FACT = "register_stalls"
"""Name of the number among the facts of a program and of its point."""
BANKS = 2
KEPT = ".reuse"


def stalls(body: Sequence[Instruction]) -> int:
    """Cycles beyond one an instruction that their reads take, were none of them hidden behind anything."""
    kept: dict[tuple[int, int], str] = {}
    total = 0
    for one in body:
        if one.never:
            continue
        reads: Counter[int] = Counter()
        for place, (operand, registers) in enumerate(sources(one.opcode, one.operands)):
            for register in registers:
                bank = int(register[1:]) % BANKS
                reads[bank] += kept.pop((place, bank), "") != register
                if KEPT in operand:
                    kept[place, bank] = register
        total += max(0, max(reads.values(), default=0) - 1)
    return total
