"""Loads and stores whose places are part of the machine code: what is asked, and what an ISA makes of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.errors import Unsupported

BOUNDARY = 4096
"""Where in the scratch memory, which begins with a page, accesses are split."""
APART = 64
"""Bytes between the two bases of one place: a core that knows addresses by register and displacement, or by
the physical register behind a move, shall not see that they are one."""
_LINE = 64
_CASE = re.compile(r"(v?)(\d+)_(v?)(\d+)\.(\d+)(\.same_register|\.short_loop)?")


@dataclass(frozen=True)
class Operand:
    """A register's width in bytes, and whether it is a vector register."""

    size: int
    vector: bool


@dataclass(frozen=True)
class Case:
    """A store and a load `offset` bytes into it.

    `same_register`: both name their place alike, so that a core which renames memory sees that it is one."""

    store: Operand
    load: Operand
    offset: int
    same_register: bool


def case_of(text: str) -> Case:
    """`64_32.4`: a 64-bit store and a 32-bit load of its upper half; `v128_v64.0`: of vector registers.

    `short_loop` behind it changes nothing in a step; how many there are, the point says.

    Raises:
        Unsupported: the text says no case.
    """
    found = _CASE.fullmatch(text)
    if found is None:
        raise Unsupported(f"'{text}' is no store and load (an example is 64_32.4)")
    vector, stored, other, loaded, offset, how = found.groups()
    return Case(
        Operand(int(stored) // 8, bool(vector)),
        Operand(int(loaded) // 8, bool(other)),
        int(offset),
        how == ".same_register",
    )


@dataclass(frozen=True)
class Accesses:
    """A body of loads and stores, and what makes their bases known."""

    init: tuple[str, ...]
    """Before the first time stamp of a round: bases, and what lies in memory."""
    body: tuple[str, ...]
    before: tuple[str, ...]
    """Those of `init`, in the decoder's words, that the body's places rest on."""
    wanted: Counter[str]
    """Access, as `spelt`, -> how often the body has it."""
    apart: int = 0
    """Bytes from the scratch pointer to the second base, as `before` sets it."""


def spelt(stores: bool, size: int, base: str, displacement: int) -> str:
    """`store 8 r13+0`: as expectations and the inspector spell an access."""
    return f"{'store' if stores else 'load'} {size} {base}{displacement:+d}"


def displacement(place: str, size: int) -> int:
    """Bytes from the boundary of two pages to an access of `size` bytes.

    Args:
        place: `aligned` to a line, `inside` one across its middle, across a `line` or a `page`.
        size: of the access, at most half a line.
    """
    return {
        "aligned": -2 * _LINE,
        "inside": -3 * _LINE // 2 - size // 2,
        "line": -_LINE - size // 2,
        "page": -size // 2,
    }[place]


def expectation(made: Accesses) -> dict[str, int | str]:
    """What the inspector shall prove beside opcodes."""
    listed: Iterable[str] = (f"{count} {name}" for name, count in sorted(made.wanted.items()))
    return {"accesses": "; ".join(listed), "before": "; ".join(made.before), "apart": made.apart}
