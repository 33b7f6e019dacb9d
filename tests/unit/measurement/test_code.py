"""From text to what runs: the loop, its registers, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.backends.cpu.isa import host
from reportgen.errors import UserError
from reportgen.measurement.code import BYTES, LOOP_INSTRUCTIONS, PARTS, ROUNDS, Wanted, code
from reportgen.measurement.derive import SLACK
from reportgen.measurement.measure import PASSES, Text, named
from reportgen.model.cost.parse import parse
from reportgen.suite.own_code import Code

pytestmark = pytest.mark.skipif(host() != "x86_64", reason="the assembler takes its own machine's code only")

AXPY = """
    testq %rdx, %rdx
    jle .L1
.L4:
    vmovups (%rsi,%rax), %ymm1
    vfmadd213ps (%rdi,%rax), %ymm2, %ymm1
    vmovups %ymm1, (%rdi,%rax)
    addq $32, %rax
    cmpq %rax, %rcx
    jne .L4
.L1:
    ret
"""


def test_the_page_gives_the_constants_of_the_code() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/method/own-code.md").read_text(encoding="utf-8")
    written = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|", page, re.MULTILINE))
    assert written["rounds of the longest body"].startswith(f"{ROUNDS},")
    assert PARTS == (4, 5, 6, 7, 8)
    assert written["other bodies"] == "4, 5, 6 and 7 eighths"
    assert written["arrays"] == f"{BYTES // 1024} KiB together"
    assert written["between two jumps"] == f"{LOOP_INSTRUCTIONS} instructions"
    assert written["passes"] == str(PASSES)
    assert written["inside"] == f"{100 * SLACK:g} %"


def taken(text: str, *, init: str = "", **wanted: object) -> Code:
    before = parse("--init", init) if init else None
    return code("it", parse("it", text), before, Wanted(**wanted))  # type: ignore[arg-type]


def test_a_compilers_loop_loses_its_own_jump_and_gets_arrays() -> None:
    found = taken(AXPY)
    assert [line.text.split()[0] for line in found.lines] == ["vmovups", "vfmadd213ps", "vmovups", "add"]
    assert (list(found.pointers), found.zeros, found.vectors) == (["rsi", "rdi"], ("rax",), ("zmm2",))
    assert (found.moving, found.unroll, found.counter) == (("rax",), 1, "r14")
    assert set(found.features) == {"avx", "fma"}
    assert max(found.rounds) * 32 <= found.each == 8192
    assert not found.unproven
    assert any("cmp rcx,rax; jne" in note for note in found.notes)


def test_text_without_a_loop_stands_often_and_a_loop_as_often_as_was_asked() -> None:
    assert taken("add rax, rbx").unroll == 128
    eight = taken("again:\n mov rax, [rsi]\n add rsi, 8\n dec rcx\n jnz again", unroll=8)
    assert (eight.unroll, [line.text for line in eight.lines]) == (8, ["mov rax,[rsi]", "add rsi,8"])
    assert all(rounds % 8 == 0 and rounds * 8 <= eight.each for rounds in eight.rounds)


def test_arrays_of_a_size_that_was_asked_for_are_walked_to_their_end() -> None:
    found = taken(AXPY, size=1 << 20)
    assert (found.each, max(found.rounds), min(found.rounds)) == (1 << 19, 1 << 14, 1 << 13)
    assert max(taken(AXPY, size=1 << 20, rounds=64).rounds) == 64
    assert max(taken("mov rax, [rax]", size=1 << 20).rounds) == ROUNDS


def test_a_counter_that_is_used_stays() -> None:
    found = taken("again:\n add rbx, [rsi+rcx*8]\n dec rcx\n jnz again")
    assert [line.text for line in found.lines] == ["add rbx,[rsi+rcx*8]", "dec rcx"]
    assert found.pointers["rsi"] >= max(found.rounds) * 8 - 64  # it walks down, from the array's end


def test_registers_start_with_what_keeps_code_running() -> None:
    divide = taken("div rcx")
    assert (divide.ones, divide.zeros, divide.pointers) == (("rax", "rcx"), ("rdx",), {})
    walk = taken("mov rax, [rax]")
    assert (walk.array.split()[0], walk.moving) == ("list", ())
    gather = taken("vpgatherdd zmm0{k1}, [rsi+zmm2*4]")
    assert (gather.cleared, gather.masks, gather.unproven) == (("zmm2",), ("k1",), "")
    through = taken("lea r8, [rsi+rax*8]\nmov rbx, [r8]\nadd rax, 1")
    assert (list(through.pointers), through.zeros, through.moving) == (["rsi"], ("rax",), ("rax",))
    assert taken("addpd xmm0, xmm1").numbers == "fp64"


def test_the_top_of_the_x87_stack_is_spelled_as_assemblers_do() -> None:
    for text in (
        "fld qword ptr [rsi]\nfadd st(0), st(1)\nfstp qword ptr [rdi]",
        "fild dword ptr [rsi+8]\nfiadd word ptr [rsi]\nfistp dword ptr [rdi]",
        "fld st(2)\nfxch st(3)\nfmul dword ptr [rsi]\nfstp st(0)",
        "fld tbyte ptr [rsi]\nfcomp st(2)\nfucom st(4)\nfst st(1)\nfaddp st(3), st",
        "fld1\nfcom qword ptr [rsi]\nfcmovb st, st(1)\nfcomip st, st(1)",
    ):
        assert not taken(text).unproven, text


def test_data_with_a_name_are_the_frames_own() -> None:
    (line,) = taken("mulss xmm0, dword ptr [rip+named]").lines
    assert (line.text, line.displacement) == ("mulss xmm0,[values]", 4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("call there", "it calls"),
        ("ret", "it returns"),
        ("jmp rax", "jumps where a register says"),
        ("syscall", "calls the operating system"),
        ("ud2", "it traps"),
        ("rdmsr", "privileged"),
        ("push rax", "uses the stack"),
        ("mov rax, [rsp+8]", "uses the stack"),
        ("std", "direction of string instructions"),
        ("ldmxcsr [rsi]", "changes how the whole process computes"),
        ("mov fs, ax", "writes a segment register"),
        ("add r15, 1", "uses r15"),
        ("mov rax, [rbx*8]", "through no register"),
        ("add rax, rbxx", "a misspelt one, is read as an address"),
        ("fp32_fma:8", "list of operations"),
        ("again: dec rcx\n jnz again", "does nothing but count"),
        ("a: add rax, 1\n jc out\n dec rcx\n jnz a\n ret\nout: nop", "jumps out"),
        ("# LLVM-MCA-BEGIN\na: add rax, 1\n jc a\n add rbx, 1\n# LLVM-MCA-END", "jumps back"),
        ("mov rax, [rsi]\n add rsi, 4096", "moves 4096 bytes a round"),
    ],
)
def test_what_cannot_run_is_refused_with_the_reason(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as raised:
        taken(text)
    assert raised.value.remedy


def test_what_sets_registers_may_not_jump() -> None:
    assert [line.text for line in taken("div rcx", init="mov rcx, 3\nmov rax, 9").init] == [
        "mov rcx,3",
        "mov rax,9",
    ]
    with pytest.raises(UserError, match="it calls"):
        taken("div rcx", init="call there")


def test_names_differ_and_hold_no_odd_letters() -> None:
    assert [one.name for one in named([Text("A b", ""), Text("a_b", ""), Text("..", "")])] == [
        "a_b",
        "a_b-2",
        "code",
    ]
    with pytest.raises(UserError, match="no code was given"):
        named([])
