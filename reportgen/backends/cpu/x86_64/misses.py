"""x86-64: loads that miss, in chases side by side or of addresses from a list.

The scratch page holds where each chase stands; of the list: next entry, end, beginning, and the base of
the offsets that it holds.
"""

from __future__ import annotations

from reportgen.backends.cpu.isa import Misses

LOADS = 80
"""Of a body: a multiple of every number of chases."""
_CHASES = ("rbx", "rcx", "rbp", "rsi", "r8", "r9", "r10", "r11", "r12", "rdi")
_VALUES = ("rdx", "rbx", "rcx", "r8", "r9", "r10")
_PAGE = ("mov rdi, [rsp]", "mov rdi, [rdi+80]")


def misses(chains: int) -> Misses:
    """See `Assembly.misses`."""
    if not chains:
        return _of_a_list()
    own = _CHASES[:chains]
    # rdi, which points to the page, comes last in and first out
    return Misses(
        init=(*_PAGE, *(f"mov {name}, [rdi+{8 * at}]" for at, name in enumerate(own))),
        body=tuple(f"mov {name}, [{name}]" for name in own) * (LOADS // chains),
        save=(
            *(("mov [rsp+56], rdi",) if "rdi" in own else ()),
            *_PAGE,
            *(f"mov [rdi+{8 * at}], {name}" for at, name in enumerate(own) if name != "rdi"),
            *(("mov rcx, [rsp+56]", f"mov [rdi+{8 * own.index('rdi')}], rcx") if "rdi" in own else ()),
        ),
        loads=LOADS,
    )


def _of_a_list() -> Misses:
    body = []
    for at in range(LOADS):
        body.append(f"mov eax, [rsi+{4 * at}]")
        body.append(f"mov {_VALUES[at % len(_VALUES)]}, [rdi+rax]")
    return Misses(
        init=(*_PAGE, "mov rsi, [rdi]", "mov r12, [rdi+8]", "mov r13, [rdi+16]", "mov rdi, [rdi+24]"),
        body=(*body, f"add rsi, {4 * LOADS}", "cmp rsi, r12", "cmovae rsi, r13"),
        save=(*_PAGE, "mov [rdi], rsi"),
        loads=LOADS,
    )
