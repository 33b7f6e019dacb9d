"""AArch64 machine code -> instructions, by capstone.

capstone 5 names every instruction of the table, but for those added since Armv8.2 (FP16, dot products,
BF16, matrix products) it does not say which operands are read and written.  For them A64's own rule is
applied: the first register is written, the others are read, and an accumulating instruction reads the
first as well.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import capstone
from capstone import arm64_const

from reportgen.backends.cpu.aarch64.spelling import opcode
from reportgen.backends.cpu.isa import Instruction, Place

NAME = "capstone"
LOOP = ("subs", "b.ne")
FAR_LOOP: tuple[str, ...] = ("subs", "b.eq", "b")
CALIBRATION = "add x8, x8, x9"
CANARY = "nop"
STACK = "sp"

_WORD = 4
_HELD = frozenset({"x22", "x26", "x27", "sp"})
"""Scratch pointers, loop counter, stack: they join no two instructions to a chain."""
_ACCUMULATING = frozenset(
    "fmla fmls bfdot bfmmla bfmlalb bfmlalt fmlal fmlal2 fmlsl fmlsl2".split()
    + "sdot udot usdot sudot smmla ummla usmmla".split()
)
_COMPARING = frozenset("cmp cmn tst ccmp ccmn fcmp fcmpe".split())
_COMPARE_AND_BRANCH = frozenset("cbz cbnz tbz tbnz".split())
_FLOWS = {"ret": "return", **dict.fromkeys("br blr brk hlt svc udf eret".split(), "other")}
_SIZES = {"b": 1, "h": 2, "w": 4, "s": 4, "x": 8, "d": 8, "q": 16}
"""Letter of a register -> bytes that it holds."""
_MOVES = frozenset({"mov", "fmov", "movi", "mvni"})
_READ_AND_WRITE = tuple(
    f"{way}{what}" for way in ("ld", "st") for what in "add clr eor set smax smin umax umin".split()
)
"""Atomics of LSE that are named like loads or stores."""


def decode(code: bytes, start: int, end: int) -> list[Instruction]:
    """The instructions in `code[start:end]`, one a word; bytes that fill no word are left out."""
    known: dict[int, Instruction] = {}
    found = []
    whole = start + (end - start) // _WORD * _WORD
    for at, (word,) in zip(
        range(start, whole, _WORD), struct.iter_unpack("<I", code[start:whole]), strict=True
    ):
        instruction = known.get(word)
        if instruction is None:
            instruction = _record(word, at)
            if not _relative(word):
                known[word] = instruction
        found.append(instruction)
    return found


@cache
def _engine() -> capstone.Cs:
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    engine.detail = True
    return engine


def _relative(word: int) -> bool:
    """Whether the text names an address that depends on where the instruction lies."""
    return (
        word & 0x7C00_0000 == 0x1400_0000  # b, bl
        or word & 0xFF00_0000 == 0x5400_0000  # b.cond
        or word & 0x7C00_0000 == 0x3400_0000  # cbz, cbnz, tbz, tbnz
        or word & 0x1F00_0000 == 0x1000_0000  # adr, adrp
        or word & 0x3B00_0000 == 0x1800_0000  # ldr from a literal
    )


def _record(word: int, address: int) -> Instruction:
    found = next(_engine().disasm(word.to_bytes(_WORD, "little"), address, 1), None)
    if found is None:
        nothing: frozenset[str] = frozenset()
        return Instruction("unknown", f".word 0x{word:08x}", nothing, nothing, None, False, False)
    text = f"{found.mnemonic} {found.op_str}".strip()
    reads, writes = _accesses(found)
    place = _place(found)
    loads, stores = found.mnemonic.startswith("ld"), found.mnemonic.startswith("st")
    if place is not None and ((not loads and not stores) or found.mnemonic.startswith(_READ_AND_WRITE)):
        loads = stores = True  # an atomic does both
    flow, target = _flow(found)
    width = 0 if place is None else _width(found)
    return Instruction(
        opcode(text), text, _full(reads), _full(writes), place, loads, stores, flow, target, _WORD, width
    )


def _flow(found: Any) -> tuple[str, int]:
    """Where it goes on; every direct branch names its target last."""
    name = found.mnemonic
    if name in _FLOWS:
        return _FLOWS[name], -1
    if name in ("b", "bl") or name.startswith("b.") or name in _COMPARE_AND_BRANCH:
        kind = {"b": "jump", "bl": "call"}.get(name, "conditional")
        return kind, int(found.operands[-1].imm)
    return "", -1


def _accesses(found: Any) -> tuple[list[str], list[str]]:
    """Names of the registers read and written, as they are spelt in the operands."""
    registers = [found.reg_name(one.reg) for one in found.operands if one.type == arm64_const.ARM64_OP_REG]
    if found.mnemonic in _COMPARING:  # capstone takes the first for the result
        return registers, []
    if found.mnemonic in _MOVES and len(registers) == 1:  # of a constant: nothing is read
        return [], registers
    read, written = ([found.reg_name(one) for one in group] for group in found.regs_access())
    if not read and not written and registers:
        return registers[found.mnemonic not in _ACCUMULATING :], registers[:1]
    return read, written


def _full(names: list[str]) -> frozenset[str]:
    """Whole registers: `w3` is `x3`, `d3` is `v3`; zero registers and flags are left out."""
    found = set()
    for name in names:
        letter, number = name[0], name[1:]
        if number.isdigit():
            found.add(f"{'x' if letter in 'wx' else 'v'}{number}")
        elif name in ("fp", "lr", "sp", "wsp"):
            found.add({"fp": "x29", "lr": "x30"}.get(name, "sp"))
    return frozenset(found - _HELD)


def _width(found: Any) -> int:
    """Bytes of a load or store of one register: the mnemonic's suffix, else what the register holds."""
    name = found.mnemonic
    if name[:2] in ("ld", "st") and name[-1] in "bh":
        return 1 if name.endswith("b") else 2
    registers = [found.reg_name(one.reg) for one in found.operands if one.type == arm64_const.ARM64_OP_REG]
    return _SIZES.get(registers[0][0], 0) if len(registers) == 1 else 0


def _place(found: Any) -> Place | None:
    for operand in found.operands:
        if operand.type == arm64_const.ARM64_OP_MEM:
            memory = operand.mem
            indexed = found.reg_name(memory.index) if memory.index else ""
            return Place(found.reg_name(memory.base), indexed, int(memory.disp))
    return None
