"""Arithmetic of whole numbers, bits and floats, lane by lane.

Source: NVIDIA, "Parallel Thread Execution ISA", chapter "Instruction Set".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.operands import TYPES, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Instruction, Pair

Step = Callable[[Launch], None]
Function = Callable[..., Values]


def plain(instruction: Instruction, kind: str, function: Function, into: str = "") -> Step:
    """All sources of one type, one result."""
    put = write(instruction.operands[0])
    gets = [read(operand, TYPES[kind]) for operand in instruction.operands[1:]]
    result = TYPES[into] if into else None
    if len(gets) == 2:
        first, second = gets
        if result is None:
            return lambda launch: put(launch, function(first(launch), second(launch)))

    def run(launch: Launch) -> None:
        values = function(*(get(launch) for get in gets))
        put(launch, values if result is None else values.astype(result))

    return run


# ---- whole numbers

_INT = "u16|u32|u64|s16|s32|s64"


@known(rf"(add|sub)\.({_INT})")
def add(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[2], np.add if match[1] == "add" else np.subtract)


@known(r"add\.cc\.u32")
def add_carry_out(_match: re.Match[str], instruction: Instruction) -> Step:
    put = write(instruction.operands[0])
    first, second = (read(operand, TYPES["u32"]) for operand in instruction.operands[1:])

    def run(launch: Launch) -> None:
        a, b = first(launch).astype(np.uint64), second(launch).astype(np.uint64)
        launch.carry = ((a + b) >> np.uint64(32)).astype(np.uint32)
        put(launch, (a + b).astype(np.uint32))

    return run


@known(r"addc\.u32")
def add_carry_in(_match: re.Match[str], instruction: Instruction) -> Step:
    put = write(instruction.operands[0])
    first, second = (read(operand, TYPES["u32"]) for operand in instruction.operands[1:])
    return lambda launch: put(launch, first(launch) + second(launch) + launch.carry)


@known(rf"(min|max)\.({_INT})")
def least(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[2], np.minimum if match[1] == "min" else np.maximum)


@known(rf"mul\.lo\.({_INT})")
def mul(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[1], np.multiply)


@known(r"mul\.hi\.u32")
def mul_high(_match: re.Match[str], instruction: Instruction) -> Step:
    return plain(
        instruction,
        "u32",
        lambda a, b: ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)).astype(np.uint32),
    )


@known(r"(mul|mad)\.wide\.(u32|s32)")
def mul_wide(match: re.Match[str], instruction: Instruction) -> Step:
    wide = np.uint64 if match[2] == "u32" else np.int64
    if match[1] == "mul":
        return plain(instruction, match[2], lambda a, b: a.astype(wide) * b.astype(wide))
    put = write(instruction.operands[0])
    a, b = (read(operand, TYPES[match[2]]) for operand in instruction.operands[1:3])
    c = read(instruction.operands[3], np.dtype(wide))
    return lambda launch: put(launch, a(launch).astype(wide) * b(launch).astype(wide) + c(launch))


@known(rf"mad\.lo\.({_INT})")
def mad(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[1], lambda a, b, c: a * b + c)


@known(r"abs\.(s32|s64)")
def absolute(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[1], np.abs)


@known(r"neg\.(s32|s64|f32|f64)")
def negate(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[1], np.negative)


@known(r"sad\.u32")
def difference(_match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, "u32", lambda a, b, c: np.where(a < b, b - a, a - b) + c)


@known(r"vabsdiff4\.u32\.u32\.u32\.add")
def difference_4(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, c: Values) -> Values:
        found: Values = c + np.abs(_bytes(a, np.uint8) - _bytes(b, np.uint8)).sum(axis=-1).astype(np.uint32)
        return found

    return plain(instruction, "u32", function)


def _bytes(values: Values, kind: type[Any]) -> NDArray[np.int64]:
    found: NDArray[np.int64] = (
        np.ascontiguousarray(values).view(kind).reshape(len(values), -1).astype(np.int64)
    )
    return found


@known(r"dp4a\.s32\.s32")
def dot_4(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, c: Values) -> Values:
        found: Values = c + (_bytes(a, np.int8) * _bytes(b, np.int8)).sum(axis=-1).astype(np.int32)
        return found

    return plain(instruction, "s32", function)


@known(r"dp2a\.lo\.s32\.s32")
def dot_2(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, c: Values) -> Values:
        found: Values = c + (_bytes(a, np.int16) * _bytes(b, np.int8)[:, :2]).sum(axis=-1).astype(np.int32)
        return found

    return plain(instruction, "s32", function)


@known(r"(add|min|max)\.(s16x2|u16x2)")
def pairs(match: re.Match[str], instruction: Instruction) -> Step:
    function = {"add": np.add, "min": np.minimum, "max": np.maximum}[match[1]]
    return halves(instruction, np.dtype(np.int16 if match[2] == "s16x2" else np.uint16), function)


def halves(instruction: Instruction, kind: np.dtype[Any], function: Function) -> Step:
    """The same of each half of a register."""

    def run(*values: Values) -> Values:
        split = [np.ascontiguousarray(one).view(kind).reshape(-1, 2) for one in values]
        found = function(*split)
        return np.ascontiguousarray(found).reshape(-1).view(np.dtype(f"u{2 * kind.itemsize}"))

    return plain(instruction, "b32" if kind.itemsize == 2 else "b64", run)


# ---- bits


@known(r"(and|or|xor)\.(b16|b32|b64|pred)")
def logic(match: re.Match[str], instruction: Instruction) -> Step:
    functions: dict[str, Function] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    return plain(instruction, match[2], functions[match[1]])


@known(r"not\.(b16|b32|b64|pred)")
def invert(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[1], np.bitwise_not)


@known(r"lop3\.b32")
def logic_3(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, c: Values, table: Values) -> Values:
        found = np.zeros(1, dtype=np.uint32)
        for number in range(8):
            if int(table[0]) >> number & 1:
                found = found | (
                    (a if number & 4 else ~a) & (b if number & 2 else ~b) & (c if number & 1 else ~c)
                )
        return found

    return plain(instruction, "u32", function)


@known(r"(shl|shr)\.(b32|b64|u32|u64|s32|s64)")
def shift(match: re.Match[str], instruction: Instruction) -> Step:
    kind = TYPES[match[2]]
    put, first = write(instruction.operands[0]), read(instruction.operands[1], kind)
    amount = read(instruction.operands[2], TYPES["u32"])
    bits = 8 * kind.itemsize

    def run(launch: Launch) -> None:
        a, n = first(launch), amount(launch)
        near = np.minimum(n, bits - 1).astype(kind)
        if match[1] == "shl":
            put(launch, np.where(n < bits, a << near, 0).astype(kind))
        elif kind.kind == "i":
            put(launch, a >> near)
        else:
            put(launch, np.where(n < bits, a >> near, 0).astype(kind))

    return run


@known(r"shf\.l\.wrap\.b32")
def funnel(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(low: Values, high: Values, n: Values) -> Values:
        both = high.astype(np.uint64) << np.uint64(32) | low
        return (both << (n & 31).astype(np.uint64) >> np.uint64(32)).astype(np.uint32)

    return plain(instruction, "u32", function)


@known(r"prmt\.b32")
def permute(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, select: Values) -> Values:
        both = b.astype(np.uint64) << np.uint64(32) | a
        found = np.zeros(1, dtype=np.uint64)
        for place in range(4):
            chosen = (select >> np.uint32(4 * place)).astype(np.uint64)
            byte = both >> (chosen & np.uint64(7)) * np.uint64(8) & np.uint64(0xFF)
            signed = np.where(byte & np.uint64(0x80), np.uint64(0xFF), np.uint64(0))
            byte = np.where(chosen & np.uint64(8), signed, byte)
            found = found | byte << np.uint64(8 * place)
        return found.astype(np.uint32)

    return plain(instruction, "u32", function)


@known(r"popc\.b32")
def population(_match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, "u32", lambda a: np.bitwise_count(a).astype(np.uint32))


def leading(values: Values) -> Values:
    """Place of the highest bit that is set; all ones where none is."""
    found = np.frexp(values.astype(np.float64))[1] - 1
    return np.where(values == 0, 0xFFFFFFFF, found).astype(np.uint32)


@known(r"bfind\.u32")
def find(_match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, "u32", leading)


@known(r"brev\.b32")
def reverse(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(values: Values) -> Values:
        for step, keep in (
            (1, 0x55555555),
            (2, 0x33333333),
            (4, 0x0F0F0F0F),
            (8, 0x00FF00FF),
            (16, 0x0000FFFF),
        ):
            mask, by = np.uint32(keep), np.uint32(step)
            values = (values >> by & mask) | ((values & mask) << by)
        return values

    return plain(instruction, "u32", function)


@known(r"bfe\.u32")
def extract(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, start: Values, length: Values) -> Values:
        kept = np.uint32((1 << int(length[0] & 0xFF)) - 1 & 0xFFFFFFFF)
        return a >> np.uint32(int(start[0] & 0xFF)) & kept

    return plain(instruction, "u32", function)


@known(r"bfi\.b32")
def insert(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, start: Values, length: Values) -> Values:
        mask = np.uint32(((1 << int(length[0])) - 1) << int(start[0]) & 0xFFFFFFFF)
        return (b & ~mask) | (a << np.uint32(int(start[0])) & mask)

    return plain(instruction, "u32", function)


@known(r"szext\.wrap\.s32")
def extend(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, n: Values) -> Values:
        by = (32 - (n & 31)) & 31
        # a width of 0 leaves nothing
        return np.where((n & 31) == 0, 0, a << by >> by).astype(np.int32)

    return plain(instruction, "s32", function)


@known(r"bmsk\.wrap\.b32")
def mask_of(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(start: Values, length: Values) -> Values:
        width = (length & 31).astype(np.uint64)
        ones = (np.uint64(1) << width) - np.uint64(1)
        return (ones << (start & 31).astype(np.uint64)).astype(np.uint32)

    return plain(instruction, "u32", function)


# ---- choosing

_COMPARE: dict[str, Function] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal,
}  # fmt: skip


@known(r"setp\.(eq|ne|lt|le|gt|ge)\.(b32|b64|u32|u64|s32|s64|f32|f64|u16|s16)")
def compare(match: re.Match[str], instruction: Instruction) -> Step:
    if isinstance(instruction.operands[0], Pair):
        raise ValueError("two results of a comparison")
    return plain(instruction, match[2], _COMPARE[match[1]])


@known(r"set\.(eq|ne|lt|le|gt|ge)\.f16x2\.f16x2")
def compare_halves(match: re.Match[str], instruction: Instruction) -> Step:
    compared = _COMPARE[match[1]]
    return halves(instruction, TYPES["f16"], lambda a, b: compared(a, b).astype(np.float16))


@known(r"selp\.(b16|b32|b64|u32|s32|u64|s64|f32|f64)")
def select(match: re.Match[str], instruction: Instruction) -> Step:
    kind = TYPES[match[1]]
    into, first, second, chosen = instruction.operands
    put, a, b = write(into), read(first, kind), read(second, kind)
    which = read(chosen, TYPES["pred"])
    return lambda launch: put(launch, np.where(which(launch), a(launch), b(launch)))
