"""PTX in records: a module's variables, its kernels, their instructions with operands."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

WIDTHS = {"pred": 1, "b8": 1, "b16": 2, "b32": 4, "b64": 8, "b128": 16}
"""Kind of a register -> bytes."""


class Register(msgspec.Struct, frozen=True):
    """A register of every thread, by its place in the file of registers."""

    number: int
    bytes: int
    predicate: bool
    name: str


class Constant(msgspec.Struct, frozen=True):
    """Bits that stand in the instruction; of a whole number below zero its sign too."""

    value: int


class Symbol(msgspec.Struct, frozen=True):
    """Address of a variable, of a parameter, or a register that the device has (`%tid.x`)."""

    name: str


class Address(msgspec.Struct, frozen=True):
    """`[base+offset]`; of a texture or a tensor `[base, {coordinates}]`."""

    base: Register | Symbol | Constant
    offset: int = 0
    coordinates: tuple[Operand, ...] = ()


class Vector(msgspec.Struct, frozen=True):
    """`{a, b}`."""

    parts: tuple[Operand, ...]


class Pair(msgspec.Struct, frozen=True):
    """`a|p`: a result and a predicate beside it."""

    first: Operand
    second: Operand


class Sink(msgspec.Struct, frozen=True):
    """`_`: a result that nobody wants."""


class Not(msgspec.Struct, frozen=True):
    """`!p`."""

    register: Register


Operand = Register | Constant | Symbol | Address | Vector | Pair | Sink | Not


class Instruction(msgspec.Struct, frozen=True):
    """One instruction."""

    opcode: str
    """With all its modifiers: `ld.global.u32`."""
    operands: tuple[Operand, ...]
    guard: Register | None = None
    negated: bool = False
    text: str = ""
    target: str = ""
    """Label of a branch."""


class Variable(msgspec.Struct, frozen=True):
    """Memory that a module or a kernel declares."""

    name: str
    space: str
    align: int
    size: int
    """Bytes; 0: as many as the launch gives it."""


class Parameter(msgspec.Struct, frozen=True):
    """What a kernel is passed."""

    name: str
    size: int
    align: int


@dataclass
class Kernel:
    """An entry of a module."""

    name: str
    parameters: list[Parameter] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    """Its own, and those of its module."""
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    """Label -> number of the instruction that follows."""
    cluster: int = 1
    """Blocks that must be launched together."""
    most_threads: int = 1024
    """Of a block."""
