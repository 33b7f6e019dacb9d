"""AArch64: stores and loads at places that the machine code names.

The scratch pointer is x26, the second base x19, what a chain carries x7 or vector register 0.  Unscaled forms
throughout: they reach any byte within 256 on either side.
"""

from __future__ import annotations

from collections import Counter

from reportgen.backends.cpu.accesses import APART, BOUNDARY, Accesses, Case, Operand, displacement, spelt
from reportgen.errors import Unsupported

_PAGE = ("ldr x1, [sp, #160]", "ldr x26, [x1, #80]")
_SUFFIX = {1: "b", 2: "h", 4: "", 8: ""}
_GENERAL = {1: "w", 2: "w", 4: "w", 8: "x"}
_VECTOR = {4: "s", 8: "d", 16: "q"}
_FURTHEST, _GRAIN = 32760, 8
"""What the scaled form of a 64-bit store reaches."""
_CLEAR = "movi v0.2d, #0"


def _place(base: str, offset: int) -> str:
    return f"[{base}, #{offset}]" if offset else f"[{base}]"


def _check(operand: Operand) -> None:
    if operand.vector and operand.size not in _VECTOR:
        raise Unsupported(f"no vector register here holds {operand.size} bytes")


def _access(verb: str, operand: Operand, place: str, number: int = 7) -> str:
    if operand.vector:
        return f"{verb}ur {_VECTOR[operand.size]}{number % 7}, {place}"
    return f"{verb}ur{_SUFFIX[operand.size]} {_GENERAL[operand.size]}{number}, {place}"


def store_to_load(case: Case, steps: int, features: tuple[str, ...]) -> Accesses:
    """See `Assembly.store_to_load`."""
    for operand in (case.store, case.load):
        _check(operand)
    base, at = ("x26", case.offset) if case.same_register else ("x19", case.offset - APART)
    step = (_access("st", case.store, "[x26]"), _access("ld", case.load, _place(base, at)))
    second = f"add x19, x26, #{APART}"
    return Accesses(
        init=(*_PAGE, second, "mov x7, #258", _CLEAR),
        body=step * steps,
        before=(f"add x19, x26, #0x{APART:x}",),
        wanted=Counter(
            {
                spelt(True, case.store.size, "x26", 0): steps,
                spelt(False, case.load.size, base, at): steps,
            }
        ),
        apart=APART,
    )


def split(access: str, place: str, length: int, features: tuple[str, ...]) -> Accesses:
    """See `Assembly.split`."""
    kind, width, asked = access.split("_")
    operand = Operand(int(width) // 8, int(width) > 64)
    _check(operand)
    at = displacement(place, operand.size)
    where = _place("x19", at)
    boundary = f"add x19, x26, #{BOUNDARY >> 12}, lsl #12"
    wanted = Counter({spelt(kind == "store", operand.size, "x19", at): length})
    if asked == "latency":
        cell = f"stur x19, {where}"
        step = [_access("ld", operand, where), "fmov x19, d0"] if operand.vector else [f"ldur x19, {where}"]
        shown = cell.replace(f"#{at}", f"#-0x{-at:x}" if at < -9 else f"#{at}")  # as the decoder writes it
        return Accesses((*_PAGE, boundary, cell), tuple(step * length), (boundary, shown), wanted)
    verb = "st" if kind == "store" else "ld"
    numbers = [7] * length if kind == "store" else [number % 6 + 2 for number in range(length)]
    body = tuple(_access(verb, operand, where, number) for number in numbers)
    return Accesses((*_PAGE, boundary, "mov x7, #258", _CLEAR), body, (boundary,), wanted)


def alias(distance: int, steps: int) -> Accesses:
    """See `Assembly.alias`."""
    if distance % _GRAIN or distance > _FURTHEST:
        raise Unsupported(f"a store of this ISA cannot name a place {distance} bytes further on")
    return Accesses(
        init=(*_PAGE, "mov x19, x26", "str x19, [x19]"),
        body=(f"str x19, [x26, #{distance}]", "ldr x19, [x19]") * steps,
        before=("mov x19, x26", "str x19, [x19]"),
        wanted=Counter({spelt(True, 8, "x26", distance): steps, spelt(False, 8, "x19", 0): steps}),
    )
