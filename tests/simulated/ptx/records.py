"""PTX in records: a module's variables, its kernels, their instructions with operands."""

from __future__ import annotations

from dataclasses import dataclass, field

WIDTHS = {"pred": 1, "b8": 1, "b16": 2, "b32": 4, "b64": 8, "b128": 16}
"""Kind of a register -> bytes."""


@dataclass(frozen=True)
class Register:
    """A register of every thread, by its place in the file of registers."""

    number: int
    bytes: int
    predicate: bool
    name: str


@dataclass(frozen=True)
class Constant:
    """Bits that stand in the instruction; of a whole number below zero its sign too."""

    value: int


@dataclass(frozen=True)
class Symbol:
    """Address of a variable, of a parameter, or a register that the device has (`%tid.x`)."""

    name: str


@dataclass(frozen=True)
class Address:
    """`[base+offset]`; of a texture or a tensor `[base, {coordinates}]`."""

    base: Register | Symbol | Constant
    offset: int = 0
    coordinates: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Vector:
    """`{a, b}`."""

    parts: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`a|p`: a result and a predicate beside it."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Sink:
    """`_`: a result that nobody wants."""


@dataclass(frozen=True)
class Not:
    """`!p`."""

    register: Register


Operand = Register | Constant | Symbol | Address | Vector | Pair | Sink | Not


@dataclass(frozen=True)
class Instruction:
    """One instruction."""

    opcode: str
    """With all its modifiers: `ld.global.u32`."""
    operands: tuple[Operand, ...]
    guard: Register | None = None
    negated: bool = False
    text: str = ""
    target: str = ""
    """Label of a branch."""


@dataclass(frozen=True)
class Variable:
    """Memory that a module or a kernel declares."""

    name: str
    space: str
    align: int
    size: int
    """Bytes; 0: as many as the launch gives it."""


@dataclass(frozen=True)
class Parameter:
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
