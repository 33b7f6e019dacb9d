"""x86-64: stores and loads at places that the machine code names.

The scratch pointer is r13, the second base rbx, what a chain carries rcx or vector register 0.
"""

from __future__ import annotations

from collections import Counter

from reportgen.backends.cpu.accesses import APART, BOUNDARY, Accesses, Case, Operand, displacement, spelt
from reportgen.errors import Unsupported

_PAGE = ("mov rdi, [rsp]", "mov r13, [rdi+80]")
_CARRIED = {1: "cl", 2: "cx", 4: "ecx", 8: "rcx"}
_POINTERS = {1: "byte ptr", 2: "word ptr", 4: "dword ptr", 8: "qword ptr"}
_VECTORS = {4: "xmm", 8: "xmm", 16: "xmm", 32: "ymm", 64: "zmm"}
_MOVES = {4: "vmovd", 8: "vmovq", 16: "vmovups", 32: "vmovups", 64: "vmovups"}
_FEATURES = {4: "avx", 8: "avx", 16: "avx", 32: "avx", 64: "avx512f"}
_VALUES = ("rcx", "rsi", "rbp", "r8", "r9", "r10", "r11", "r12")


def _place(base: str, offset: int) -> str:
    return f"[{base}{offset:+d}]" if offset else f"[{base}]"


def _check(operand: Operand, features: tuple[str, ...]) -> None:
    if operand.vector and _FEATURES[operand.size] not in features:
        raise Unsupported(f"this processor lacks {_FEATURES[operand.size]}")


def _store(operand: Operand, place: str, number: int = 0) -> str:
    if operand.vector:
        return f"{_MOVES[operand.size]} {place}, {_VECTORS[operand.size]}{number}"
    return f"mov {place}, {_CARRIED[operand.size]}"


def _load(operand: Operand, place: str, number: int = 0) -> str:
    """The whole register is written, so that nothing is merged."""
    if operand.vector:
        return f"{_MOVES[operand.size]} {_VECTORS[operand.size]}{number}, {place}"
    if operand.size < 4:
        return f"movzx ecx, {_POINTERS[operand.size]} {place}"
    return f"mov {_CARRIED[operand.size]}, {place}"


def store_to_load(case: Case, steps: int, features: tuple[str, ...]) -> Accesses:
    """See `Assembly.store_to_load`."""
    for operand in (case.store, case.load):
        _check(operand, features)
    base, at = ("r13", case.offset) if case.same_register else ("rbx", case.offset - APART)
    step = (_store(case.store, "[r13]"), _load(case.load, _place(base, at)))
    clear = ("vpxor xmm0, xmm0, xmm0",) if case.store.vector else ()
    return Accesses(
        init=(*_PAGE, f"lea rbx, [r13+{APART}]", "mov rcx, 0x0102030405060708", *clear),
        body=step * steps,
        before=(f"lea rbx,[r13+{_hex(APART)}]",),
        wanted=Counter(
            {
                spelt(True, case.store.size, "r13", 0): steps,
                spelt(False, case.load.size, base, at): steps,
            }
        ),
        apart=APART,
    )


def split(access: str, place: str, length: int, features: tuple[str, ...]) -> Accesses:
    """See `Assembly.split`."""
    kind, width, asked = access.split("_")
    operand = Operand(int(width) // 8, int(width) > 64)
    _check(operand, features)
    at = displacement(place, operand.size)
    where = _place("rbx", at)
    boundary = f"lea rbx, [r13+{BOUNDARY}]"
    base = f"lea rbx,[r13+{_hex(BOUNDARY)}]"
    cell = f"mov {where}, rbx"
    wanted = Counter({spelt(kind == "store", operand.size, "rbx", at): length})
    if asked == "latency":
        step = [_load(operand, where), "vmovq rbx, xmm0"] if operand.vector else [f"mov rbx, {where}"]
        return Accesses(
            init=(*_PAGE, boundary, cell),
            body=tuple(step * length),
            before=(base, cell.replace(", ", ",").replace(f"{at:+d}", f"-{_hex(-at)}")),
            wanted=wanted,
        )
    lines = []
    for number in range(length):
        if kind == "store":
            lines.append(_store(operand, where))
        elif operand.vector:
            lines.append(_load(operand, where, number % 8))
        else:
            lines.append(f"mov {_VALUES[number % len(_VALUES)]}, {where}")
    zero = ("vpxor xmm0, xmm0, xmm0",) if operand.vector else ()
    return Accesses(init=(*_PAGE, boundary, *zero), body=tuple(lines), before=(base,), wanted=wanted)


def _hex(number: int) -> str:
    """As the decoder's formatter writes a displacement."""
    digits = f"{number:X}h" if number > 9 else str(number)
    return f"0{digits}" if digits[0].isalpha() else digits


def alias(distance: int, steps: int) -> Accesses:
    """See `Assembly.alias`."""
    return Accesses(
        init=(*_PAGE, "mov rbx, r13", "mov [rbx], rbx"),
        body=(f"mov [r13+{distance}], rbx", "mov rbx, [rbx]") * steps,
        before=("mov rbx,r13", "mov [rbx],rbx"),
        wanted=Counter({spelt(True, 8, "r13", distance): steps, spelt(False, 8, "rbx", 0): steps}),
    )
