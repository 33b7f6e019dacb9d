"""Tiles of matrices as they lie over the registers of a warp.

Lane l is in group g = l / 4, at place t = l % 4 of it.  A register of 32 bits holds e elements in a row (of
64-bit elements one).  Register r of the left factor holds row g (of 16 rows alternately g and g + 8), columns
from 4 e (r / halves) + e t on; the right factor's holds column g, rows from 4 e r + e t on; the accumulator's
row g and g + 8 in turn, columns 2 t and 2 t + 1.
Source: NVIDIA, "Parallel Thread Execution ISA", figures of "Matrix Fragments for mma".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx import formats
from tests.simulated.ptx.memory import Values

BITS = {
    "f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "s8": 8,
    "u8": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
LANES = np.arange(32)
GROUP, PLACE = LANES // 4, LANES % 4


def elements(words: Values, kind: str, bits: int, shift: int = 0) -> Values:
    """Elements of 32-bit words (of 64 bits: doubles), lowest first.

    Args:
        words: [..., registers].
        kind: element type.
        bits: that an element takes in a register.
        shift: lowest bit of the element in them.

    Returns:
        Numbers as float64, [..., registers, elements]; bits of `b1` as 0 and 1.
    """
    if kind == "f64":
        return np.ascontiguousarray(words).view(np.float64)[..., None]
    count = 32 // bits
    codes = words[..., None] >> (np.arange(count, dtype=np.uint32) * np.uint32(bits))
    codes = codes & np.uint32((1 << bits) - 1 if bits < 32 else 0xFFFFFFFF)
    return values(codes >> np.uint32(shift), kind)


def values(codes: Values, kind: str) -> Values:
    """Numbers of codes, as float64."""
    if kind == "f16":
        return codes.astype(np.uint16).view(np.float16).astype(np.float64)
    if kind == "bf16":
        return formats.from_bf16(codes.astype(np.uint16)).astype(np.float64)
    if kind == "tf32":  # the lowest bits are not looked at
        return (codes.astype(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    if kind in formats.SMALL:
        return formats.decode(kind, codes.astype(np.uint8)).astype(np.float64)
    if kind in ("s8", "s4"):
        half = 1 << BITS[kind] - 1
        return ((codes.astype(np.int64) ^ half) - half).astype(np.float64)
    if kind in ("u8", "u4", "b1"):
        return codes.astype(np.float64)
    raise KeyError(kind)


@dataclass(frozen=True)
class Shape:
    """m x n x k of a product, its element types, and how many bits an element of each factor takes."""

    m: int
    n: int
    k: int
    into: str
    left: str
    right: str
    bits: int
    shift: int = 0

    def rows(self, words: Values) -> Values:
        """The left factor of each warp, [warp, m, k], of words [warp, lane, register]."""
        return self._left(words, self.k)

    def _left(self, words: Values, k: int) -> Values:
        found = np.zeros((len(words), self.m, k))
        halves = self.m // 8
        parts = elements(words, self.left, self.bits, self.shift)
        each = parts.shape[-1]
        for register in range(words.shape[2]):
            for number in range(each):
                row = GROUP + 8 * (register % halves)
                column = 4 * each * (register // halves) + each * PLACE + number
                found[:, row, column] = parts[:, :, register, number]
        return found

    def packed_rows(self, words: Values) -> Values:
        """The left factor without the half that is zero, [warp, m, k / 2]."""
        return self._left(words, self.k // 2)

    def columns(self, words: Values) -> Values:
        """The right factor of each warp, [warp, k, n]."""
        found = np.zeros((len(words), self.k, self.n))
        parts = elements(words, self.right, self.bits, self.shift)
        each = parts.shape[-1]
        for register in range(words.shape[2]):
            for number in range(each):
                row = 4 * each * register + each * PLACE + number
                found[:, row, GROUP] = parts[:, :, register, number]
        return found

    def accumulators(self, words: Values) -> Values:
        """The accumulator of each warp, [warp, m, n] of its own type (halves as such)."""
        kind = {"f64": np.float64, "f32": np.float32, "s32": np.int32, "f16": np.float16}[self.into]
        each = np.ascontiguousarray(words).view(kind).reshape(len(words), 32, -1)
        found = np.zeros((len(words), self.m, self.n), dtype=kind)
        rows, columns = self.places(each.shape[2])
        found[:, rows, columns] = each
        return found

    def places(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(row, column) of each lane's accumulators, [lane, accumulator]."""
        number = np.arange(count)
        rows = GROUP[:, None] + 8 * (number // 2 % (self.m // 8))
        columns = 2 * PLACE[:, None] + number % 2 + 8 * (number // (2 * (self.m // 8)))
        return rows, columns

    def words(self, result: Values, raw: np.dtype[Any]) -> Values:
        """[warp, lane, register] of [warp, m, n]."""
        rows, columns = self.places(self.m * self.n // 32)
        each = np.ascontiguousarray(result[:, rows, columns])
        return each.view(raw)


_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\.")
_KINDS = re.compile(r"\.(" + "|".join(BITS) + r")(?=\.|$)")


def shape(opcode: str) -> Shape:
    """Of the name of an instruction."""
    size = _SHAPE.search(opcode)
    assert size is not None
    into, left, right = _KINDS.findall(opcode)[:3]
    bits, shift = BITS[left], 0
    if "f8f6f4" in opcode:  # a byte for each; four bits lie in its middle
        bits, shift = 8, 2 if left == "e2m1" else 0
    return Shape(int(size[1]), int(size[2]), int(size[3]), into, left, right, bits, shift)


def add(accumulator: Values, product: Values, into: str) -> Values:
    """Sum of an accumulator and an exact product, rounded once."""
    if into == "s32":
        return accumulator + product.astype(np.int64).astype(np.int32)
    return (accumulator.astype(np.float64) + product).astype(accumulator.dtype)
