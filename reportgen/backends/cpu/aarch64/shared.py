"""AArch64: bodies of threads that share lines.

x2 is the place, x19 the value that is waited for (or the line that is written), x20 the budget; x3 to x5
are free.  Indivisible accesses are those of LSE where the core has it, else pairs of exclusive ones.
"""

from __future__ import annotations

from reportgen.backends.cpu.shared_lines import Shared
from reportgen.errors import Unsupported

_PAGE = ("ldr x1, [sp, #160]", "ldr x1, [x1, #80]")
_INIT = (*_PAGE, "ldr x2, [x1]", "ldr x19, [x1, #8]", "ldr x20, [x1, #16]")
_SAVE = (*_PAGE, "str x19, [x1, #8]", "str x20, [x1, #16]")
_WAIT = (
    "wait_{n}:", "subs x20, x20, #1", "b.mi seen_{n}", "ldr x3, [x2]", "cmp x3, x19", "b.ne wait_{n}",
    "seen_{n}:", "add x3, x19, #1",
)  # fmt: skip
_TURN = ("again_{n}:", "subs x20, x20, #1", "b.mi over_{n}")
_HANDING = {
    "store": ("str x3, [x2]",),
    "exchange": ("swp x3, x4, [x2]",),
    "compare_exchange": ("mov x4, x19", "cas x4, x3, [x2]"),
}
_ADDING = {
    "plain_add": ("ldr x3, [x2]", "add x3, x3, #1", "str x3, [x2]"),
    "locked_add": ("mov x4, #1", "ldadd x4, x3, [x2]"),
    "compare_exchange": (
        *_TURN, "add x4, x3, #1", "mov x5, x3", "cas x3, x4, [x2]", "cmp x3, x5", "b.ne again_{n}",
        "over_{n}:", "mov x3, x4",
    ),
}  # fmt: skip
_EXCLUSIVE = {
    "exchange": (*_TURN, "ldxr x4, [x2]", "stxr w5, x3, [x2]", "cbnz w5, again_{n}", "over_{n}:"),
    "locked_add": (
        *_TURN, "ldxr x3, [x2]", "add x3, x3, #1", "stxr w5, x3, [x2]", "cbnz w5, again_{n}", "over_{n}:",
    ),
}  # fmt: skip


def hand_over(by: str, features: tuple[str, ...]) -> Shared:
    """See `Assembly.hand_over`."""
    handing = _HANDING[by] if by == "store" else _indivisible(by, _HANDING, features)
    return _shared((*_WAIT, *handing, "add x19, x19, #2"), by != "store")


def add_to(by: str, features: tuple[str, ...]) -> Shared:
    """See `Assembly.add_to`."""
    unit = _ADDING[by] if by == "plain_add" else _indivisible(by, _ADDING, features)
    return _shared(unit, by != "plain_add")


def read_beside() -> Shared:
    """See `Assembly.read_beside`."""
    return Shared(("ldr x2, [x2]", "str x19, [x19]"), _INIT, _SAVE, "x2", "x19", "x20", False)


def _indivisible(by: str, made: dict[str, tuple[str, ...]], features: tuple[str, ...]) -> tuple[str, ...]:
    if "lse" in features:
        return made[by]
    if by not in _EXCLUSIVE:
        raise Unsupported(
            "this processor has no instruction that compares and exchanges (LSE); its exclusive accesses are "
            "asked for as exchange and as locked addition"
        )
    return _EXCLUSIVE[by]


def _shared(unit: tuple[str, ...], atomic: bool) -> Shared:
    return Shared(unit, _INIT, _SAVE, "x2", "", "x20", atomic)
