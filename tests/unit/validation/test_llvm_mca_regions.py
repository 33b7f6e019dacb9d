"""Regions of llvm-mca: which are asked of together, how its answers are read, and what it has no model of.

Answers are those of llvm-mca 19.1.7 and 14.0.6 for a znver4 and a znver3, shortened.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from reportgen.backends.cpu.isa import host
from reportgen.validation import llvm_mca_regions as regions
from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.llvm_mca_regions import NO_MODEL, NOT_ASKED, Region, ask, chunked
from reportgen.validation.others import Answer, Ran

ADD = Region("add", ("add rbx, rbx",), 1, like="x86-64")
MULTIPLY = Region("imul", ("imul rbx, rbx", "imul rbx, rbx"), 2, like="x86-64")
WIDE = Region("wide", ("vaddps zmm1, zmm1, zmm1",), 1, like="avx512f")
TOLD = """
[{number}] Code Region - r{number}

Iterations:        {rounds}
Instructions:      {rounds}
Total Cycles:      {cycles}
Total uOps:        {rounds}

Dispatch Width:    6
uOps Per Cycle:    0.97
IPC:               0.97
Block RThroughput: 0.3

"""
UNSUPPORTED = (
    "error: found an unsupported instruction in the input assembly sequence.\n"
    "note: instruction: \tvaddps\tzmm1, zmm1, zmm1\n"
)
X86 = pytest.mark.skipif(host() != "x86_64", reason="llvm-mca reads the assembly of its host")
UNREAD = "<stdin>:3:1: error: invalid instruction mnemonic 'foo'\nfoo rbx\n^~~\n"


class Recorded(LlvmMca):
    """Answers in turn, and what was asked."""

    def __init__(self, *answers: Ran) -> None:
        super().__init__(path="")
        self.answers = list(answers)
        self.asked: list[tuple[tuple[str, ...], str]] = []

    def simulate(self, *words: str, given: str) -> Ran:
        self.asked.append((words, given))
        return self.answers.pop(0)


def told(rounds: int, *cycles: int, err: str = "", code: int = 0) -> Ran:
    out = "".join(TOLD.format(number=number, rounds=rounds, cycles=one) for number, one in enumerate(cycles))
    return Ran(code, out, err)


def asked(tool: LlvmMca, some: Sequence[Region]) -> dict[str, Answer]:
    return ask(tool, some, lambda name: None)


def test_cycles_of_a_step_are_the_difference_of_two_simulations() -> None:
    tool = Recorded(told(60, 363), told(180, 1083))
    assert asked(tool, [MULTIPLY]) == {"imul": Answer(3.0)}
    (words, text), (more, again) = tool.asked
    assert words[0] == "-iterations=60"
    assert more[0] == "-iterations=180"
    assert "-noalias=true" in words
    assert text == again
    assert text.splitlines() == [
        ".intel_syntax noprefix", "# LLVM-MCA-BEGIN r0", *MULTIPLY.lines, "# LLVM-MCA-END r0",
    ]  # fmt: skip


def test_bodies_of_one_length_are_asked_of_together_and_those_through_memory_apart() -> None:
    stored = Region("stored", ("add [r13], rbx",), 1, meets=True)
    long = Region("long", ("nop",) * 20, 20)
    many = [Region(f"add{number}", ADD.lines, 1) for number in range(regions.AT_ONCE + 1)]
    chunks = list(chunked([ADD, stored, long, *many, WIDE]))
    assert sorted(len(chunk) for chunk in chunks) == [1, 1, 3, regions.AT_ONCE]
    assert [one.name for chunk in chunks for one in chunk if one.meets] == ["stored"]
    tool = Recorded(told(120, 720), told(360, 2160))
    assert asked(tool, [stored]) == {"stored": Answer(6.0)}
    assert "-noalias=false" in tool.asked[0][0]


def test_a_line_that_cannot_be_read_costs_its_region_only() -> None:
    # version 14 calls this a success, and leaves the line out
    foo = Region("foo", ("foo rbx",), 1)
    for code, out in ((0, (3, 123)), (1, ())):
        tool = Recorded(told(120, *out, err=UNREAD, code=code), told(120, 123), told(360, 363))
        assert asked(tool, [foo, ADD]) == {
            "foo": Answer(fault="invalid instruction mnemonic 'foo'"), "add": Answer(1.0),
        }  # fmt: skip
        assert "foo" not in tool.asked[1][1]


def test_it_goes_on_behind_a_region_that_it_has_no_model_of() -> None:
    tool = Recorded(told(120, err=UNSUPPORTED, code=1), told(120, 123, 363), told(360, 363, 1083))
    third = Region("third", ("mulss xmm1, xmm1",), 1, like="x87")
    found = asked(tool, [ADD, WIDE, third])
    assert found == {"add": Answer(1.0), "wide": Answer(fault=NO_MODEL), "third": Answer(3.0)}


def test_after_some_in_a_row_those_like_them_are_not_asked_of() -> None:
    wide = [Region(f"wide{number:02}", WIDE.lines, 1, like="avx512f") for number in range(20)]
    failing = [Ran(1, "", UNSUPPORTED)] * regions.IN_A_ROW
    tool = Recorded(*failing, told(120, 123), told(360, 363))
    found = asked(tool, [*wide, ADD])
    assert [one.fault for one in found.values()].count(NOT_ASKED) == 20 - regions.IN_A_ROW
    assert found["add"] == Answer(1.0)
    assert not tool.answers


def test_what_cannot_be_started_says_so_of_all() -> None:
    tool = Recorded(Ran(-1, "", "no answer within 60 s"))
    found = asked(tool, [ADD, WIDE])
    assert {one.fault for one in found.values()} == {"no answer within 60 s"}


@X86
def test_the_installed_llvm_mca_knows_chains_in_registers_and_through_memory() -> None:
    tool = LlvmMca()
    if tool.missing():
        pytest.skip(tool.missing())
    line = ("add qword ptr [r13], rbx",)
    apart, meeting = Region("apart", line, 1), Region("meeting", line, 1, meets=True)
    found = asked(tool, [ADD, MULTIPLY, apart, meeting, Region("foo", ("foo rbx",), 1)])
    assert found["imul"].cycles == pytest.approx(3.0, abs=0.1)
    assert found["foo"].fault
    assert 0 < found["apart"].cycles < 3 < found["meeting"].cycles


@X86
def test_the_installed_llvm_mca_refuses_a_processor_that_it_does_not_know() -> None:
    if LlvmMca().missing():
        pytest.skip(LlvmMca().missing())
    assert LlvmMca(processor="none-such").missing().endswith("knows no processor 'none-such'")
    known = LlvmMca(processor="znver2")
    assert (known.missing(), known.identity()[1]) == ("", "znver2")
