"""x86-64 forms with registers filled in, and the code that gives them their values."""

from __future__ import annotations

import math
import struct

import pytest

from reportgen.backends.cpu.start_values import integer, pattern
from reportgen.backends.cpu.x86_64.operands import TILE_SHAPE, Set, adapt, bind, opcode, share, stream
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation
from tests.unit.backends.cpu.x86 import table


def row(**keys: object) -> Operation:
    given: dict[str, object] = {"title": "t", "group": "g", "registers": "r64", "form": "add {d}, {a}"} | keys
    return Operation(**given)  # type: ignore[arg-type]


# -- forms ------------------------------------------------------------------------------------------


def test_placeholders_are_filled_in() -> None:
    bound = bind(row(), 0, 3)
    assert [bound.throughput(i).strip() for i in range(3)] == ["add rbx, r14", "add rcx, r14", "add rbp, r14"]
    assert bound.latency(0) == "  add rbx, r14"


def test_a_form_of_several_instructions_gives_as_many_lines() -> None:
    bound = bind(row(form="mov rax, {d}; xor edx, edx; div {a}"), 0, 1)
    assert bound.latency(0).splitlines() == ["  mov rax, rbx", "  xor edx, edx", "  div r14"]


def test_latency_and_throughput_may_differ() -> None:
    bound = bind(row(form="", latency="mov {d}, [{d}]", throughput="mov {d}, {m8}"), 0, 4)
    assert bound.latency(0).strip() == "mov rbx, [rbx]"
    assert [bound.throughput(i).strip() for i in (0, 3)] == ["mov rbx, [r13+0]", "mov rsi, [r13+24]"]


def test_two_operations_in_one_program_use_other_registers_lines_and_constants() -> None:
    first = bind(row(form="mov {m}, {d}"), 0, 2, "c0")
    second = bind(row(form="mov {m}, {d}"), 2, 2, "c1")
    lines = [part.throughput(i).strip() for part in (first, second) for i in range(2)]
    assert lines == ["mov [r13+0], rbx", "mov [r13+64], rcx", "mov [r13+2048], rbp", "mov [r13+2112], rsi"]
    vectors = [bind(table()["fp32_add"], 0, 1, tag).constants for tag in ("c0", "c1")]
    labels = [{line for line in text.splitlines() if line.endswith(":")} for text in vectors]
    assert not labels[0] & labels[1]


@pytest.mark.parametrize(
    ("registers", "evex", "count", "have"),
    [
        ("r64", False, 11, 10),
        ("k", False, 7, 6),
        ("tmm", False, 7, 6),
        ("ymm", False, 15, 14),
        ("zmm", True, 29, 28),
    ],
)
def test_more_accumulators_than_there_are(registers: str, evex: bool, count: int, have: int) -> None:
    operation = row(registers=registers, evex=evex)
    bind(operation, 0, have)
    with pytest.raises(Unsupported, match=f"{count} accumulators wanted, the register class has {have}"):
        bind(operation, 0, count)
    with pytest.raises(Unsupported):
        bind(operation, have, 1)


# -- values -----------------------------------------------------------------------------------------


def test_rax_and_rdx_are_set_only_where_a_form_names_them() -> None:
    assert bind(row(), 0, 1).late == ""
    assert bind(row(form="mulx {d}, rax, {d}"), 0, 1).late == "  mov rax, 7\n  mov edx, 0"
    divide = bind(row(form="mov rax, {a}; xor edx, edx; div {d}", values="divide"), 0, 1)
    assert divide.late.splitlines()[0] == f"  mov rax, {1 << 62}"


def test_a_pointer_cell_holds_its_own_address() -> None:
    lines = [line.strip() for line in bind(table()["l1_load"], 0, 2).init.splitlines()]
    assert lines[2:] == [
        "lea rax, [r13+0]", "mov [rax], rax", "mov rbx, rax",
        "lea rax, [r13+64]", "mov [rax], rax", "mov rcx, rax",
    ]  # fmt: skip


def test_every_accumulator_and_constant_gets_a_value() -> None:
    for name, operation in table().items():
        count = min(4, operation.most)
        bound = bind(operation, 0, count)
        text = bound.init
        if operation.values == "indexed_pointer":
            continue
        for index in range(count):
            assert str(bound._register(index)) in text, name


def test_repeated_divisions_stay_non_trivial() -> None:
    divide = row(values="divide")
    x, dividend = integer(divide, "d"), integer(divide, "a")
    seen = set()
    for _ in range(1000):
        x = dividend // x
        seen.add(x)
    assert all(1 << 19 < value < 1 << 43 for value in seen)


@pytest.mark.parametrize("precision", ["fp64", "fp32", "fp16"])
def test_floating_values_are_those_of_the_precision(precision: str) -> None:
    code = {"fp64": "<8d", "fp32": "<16f", "fp16": "<32e"}[precision]
    plain, odd = row(precision=precision), row(precision=precision, values="fraction")
    assert set(struct.unpack(code, pattern(plain, "a"))) == {1.0}
    assert set(struct.unpack(code, pattern(plain, "b"))) == {0.5}
    (value,) = set(struct.unpack(code, pattern(odd, "d")))
    assert value == pytest.approx(1.7, rel=1e-3)
    # x <- a / x alternates and never leaves the normal range
    (a,) = set(struct.unpack(code, pattern(odd, "a")))
    assert math.isclose(a / (a / value), value, rel_tol=1e-3)


@pytest.mark.parametrize("values", ["one", "bits", "integer"])
@pytest.mark.parametrize("precision", ["", "fp64", "fp32", "fp16", "bf16", "int8"])
def test_a_pattern_is_64_bytes(values: str, precision: str) -> None:
    for which in "dab":
        assert len(pattern(row(values=values, precision=precision), which)) == 64


# -- the rest of the room -----------------------------------------------------------------------------


def test_without_avx512vl_only_sixteen_vector_registers_exist() -> None:
    narrow, wide = row(registers="ymm", evex=True), row(registers="zmm", evex=True)
    assert not adapt(narrow, ("avx512f",)).evex
    assert adapt(narrow, ("avx512f", "avx512vl")).evex
    assert adapt(wide, ("avx512f",)).evex


@pytest.mark.parametrize(
    ("registers", "features", "bank", "count"),
    [
        ("r64", (), "r64", 5), ("k", (), "k", 3), ("ymm", (), "v", 7), ("xmm", (), "v", 7),
        ("ymm", ("avx512vl",), "v", 12),
    ],
)  # fmt: skip
def test_two_operations_share_a_register_file(
    registers: str, features: tuple[str, ...], bank: str, count: int
) -> None:
    operation = adapt(row(registers=registers, evex=True), features)
    assert share(operation, features) == (bank, count)
    Set(operation, count, count)  # both fit


def test_two_tile_operations_do_not_fit() -> None:
    tile = row(registers="tmm")
    bank, count = share(tile, ())
    assert bank == "tmm"
    with pytest.raises(Unsupported):
        bind(tile, count, count)


def test_an_opcode_is_the_first_word_but_for_an_encoding_prefix() -> None:
    assert opcode("  vaddps ymm0, ymm1, ymm2") == "vaddps"
    assert opcode("  {evex} vpdpbusd xmm0, xmm1, xmm2") == "vpdpbusd"


@pytest.mark.parametrize(
    ("kernel", "opcodes"),
    [
        ("read", {"vmovups": 8}),
        ("write", {"vmovups": 8}),
        ("copy", {"vmovups": 16}),
        ("triad", {"vmovups": 16, "vfmadd213ps": 8}),
        ("nt_write", {"vmovntps": 8, "sfence": 1}),
        ("nt_copy", {"vmovups": 8, "vmovntps": 8, "sfence": 1}),
    ],
)
def test_what_a_stream_holds(kernel: str, opcodes: dict[str, int]) -> None:
    found = stream(kernel, ("avx",))
    assert opcodes.items() <= found.opcodes.items()
    assert (found.step, found.vector_bytes) == (256, 32)
    assert (stream(kernel, ("avx", "avx512f")).step, found.context["register"]) == (512, "ymm")


def test_a_stream_needs_avx() -> None:
    with pytest.raises(Unsupported, match="the streaming kernels need AVX"):
        stream("read", ())


def test_the_shape_of_a_tile_is_16_rows_of_64_bytes() -> None:
    assert len(TILE_SHAPE) == 64
    assert TILE_SHAPE[0:2] == bytes([1, 0])  # palette, start row
    assert struct.unpack_from("<8H", TILE_SHAPE, 16) == (64,) * 8
    assert TILE_SHAPE[48:56] == bytes([16] * 8)
    assert not any(TILE_SHAPE[2:16] + TILE_SHAPE[32:48] + TILE_SHAPE[56:])
