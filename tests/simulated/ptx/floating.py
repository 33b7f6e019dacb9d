"""Arithmetic of floats, lane by lane, also of two that share a register.

Source: NVIDIA, "Parallel Thread Execution ISA", "Floating Point Instructions" and "Half Precision ...".
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tests.simulated.ptx import formats
from tests.simulated.ptx.arithmetic import Function, Step, halves, plain
from tests.simulated.ptx.memory import Values
from tests.simulated.ptx.operands import TYPES
from tests.simulated.ptx.program import known
from tests.simulated.ptx.records import Instruction


@known(r"(add|sub|mul)(?:\.rn)?(\.ftz)?\.(f32|f64)")
def float_two(match: re.Match[str], instruction: Instruction) -> Step:
    functions: dict[str, Function] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
    function = functions[match[1]]
    if match[2]:
        return plain(instruction, match[3], lambda a, b: formats.flushed(function(a, b)))
    return plain(instruction, match[3], function)


@known(r"(min|max)\.(f32|f64)")
def float_least(match: re.Match[str], instruction: Instruction) -> Step:
    function = np.fmin if match[1] == "min" else np.fmax

    def run(*values: Values) -> Values:
        found = values[0]
        for value in values[1:]:
            found = function(found, value)
        return found

    return plain(instruction, match[2], run)


def fused(a: Values, b: Values, c: Values) -> Values:
    """a b + c, rounded once (of doubles nearly: by the wider type of the host)."""
    wide = np.float64 if a.dtype.itemsize < 8 else np.longdouble
    found: Values = (a.astype(wide) * b.astype(wide) + c.astype(wide)).astype(a.dtype)
    return found


@known(r"fma\.rn\.(f32|f64)")
def fma(match: re.Match[str], instruction: Instruction) -> Step:
    return plain(instruction, match[1], fused)


_HALF: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "min": np.fmin,
    "max": np.fmax,
    "fma": lambda a, b, c: a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64),
}


@known(r"(add|sub|mul|min|max|fma)(?:\.rn)?(\.relu)?\.(f16x2|bf16x2|f32x2)")
def packed(match: re.Match[str], instruction: Instruction) -> Step:
    function = _HALF[match[1]]
    into: Callable[[Values], Values]
    if match[3] == "f32x2":
        return halves(instruction, TYPES["f32"], lambda *values: function(*values).astype(np.float32))
    if match[3] == "f16x2":
        kind, into = TYPES["f16"], lambda x: x.astype(np.float16)
    else:
        kind, into = TYPES["u16"], formats.to_bf16

    def run(*values: Values) -> Values:
        wide = (formats.from_bf16(one) for one in values) if match[3] == "bf16x2" else values
        found = function(*wide)
        if match[2]:
            found = np.fmax(found, 0)
        return into(found)

    return halves(instruction, kind, run)
