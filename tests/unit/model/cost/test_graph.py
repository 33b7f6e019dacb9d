"""Dependencies from round to round, through registers, flags and memory."""

from __future__ import annotations

from functools import cache

import pytest

from reportgen.model.cost import graph
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.parse import x86_bodies

RENAMED = "mov rbx, [rbx]; add rcx, [rbx]"
MOVED = "add rax, 8; sub rbx, 16; lea rcx, [rcx+4]; imul rdx, rax; mov r8, [rsi]"


@cache
def bodies() -> dict[str, tuple[Instruction, ...]]:
    """All texts of this file, assembled by one process."""
    texts = [*(text for text, *_ in CYCLES), *(text for text, _ in FORWARDED), RENAMED, MOVED]
    found = x86_bodies([("t.s", text.replace(";", "\n"), True) for text in texts])
    return {text: one.instructions for text, one in zip(texts, found, strict=True)}


def one_each(_: Instruction, __: str) -> float:
    return 1.0


CYCLES: list[tuple[str, float, tuple[int, ...] | None]] = [
    ("add rax, rbx", 1, (0,)),
    ("add rax, rbx; add rcx, rax", 1, (0,)),
    ("add rax, rbx; imul rcx, rax; sub rax, rcx", 3, (0, 1, 2)),
    ("mov rax, [rsi]; add rbx, 1", 1, (1,)),
    ("mov rax, rbx; mov rbx, rax", 2, (0, 1)),
    ("vxorps ymm0, ymm0, ymm0; vaddps ymm1, ymm0, ymm2", 0, ()),
    ("adc rax, rbx; adc rcx, rdx", 2, (0, 1)),
    ("adc rax, rbx; dec rcx", 1, (0,)),  # dec leaves the carry alone
    ("mov rcx, rax; mov rax, rbx; mov rbx, rdx; mov rdx, rcx", 4 / 3, None),
]


@pytest.mark.parametrize(("text", "cycles", "members"), CYCLES)
def test_the_slowest_cycle(text: str, cycles: float, members: tuple[int, ...] | None) -> None:
    chain = graph.slowest(bodies()[text], one_each)
    assert chain.cycles == pytest.approx(cycles)
    if members is not None:
        assert chain.members == members


def test_latencies_are_asked_for_by_register() -> None:
    def latency(one: Instruction, register: str) -> float:
        return 5.0 if register == "rbx" else 1.0

    assert graph.slowest(bodies()[RENAMED], latency).cycles == 5.0


FORWARDED: list[tuple[str, tuple[int, int, int] | None]] = [
    ("mov [rsi], rax; mov rbx, [rsi]", (0, 1, 0)),
    ("mov rbx, [rsi]; mov [rsi], rax", (1, 0, 1)),
    ("mov ebx, [rsi+rcx*4-4]; mov [rsi+rcx*4], eax; add rcx, 1", (1, 0, 1)),
    ("mov ebx, [rsi+rcx*4-8]; mov [rsi+rcx*4], eax; inc rcx", (1, 0, 2)),
    ("mov [rsi], rax; mov rbx, [rsi+8]", None),
    ("mov [rsi+rcx*4], eax; mov ebx, [rsi+rcx*4+4]; add rcx, 1", None),  # ahead of the stores
    ("mov [rsi], rax; mov rbx, [rdi]", None),
    ("mov [rsi], eax; mov rbx, [rsi]", None),  # wider than what was stored
    ("mov rcx, [rdx]; mov [rsi+rcx*4], eax; mov ebx, [rsi+rcx*4]", None),  # not to be followed
    ("mov ebx, [rsi+r14*4-4]; mov [rsi+r14*4], eax; add ecx, 1; movzx r14d, cl", (1, 0, 1)),
    ("mov ebx, [rsi+rcx-4]; mov [rsi+rcx], eax; add rcx, 4; and ecx, 0xfff", (1, 0, 1)),
]


@pytest.mark.parametrize(("text", "edge"), FORWARDED)
def test_what_memory_carries(text: str, edge: tuple[int, int, int] | None) -> None:
    found = [(e.source, e.target, e.rounds) for e in graph.edges(bodies()[text]) if e.register == "memory"]
    assert found == ([] if edge is None else [edge])


def test_how_registers_move() -> None:
    steps, _ = graph.walk(bodies()[MOVED])
    assert {name: steps.get(name) for name in ("rax", "rbx", "rcx", "rdx", "r8", "rsi")} == {
        "rax": 8, "rbx": -16, "rcx": 4, "rdx": None, "r8": None, "rsi": 0,
    }  # fmt: skip
