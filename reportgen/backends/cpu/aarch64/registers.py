"""AArch64 register names that a form's placeholders may ask for, and the files they come from.

`x0` and `x1` belong to the frame's time stamps, `x8` and `x9` to its calibration chain, `x18` to the
platform.  `x22` and `x26` point to the two halves of the scratch page, `x23` and `x24` hold integer
constants, `x25` is a temporary and `x27` counts repetitions.  `v30` and `v31` hold vector constants
(neighbours, as a two-register table lookup wants them), `v28` and `v29` are temporaries.
"""

from __future__ import annotations

from dataclasses import dataclass

GENERAL = (*range(2, 8), *range(10, 18), 19, 20, 21)
VECTOR = tuple(range(28))


@dataclass(frozen=True)
class General:
    """A 64-bit general register; `.w` its low half."""

    number: int

    @property
    def w(self) -> str:
        """The 32-bit name."""
        return f"w{self.number}"

    def __str__(self) -> str:
        return f"x{self.number}"


@dataclass(frozen=True)
class Vector:
    """A vector register, printed as its class (`v`, or the scalars `s`, `d`).

    `.b`, `.h`, `.s`, `.d`, `.q` are its scalar names; an arrangement is written behind (`{d}.4s`).
    """

    number: int
    kind: str

    @property
    def b(self) -> str:
        """The 8-bit name."""
        return f"b{self.number}"

    @property
    def h(self) -> str:
        """The 16-bit name."""
        return f"h{self.number}"

    @property
    def s(self) -> str:
        """The 32-bit name."""
        return f"s{self.number}"

    @property
    def d(self) -> str:
        """The 64-bit name."""
        return f"d{self.number}"

    @property
    def q(self) -> str:
        """The 128-bit name."""
        return f"q{self.number}"

    @property
    def v(self) -> str:
        """The name that an arrangement is written behind."""
        return f"v{self.number}"

    def __str__(self) -> str:
        return f"{self.kind}{self.number}"


Register = General | Vector


def accumulator(kind: str, index: int) -> Register:
    """Accumulator `index` of a register class (`x`, `v`, `s`, `d`)."""
    return General(GENERAL[index]) if kind == "x" else Vector(VECTOR[index], kind)


def accumulators(kind: str) -> int:
    """How many independent accumulators the class has."""
    return len(GENERAL) if kind == "x" else len(VECTOR)
