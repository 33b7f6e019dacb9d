"""x86-64 assembly text -> instructions as data, in a process of its own.

    python -m reportgen.backends.cpu.x86_64.listing < [{"text": ..., "intel": true}, ...]

LLVM's assembler ends the process at a mnemonic that it does not know, with its message on stderr, so whoever
asks starts a process.  Answers are one JSON list a text, of the instructions between the marks, or of all.
Nothing of this host matters: the target is a processor with every extension.
"""

from __future__ import annotations

import sys
from typing import Any

import llvmlite.binding as llvm
import msgspec
from iced_x86 import (
    Decoder,
    FlowControl,
    Formatter,
    FormatterSyntax,
    Instruction,
    InstructionInfoFactory,
    MemorySizeExt,
    Mnemonic,
    OpKind,
    Register,
    RegisterExt,
    RflagsBits,
    UsedMemory,
)

from reportgen.backends.cpu.x86_64.decode import MNEMONICS, READS, REGISTERS, WRITES

TRIPLE = "x86_64-unknown-linux-gnu"
BEGIN = bytes.fromhex("0f0b72670b01")
END = bytes.fromhex("0f0b72670b02")
"""Bytes that stand where the text marks the region: an undefined instruction that no compiler writes so."""
FLOW = {
    FlowControl.NEXT: "next",
    FlowControl.CONDITIONAL_BRANCH: "conditional",
    FlowControl.UNCONDITIONAL_BRANCH: "jump",
    FlowControl.CALL: "call",
    FlowControl.RETURN: "return",
}
ZEROING = frozenset(
    getattr(Mnemonic, name)
    for name in "XOR SUB PXOR XORPS XORPD VPXOR VPXORD VPXORQ VXORPS VXORPD PSUBB PSUBW PSUBD PSUBQ VPSUBB "
    "VPSUBW VPSUBD VPSUBQ".split()
)
MOVES = frozenset(
    getattr(Mnemonic, name)
    for name in "MOV MOVAPS MOVAPD MOVUPS MOVUPD MOVDQA MOVDQU VMOVAPS VMOVAPD VMOVUPS VMOVUPD VMOVDQA "
    "VMOVDQU VMOVDQA32 VMOVDQA64 VMOVDQU8 VMOVDQU16 VMOVDQU32 VMOVDQU64".split()
)


class Asked(msgspec.Struct):
    """A text to assemble, in one of the two syntaxes, with lines `.byte` of the marks where it has marks."""

    text: str
    intel: bool


def assemble(machine: llvm.TargetMachine, asked: Asked) -> list[bytes]:
    """The bytes of every section of code."""
    syntax = ".intel_syntax noprefix\n" if asked.intel else ""
    escaped = (syntax + asked.text).replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A")
    module = llvm.parse_assembly(f'target triple = "{TRIPLE}"\nmodule asm "{escaped}"\n')
    binary = llvm.ObjectFileRef.from_data(machine.emit_object(module))
    # a section's name is no use: a function may have one of its own
    return [bytes(one.data()) for one in binary.sections() if one.is_text() and one.size()]


def instructions(code: bytes) -> list[dict[str, Any]]:
    """Every instruction of the marked region, or of all the code where nothing is marked."""
    start = code.find(BEGIN)
    first = start + len(BEGIN) if start >= 0 else 0
    formatter, information = Formatter(FormatterSyntax.INTEL), InstructionInfoFactory()
    return [
        _record(one, formatter, information) | {"code": code[one.ip : one.ip + one.len].hex()}
        for one in Decoder(64, marked(code), ip=first)
    ]


def marked(code: bytes) -> bytes:
    """The code between the marks, or all of it."""
    start, end = code.find(BEGIN), code.find(END)
    return code[start + len(BEGIN) if start >= 0 else 0 : end if end >= 0 else len(code)]


def _record(one: Instruction, formatter: Formatter, information: InstructionInfoFactory) -> dict[str, Any]:
    used = information.info(one)
    reads, writes = set(), set()
    for register in used.used_registers():
        name = REGISTERS[RegisterExt.full_register(register.register)]
        if register.access in READS:
            reads.add(name)
        if register.access in WRITES:
            writes.add(name)
    registers = [one.op_register(i) for i in range(one.op_count) if one.op_kind(i) == OpKind.REGISTER]
    sources = registers[1:] if len(registers) == 3 else registers
    alike = len(registers) == one.op_count > 1 and len(set(sources)) == 1 and not one.has_op_mask
    zeroing = one.mnemonic in ZEROING and alike
    return {
        "text": formatter.format(one),
        "mnemonic": MNEMONICS.get(one.mnemonic, "unknown"),
        "operands": [_operand(one, i) for i in range(one.op_count)],
        "mask": ("kz" if one.zeroing_masking else "k") if one.has_op_mask else "",
        "reads": [] if zeroing else sorted(reads | _flags(one.rflags_read)),
        "writes": sorted(writes | _flags(one.rflags_modified)),
        "memory": [_memory(each) for each in used.used_memory()],
        "address": _address(one),
        "at": one.ip,
        "flow": FLOW.get(one.flow_control, "other"),
        "target": one.near_branch_target if one.flow_control in FLOW and _near(one) else None,
        "zeroing": zeroing,
        "move": one.mnemonic in MOVES and len(registers) == one.op_count == 2 and not one.has_op_mask,
    }


def _near(one: Instruction) -> bool:
    return one.op_count > 0 and one.op0_kind == OpKind.NEAR_BRANCH64


def _flags(bits: int) -> set[str]:
    """The carry flag is one register, all others are another: `inc` keeps the one and writes the other."""
    found = {"cf"} if bits & RflagsBits.CF else set()
    return found | ({"zf"} if bits & ~RflagsBits.CF else set())


def _operand(one: Instruction, index: int) -> str:
    """`r64`, `ymm`, `k`, `m256` (0 bits for `lea`), `vm32y` (at each of some indices), `imm`, `label`."""
    kind = one.op_kind(index)
    if kind == OpKind.REGISTER:
        register = one.op_register(index)
        if RegisterExt.is_k(register):
            return "k"
        for test, name in (
            (RegisterExt.is_xmm, "xmm"),
            (RegisterExt.is_ymm, "ymm"),
            (RegisterExt.is_zmm, "zmm"),
        ):
            if test(register):
                return name
        bits = RegisterExt.size(register) * 8
        return f"r{bits}" if RegisterExt.is_gpr(register) else "other"
    if kind == OpKind.MEMORY and one.is_vsib:
        width = "xyz"[(RegisterExt.size(one.memory_index) // 32).bit_length()]
        return f"vm{64 if one.is_vsib64 else 32}{width}"
    if kind == OpKind.MEMORY:
        return f"m{_bits(one)}"
    return "label" if kind == OpKind.NEAR_BRANCH64 else "imm"


def _bits(one: Instruction) -> int:
    return int(MemorySizeExt.size(one.memory_size)) * 8


def _memory(used: UsedMemory) -> str:
    """`load`, `store` or `both`."""
    reads, writes = used.access in READS, used.access in WRITES
    return "both" if reads and writes else "load" if reads else "store" if writes else "none"


def _address(one: Instruction) -> dict[str, Any] | None:
    if not any(one.op_kind(i) == OpKind.MEMORY for i in range(one.op_count)):
        return None
    relative = one.memory_base in (Register.RIP, Register.EIP)
    displacement = one.memory_displacement
    return {
        "base": REGISTERS[RegisterExt.full_register(one.memory_base)],
        "index": REGISTERS[RegisterExt.full_register(one.memory_index)],
        "scale": one.memory_index_scale,
        "displacement": displacement - (1 << 64) if displacement >> 63 and not relative else displacement,
        "bits": _bits(one),
        "broadcast": one.is_broadcast,
    }


def assembler() -> llvm.TargetMachine:
    """LLVM's, for a processor with every extension."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="x86-64", opt=0, reloc="static")


def main() -> None:
    """Answer what stands on stdin."""
    machine = assembler()
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Asked])
    answers = [[instructions(code) for code in assemble(machine, one)] for one in asked]
    sys.stdout.buffer.write(msgspec.json.encode(answers))


if __name__ == "__main__":
    main()
