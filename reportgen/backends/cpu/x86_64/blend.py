"""x86-64: a stream of the widest vectors with multiply-adds between its loads.

rbx points behind the slice of this repetition, rcx counts from there up to zero.
"""

from __future__ import annotations

from reportgen.backends.cpu.blend import Blend, slots
from reportgen.errors import Unsupported

ACCUMULATORS, LOADED = 12, 4
"""Registers: sixteen in all, which every processor with these vectors has."""


def blend(multiply_adds: int, features: tuple[str, ...]) -> Blend:
    """See `Assembly.blend`."""
    if "fma" not in features and "avx512f" not in features:
        raise Unsupported("this processor lacks fma")
    register, width = ("zmm", 64) if "avx512f" in features else ("ymm", 32)
    turn = tuple(slots(multiply_adds, ACCUMULATORS, LOADED))
    lines = []
    for slot in turn:
        loaded, source = (f"{register}{ACCUMULATORS + number}" for number in (slot.register, slot.source))
        lines.append(f"vmovups {loaded}, [rbx+rcx+{slot.number * width}]")
        lines += [f"vfmadd231ps {register}{one}, {source}, {source}" for one in slot.accumulators]
    step = len(turn) * width
    return Blend(
        init=(
            "mov rdi, [rsp]",
            *(f"mov {name}, [rdi+{place}]" for name, place in _ARGUMENTS),
            *(f"vpxor xmm{number}, xmm{number}, xmm{number}" for number in range(ACCUMULATORS + LOADED)),
        ),
        body=(
            *("lea rbx, [r8+r12]", "add rbx, r11", "mov rcx, r11", "neg rcx", "blend:"),
            *lines,
            *(f"add rcx, {step}", "jne blend"),
            *("mov ecx, 0", "add r12, r11", "cmp r12, rbp", "cmovae r12, rcx"),
        ),
        save=("mov rdi, [rsp]", "mov [rdi+88], r12"),
        step=step,
        vector_bytes=width,
        multiply_adds=sum(len(slot.accumulators) for slot in turn),
        accumulators=ACCUMULATORS,
    )


_ARGUMENTS = (("r8", 24), ("r11", 48), ("r12", 88), ("rbp", 96))
"""Array, bytes of a slice, where the next slice begins, bytes of the array."""
