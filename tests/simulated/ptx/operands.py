"""Operands as functions: what an instruction reads of a launch, and where it puts its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.lanes import RAW
from tests.simulated.ptx.memory import Addresses, Values
from tests.simulated.ptx.records import (
    Address,
    Constant,
    Not,
    Operand,
    Register,
    Sink,
    Symbol,
    Vector,
)

if TYPE_CHECKING:
    from tests.simulated.ptx.launch import Launch

Read = Callable[["Launch"], Values]
Write = Callable[["Launch", Values], None]

TYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(kind)
    for name, kind in {
        "b8": "u1", "u8": "u1", "s8": "i1", "b16": "u2", "u16": "u2", "s16": "i2", "b32": "u4", "u32": "u4",
        "s32": "i4", "b64": "u8", "u64": "u8", "s64": "i8", "f16": "f2", "f32": "f4", "f64": "f8",
        "bf16": "u2", "f16x2": "u4", "bf16x2": "u4", "f32x2": "u8", "s16x2": "u4", "u16x2": "u4", "pred": "?",
    }.items()
}  # fmt: skip
"""PTX type -> how its bits are read."""


def typed(values: Values, kind: np.dtype[Any]) -> Values:
    """Bits of a register as another type; of a wider register the lower bits."""
    if values.dtype == kind:
        return values
    if values.dtype.itemsize == kind.itemsize:
        return values.view(kind)
    if values.dtype.itemsize > kind.itemsize:
        return values.astype(RAW[kind.itemsize]).view(kind)
    raise Wrong(f"a register of {values.dtype.itemsize} bytes is read as {kind}")


def number(value: int, kind: np.dtype[Any]) -> Values:
    """A constant of the instruction as a value."""
    if kind == np.dtype(bool):
        return np.array([bool(value)])
    raw = RAW[kind.itemsize]
    return np.array([value & (1 << 8 * kind.itemsize) - 1], dtype=raw).view(kind)


def read(operand: Operand, kind: np.dtype[Any]) -> Read:
    """How an operand is read as a type."""
    if isinstance(operand, Register):
        register = operand
        return lambda launch: typed(launch.lanes.get(register), kind)
    if isinstance(operand, Not):
        inverted = operand.register
        return lambda launch: ~launch.lanes.get(inverted)
    if isinstance(operand, Constant):
        fixed = number(operand.value, kind)
        return lambda launch: fixed
    if isinstance(operand, Symbol):
        name = operand.name
        return lambda launch: typed(launch.special(name), kind)
    raise Wrong(f"no operand that can be read: {operand}")


def write(operand: Operand) -> Write:
    """How a result is put into a register, whose upper bits become those of its type."""
    if isinstance(operand, Sink):
        return lambda launch, values: None
    if not isinstance(operand, Register):
        raise Wrong(f"no operand that can be written: {operand}")
    register = operand
    if register.predicate:
        return lambda launch, values: launch.lanes.put(register, values.astype(bool, copy=False))
    raw = np.dtype(RAW[register.bytes])

    def put(launch: Launch, values: Values) -> None:
        if values.dtype.itemsize != raw.itemsize:
            # a narrower result is extended by its sign where it has one
            wide = np.dtype(f"i{raw.itemsize}") if values.dtype.kind == "i" else raw
            values = values.astype(wide)
        if not values.flags.c_contiguous:
            values = np.ascontiguousarray(values)
        launch.lanes.put(register, values if values.dtype == raw else values.view(raw))

    return put


def address(operand: Operand) -> Callable[[Launch], Addresses]:
    """How the address of `[base+offset]` is found."""
    if not isinstance(operand, Address):
        raise Wrong(f"no address: {operand}")
    base, offset = operand.base, operand.offset
    wide = not isinstance(base, Register) or base.bytes == 8
    found = read(base, TYPES["b64"] if wide else TYPES["b32"])
    return lambda launch: found(launch).astype(np.int64) + offset


def parts(operand: Operand) -> tuple[Operand, ...]:
    """What stands in braces, or the operand alone."""
    return operand.parts if isinstance(operand, Vector) else (operand,)
