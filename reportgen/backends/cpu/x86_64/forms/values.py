"""What registers and memory hold when the body of a form starts: tame as numbers of any kind."""

from __future__ import annotations

import re
import struct

from reportgen.suite.survey import Form

_CONVERSION = re.compile(r"^v?cvtt?([a-z0-9]+?)2")
_TYPES = {"pd": "<d", "sd": "<d", "ph": "<e", "sh": "<e"}
_ROOTS = ("div", "sqrt")
DIVIDEND = {"r8": 100, "r16": 0x1234, "r32": 0x12345678, "r64": 0x123456789ABCDEF0}


def divides(form: Form) -> bool:
    """Whether it is an integer division, which traps where the quotient is too large."""
    return form.mnemonic in ("div", "idiv")


def general(form: Form) -> tuple[int, int]:
    """Of the two constants: a divisor, shift count, operand; and what implicit registers hold.

    The dividend is divided by one, so that the quotient can be the next dividend.
    """
    if not divides(form):
        return 5, 3
    name = form.operands[0].name
    return 1, DIVIDEND[name if name in DIVIDEND else f"r{name[1:]}"]


def vector(form: Form) -> tuple[bytes, bytes]:
    """16 bytes of constants and of accumulators: 1 in the type that the mnemonic ends with.

    Division and roots: a number that is nearly one, and 1.7; neither has a short mantissa.
    """
    converted = _CONVERSION.match(form.mnemonic)
    ending = (converted[1] if converted else form.mnemonic)[-2:]
    code = _TYPES.get(ending, "<f")
    one, other = 1.0, 1.0
    if any(word in form.mnemonic for word in _ROOTS):
        one, other = {"<d": 1 + 3e-13, "<f": 1 + 3e-6, "<e": 1 + 2e-3}[code], 1.7
    return tuple(struct.pack(code, value) * (16 // struct.calcsize(code)) for value in (one, other))  # type: ignore[return-value]
