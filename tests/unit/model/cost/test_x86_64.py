"""What instructions are taken as, and on which resources."""

from __future__ import annotations

from functools import cache

import pytest

from reportgen.model.cost import x86_64
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Latencies
from reportgen.model.cost.parse import x86_bodies
from reportgen.model.cost.uses import How, Uses
from tests.unit.model.cost.machine import core

TAKEN = [
    ("add rax, rbx", "integer_add", True),
    ("add rax, [rsi]", "integer_add l1_load", True),
    ("add [rsi], rax", "integer_add l1_load store", True),
    ("and rax, rbx", "integer_logic", False),
    ("cmp rax, rbx", "integer_sub", False),
    ("dec rax", "integer_sub", False),
    ("shr rax, 5", "integer_shift", False),
    ("imul rax, rbx", "integer_mul", True),
    ("div rcx", "integer_div", True),
    ("lea rax, [rbx+rcx]", "lea_2", True),
    ("lea rax, [rbx+rcx*8]", "lea_scaled", True),
    ("lea rax, [rbx+rcx+8]", "lea_3", True),
    ("movzx eax, bl", "integer_zero_extend", True),
    ("movzx eax, byte ptr [rsi]", "l1_load", True),
    ("mov rax, [rsi]", "l1_load", True),
    ("mov [rsi], eax", "store", True),
    ("vmovups ymm0, [rsi]", "l1_load_256", True),
    ("vmovups [rsi], ymm0", "store_256", True),
    ("vbroadcastss ymm0, dword ptr [rsi]", "l1_load_128", False),
    ("vaddps ymm0, ymm1, ymm2", "fp32_add_256", True),
    ("vsubps ymm0, ymm1, ymm2", "fp32_add_256", False),
    ("addps xmm0, xmm1", "fp32_add_256", False),
    ("vfmadd213ps ymm0, ymm1, [rsi]", "fp32_fma_256 l1_load_256", False),
    ("vfmadd231ps zmm0, zmm1, zmm2", "fp32_fma_512", True),
    ("vpaddb ymm0, ymm1, ymm2", "vector_int32_add_256", False),
    ("vpxor ymm0, ymm1, ymm2", "vector_logic_256", False),
    ("vpshufb ymm0, ymm1, ymm2", "shuffle_bytes_256", True),
    ("vmovq rax, xmm0", "move_general_vector", True),
    ("vcvttsd2si rax, xmm0", "convert_fp64_int64", True),
    ("vcvttsd2si rax, [rsi]", "convert_fp64_int64 l1_load", True),
]
FREE = ["xor eax, eax", "nop", "vzeroupper", "prefetcht0 [rsi]"]
UNKNOWN = ["cpuid", "vpgatherdd ymm0, [rsi+ymm1*4], ymm2", "call rax", "vaesenc xmm0, xmm1, xmm2"]
ASKED_SINCE = [
    ("vhaddps ymm0, ymm1, ymm2", "fp32_horizontal_add_256", "vhaddps {d}, {d}, {a}", "fp32_add_256"),
    ("vperm2f128 ymm0, ymm1, ymm2, 1", "permute_lanes_256", "vperm2f128 {d}, {d}, {a}, 1", ""),
    ("vcompressps zmm0{k1}{z}, zmm1", "compress_fp32_512", "vcompressps {d}{{k7}}{{z}}, {d}", ""),
    ("vpexpandd zmm0{k1}{z}, zmm1", "expand_fp32_512", "vpexpandd {d}{{k7}}{{z}}, {d}", ""),
    ("bzhi rax, rbx, rcx", "bit_zero_high", "bzhi {d}, {d}, {a}", "integer_sub"),
    (
        "vcvtps2ph [rsi], ymm0, 0",
        "convert_fp32_fp16_store_256",
        "vcvtps2ph {m}, {d}, 0",
        "",
    ),
]
"""Text, operation, its form, and what stands for it in a run that did not ask for it."""
MOVES = ["mov rax, rbx", "vmovaps ymm0, ymm1"]


@cache
def instructions() -> dict[str, Instruction]:
    texts = [*(text for text, *_ in (*TAKEN, *ASKED_SINCE)), *FREE, *UNKNOWN, *MOVES]
    found = x86_bodies([("t.s", text, True) for text in texts])
    return {text: one.instructions[0] for text, one in zip(texts, found, strict=True)}


@pytest.fixture(scope="module")
def uses() -> Uses:
    return Uses(core())


@pytest.mark.parametrize(("text", "operations", "measured"), TAKEN)
def test_what_it_is_taken_as(text: str, operations: str, measured: bool, uses: Uses) -> None:
    taken = x86_64.take(instructions()[text], uses.forms)
    assert " ".join(part.operation for part in taken.parts) == operations
    assert taken.known
    assert taken.parts[0].measured is measured


@pytest.mark.parametrize(("text", "operation", "form", "instead"), ASKED_SINCE)
def test_an_older_run_takes_what_resembles_it(
    text: str, operation: str, form: str, instead: str, uses: Uses
) -> None:
    one = instructions()[text]
    taken = x86_64.take(one, {**uses.forms, operation: form})
    assert [(part.operation, part.measured) for part in taken.parts] == [(operation, True)]
    old = x86_64.take(one, uses.forms)
    assert [part.operation for part in old.parts if "store" not in part.operation] == [instead] * bool(
        instead
    )


@pytest.mark.parametrize("text", FREE)
def test_what_takes_a_slot_only(text: str, uses: Uses) -> None:
    taken = x86_64.take(instructions()[text], uses.forms)
    assert taken.known
    assert all(part.operation == "l1_load" for part in taken.parts)


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_not_known(text: str, uses: Uses) -> None:
    assert not x86_64.take(instructions()[text], uses.forms).known


@pytest.mark.parametrize("text", MOVES)
def test_a_copy_may_be_done_at_renaming(text: str, uses: Uses) -> None:
    taken = x86_64.take(instructions()[text], uses.forms)
    assert taken.eliminated
    assert taken.known


def test_half_of_a_round_trip_is_one_instruction(uses: Uses) -> None:
    one = instructions()["vcvttsd2si rax, xmm0"]
    taken = x86_64.take(one, uses.forms)
    assert taken.parts[0].share == 0.5
    assert Latencies(core(), {one: taken}).computing(one) == 6.0


def test_latencies_go_through_the_operand() -> None:
    load = instructions()["add rax, [rsi]"]
    move = instructions()["mov rax, rbx"]
    forms = Uses(core()).forms
    latencies = Latencies(core(), {one: x86_64.take(one, forms) for one in (load, move)})
    assert latencies.between(load, "rsi").value == 5.0
    assert latencies.between(load, "rax").value == 1.0
    assert latencies.between(load, "memory").value == 2.0  # renamed store, then the addition
    assert (latencies.between(move, "rbx").low, latencies.between(move, "rbx").high) == (0.0, 2.0)


@pytest.mark.parametrize(
    ("operation", "resources", "cycles", "how"),
    [
        ("fp32_fma_256", "r5 r6", 1.0, How.PAIRED),
        ("convert_int32_fp32_256", "r9 r10", 1.0, How.PAIRED),
        ("fp32_fma_512", "r5 r6", 2.0, How.WIDTH),
        ("l1_load_256", "r2 r7 r8", 1.5, How.WIDTH),
        ("integer_logic", "r1 r2 r3 r4", 1.0, How.RESEMBLES),
        ("fp32_div_nontrivial_256", "r5 r6", 6.0, How.RESEMBLES),
        ("move_general_vector", "r5 r6 r9 r10", 4.0, How.SPREAD),
    ],
)
def test_where_an_operation_goes(operation: str, resources: str, cycles: float, how: How, uses: Uses) -> None:
    demand = uses.demand(operation)
    assert demand is not None
    assert (demand.resources, demand.how) == (frozenset(resources.split()), how)
    assert demand.cycles == pytest.approx(cycles)


def test_an_operation_without_a_rate_asks_for_nothing(uses: Uses) -> None:
    assert uses.demand("tile_bf16") is None
    assert uses.interval("tile_bf16") is None
    assert Uses(core(resources=None)).demand("fp32_fma_256") is not None
