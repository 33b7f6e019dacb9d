"""x86-64: instructions of several lengths of which straight code is made.

The moves are one operation in two lengths, so that what ends at the same bytes is told from what ends at
the same count.  They name two registers that no other instruction reads; the longer one is padded by a
segment prefix, which means nothing to a move between registers.
"""

from __future__ import annotations

from reportgen.backends.cpu.filler import Filler
from reportgen.errors import Unsupported

_UNITS = {
    "nop4": (bytes.fromhex("0f1f4000"), "nop", 1),  # nop dword ptr [rax+0]
    "nop8": (bytes.fromhex("0f1f840000000000"), "nop", 1),  # nop dword ptr [rax+rax+0]
    "move2": (bytes.fromhex("89f089f1"), "mov", 2),  # mov eax, esi; mov ecx, esi
    "move4": (bytes.fromhex("3e4889f0"), "mov", 1),  # ds mov rax, rsi
}
"""Kind and length -> unit, opcode, instructions in it."""
_INIT = "  mov esi, 1"


def filler(instruction: str) -> Filler:
    """See `Assembly.filler`."""
    if instruction not in _UNITS:
        raise Unsupported(f"x86-64 code is not made of '{instruction}'")
    return Filler(*_UNITS[instruction], init=_INIT)
