"""x86-64: two loads that miss, and what fills the core between them.

Every filling instruction writes a register that no other reads; those that wait read what the load before
them brings.
"""

from __future__ import annotations

from reportgen.backends.cpu.isa import Window, fillings
from reportgen.errors import Unsupported

_FORMS = fillings(
    integer="lea {r}, [rsi+1]",  # neither reads nor writes flags: a core may rename those apart
    vector="vpaddd {v}, ymm0, ymm14",
    load="mov {r}, [rsi+{place}]",
    store="mov [rsi+{place}], r13",
    waiting_integer="lea {r}, [{walker}+1]",
    waiting_vector="vpaddd {v}, ymm0, ymm1",
)
_INIT = """
  mov rdi, [rsp]
  mov rbx, [rdi+24]
  mov rbp, [rdi+32]
  mov rsi, [rdi+80]
  xor r13d, r13d
  vpxor xmm0, xmm0, xmm0
  vpcmpeqd ymm14, ymm14, ymm14
"""
_SAVE = """
  mov rdi, [rsp]
  mov [rdi+24], rbx
  mov [rdi+32], rbp
"""


def window(filling: str, features: tuple[str, ...]) -> Window:
    """See `Assembly.window`."""
    if "avx2" not in features:
        raise Unsupported("this processor lacks avx2")
    return Window(
        init=_INIT,
        walkers=("rbx", "rbp"),
        load="mov {walker}, [{walker}]",
        carried="vmovq xmm1, {walker}" if filling == "waiting_vector" else "",
        forms=_FORMS[filling],
        general=("rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12"),
        vectors=tuple(f"ymm{number}" for number in range(2, 14)),
        save=_SAVE,
    )
