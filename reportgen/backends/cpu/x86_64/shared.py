"""x86-64: bodies of threads that share lines.

rdi is the place, rbx the value that is waited for (or the line that is written), rcx the budget; rax and
rdx are free, but for rax behind the body, which holds the time.
"""

from __future__ import annotations

from reportgen.backends.cpu.shared_lines import Shared

_PAGE = ("mov rdi, [rsp]", "mov rdi, [rdi+80]")
_INIT = (*_PAGE, "mov rbx, [rdi+8]", "mov rcx, [rdi+16]", "mov rdi, [rdi]")
_SAVE = (*_PAGE, "mov [rdi+8], rbx", "mov [rdi+16], rcx")
_WAIT = ("wait_{n}:", "dec rcx", "js seen_{n}", "cmp [rdi], rbx", "jne wait_{n}", "seen_{n}:")
_HANDING = {
    "store": ("lea rax, [rbx+1]", "mov [rdi], rax"),
    "exchange": ("lea rax, [rbx+1]", "xchg [rdi], rax"),
    "compare_exchange": ("mov rax, rbx", "lea rdx, [rbx+1]", "lock cmpxchg [rdi], rdx"),
}
_ADDING = {
    "plain_add": ("add qword ptr [rdi], 1",),
    "locked_add": ("lock add qword ptr [rdi], 1",),
    "compare_exchange": (
        "again_{n}:", "dec rcx", "js over_{n}", "lea rdx, [rax+1]", "lock cmpxchg [rdi], rdx",
        "jne again_{n}", "over_{n}:", "mov rax, rdx",
    ),
}  # fmt: skip


def hand_over(by: str, features: tuple[str, ...]) -> Shared:
    """See `Assembly.hand_over`."""
    return _shared((*_WAIT, *_HANDING[by], "add rbx, 2"), by != "store")


def add_to(by: str, features: tuple[str, ...]) -> Shared:
    """See `Assembly.add_to`."""
    return _shared(_ADDING[by], by != "plain_add")


def read_beside() -> Shared:
    """See `Assembly.read_beside`."""
    return Shared(("mov rdi, [rdi]", "mov [rbx], rbx"), _INIT, _SAVE, "rdi", "rbx", "rcx", False)


def _shared(unit: tuple[str, ...], atomic: bool) -> Shared:
    return Shared(unit, _INIT, _SAVE, "rdi", "", "rcx", atomic)
