"""The instruction table: rows that can be read, and what they mean on a target."""

from __future__ import annotations

import re

import pytest

from reportgen.backends.cuda import generator_operands as operands
from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_fragments import Fragment
from reportgen.backends.cuda.generator_operands import CONSTRAINTS, PLACES, Bound
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation
from tests.unit.backends.cuda import suite

ASYNCHRONOUS = ("warpgroup", "tensor_memory")


def operation(**changed: object) -> Operation:
    return Operation(
        **{"title": "t", "group": "g", "registers": "r32", "form": "f", "ctype": "int"} | changed  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("isa", suite.PUBLISHED)
def test_seventy_operations_on_every_target(isa: str) -> None:
    there = [name for name, row in suite.table().items() if rows.target(row.targets, isa)]
    assert len(there) >= 70


@pytest.mark.parametrize("name", sorted(suite.table()))
def test_a_row_is_sound(name: str) -> None:
    row = suite.table()[name]
    assert row.ctype in CONSTRAINTS
    assert row.opcodes
    assert not row.title.endswith(".")
    targets = [isa for isa in suite.PUBLISHED if rows.target(row.targets, isa)]
    assert targets
    for isa in targets:
        entries = rows.opcodes(row, isa)
        assert entries
        assert entries[0].count > 0
        assert all(re.compile(entry.regex) for entry in entries)
    re.compile(row.emulated)
    if row.registers != "fragment":
        assert row.values in PLACES
        assert "{d}" in (row.form or row.latency) + row.throughput
    elif row.group not in ASYNCHRONOUS:
        assert all(count > 0 for count in Fragment(row, row.form, 1, "k").counts.values())


def test_every_operation_is_asked_for() -> None:
    asked = {operation for probe in suite.probes("sm_100") for operation in probe.operations}
    assert asked >= set(suite.table())


@pytest.mark.parametrize(
    ("targets", "isa", "name"),
    [
        ((), "sm_75", "sm_75"),
        ((">=sm_80",), "sm_75", ""),
        ((">=sm_80",), "sm_103", "sm_103"),
        ((">=sm_80", "<sm_90"), "sm_90", ""),
        ((">=sm_80", "<sm_90"), "sm_89", "sm_89"),
        (("sm_90a",), "sm_90", "sm_90a"),
        (("sm_90a",), "sm_100", ""),
        (("sm_100a", "sm_103a"), "sm_103", "sm_103a"),
        (("sm_100f",), "sm_100", "sm_100f"),
    ],
)
def test_targets(targets: tuple[str, ...], isa: str, name: str) -> None:
    assert rows.target(targets, isa) == name


def test_an_entry_of_targets_is_a_bound_or_a_target() -> None:
    with pytest.raises(ValueError, match="'Hopper' is no compute target"):
        rows.target(("Hopper",), "sm_90")


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ((">=sm_80",), "sm_80 or newer"),
        (("<sm_120",), "a target before sm_120"),
        (("sm_90a",), "sm_90a"),
        (("sm_100a", "sm_103a", "sm_110a"), "sm_100a, sm_103a or sm_110a"),
    ],
)
def test_what_is_needed_in_words(targets: tuple[str, ...], words: str) -> None:
    with pytest.raises(Unsupported, match=f"^a juggle: needs {words}$"):
        rows.require("a juggle", targets, "sm_75" if "<" not in targets[0] else "sm_120")


def test_entries_of_opcodes() -> None:
    row = operation(opcodes=("2 IMAD(\\.X)?", "? MOV", "IADD\\.64 on >=sm_120", "SHF on sm_86 sm_89"))
    assert rows.opcodes(row, "sm_86") == [
        rows.Opcodes(2, "IMAD(\\.X)?"),
        rows.Opcodes(-1, "MOV"),
        rows.Opcodes(1, "SHF"),
    ]
    assert rows.opcodes(row, "sm_121")[-1] == rows.Opcodes(1, "IADD\\.64")


def test_expectations_of_two_operations_are_added() -> None:
    add = operation(opcodes=("IADD3", "? MOV"))
    wide = operation(opcodes=("2 IMAD", "IADD3"), emulated="FADD")
    assert rows.expected([("add", add, 4), ("wide", wide, 3)], "sm_90") == {
        "want.add": 7,
        "match.add": "IADD3",
        "want.wide": 6,
        "match.wide": "IMAD",
        "emulated.wide": "FADD",
        "allow": "MOV",
    }


def test_every_other_step_has_its_operands_swapped() -> None:
    bound = Bound(suite.table()["fp32_fma"], "fma.rn.f32 {d}, {d}, {a}, {b};", 2, "k")
    assert bound.turns == 2
    assert bound.step(1) == 'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(d1) : "f"(a), "f"(b));'
    assert (
        bound.step(1, odd=True) == 'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(d1) : "f"(b), "f"(a));'
    )


def test_two_accumulators_take_turns() -> None:
    bound = Bound(suite.table()["integer_add_2"], "add.u32 {d}, {d}, {e};", 1, "k")
    assert bound.step(0) == 'asm volatile("add.u32 %0, %0, %1;" : "+r"(d0), "+r"(e0));'
    assert bound.step(0, odd=True) == 'asm volatile("add.u32 %1, %1, %0;" : "+r"(d0), "+r"(e0));'
    assert [line.split(" = ")[1] for line in bound.after] == ["d0;", "e0;"]


def test_cells_of_accumulators_lie_apart() -> None:
    row = suite.table()["global_atomic_add"]
    bound = Bound(row, row.form, 2, "k")
    assert bound.step(1) == ('asm volatile("atom.global.add.u32 %0, [%1+8192], %0;" : "+r"(d1) : "l"(m));')
    with pytest.raises(Unsupported, match="9 accumulators wanted, there are cells for 8"):
        Bound(row, row.form, 9, "k")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("mma_m16n8k16_f16_f32", {"d": 4, "a": 4, "b": 2}),
        ("mma_m16n8k8_f16_f16", {"d": 2, "a": 2, "b": 1}),
        ("mma_m8n8k4_f64_f64", {"d": 2, "a": 1, "b": 1}),
        ("mma_m16n8k16_f64_f64", {"d": 4, "a": 8, "b": 4}),
        ("mma_m16n8k256_b1_s32", {"d": 4, "a": 4, "b": 2}),
        ("mma_m16n8k32_e2m1_f32", {"d": 4, "a": 4, "b": 2}),
        ("mma_m16n8k64_mxf4_f32", {"d": 4, "a": 4, "b": 2}),
        ("mma_sparse_m16n8k32_f16_f32", {"d": 4, "a": 4, "b": 4}),
    ],
)
def test_registers_of_fragments(name: str, counts: dict[str, int]) -> None:
    row = suite.table()[name]
    assert Fragment(row, row.form, 1, "k").counts == counts


def test_values_beyond_the_slots_lie_between_the_others() -> None:
    indices = [
        int(operands.slot(number).removeprefix("threadIdx.x + ")) for number in range(8 * operands.SLOTS)
    ]
    taken = {index + thread for index in indices for thread in range(operands.CROWD)}
    assert len(taken) == len(indices) * operands.CROWD == operands.SLOTS * operands.THREADS
    assert max(taken) < operands.SLOTS * operands.THREADS


@pytest.mark.parametrize("isa", ["sm_75", "sm_90", "sm_100", "sm_120"])
def test_only_small_blocks_have_more_values_than_slots(isa: str) -> None:
    for point, source in suite.generated(isa).sources.items():
        indices = [
            int(number)
            for number in re.findall(r"(?:in|out|factors)[xy]?\[threadIdx\.x \+ (\d+)\]", source.text)
        ]
        assert max(indices, default=0) < operands.SLOTS * operands.THREADS, point
        if any(index % operands.THREADS for index in indices):
            assert source.setup["threads"] == operands.CROWD, point
