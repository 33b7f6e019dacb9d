"""AArch64: a stream of pairs of 128-bit vectors with multiply-adds between its loads.

x10 points to the middle of what one turn of the loop takes, so that displacements reach all of it.
"""

from __future__ import annotations

from reportgen.backends.cpu.blend import Blend, slots

ACCUMULATORS, LOADED = 16, 8
"""Registers: four units that take four cycles are kept busy."""
_FIRST = 8
"""Of the accumulators; what is loaded comes before."""
_VECTOR_BYTES = 16


def blend(multiply_adds: int, features: tuple[str, ...]) -> Blend:
    """See `Assembly.blend`."""
    turn = tuple(slots(multiply_adds, ACCUMULATORS, LOADED))
    step = len(turn) * _VECTOR_BYTES
    middle = step // 2 // 16 * 16
    lines = []
    for slot in turn:
        if slot.number % 2 == 0:  # a pair brings the next one, too
            place = slot.number * _VECTOR_BYTES - middle
            lines.append(f"ldp q{slot.register}, q{slot.register + 1}, [x10, #{place}]")
        source = f"v{slot.source}.4s"
        lines += [f"fmla v{_FIRST + one}.4s, {source}, {source}" for one in slot.accumulators]
    return Blend(
        init=(
            "ldr x1, [sp, #160]",
            "ldr x2, [x1, #24]",
            "ldr x5, [x1, #48]",
            "ldp x6, x7, [x1, #88]",
            *(f"movi v{number}.2d, #0" for number in range(_FIRST + ACCUMULATORS)),
        ),
        body=(
            *("add x10, x2, x6", f"add x10, x10, #{middle}", "mov x13, x5", "blend:"),
            *lines,
            *(f"add x10, x10, #{step}", f"subs x13, x13, #{step}", "b.ne blend"),
            *("add x6, x6, x5", "cmp x6, x7", "csel x6, xzr, x6, hs"),
        ),
        save=("ldr x1, [sp, #160]", "str x6, [x1, #88]"),
        step=step,
        vector_bytes=_VECTOR_BYTES,
        multiply_adds=sum(len(slot.accumulators) for slot in turn),
        accumulators=ACCUMULATORS,
    )
