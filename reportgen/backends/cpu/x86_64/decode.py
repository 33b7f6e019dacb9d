"""x86-64 machine code -> instructions, by iced-x86, which knows AVX-512, its FP16 and BF16, and AMX."""

from __future__ import annotations

from iced_x86 import (
    Decoder,
    FlowControl,
    Formatter,
    FormatterSyntax,
    InstructionInfoFactory,
    MemorySizeExt,
    Mnemonic,
    OpAccess,
    OpAccess_,
    OpKind,
    Register,
    Register_,
    RegisterExt,
)
from iced_x86 import Instruction as Encoded

from reportgen.backends.cpu.isa import Instruction, Place

NAME = "iced-x86"
LOOP = ("dec", "jne")
FAR_LOOP: tuple[str, ...] = LOOP
CALIBRATION = "add r8,r9"
CANARY = "xor r10d,r10d"
STACK = "rsp"

MNEMONICS = {value: name.lower() for name, value in vars(Mnemonic).items() if isinstance(value, int)}
MNEMONICS[Mnemonic.INVALID] = "unknown"
REGISTERS = {value: name.lower() for name, value in vars(Register).items() if isinstance(value, int)}
REGISTERS[Register.NONE] = ""
# a conditional write keeps the old value otherwise, so it reads it
READS = {
    OpAccess.READ,
    OpAccess.COND_READ,
    OpAccess.READ_WRITE,
    OpAccess.READ_COND_WRITE,
    OpAccess.COND_WRITE,
}
WRITES = {OpAccess.WRITE, OpAccess.COND_WRITE, OpAccess.READ_WRITE, OpAccess.READ_COND_WRITE}
_DIRECT = {
    FlowControl.UNCONDITIONAL_BRANCH: "jump",
    FlowControl.CONDITIONAL_BRANCH: "conditional",
    FlowControl.CALL: "call",
}
_FLOWS = {FlowControl.NEXT: "", FlowControl.RETURN: "return", **_DIRECT}
_HELD = frozenset({Register.R13, Register.R14, Register.R15, Register.RSP})
"""Scratch pointer, constant, loop counter, stack: they join no two instructions to a chain."""


def decode(code: bytes, start: int, end: int) -> list[Instruction]:
    """The instructions in `code[start:end]`."""
    formatter, information = Formatter(FormatterSyntax.INTEL), InstructionInfoFactory()
    # a body repeats few distinct instructions many times; equality of iced's takes in all operands, and not
    # how many bytes say them
    known: dict[tuple[Encoded, int], Instruction] = {}
    found = []
    for encoded in Decoder(64, code[start:end], ip=start):
        instruction = known.get((encoded, encoded.len))
        if instruction is None:
            instruction = known[encoded, encoded.len] = _record(encoded, formatter, information)
        found.append(instruction)
    return found


def _record(encoded: Encoded, formatter: Formatter, information: InstructionInfoFactory) -> Instruction:
    reads, writes = set(), set()
    used_by_it = information.info(encoded)
    for used in used_by_it.used_registers():
        full = RegisterExt.full_register(used.register)
        if full in _HELD:
            continue
        if used.access in READS or _keeps_rest(used.register, used.access):
            reads.add(REGISTERS[full])
        if used.access in WRITES:
            writes.add(REGISTERS[full])
    memory = {used.access for used in used_by_it.used_memory()}
    return Instruction(
        opcode=MNEMONICS.get(encoded.mnemonic, "unknown"),
        text=formatter.format(encoded),
        reads=frozenset(reads),
        writes=frozenset(writes),
        place=_place(encoded),
        loads=not memory.isdisjoint(READS),
        stores=not memory.isdisjoint(WRITES),
        flow=_FLOWS.get(encoded.flow_control, "other"),
        target=int(encoded.near_branch_target) if encoded.flow_control in _DIRECT else -1,
        size=encoded.len,
        width=MemorySizeExt.size(encoded.memory_size),
    )


def _keeps_rest(register: Register_, access: OpAccess_) -> bool:
    """Whether a write leaves the upper part of a general register as it is, and so depends on it."""
    return access in WRITES and RegisterExt.is_gpr(register) and RegisterExt.size(register) < 4


def _place(encoded: Encoded) -> Place | None:
    for operand in range(encoded.op_count):
        if encoded.op_kind(operand) == OpKind.MEMORY:
            base = RegisterExt.full_register(encoded.memory_base)
            displacement = int(encoded.memory_displacement)
            displacement -= displacement >> 63 << 64  # the decoder gives it without a sign
            return Place(REGISTERS[base], REGISTERS[encoded.memory_index], displacement)
    return None
