"""x86-64: bodies made of branches."""

from __future__ import annotations

from reportgen.backends.cpu.branch_body import Branches, in_turn

_THRESHOLDS = ("rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13")
_PAGE = ("mov rdi, [rsp]", "mov rdi, [rdi+80]")
_TRAP = "0xcc"


def outcomes(steps: int) -> Branches:
    """See `Assembly.outcomes`: rbx holds the number, r14 counts branches that are not taken."""
    body: list[str] = []
    for site, threshold in enumerate(_THRESHOLDS):
        body += ["imul rbx, rcx", "add rbx, rsi"] * steps
        body += [f"cmp rbx, {threshold}", f"jb over_{site}", "lea r14, [r14+1]", f"over_{site}:"]
    held = ("rbx", "rcx", "rsi", "", *_THRESHOLDS[1:], "r14")
    # rdi, which points to the page, gets its threshold last
    return Branches(
        body=tuple(body),
        init=(
            *_PAGE,
            *(f"mov {name}, [rdi+{8 * at}]" for at, name in enumerate(held) if name),
            f"mov rdi, [rdi+{8 * held.index('')}]",
        ),
        save=(*_PAGE, "mov [rdi], rbx", f"mov [rdi+{8 * (len(held) - 1)}], r14"),
    )


def jumps(count: int, spacing: int) -> Branches:
    """See `Assembly.jumps`: as bytes (eb: displacement of one byte), which an assembler reads faster."""
    return Branches(
        (f".rept {count}", f".byte 0xeb, {spacing - 2}", f".fill {spacing - 2}, 1, {_TRAP}", ".endr")
    )


def untaken(count: int) -> tuple[Branches, int]:
    """See `Assembly.untaken`: as bytes (74 00: to the next one); the time stamp leaves something but zero."""
    return Branches((f".rept {count}", ".byte 0x74, 0", ".endr")), 2


_COUNTERS = ("eax", "ecx", "edx", "ebx", "esi", "ebp")
_VECTORS = tuple(f"xmm{number}" for number in range(7))
_LOADED = tuple(f"r{number}d" for number in range(8, 15))


def rounds(count: int) -> Branches:
    """See `Assembly.rounds`: three bytes each, so that nineteen and the branch lie in a line of code."""
    adding = [f"add {name}, 1" for name in _COUNTERS]
    masking = [f"andps {name}, xmm7" for name in _VECTORS]
    loading = [f"mov {name}, [rdi]" for name in _LOADED]
    zeroed = (f"pxor {name}, {name}" for name in (*_VECTORS, "xmm7"))
    return Branches(in_turn(count, adding, masking, loading), init=(*_PAGE, *zeroed))


def calls(depth: int) -> Branches:
    """See `Assembly.calls`."""
    body = ["call level_1", "jmp returned"]
    for level in range(1, depth):
        body += [f".p2align 4, {_TRAP}", f"level_{level}:", f"call level_{level + 1}", "ret"]
    return Branches((*body, f".p2align 4, {_TRAP}", f"level_{depth}:", "ret", "returned:"))
