"""AArch64: two loads that miss, and what fills the core between them.

Every filling instruction writes a register that no other reads; those that wait read what the load before
them brings.
"""

from __future__ import annotations

from reportgen.backends.cpu.isa import Window

_INTEGER = "add {r}, x26, #1"
_VECTOR = "add {v}.4s, v30.4s, v31.4s"
_LOAD = "ldr {r}, [x26, #{place}]"
_STORE = "str x25, [x26, #{place}]"
_FORMS: dict[str, tuple[str, ...]] = {
    # So that neither register file nor the queue is full before all entries are taken.  In blocks: of integer
    # and vector instructions in turn a Zen 4 core was seen to hold a tenth more.
    "mixed": (*[_INTEGER] * 5, *[_VECTOR] * 5, *[_STORE] * 2),
    "integer": (_INTEGER,),
    "vector": (_VECTOR,),
    "load": (_LOAD,),
    "store": (_STORE,),
    "waiting_integer": ("add {r}, {walker}, #1",),
    "waiting_vector": ("add {v}.4s, v1.4s, v31.4s",),
}
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
