"""Conversions between number formats, and functions that a unit of its own approximates.

The approximations here are the rounded true values: a device differs in the last bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tests.simulated.ptx import formats
from tests.simulated.ptx.arithmetic import Step, plain
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.operands import TYPES, read, write
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Instruction

Function = Callable[[Values], Values]


def _convert(instruction: Instruction, source: str, function: Function) -> Step:
    put, get = write(instruction.operands[0]), read(instruction.operands[1], TYPES[source])
    return lambda launch: put(launch, function(get(launch)))


_WHOLE = "u8|u16|u32|u64|s8|s16|s32|s64"


@known(rf"cvt\.({_WHOLE})\.({_WHOLE})")
def between_whole(match: re.Match[str], instruction: Instruction) -> Step:
    into = TYPES[match[1]]
    return _convert(instruction, match[2], lambda values: values.astype(into))


@known(rf"cvt\.(rn|rz|rm|rp)\.(f32|f64)\.({_WHOLE})")
def whole_to_float(match: re.Match[str], instruction: Instruction) -> Step:
    if match[1] != "rn":
        raise ValueError("another rounding than to the nearest")
    into = TYPES[match[2]]
    return _convert(instruction, match[3], lambda values: values.astype(into))


_ROUND: dict[str, Function] = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


@known(r"cvt\.(rni|rzi|rmi|rpi)\.(s32|u32|s64|u64)\.(f16|f32|f64)")
def float_to_whole(match: re.Match[str], instruction: Instruction) -> Step:
    rounded, into = _ROUND[match[1]], TYPES[match[2]]
    most, least = float(np.iinfo(into).max), float(np.iinfo(into).min)
    # of a narrower float what is not a number becomes 0, of a double the largest with the sign bit alone
    nothing = np.iinfo(into).min if match[3] == "f64" and into.kind == "i" else 0

    def function(values: Values) -> Values:
        wide = rounded(values.astype(np.float64))
        inside = (wide > least) & (wide < most)
        found = np.where(inside, wide, 0).astype(into)
        found = np.where(wide >= most, np.iinfo(into).max, found)
        found = np.where(wide <= least, np.iinfo(into).min, found)
        return np.where(np.isnan(wide), nothing, found).astype(into)

    return _convert(instruction, match[3], function)


@known(r"cvt\.(rni|rzi|rmi|rpi)\.f32\.f32")
def to_whole_float(match: re.Match[str], instruction: Instruction) -> Step:
    return _convert(instruction, "f32", _ROUND[match[1]])


@known(r"cvt\.(?:rn\.)?(f16|f32|f64)\.(f16|f32|f64)")
def between_floats(match: re.Match[str], instruction: Instruction) -> Step:
    into = TYPES[match[1]]
    return _convert(instruction, match[2], lambda values: values.astype(into))


@known(r"cvt\.rn\.(f16x2|bf16x2)\.f32")
def two_to_halves(match: re.Match[str], instruction: Instruction) -> Step:
    def function(high: Values, low: Values) -> Values:
        both = [formats.to_bf16(one) if match[1] == "bf16x2" else one.astype(np.float16).view(np.uint16)
                for one in (low, high)]  # fmt: skip
        return np.stack(np.broadcast_arrays(*both), axis=1).reshape(-1).view(np.uint32)

    return plain(instruction, "f32", function)


@known(r"cvt\.rn\.tf32\.f32")
def to_tf32(_match: re.Match[str], instruction: Instruction) -> Step:
    return _convert(instruction, "f32", formats.to_tf32)


@known(r"cvt\.rn\.satfinite\.(e4m3|e5m2|e2m1)x2\.f32")
def two_to_small(match: re.Match[str], instruction: Instruction) -> Step:
    bits = 4 if match[1] == "e2m1" else 8

    def function(high: Values, low: Values) -> Values:
        codes = [formats.encode(match[1], one).astype(np.uint16) for one in (low, high)]
        both = codes[0] | codes[1] << np.uint16(bits)
        return both if bits == 8 else both.astype(np.uint8)

    return plain(instruction, "f32", function)


@known(r"cvt\.rn\.f16x2\.(e4m3|e5m2)x2")
def small_to_halves(match: re.Match[str], instruction: Instruction) -> Step:
    def function(both: Values) -> Values:
        codes = np.ascontiguousarray(both).view(np.uint8)
        return formats.decode(match[1], codes).astype(np.float16).view(np.uint32)

    return _convert(instruction, "b16", function)


@known(r"cvt\.pack\.sat\.s8\.s32\.b32")
def pack(_match: re.Match[str], instruction: Instruction) -> Step:
    def function(a: Values, b: Values, c: Values) -> Values:
        first, second = (np.clip(one, -128, 127).astype(np.uint32) & np.uint32(0xFF) for one in (a, b))
        found: Values = (c.view(np.uint32) << np.uint32(16)) | first << np.uint32(8) | second
        return found

    return plain(instruction, "s32", function)


# ---- approximate functions

_FUNCTIONS: dict[str, Function] = {
    "rcp": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "ex2": np.exp2,
    "lg2": np.log2,
    "tanh": np.tanh,
}


@known(r"(rcp|rsqrt|sqrt|sin|cos|ex2|lg2|tanh)\.approx(\.ftz)?\.f32")
def approximate(match: re.Match[str], instruction: Instruction) -> Step:
    function = _FUNCTIONS[match[1]]

    def run(values: Values) -> Values:
        given = formats.flushed(values) if match[2] else values
        found = function(given.astype(np.float64)).astype(np.float32)
        return formats.flushed(found) if match[2] else found

    return _convert(instruction, "f32", run)


@known(r"(rcp|rsqrt)\.approx\.ftz\.f64")
def seed(match: re.Match[str], instruction: Instruction) -> Step:
    function = _FUNCTIONS[match[1]]

    def run(values: Values) -> Values:
        # of the upper half alone, and the lower half of the result is zero
        upper = (values.view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64)
        found = formats.flushed(function(formats.flushed(upper)))
        return (found.view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64)

    return _convert(instruction, "f64", run)


@known(r"(ex2|tanh)\.approx\.(f16|bf16)")
def approximate_half(match: re.Match[str], instruction: Instruction) -> Step:
    function, half = _FUNCTIONS[match[1]], match[2] == "f16"

    def run(values: Values) -> Values:
        if half:
            return function(values.astype(np.float64)).astype(np.float16)
        return formats.to_bf16(function(formats.from_bf16(values).astype(np.float64)).astype(np.float32))

    return _convert(instruction, match[2], run)
