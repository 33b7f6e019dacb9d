"""Matrix products of a warp.

Sums are exact but for one rounding at the end; a device adds in an order and a precision of its own.
Source: NVIDIA, "Parallel Thread Execution ISA", "Warp Level Matrix Multiply-Accumulate Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.simulated.ptx import formats
from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.fragments import Shape, add, shape
from tests.simulated.ptx.launch import Launch
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.operands import TYPES, parts, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Constant, Instruction, Operand

Step = Callable[[Launch], None]
Read = Callable[[Launch], Values]
PAIRS = (0x4, 0x8, 0x9, 0xC, 0xD, 0xE)
"""Places of two elements out of four, the lower one in the lower bits (`mma.sp::ordered_metadata`)."""
HALVES = (0x4, 0xE)
"""The same of 32-bit elements, one out of two."""


class Operands:
    """Registers of a matrix instruction."""

    def __init__(self, operand: Operand, kind: str) -> None:
        self.parts = parts(operand)
        self._reads = [read(part, TYPES["b64" if kind == "f64" else "b32"]) for part in self.parts]

    def words(self, launch: Launch) -> Values:
        """[warp, lane, register] of the warps that act."""
        warps = launch.lanes.warps(launch.what)
        each = [launch.lanes.whole(get(launch)).reshape(-1, 32)[warps] for get in self._reads]
        return np.stack(each, axis=2)


def put_words(launch: Launch, puts: list[Callable[[Launch, Values], None]], words: Values) -> None:
    """[warp, lane, register] of the warps that act, into registers."""
    warps = launch.lanes.warps(launch.what)
    for number, put in enumerate(puts):
        found = np.zeros((launch.lanes.count // 32, 32), dtype=words.dtype)
        found[warps] = words[:, :, number]
        put(launch, found.reshape(-1))


@known(
    r"mma\.sync\.aligned\.m\d+n\d+k\d+\.row\.col\.(?:kind::f8f6f4\.)?\w+\.\w+\.\w+\.\w+(?:\.(xor|and)\.popc)?"
)
def dense(match: re.Match[str], instruction: Instruction) -> Step:
    one = shape(instruction.opcode)
    combine = match[1]

    def product(left: Values, right: Values) -> Values:
        both: Values = left @ right
        if combine == "xor":
            both = left.sum(axis=2)[:, :, None] + right.sum(axis=1)[:, None, :] - 2 * both
        return both

    return _step(instruction, one, lambda launch, a, b: product(one.rows(a), one.columns(b)))


def _step(instruction: Instruction, one: Shape, product: Callable[[Launch, Values, Values], Values]) -> Step:
    into, left, right, before = instruction.operands[:4]
    given = [
        Operands(operand, kind)
        for operand, kind in ((left, one.left), (right, one.right), (before, one.into))
    ]
    puts = [write(part) for part in parts(into)]
    raw: np.dtype[Any] = np.dtype(np.uint64 if one.into == "f64" else np.uint32)

    def run(launch: Launch) -> None:
        a, b, c = (operand.words(launch) for operand in given)
        result = add(one.accumulators(c), product(launch, a, b), one.into)
        put_words(launch, puts, one.words(result, raw))

    return run


@known(r"mma\.sp::ordered_metadata\.sync\.aligned\.m\d+n\d+k\d+\.row\.col\.\w+\.\w+\.\w+\.\w+")
def sparse(_match: re.Match[str], instruction: Instruction) -> Step:
    """Of every four elements of the left factor two stand in registers; which, the metadata says.

    Whose metadata speak for which row is simplified: those of the first lane for all.
    """
    one = shape(instruction.opcode)
    metadata = read(instruction.operands[4], TYPES["b32"])
    if instruction.operands[5] != Constant(0):
        raise Wrong("another selector than 0")
    valid = np.array(HALVES if one.left == "tf32" else PAIRS)

    def product(launch: Launch, a: Values, b: Values) -> Values:
        words = launch.lanes.spread(metadata(launch))
        nibbles = words[:, None] >> np.arange(0, 32, 4, dtype=np.uint32) & np.uint32(15)
        bad = ~np.isin(nibbles, valid)
        if bad.any():
            raise Wrong(
                f"{launch.what}: metadata {int(words[np.argmax(bad.any(axis=1))]):#010x} are not in order"
            )
        left, right = one.packed_rows(a), one.columns(b)
        full = np.zeros((len(left), one.m, one.k))
        for number in range(one.k // 4):
            nibble = int(nibbles[0, number % 8])
            if one.left == "tf32":
                for half in range(2):
                    full[:, :, 4 * number + 2 * half + (nibble == 0xE)] = left[:, :, 2 * number + half]
            else:
                full[:, :, 4 * number + (nibble & 3)] = left[:, :, 2 * number]
                full[:, :, 4 * number + (nibble >> 2)] = left[:, :, 2 * number + 1]
        return full @ right

    return _step(instruction, one, product)


@known(
    r"mma\.sync\.aligned\.m\d+n\d+k\d+\.row\.col\.kind::mx\w+\.block_scale\.scale_vec::([124])X\.\w+\.\w+\.\w+\.\w+"
    r"\.(ue8m0|ue4m3)"
)
def scaled(match: re.Match[str], instruction: Instruction) -> Step:
    """Each stretch of k has a scale for each row and column; simplified: byte 0 of lane 0 for all."""
    one = shape(instruction.opcode)
    first, second = instruction.operands[4], instruction.operands[6]
    scales = [read(parts(operand)[0], TYPES["b32"]) for operand in (first, second)]

    def product(launch: Launch, a: Values, b: Values) -> Values:
        factor = np.ones(1)
        for get in scales:
            codes = launch.lanes.spread(get(launch))[:1].astype(np.uint8)
            small = formats.decode("e4m3", codes & 0x7F) if match[2] == "ue4m3" else formats.e8m0(codes)
            factor = factor * small
        return (one.rows(a) @ one.columns(b)) * factor

    return _step(instruction, one, product)
