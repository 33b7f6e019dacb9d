"""AArch64: instructions of which straight code is made; all are four bytes long."""

from __future__ import annotations

from reportgen.backends.cpu.filler import Filler
from reportgen.errors import Unsupported

_UNITS = {
    "nop4": (bytes.fromhex("1f2003d5"), "nop", 1),
    "move4": (bytes.fromhex("e4031aaa"), "mov", 1),  # mov x4, x26
}
"""Kind and length -> unit, opcode, instructions in it."""
_INIT = "  mov x26, #1"


def filler(instruction: str) -> Filler:
    """See `Assembly.filler`."""
    if instruction not in _UNITS:
        raise Unsupported(f"AArch64 code is not made of '{instruction}': every instruction has four bytes")
    return Filler(*_UNITS[instruction], init=_INIT)
