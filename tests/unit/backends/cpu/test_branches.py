"""Bodies made of branches: the program is what was meant, and outcomes come out as planned."""

from __future__ import annotations

import platform
import sys
from itertools import pairwise

import pytest

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cpu import outcomes
from reportgen.backends.cpu.aarch64 import decode as aarch64_decode
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.compiler import HEADER
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import Frame
from reportgen.backends.cpu.isa import decoder
from reportgen.errors import LaunchError
from tests.unit.backends.cpu.x86 import assembles, decodes, generate, judge, planned, with_body

OUTCOMES = "front_end/branch_misprediction"


def source(point: str) -> Source:
    return generate(f"front_end/{point}")


@assembles
@pytest.mark.parametrize(
    "point",
    [
        "branch_misprediction#random=0,others=alternating",
        "branch_misprediction#random=8,others=taken",
        *(f"taken_branches#spacing={spacing},branches=74" for spacing in (16, 32, 64)),
        "taken_branches#spacing=64,branches=14264",
        "loop_rounds#length=2",
        "loop_rounds#length=19",
        "not_taken_branches#length=48",
        "not_taken_branches#length=384",
        "call_return#depth=4",
        "call_return#depth=160",
    ],
)
def test_every_body_is_verified(point: str) -> None:
    result = judge(source(point))
    assert result.verdict == "verified", result.explanation


@assembles
def test_all_outcomes_are_those_of_one_program() -> None:
    texts = {generate(name).text for name in planned() if name.startswith(OUTCOMES)}
    assert len(texts) == 1


@assembles
def test_the_listing_of_many_jumps_names_their_distance() -> None:
    result = judge(source("taken_branches#spacing=32,branches=111"))
    assert result.listing.splitlines()[0] == "jmp .+32    ; x 111"
    assert result.opcodes == {"jmp": 111}
    assert result.facts["branches"] == 111


def jump(distance: int, filled: int) -> list[str]:
    return [f".byte 0xeb, {distance}", f".fill {filled}, 1, 0xcc"]


@assembles
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ([*jump(14, 14) * 15, *jump(14, 13)], "no multiple of 16"),
        ([*jump(14, 14) * 15, *jump(30, 14)], "not the same 16 bytes over and over"),
        (jump(6, 14) * 16, "does not jump to the next jump, 16 bytes further on"),
        (jump(14, 14) * 15, "wanted 16 jumps, found 15"),
        (["nop dword ptr [rax+rax+0]"] * 32, "does not jump to the next jump"),
    ],
)
def test_jumps_that_lead_elsewhere_are_rejected(body: list[str], fault: str) -> None:
    asked = source("taken_branches#spacing=16,branches=16")
    result = judge(asked, with_body(asked, *body))
    assert result.verdict == "rejected"
    assert fault in result.explanation


@assembles
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ([".byte 0x75, 0"] * 48, "wanted 48 je, found 48 jne"),
        ([".byte 0xeb, 0"] * 48, "does not jump to the next jump, 2 bytes further on"),
        ([".byte 0x74, 0"] * 47, "wanted 48 jumps, found 47"),
        (
            [".byte 0x74, 0"] * 24 + ["cmp eax, eax"] + [".byte 0x74, 0"] * 23,
            "not the same 2 bytes over and over",
        ),
    ],
)
def test_branches_that_may_be_taken_are_rejected(body: list[str], fault: str) -> None:
    asked = source("not_taken_branches#length=48")
    result = judge(asked, with_body(asked, *body))
    assert result.verdict == "rejected"
    assert fault in result.explanation


FIVE = ["add eax, 1", "andps xmm0, xmm7", "mov r8d, [rdi]", "add ecx, 1", "andps xmm1, xmm7"]


@assembles
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (FIVE[:4], "wanted 2 add"),
        ([*FIVE[:3], "add eax, 1", FIVE[4]], "wanted 0 dependency chains, found 1"),
        ([*FIVE[:2], "mov r8d, [rsp]", *FIVE[3:]], "a spill"),
        ([*FIVE[:4], "jmp 1f", "1:"], "wanted 2 add"),
    ],
)
def test_rounds_of_something_else_are_rejected(body: list[str], fault: str) -> None:
    asked = source("loop_rounds#length=5")
    assert judge(asked, with_body(asked, *FIVE)).verdict == "verified"
    result = judge(asked, with_body(asked, *body))
    assert result.verdict == "rejected"
    assert fault in result.explanation


@assembles
def test_a_round_that_begins_within_a_line_is_rejected() -> None:
    asked = source("loop_rounds#length=5")
    moved = with_body(asked, *FIVE).replace(".p2align 6\nbody:", ".p2align 6\n  nop\nbody:")
    result = judge(asked, moved)
    assert "does not begin at a multiple of 64 bytes" in result.explanation


ONE = ["imul rbx, rcx", "add rbx, rsi"] * outcomes.STEPS


@assembles
@pytest.mark.parametrize(
    ("site", "fault"),
    [
        ([*ONE, "cmp rbx, rdi", "jb 1f", "lea r14, [r14+1]", "lea r14, [r14+1]", "1:"], "does not skip just"),
        ([*ONE, "cmp rbx, rdi", "jae 1f", "lea r14, [r14+1]", "1:"], "8 jae"),
        (
            [*ONE[:-1], "add r12, rsi", "cmp rbx, rdi", "jb 1f", "lea r14, [r14+1]", "1:"],
            "wanted 1 dependency",
        ),
        ([*ONE, "cmp rbx, rdi", "lea r14, [r14+1]", "jb 1f", "1:"], "the last instruction is a branch"),
    ],
)
def test_outcomes_that_nothing_decides_are_rejected(site: list[str], fault: str) -> None:
    asked = source("branch_misprediction#random=0,others=taken")
    result = judge(asked, with_body(asked, *site * outcomes.SITES))
    assert result.verdict == "rejected"
    assert fault in result.explanation


@assembles
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            ["call 1f", "jmp 9f", "1:", "call 2f", "ret", "2:", "call 3f", "ret", "3:", "ret", "9:"],
            "deep, found 3",
        ),
        (["call 1f", "1:"], "1 calls do not return"),
        (["ret"], "a return stands where nothing was called"),
        (["1:", "jmp 1b"], "does not come to its end"),
        (["jmp base"], "a branch leads out of the timed region"),
        (["jb 1f", "1:"], "is none of jump, call and return"),
        (["call rax"], "is none of jump, call and return"),
    ],
)
def test_calls_that_are_not_nested_are_rejected(body: list[str], fault: str) -> None:
    asked = source("call_return#depth=4")
    result = judge(asked, with_body(asked, *body))
    assert result.verdict == "rejected"
    assert fault in result.explanation


@pytest.mark.parametrize(
    ("code", "flow", "target"),
    [
        ("eb0e", "jump", 16),
        ("720a", "conditional", 12),
        ("e8fb000000", "call", 256),
        ("c3", "return", -1),
        ("ffe0", "other", -1),
        ("cc", "other", -1),
        ("4801c8", "", -1),
    ],
)
@decodes
def test_where_an_instruction_of_x86_leads(code: str, flow: str, target: int) -> None:
    (one,) = decoder("x86_64").decode(bytes.fromhex(code), 0, len(code) // 2)
    assert (one.flow, one.target, one.size) == (flow, target, len(code) // 2)


@pytest.mark.parametrize(
    ("word", "flow", "target"),
    [
        (0x14000004, "jump", 16),
        (0x54000063, "conditional", 12),  # b.lo
        (0xB4000060, "conditional", 12),  # cbz
        (0x36000060, "conditional", 12),  # tbz
        (0x94000040, "call", 256),
        (0xD65F03C0, "return", -1),
        (0xD61F0000, "other", -1),  # br
        (0xD4200000, "other", -1),  # brk
        (0x8B090108, "", -1),
    ],
)
def test_where_an_instruction_of_aarch64_leads(word: int, flow: str, target: int) -> None:
    (one,) = aarch64_decode.decode(word.to_bytes(4, "little"), 0, 4)
    assert (one.flow, one.target, one.size) == (flow, target, 4)


def test_thresholds_of_coins_are_a_half_and_others_are_beyond_every_number() -> None:
    state, _, _, *thresholds, counter = outcomes.words(4, "taken", 7)
    assert thresholds == [-(1 << 63), -1] * 4  # 2^63 and 2^64 - 1, as signed words
    assert counter == 0
    assert outcomes.words(4, "not_taken", 7)[3:11] == [-(1 << 63), 0] * 4
    assert state != outcomes.words(4, "taken", 8)[0]
    assert [sum(outcomes.random_sites(count)) for count in (0, 2, 4, 8)] == [0, 2, 4, 8]


def test_a_site_that_alternates_does_so_each_time() -> None:
    state, multiplier, increment, *_ = outcomes.words(0, "alternating", 3)
    seen: list[list[bool]] = [[] for _ in range(outcomes.SITES)]
    for _ in range(10):
        for site in range(outcomes.SITES):
            for _ in range(outcomes.STEPS):
                state = (state * multiplier + increment) % (1 << 64)
            seen[site].append(state < 1 << 63)
    for one in seen:
        assert all(first != second for first, second in pairwise(one))


def test_outcomes_that_are_not_those_planned_are_refused() -> None:
    assert outcomes.check(8, "taken", 10_000, 5_100) == 0.49
    assert outcomes.check(0, "taken", 1_000, 0) == 1.0
    with pytest.raises(LaunchError, match="5400 of 10000 branches were taken, not 5000"):
        outcomes.check(8, "taken", 10_000, 4_600)
    with pytest.raises(LaunchError, match="not 0: outcomes are not as planned"):
        outcomes.check(0, "not_taken", 1_000, 900)


HERE = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)


def visit(point: str) -> Batch:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = source(point)
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    order = Order(f"front_end/{point}", build.code, build.program.sha256, made.setup, 0.002, 0.0, 1, 0)
    return backend.launcher(candidate.selector, candidate.device).measure(order)


@HERE
@pytest.mark.parametrize(
    ("random", "others", "least", "most"),
    [
        (0, "taken", 1, 1),
        (0, "alternating", 0.49, 0.51),
        (4, "not_taken", 0.2, 0.3),
        (8, "taken", 0.45, 0.55),
    ],
)
def test_branches_on_this_processor_come_out_as_planned(
    random: int, others: str, least: float, most: float
) -> None:
    batch = visit(f"branch_misprediction#random={random},others={others}")
    assert least <= float(batch.facts["taken_share"]) <= most


@HERE
@pytest.mark.parametrize(
    "point",
    ["taken_branches#spacing=64,branches=1024", "call_return#depth=160", "not_taken_branches#length=48"],
)
def test_jumps_and_calls_on_this_processor_come_back(point: str) -> None:
    assert min(visit(point).columns["ticks"]) > 0


@HERE
def test_a_copy_elsewhere_is_the_same_program_at_another_address() -> None:
    made = CpuBackend().builder(CpuBackend().discover()[0].device).build(source("call_return#depth=4"))
    program = Executable(made.code, HEADER.unpack_from(made.code)[0])
    copy = program.elsewhere(3)
    assert copy.bytes(3 * 4096 + len(made.code))[3 * 4096 :] == made.code
    frame = Frame()
    assert min(stamps.ticks for stamps in frame.run(copy, 4, 1, 100)) > 0
