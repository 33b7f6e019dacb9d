"""What the histogram calls an A64 instruction, from the text of a source or of a disassembly."""

from __future__ import annotations

import re

_REGISTER = re.compile(r"\b(?:v\d+\.(\d*[bhsdq])|([xwbhsdq])(?:\d+|zr)|(sp|lsl|lsr|asr|ror|[us]xt[bhwx]))\b")


def opcode(line: str) -> str:
    """Mnemonic with the shapes of the registers it names: `fmla.4s`, `fcvtzs.x.d`, `add.lsl`.

    A64 spells a scalar and a vector, single and double the same; the registers tell them apart.
    Plain 64-bit general registers are left out, and so is what stands in an address.
    """
    mnemonic, _, operands = line.strip().partition(" ")
    shapes = dict.fromkeys("".join(found) for found in _REGISTER.findall(re.sub(r"\[[^\]]*\]", "", operands)))
    if list(shapes) == ["x"]:
        return mnemonic
    if "x" in shapes and shapes.keys() <= {"x", "lsl", "lsr", "asr", "ror"}:
        del shapes["x"]
    return ".".join([mnemonic, *shapes])
