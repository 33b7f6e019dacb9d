"""Code as text for assemblers and models: the decoder's Intel syntax, with numbers and labels as theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen.backends.cpu.own_body import ABSOLUTE
from reportgen.model.cost.instruction import Instruction

_HEX = re.compile(r"\b([0-9][0-9A-Fa-f]*)h\b")
_BROADCAST = re.compile(r"\b(word|dword|qword) bcst (\[[^\]]*\])")
_MASKED = re.compile(r"^(v\w*(?:gather|scatter)\w*) ([^,]+),(k\d),")
_VECTOR = re.compile(r"\b([xyz])mm\d")
_X87 = (
    re.compile(r"^(f\w+) (?:st,)?(\w+ ptr \[[^\]]*\])(?:,st)?$"),
    re.compile(r"^(fld|fstp?|fxch|fu?comp?) (?:st,)?(st\(\d\))(?:,st)?$"),
)
"""Instructions of the x87 stack: the decoder names its top where assemblers take it for granted."""
_BITS = {"x": 128, "y": 256, "z": 512, "word": 16, "dword": 32, "qword": 64}
CONSTANTS = "values:\n  .zero 64"
"""What named data stand for."""


def text(code: Sequence[Instruction], times: int = 1) -> str:
    """The code `times` times, a line an instruction, labels where its branches lead."""
    targets = {one.target for one in code if one.flow in ("conditional", "jump")}
    end = code[-1].at + len(code[-1].code) // 2
    lines = []
    for copy in range(times):
        for one in code:
            if one.at in targets:
                lines.append(f"at_{one.at}_{copy}:")
            lines.append(_spelled(one, copy))
        if end in targets:
            lines.append(f"at_{end}_{copy}:")
    return "\n".join(lines)


def _spelled(one: Instruction, copy: int) -> str:
    if one.flow in ("conditional", "jump"):
        return f"{one.mnemonic} at_{one.target}_{copy}"
    found = one.text
    if one.address is not None and one.address.base == "rip":
        found = ABSOLUTE.sub("[rip+values]", found)
    wide = max((_BITS[width] for width in _VECTOR.findall(found)), default=0)
    found = _BROADCAST.sub(lambda got: f"{got[1]} ptr {got[2]}{{1to{wide // _BITS[got[1]]}}}", found)
    found = _MASKED.sub(r"\1 \2{\3},", found)
    for stack in _X87:
        found = stack.sub(r"\1 \2", found)
    return _HEX.sub(lambda got: f"0x{got[1]}", found)
