"""What an operand of an instruction form is, by the decoder's kinds of operands."""

from __future__ import annotations

from typing import NamedTuple

from iced_x86 import MemorySize, MemorySize_, MemorySizeExt, OpCodeOperandKind, Register

from reportgen.suite.survey import GENERAL, MASK, VECTOR

KIND = {value: name for name, value in vars(OpCodeOperandKind).items() if isinstance(value, int)}

_ENDINGS = ("REG", "OPCODE", "VVVV", "RM", "IS4", "OR_MEM")
"""Where the encoding keeps a register: all one to who asks what it is."""
_CLASSES = {
    "R8": (GENERAL, Register.BL), "R16": (GENERAL, Register.BX), "R32": (GENERAL, Register.EBX),
    "R64": (GENERAL, Register.RBX), "XMM": (VECTOR, Register.XMM1), "YMM": (VECTOR, Register.YMM1),
    "ZMM": (VECTOR, Register.ZMM1), "K": (MASK, Register.K1),
}  # fmt: skip
REGISTERS = {f"{name}_{ending}": (name.lower(), *_CLASSES[name]) for name in _CLASSES for ending in _ENDINGS}
"""Kind -> what the form calls it, its register file, and a register of it to ask the decoder with."""

FIXED = {
    "AL": Register.AL, "AX": Register.AX, "EAX": Register.EAX, "RAX": Register.RAX, "CL": Register.CL,
}  # fmt: skip
"""Kinds that are one register."""

IMMEDIATES = {
    "IMM8": "imm8", "IMM8SEX16": "imm8", "IMM8SEX32": "imm8", "IMM8SEX64": "imm8", "IMM8_CONST_1": "1",
    "IMM16": "imm16", "IMM32": "imm32", "IMM32SEX64": "imm32", "IMM64": "imm64",
}  # fmt: skip
"""Kind -> what the form calls it."""

MEMORY_KINDS = frozenset({"MEM", "K_OR_MEM", *(name for name in REGISTERS if name.endswith("_OR_MEM"))})

_KEYWORDS = {8: "byte", 16: "word", 32: "dword", 64: "qword", 128: "xmmword", 256: "ymmword", 512: "zmmword"}


VSIB = {
    "MEM_VSIB32X": ("vm32x", Register.XMM30), "MEM_VSIB64X": ("vm64x", Register.XMM30),
    "MEM_VSIB32Y": ("vm32y", Register.YMM30), "MEM_VSIB64Y": ("vm64y", Register.YMM30),
    "MEM_VSIB32Z": ("vm32z", Register.ZMM30), "MEM_VSIB64Z": ("vm64z", Register.ZMM30),
}  # fmt: skip
"""Memory at a vector of indices: kind -> what the form calls it, and a register to ask the decoder with."""


class Variant(NamedTuple):
    """How an opcode is used, where its encoding leaves that open."""

    in_memory: bool = False
    """The operand that may be a register or memory is in memory."""
    mask: str = ""
    """Which elements are written: `k` keeps the others, `kz` zeroes them."""
    broadcast: bool = False
    """The operand in memory is one element for all."""
    lock: bool = False
    """The operand in memory is read and written at once."""


_SIZES = {value: name for name, value in vars(MemorySize).items() if isinstance(value, int)}


def broadcast(size: MemorySize_) -> tuple[str, str] | None:
    """As `memory`, of an element that is broadcast: `m32bcst16`, `dword ptr [{}]{{{{1to16}}}}`."""
    name = _SIZES[size].removeprefix("BROADCAST")
    bits = int(MemorySizeExt.size(size)) * 8
    if name == _SIZES[size] or bits not in _KEYWORDS:
        return None
    times = int(name.partition("_")[0]) // bits
    return f"m{bits}bcst{times}", f"{_KEYWORDS[bits]} ptr [{{}}]{{{{1to{times}}}}}"


def memory(size: MemorySize_) -> tuple[str, str] | None:
    """Name of a memory operand of the decoder's `MemorySize`, and its assembly with `{}` for the address.

    None where no assembler keyword tells the size.
    """
    bits = int(MemorySizeExt.size(size)) * 8
    if size == MemorySize.UNKNOWN or bits == 0:
        return "m", "[{}]"
    return (f"m{bits}", f"{_KEYWORDS[bits]} ptr [{{}}]") if bits in _KEYWORDS else None
