"""Registers: how many a body keeps, and whether it spills."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.model.cost.instruction import Instruction

VECTORS = 32
GENERAL = 15
"""Registers of x86-64 with AVX-512 (sixteen vectors without it), the stack pointer left out."""
STACK = ("rsp", "rbp")


def notes(body: Sequence[Instruction]) -> list[str]:
    """What is worth saying about registers; nothing where they suffice."""
    names = {name for one in body for name in (*one.reads, *one.writes)}
    vectors = sum(name.startswith("zmm") for name in names)
    general = sum(name.startswith("r") for name in names)
    spills = sum(one.address is not None and one.address.base in STACK and bool(one.memory) for one in body)
    found = []
    if spills:
        accesses = "access" if spills == 1 else "accesses"
        found.append(f"register pressure: {spills} {accesses} through the stack, as of spilled values")
    if vectors >= VECTORS // 2:
        found.append(f"register pressure: {vectors} vector registers are in use, of 16 (32 with AVX-512)")
    if general >= GENERAL:
        found.append(f"register pressure: all {GENERAL} general registers are in use")
    return found
