"""x86-64 register names: right at every width, and out of the frame's way."""

from __future__ import annotations

import pytest

from reportgen.backends.cpu.x86_64 import registers
from reportgen.backends.cpu.x86_64.registers import General, Mask, Tile, Vector, accumulator, accumulators

RESERVED = {"rax", "rdx", "rsp", "r13", "r14", "r15"}
"""Time stamps and implicit operands, stack, scratch line, constant, loop counter."""


@pytest.mark.parametrize(
    ("name", "r32", "r8"),
    [
        ("rax", "eax", "al"), ("rbx", "ebx", "bl"), ("rcx", "ecx", "cl"), ("rdx", "edx", "dl"),
        ("rbp", "ebp", "bpl"), ("rsi", "esi", "sil"), ("rdi", "edi", "dil"), ("r8", "r8d", "r8b"),
        ("r12", "r12d", "r12b"),
    ],
)  # fmt: skip
def test_names_of_a_general_register(name: str, r32: str, r8: str) -> None:
    register = General(name)
    assert (str(register), register.r32, register.r8) == (name, r32, r8)


def test_names_of_a_vector_register() -> None:
    vector = Vector(17, "ymm")
    assert [str(vector), vector.x, vector.y, vector.z] == ["ymm17", "xmm17", "ymm17", "zmm17"]


def test_names_of_masks_and_tiles() -> None:
    assert [str(Mask(3)), str(Tile(5))] == ["k3", "tmm5"]


@pytest.mark.parametrize(
    ("kind", "evex", "count"),
    [
        ("r64", False, 10),
        ("k", False, 6),
        ("tmm", False, 6),
        ("xmm", False, 14),
        ("ymm", True, 28),
        ("zmm", True, 28),
    ],
)
def test_accumulators_are_distinct_and_as_many_as_said(kind: str, evex: bool, count: int) -> None:
    assert accumulators(kind, evex) == count
    names = [str(accumulator(kind, index)) for index in range(count)]
    assert len(set(names)) == count
    assert not set(names) & RESERVED


def test_accumulators_leave_the_constants_alone() -> None:
    assert not set(registers.VECTOR) & {14, 15}
    assert 7 not in registers.MASK  # and k0 cannot be named as a mask
    assert 0 not in registers.MASK
    assert not set(registers.TILE) & {6, 7}


def test_without_evex_only_the_first_sixteen_are_named() -> None:
    assert all(registers.VECTOR[index] < 16 for index in range(accumulators("ymm", False)))
