"""AArch64: loads that miss, in chases side by side or of addresses from a list.

The scratch page holds where each chase stands; of the list: next entry, end, beginning, and the base of
the offsets that it holds.
"""

from __future__ import annotations

from reportgen.backends.cpu.isa import Misses

LOADS = 80
"""Of a body: a multiple of every number of chases."""
_CHASES = tuple(f"x{number}" for number in range(2, 12))
_VALUES = tuple(f"x{number}" for number in range(7, 15))
_PAGE = ("ldr x1, [sp, #160]", "ldr x1, [x1, #80]")


def misses(chains: int) -> Misses:
    """See `Assembly.misses`."""
    if not chains:
        return _of_a_list()
    own = _CHASES[:chains]
    return Misses(
        init=(*_PAGE, *(f"ldr {name}, [x1, #{8 * at}]" for at, name in enumerate(own))),
        body=tuple(f"ldr {name}, [{name}]" for name in own) * (LOADS // chains),
        save=(*_PAGE, *(f"str {name}, [x1, #{8 * at}]" for at, name in enumerate(own))),
        loads=LOADS,
    )


def _of_a_list() -> Misses:
    body = []
    for at in range(LOADS):
        body.append(f"ldr w6, [x2, #{4 * at}]")
        body.append(f"ldr {_VALUES[at % len(_VALUES)]}, [x5, x6]")
    return Misses(
        init=(*_PAGE, "ldp x2, x3, [x1]", "ldp x4, x5, [x1, #16]"),
        body=(*body, f"add x2, x2, #{4 * LOADS}", "cmp x2, x3", "csel x2, x4, x2, hs"),
        save=(*_PAGE, "str x2, [x1]"),
        loads=LOADS,
    )
