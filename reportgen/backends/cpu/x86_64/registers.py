"""x86-64 register names that a form's placeholders may ask for, and the files they come from.

`rax` and `rdx` belong to time stamps and implicit operands, `r13` points to the scratch
line, `r14` holds the integer constant, `r15` counts repetitions; ten general registers are left
for accumulators.  Vector registers 14 and 15 hold constants, so that every encoding can name
them; accumulators take 0..13 and, where the form may be EVEX-encoded, 16..29.  Tiles 6 and 7 hold constants.
"""

from __future__ import annotations

from dataclasses import dataclass

_WIDE = {
    "rax": "eax", "rbx": "ebx", "rcx": "ecx", "rdx": "edx", "rbp": "ebp", "rsi": "esi", "rdi": "edi",
}  # fmt: skip

GENERAL = ("rbx", "rcx", "rbp", "rsi", "r8", "r9", "r10", "r11", "r12", "rdi")
VECTOR = (*range(14), *range(16, 30))
MASK = (1, 2, 3, 4, 5, 6)
TILE = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class General:
    """A 64-bit general register; `.r32` its low half."""

    name: str

    @property
    def r32(self) -> str:
        """The 32-bit name."""
        return _WIDE.get(self.name, f"{self.name}d")

    @property
    def r8(self) -> str:
        """The 8-bit name."""
        return (
            f"{self.name}b"
            if self.name[1].isdigit()
            else {"rsi": "sil", "rdi": "dil", "rbp": "bpl"}.get(self.name, f"{self.name[1]}l")
        )

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Vector:
    """A vector register, printed at the width of its class; `.x`, `.y`, `.z` other widths."""

    number: int
    width: str

    @property
    def x(self) -> str:
        """The 128-bit name."""
        return f"xmm{self.number}"

    @property
    def y(self) -> str:
        """The 256-bit name."""
        return f"ymm{self.number}"

    @property
    def z(self) -> str:
        """The 512-bit name."""
        return f"zmm{self.number}"

    def __str__(self) -> str:
        return f"{self.width}{self.number}"


@dataclass(frozen=True)
class Mask:
    """A mask register."""

    number: int

    def __str__(self) -> str:
        return f"k{self.number}"


@dataclass(frozen=True)
class Tile:
    """An AMX tile register."""

    number: int

    def __str__(self) -> str:
        return f"tmm{self.number}"


Register = General | Vector | Mask | Tile


def accumulator(kind: str, index: int) -> Register:
    """Accumulator `index` of a register class (`r64`, `xmm`, `ymm`, `zmm`, `k`, `tmm`)."""
    if kind == "r64":
        return General(GENERAL[index])
    if kind == "k":
        return Mask(MASK[index])
    if kind == "tmm":
        return Tile(TILE[index])
    return Vector(VECTOR[index], kind)


def accumulators(kind: str, evex: bool) -> int:
    """How many independent accumulators the class has."""
    if kind == "r64":
        return len(GENERAL)
    if kind == "k":
        return len(MASK)
    if kind == "tmm":
        return len(TILE)
    return len(VECTOR) if evex else 14
