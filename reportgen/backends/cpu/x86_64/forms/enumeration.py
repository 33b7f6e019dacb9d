"""Every instruction form of the decoder's table, or the reason why it is not asked of.

A form is an opcode with the kind of each operand: `vaddps xmm, xmm, m128`.  Its key is made of these and
does not change from version to version.  One opcode has several forms: with a register or memory, and

* under a mask, keeping what it leaves out and zeroing it, with registers; moves, compressions and
  expansions with memory too;
* with one element from memory for all, without a mask;
* atomic (`lock`), where the encoding allows the prefix and it changes something.

Rounding modes are not enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import cast

from iced_x86 import (
    Code,
    Code_,
    EncodingKind,
    Instruction,
    InstructionInfoFactory,
    OpKind,
    Register,
    Register_,
    RegisterExt,
)

from reportgen.backends.cpu.x86_64.decode import READS, REGISTERS, WRITES
from reportgen.backends.cpu.x86_64.forms import left_out, operands
from reportgen.backends.cpu.x86_64.forms.operands import Variant
from reportgen.suite.survey import (
    BASE,
    GENERAL,
    IMMEDIATE,
    INDEX_WIDTHS,
    LOCK,
    MEMORY,
    ZEROING,
    Form,
    Implicit,
    LeftOut,
    Operand,
    operand,
)

CODE = cast("dict[Code_, str]", {value: name for name, value in vars(Code).items() if isinstance(value, int)})
_ENCODING = {
    EncodingKind.LEGACY: "legacy", EncodingKind.VEX: "vex", EncodingKind.EVEX: "evex",
    EncodingKind.XOP: "xop",
}  # fmt: skip
_MOVING = ("vmov", "vcompress", "vpcompress", "vexpand", "vpexpand")
"""Beginnings of mnemonics that are asked under a mask with memory too."""
_PARTIAL = frozenset({"r8", "r16", "al", "cl", "ax"})
"""A write of these keeps the rest of the register, and so depends on it."""
_IMMEDIATE_KINDS = {
    "IMM8": OpKind.IMMEDIATE8, "IMM8_CONST_1": OpKind.IMMEDIATE8, "IMM8SEX16": OpKind.IMMEDIATE8TO16,
    "IMM8SEX32": OpKind.IMMEDIATE8TO32, "IMM8SEX64": OpKind.IMMEDIATE8TO64, "IMM16": OpKind.IMMEDIATE16,
    "IMM32": OpKind.IMMEDIATE32, "IMM32SEX64": OpKind.IMMEDIATE32TO64, "IMM64": OpKind.IMMEDIATE64,
}  # fmt: skip


@cache
def enumerated() -> tuple[tuple[Form, ...], tuple[LeftOut, ...]]:
    """Every form that is asked of, and every opcode that is not.

    Several forms may have one text (a move between registers can be encoded in two ways): the assembler
    chooses one of them, and `assembling.checked` leaves the others out.
    """
    forms: list[Form] = []
    left: list[LeftOut] = []
    factory = InstructionInfoFactory()
    for code in sorted(CODE):
        instruction = Instruction()
        instruction.code = code
        if why := left_out.reason(instruction):
            left.append(LeftOut(CODE[code].lower(), why))
            continue
        for variant in _variants(instruction):
            found = _form(code, variant, factory)
            if isinstance(found, Form):
                forms.append(found)
            else:
                left.append(LeftOut(CODE[code].lower(), found))
    return tuple(forms), tuple(left)


def _kinds(instruction: Instruction) -> list[str]:
    op_code = instruction.op_code()
    return [operands.KIND[op_code.op_kind(index)] for index in range(op_code.op_count)]


def _variants(instruction: Instruction) -> Iterator[Variant]:
    """How an opcode is asked; the first that has no operand in memory, if there is one, comes first."""
    kinds, op_code = _kinds(instruction), instruction.op_code()
    mnemonic = left_out.MNEMONIC[instruction.mnemonic]
    if op_code.require_op_mask_register and any(kind in operands.VSIB for kind in kinds):
        yield Variant(mask="k")
        return
    places = (False, True) if any(kind.endswith("_OR_MEM") for kind in kinds) else ("MEM" in kinds,)
    for in_memory in places:
        yield Variant(in_memory)
        if op_code.can_use_op_mask_register and (not in_memory or mnemonic.startswith(_MOVING)):
            yield Variant(in_memory, "k")
            into_memory = in_memory and kinds[0] in operands.MEMORY_KINDS
            if op_code.can_use_zeroing_masking and not into_memory:
                yield Variant(in_memory, ZEROING)
        if in_memory and op_code.can_broadcast:
            yield Variant(in_memory, broadcast=True)
        # an exchange with memory is atomic without the prefix
        if in_memory and op_code.can_use_lock_prefix and mnemonic != "xchg":
            yield Variant(in_memory, lock=True)


def _form(code: Code_, variant: Variant, factory: InstructionInfoFactory) -> Form | str:
    """The form, or why it cannot be asked of."""
    in_memory = variant.in_memory
    instruction = Instruction()
    instruction.code = code
    kinds = _kinds(instruction)
    for index, kind in enumerate(kinds):
        _set(instruction, index, kind, in_memory)
    instruction.is_broadcast = variant.broadcast
    instruction.op_mask = Register.K5 if variant.mask else Register.NONE
    instruction.zeroing_masking = variant.mask == ZEROING
    size = instruction.memory_size
    shape = operands.broadcast(size) if variant.broadcast else operands.memory(size)
    if in_memory and shape is None:
        return "memory operand of a size that no keyword of the assembler tells"
    information = factory.info(instruction)
    found: list[Operand] = []
    words: list[str] = []
    for index, kind in enumerate(kinds):
        one = _operand(kind, in_memory, shape, _access(information.op_access(index)))
        if variant.mask and one.file == MEMORY and index == 0:
            one = operand(one.name, "w")  # elements that the mask leaves out are not read
        place = index + (1 if variant.mask and index else 0)
        found.append(one)
        words.append(_word(place, one, shape))
        if variant.mask and index == 0:
            found.append(operand(variant.mask, "rw" if one.name in INDEX_WIDTHS or _vsib(kinds) else "r"))
            words[0] += "{{{1}}}" + ("{{z}}" if variant.mask == ZEROING else "")
    own = {REGISTERS[RegisterExt.full_register(instruction.op_register(i))] for i in range(len(kinds))}
    own |= {REGISTERS[RegisterExt.full_register(one)] for one in (Register.K5, Register.XMM30)}
    implicit: dict[str, str] = {}
    for used in information.used_registers():
        name = REGISTERS[RegisterExt.full_register(used.register)]
        if name in own or name in ("", "r13"):
            continue
        access = _access(used.access)
        implicit[name] = "".join(letter for letter in "rw" if letter in implicit.get(name, "") + access)
    if "rsp" in implicit or "rip" in implicit:
        return "moves the stack pointer"
    mnemonic = left_out.MNEMONIC[instruction.mnemonic]
    encoding = _ENCODING.get(instruction.op_code().encoding, "other")
    extension = [left_out.FEATURE[one] for one in instruction.cpuid_features()]
    features = [left_out.LLVM_NAME[name] for name in extension if name in left_out.LLVM_NAME]
    head = f"{{{{evex}}}} {mnemonic}" if encoding == "evex" else mnemonic
    prefix = f"{LOCK} " if variant.lock else ""
    head = f"{prefix}{head}"
    return Form(
        key=_key(f"{LOCK}_{mnemonic}" if variant.lock else mnemonic, found, encoding),
        code=CODE[code].lower(),
        mnemonic=f"{prefix}{mnemonic}",
        text=f"{head} {', '.join(words)}".strip(),
        operands=tuple(found),
        implicit=tuple(Implicit(name, access) for name, access in sorted(implicit.items())),
        flags=("r" if instruction.rflags_read else "") + ("w" if instruction.rflags_modified else ""),
        extension="+".join(features) or BASE,
        encoding=encoding,
    )


def _vsib(kinds: list[str]) -> bool:
    return any(kind in operands.VSIB for kind in kinds)


def _set(instruction: Instruction, index: int, kind: str, in_memory: bool) -> None:
    if in_memory and kind in operands.MEMORY_KINDS:
        instruction.set_op_kind(index, OpKind.MEMORY)
        instruction.memory_base = Register.R13
    elif kind in operands.VSIB:
        instruction.set_op_kind(index, OpKind.MEMORY)
        instruction.memory_base, instruction.memory_index = Register.R13, operands.VSIB[kind][1]
    elif kind in _IMMEDIATE_KINDS:
        instruction.set_op_kind(index, _IMMEDIATE_KINDS[kind])
    elif kind in operands.FIXED:
        instruction.set_op_kind(index, OpKind.REGISTER)
        instruction.set_op_register(index, operands.FIXED[kind])
    else:
        instruction.set_op_kind(index, OpKind.REGISTER)
        # registers of one class follow each other in the decoder's numbers
        first = operands.REGISTERS[kind][2]
        instruction.set_op_register(index, cast("Register_", first + _apart(kind, index)))


def _apart(kind: str, index: int) -> int:
    """Distance to the class's register of the enumeration, so that no two operands share one.

    From rbx on come rsp and rbp, which are no operands: the first is rbx, then rsi and rdi.
    """
    general = operands.REGISTERS[kind][1] == GENERAL
    if not general:
        return index + 1
    return (0, 3, 4)[index] if not kind.startswith("R8_") else (0, 7, 8)[index]


def _operand(kind: str, in_memory: bool, shape: tuple[str, str] | None, access: str) -> Operand:
    if in_memory and kind in operands.MEMORY_KINDS:
        return operand(shape[0] if shape else "m", access)
    if kind in operands.IMMEDIATES:
        return operand(operands.IMMEDIATES[kind], "")
    if kind in operands.VSIB:
        return operand(operands.VSIB[kind][0], "r")
    name = kind.lower() if kind in operands.FIXED else operands.REGISTERS[kind][0]
    return operand(name, _merged(access, name))


def _merged(access: str, name: str) -> str:
    return "rw" if access == "w" and name in _PARTIAL else access


def _word(index: int, operand: Operand, shape: tuple[str, str] | None) -> str:
    """What stands in the text: a placeholder, a fixed register's name, a number."""
    if operand.file == MEMORY and shape is not None:
        return shape[1].replace("{}", f"{{{index}}}")
    if operand.name in INDEX_WIDTHS:
        return f"[r13+{{{index}}}*1]"
    if operand.file == IMMEDIATE:
        return str(operand.value) if operand.value < 10 else hex(operand.value)
    return operand.name if operand.register else f"{{{index}}}"


def _access(access: int) -> str:
    return ("r" if access in READS else "") + ("w" if access in WRITES else "")


def _key(mnemonic: str, found: list[Operand], encoding: str) -> str:
    """`vaddps_xmm_xmm_m128`; of two encodings that processors tell apart the newer one says so."""
    names = [one.name for one in found]
    told = encoding == "evex" and "zmm" not in names
    return "_".join([mnemonic, *names, *(["evex"] if told else [])])
