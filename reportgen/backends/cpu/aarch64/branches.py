"""AArch64: bodies made of branches."""

from __future__ import annotations

from reportgen.backends.cpu.branch_body import Branches, in_turn

_THRESHOLDS = tuple(f"x{number}" for number in range(2, 10))
_HELD = ("x19", "x20", "x21", *_THRESHOLDS, "x22")
_PAGE = ("ldr x1, [sp, #160]", "ldr x1, [x1, #80]")
_TRAP = "0xd4200000"
"""brk #0"""


def outcomes(steps: int) -> Branches:
    """See `Assembly.outcomes`: x19 holds the number, x22 counts branches that are not taken."""
    body: list[str] = []
    for site, threshold in enumerate(_THRESHOLDS):
        body += ["madd x19, x19, x20, x21"] * steps
        body += [f"cmp x19, {threshold}", f"b.lo over_{site}", "add x22, x22, #1", f"over_{site}:"]
    return Branches(
        body=tuple(body),
        init=(*_PAGE, *(f"ldr {name}, [x1, #{8 * at}]" for at, name in enumerate(_HELD))),
        save=(*_PAGE, "str x19, [x1]", f"str x22, [x1, #{8 * (len(_HELD) - 1)}]"),
    )


def jumps(count: int, spacing: int) -> Branches:
    """See `Assembly.jumps`."""
    return Branches((f".rept {count}", f"b .+{spacing}", f".fill {spacing // 4 - 1}, 4, {_TRAP}", ".endr"))


def untaken(count: int) -> tuple[Branches, int]:
    """See `Assembly.untaken`."""
    return Branches((f".rept {count}", "b.eq .+4", ".endr"), init=("mov x2, #1", "cmp x2, #0")), 4


def rounds(count: int) -> Branches:
    """See `Assembly.rounds`."""
    adding = [f"add w{number}, w{number}, #1" for number in range(2, 8)]
    masking = [f"and v{number}.16b, v{number}.16b, v7.16b" for number in range(7)]
    loading = [f"ldr w{number}, [x1]" for number in range(8, 15)]
    zeroed = (f"movi v{number}.2d, #0" for number in range(8))
    return Branches(in_turn(count, adding, masking, loading), init=(*_PAGE, *zeroed))


def calls(depth: int) -> Branches:
    """See `Assembly.calls`: every function but the last keeps its own return address on the stack."""
    body = ["bl level_1", "b returned"]
    for level in range(1, depth):
        body += [".p2align 4", f"level_{level}:", "str x30, [sp, #-16]!", f"bl level_{level + 1}"]
        body += ["ldr x30, [sp], #16", "ret"]
    return Branches((*body, ".p2align 4", f"level_{depth}:", "ret", "returned:"))
