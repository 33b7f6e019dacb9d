"""What the registers of some code must hold before it runs: which are addresses, and how far they move."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.model.cost.instruction import Instruction

_HEX = re.compile(r"^(-?)([0-9][0-9A-Fa-f]*)h$")
_FLAGS = frozenset({"cf", "zf"})
_STRING = ("movs", "stos", "lods", "cmps", "scas")
VECTOR = "zmm"
_ONE = (("r64",), ("r32",))
_TWO = (("r64", "imm"), ("r32", "imm"))


@dataclass(frozen=True)
class Reference:
    """An access whose address is known before the first round but for its pointer."""

    pointer: str
    step: int | None
    """Bytes that it moves on in a round; None where the code computes it."""


@dataclass(frozen=True)
class Start:
    """Registers by what they must hold."""

    references: tuple[Reference, ...]
    pointers: tuple[str, ...]
    indices: tuple[str, ...]
    """Of accesses; they start with 0."""
    numbers: tuple[str, ...]
    """All others that are read before they are written."""
    moving: tuple[str, ...]
    """Pointers and indices that the code changes."""
    absolute: tuple[str, ...]
    """Instructions that access memory through no register."""
    follows: bool
    """Whether a pointer is loaded through itself: a list is walked."""


def starting(code: Sequence[Instruction]) -> Start:
    """What `code` reads before it writes it, and what of that are addresses."""
    own = live(code)
    references, absolute = [], []
    indices: dict[str, None] = {}
    followed: set[str] = set()
    made: dict[str, tuple[str, str, int]] = {}
    for one in code:
        if not _accesses(one):
            _remember(one, made)
            continue
        for base, index, scale in _addresses(one):
            if base not in own and base in made and not index:
                base, index, scale = made[base]
            if base == "rip":
                continue
            if not base:
                absolute.append(one.text)
            if index in own:
                indices[index] = None
            if base in own:
                moved = change(code, base)
                references.append(
                    Reference(base, _sum(moved, change(code, index), scale) if index else moved)
                )
                if base in one.writes and one.mnemonic == "mov" and "load" in one.memory:
                    followed.add(base)
        for name in one.writes:
            made.pop(name, None)
    pointers = tuple(dict.fromkeys(one.pointer for one in references))
    addresses = dict.fromkeys((*pointers, *indices))
    written = {name for one in code for name in one.writes}
    return Start(
        references=tuple(references),
        pointers=pointers,
        indices=tuple(name for name in indices if name not in pointers),
        numbers=tuple(name for name in own if name not in addresses),
        moving=tuple(
            name
            for name in addresses
            if name in written and name not in followed and not name.startswith(VECTOR)
        ),
        absolute=tuple(absolute),
        follows=bool(followed),
    )


def _remember(one: Instruction, made: dict[str, tuple[str, str, int]]) -> None:
    """Addresses that an instruction computes or copies, by the register that holds them from then on."""
    address = one.address
    for name in one.writes:
        made.pop(name, None)
        if one.mnemonic == "lea" and address is not None and address.base and name != address.base:
            made[name] = address.base, address.index, address.scale
        elif one.move and one.operands == ("r64", "r64"):
            made[name] = one.reads[0], "", 1


def live(code: Sequence[Instruction]) -> tuple[str, ...]:
    """Registers that are read before they are written, in the order in which they are."""
    found: dict[str, None] = {}
    written: set[str] = set()
    for one in code:
        for name in one.reads:
            if name not in written and name not in _FLAGS and name not in ("rip", ""):
                found[name] = None
        written |= set(one.writes)
    return tuple(found)


def _accesses(one: Instruction) -> bool:
    return bool(one.memory) or one.mnemonic.startswith("prefetch")


def _addresses(one: Instruction) -> list[tuple[str, str, int]]:
    """Base, index and scale; of string instructions, which name none, the registers that they walk."""
    if one.mnemonic.startswith(_STRING) and one.operands[:1] != ("xmm",):
        return [(name, "", 1) for name in ("rdi", "rsi") if name in one.reads]
    if one.address is None:
        return [("", "", 1)] if one.memory else []
    return [(one.address.base, one.address.index, one.address.scale)]


def change(code: Sequence[Instruction], name: str) -> int | None:
    """What a round adds to a register; None where it does something else to it."""
    total = 0
    for one in code:
        if name not in one.writes:
            continue
        step = _step(one, name)
        if step is None:
            return None
        total += step
    return total


def _step(one: Instruction, name: str) -> int | None:
    if one.mnemonic in ("inc", "dec") and one.operands in _ONE:
        return 1 if one.mnemonic == "inc" else -1
    if one.mnemonic in ("add", "sub") and one.operands in _TWO:
        number = _number(one.text.rpartition(",")[2])
        return number if one.mnemonic == "add" else -number
    address = one.address
    if one.mnemonic != "lea" or one.operands[:1] != ("r64",) or address is None:
        return None
    return address.displacement if address.base == name and not address.index else None


def _number(text: str) -> int:
    """A number as the decoder writes it."""
    found = _HEX.match(text.strip())
    value = int(f"{found[1]}{found[2]}", 16) if found else int(text)
    return value - (1 << 64) if value >> 63 else value


def _sum(base: int | None, index: int | None, scale: int) -> int | None:
    return None if base is None or index is None else base + index * scale
