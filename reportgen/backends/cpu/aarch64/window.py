"""AArch64: two loads that miss, and what fills the core between them.

Every filling instruction writes a register that no other reads; those that wait read what the load before
them brings.
"""

from __future__ import annotations

from reportgen.backends.cpu.isa import Window, fillings

_FORMS = fillings(
    integer="add {r}, x26, #1",
    vector="add {v}.4s, v30.4s, v31.4s",
    load="ldr {r}, [x26, #{place}]",
    store="str x25, [x26, #{place}]",
    waiting_integer="add {r}, {walker}, #1",
    waiting_vector="add {v}.4s, v1.4s, v31.4s",
)
_INIT = """
  ldr x1, [sp, #160]
  ldr x19, [x1, #24]
  ldr x20, [x1, #32]
  ldr x26, [x1, #80]
  mov x25, #0
  movi v30.4s, #1
  movi v31.4s, #2
"""
_SAVE = """
  ldr x1, [sp, #160]
  str x19, [x1, #24]
  str x20, [x1, #32]
"""


def window(filling: str, features: tuple[str, ...]) -> Window:
    """See `Assembly.window`."""
    return Window(
        init=_INIT,
        walkers=("x19", "x20"),
        load="ldr {walker}, [{walker}]",
        carried="fmov d1, {walker}" if filling == "waiting_vector" else "",
        forms=_FORMS[filling],
        general=tuple(f"x{number}" for number in range(4, 16)),
        vectors=tuple(f"v{number}" for number in range(2, 28)),
        save=_SAVE,
    )
