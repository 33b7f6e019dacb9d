"""AArch64 without such a core: every point renders, and golden machine code is judged as it must be."""

from __future__ import annotations

import re

import pytest

from reportgen.backends.base import Source
from reportgen.backends.cpu.aarch64 import decode
from reportgen.backends.cpu.aarch64.operands import bind, opcode
from reportgen.backends.cpu.aarch64.registers import General, Vector, accumulator, accumulators
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.inspector import inspect
from reportgen.errors import Unsupported
from reportgen.runs.schema import Program
from tests.data.aarch64 import golden
from tests.unit.backends.cpu.machine_code import body_of, with_body, words

NOP = 0xD503201F
KINDS = (
    *("chain", "independent", "apart", "mixed", "mixed_apart", "stream", "window", "list", "blend", "frame"),
    *("outcomes", "jumps", "untaken", "rounds", "calls", "footprint"),
    *("store_to_load", "beside", "shared"),
)
NAMES = (*golden.PROGRAMS, *(f"{name}{golden.EXCLUSIVE}" for name in golden.WITHOUT_LSE))
WORD = 4


def program(name: str) -> MachineCode:
    return MachineCode.from_bytes(golden.code(name), "aarch64")


def judge(code: MachineCode, expect: dict[str, int | str]) -> Program:
    return inspect(code, "", expect)


def expectation(name: str) -> dict[str, int | str]:
    return golden.sources()[name].expect


# -- rendering --------------------------------------------------------------------------------------


def test_every_point_renders_or_says_what_is_missing() -> None:
    made: set[str] = set()
    refused: dict[str, set[str]] = {}
    for point, result in golden.rendered():
        if isinstance(result, Source):
            made.add(point)
            assert "{" not in re.sub(r"\{v\d+\.16b[^}]*\}", "", result.text), point  # but register lists
            assert result.expect["kind"] in KINDS
        else:
            refused.setdefault(result, set()).add(point.partition("/")[0])
    assert len(made) > 1500
    for_gpus: dict[str, set[str]] = {}
    for name, definition in golden.suite().definitions.items():
        if definition.isas == ("cuda",):
            for_gpus.setdefault(definition.skip_reason, set()).add(name.partition("/")[0])
    assert refused == for_gpus | {
        "the aarch64 table has no operation 'tile_bf16'": {"tensor_operations", "roofline"},
        "the aarch64 table has no operation 'tile_int8'": {"tensor_operations", "roofline"},
    }
    families = {point.partition("/")[0] for point in made}
    of_cpus = {name for name, one in golden.suite().definitions.items() if one.isas != ("cuda",)}
    assert families == {name.partition("/")[0] for name in of_cpus}


def test_the_table_names_what_x86_64_has_the_same_way() -> None:
    arm, x86 = (golden.suite().tables[isa] for isa in ("aarch64", "x86_64"))
    assert len(arm) >= 60
    common = arm.keys() & x86.keys()
    assert {"integer_add", "integer_mul", "fp32_fma", "fp64_fma_128", "l1_load", "popcnt", "crc32"} <= common
    for name in common:
        assert arm[name].group == x86[name].group, name
        assert arm[name].flop == x86[name].flop, name
        assert arm[name].trivial == x86[name].trivial, name


# -- registers and spelling ---------------------------------------------------------------------------


def test_registers_keep_out_of_the_frame_s_way() -> None:
    general = {str(accumulator("x", index)) for index in range(accumulators("x"))}
    assert len(general) == accumulators("x") >= 16
    # time stamps, calibration, platform, scratch, constants, temporary, loop counter, frame, return
    frame = {f"x{n}" for n in (0, 1, 8, 9, 18, 22, 23, 24, 25, 26, 27, 29, 30)}
    assert not general & frame
    vectors = [accumulator("v", index) for index in range(accumulators("v"))]
    assert len(set(map(str, vectors))) == len(vectors)
    assert not {str(v) for v in vectors} & {"v28", "v29", "v30", "v31"}


def test_register_names_of_every_width() -> None:
    assert (str(General(3)), General(3).w) == ("x3", "w3")
    vector = Vector(7, "d")
    assert [str(vector), vector.b, vector.h, vector.s, vector.d, vector.q, vector.v] == (
        "d7 b7 h7 s7 d7 q7 v7".split()
    )


def test_too_many_accumulators_are_refused() -> None:
    row = golden.suite().tables["aarch64"]["integer_add"]
    with pytest.raises(Unsupported, match="18 accumulators wanted, the register class has 17"):
        bind(row, 0, 18)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("  add x2, x2, x23", "add"),
        ("add w2, w2, w23", "add.w"),
        ("add x2, x2, x23, lsl #12", "add.lsl"),
        ("fadd s0, s0, s30", "fadd.s"),
        ("fadd d0, d0, d30", "fadd.d"),
        ("fmla v0.4s, v30.4s, v31.4s", "fmla.4s"),
        ("fmla v0.2d, v30.2d, v31.2d", "fmla.2d"),
        ("bfdot v0.4s, v30.8h, v31.8h", "bfdot.4s.8h"),
        ("fcvtzs x25, d0", "fcvtzs.x.d"),
        ("crc32cx w2, w2, x23", "crc32cx.w.x"),
        ("ldr q0, [x26, #0x40]", "ldr.q"),
        ("ldr x2, [x2, x23, lsl #3]", "ldr"),
        ("tbl v0.16b, {v30.16b, v31.16b}, v0.16b", "tbl.16b"),
        ("mov v0.s[0], v30.s[1]", "mov.s"),
        ("b.ne #0x1000", "b.ne"),
        ("nop", "nop"),
    ],
)
def test_an_opcode_carries_the_shape_of_its_registers(line: str, name: str) -> None:
    assert opcode(line) == name


# -- golden programs --------------------------------------------------------------------------------


def test_golden_programs_are_those_that_the_suite_renders_now() -> None:
    stored = golden.load()["programs"]
    assert set(stored) == set(NAMES) == set(golden.sources())
    changed = [
        n for n, source in golden.sources().items() if golden.digest(source.text) != stored[n]["source"]
    ]
    assert changed == [], "run: python -m tests.data.aarch64.golden"
    texts = {name: step["text"] for name, step in golden.load()["steps"].items()}
    assert texts == golden.steps(), "run: python -m tests.data.aarch64.golden"


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_program_is_verified(name: str) -> None:
    result = judge(program(name), expectation(name))
    assert result.verdict == "verified", result.explanation
    assert result.facts["stack_accesses"] == 0


FAR = "front_end/code_footprint#instruction=nop4,bytes=1048576"
WITH_BODY = [
    name
    for name in golden.PROGRAMS
    if not name.startswith("roofline/saxpy") and name != FAR  # all nops
]


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_one_instruction_changed_removed_or_added_is_rejected(name: str, where: str) -> None:
    code, expect = program(name), expectation(name)
    body = body_of(code)
    at = {"first": 0, "middle": len(body) // 2 // WORD * WORD, "last": len(body) - WORD}[where]
    before, after = body[:at], body[at + WORD :]
    assert judge(with_body(code, body), expect).verdict == "verified"
    for changed in (before + words(NOP) + after, before + after, before + words(NOP) + body[at:]):
        result = judge(with_body(code, changed), expect)
        assert result.verdict == "rejected"
        assert "wanted" in result.explanation


FADD_D = 0x1E7E2800  # fadd d0, d0, d30
FMADD_S = 0x1F1F03C0  # fmadd s0, s30, s31, s0
FMADD_D = 0x1F5F03C0  # fmadd d0, d30, d31, d0
FMADD_OTHER = 0x1F1F03C1  # fmadd s1, s30, s31, s0
FMADD_NO_CHAIN = 0x1F1F7BC0  # fmadd s0, s30, s31, s30
LDR_STACK = 0xF94007E2  # ldr x2, [sp, #8]
FMLA_0 = 0x4E7FCFC0  # fmla v0.2d, v30.2d, v31.2d


def test_double_instead_of_single_is_another_opcode() -> None:
    name = "instruction_latency/fp32_fma#length=48"
    code, expect = program(name), expectation(name)
    assert body_of(code) == words(FMADD_S) * 48
    result = judge(with_body(code, words(FMADD_D) + words(FMADD_S) * 47), expect)
    assert result.verdict == "rejected"
    assert "1 fmadd.d, 47 fmadd.s" in result.explanation
    result = judge(with_body(code, words(FADD_D) * 48), expect)
    assert "found 48 fadd.d" in result.explanation


@pytest.mark.parametrize("other", [FMADD_OTHER, FMADD_NO_CHAIN])
def test_a_chain_broken_in_its_middle_is_rejected(other: int) -> None:
    name = "instruction_latency/fp32_fma#length=48"
    code, expect = program(name), expectation(name)
    result = judge(with_body(code, words(FMADD_S) * 24 + words(other) + words(FMADD_S) * 23), expect)
    assert result.verdict == "rejected"
    assert "chain" in result.explanation


def test_a_load_from_the_stack_is_a_spill() -> None:
    name = "memory_hierarchy/pointer_chasing#level=l1"
    code, expect = program(name), expectation(name)
    body = body_of(code)
    result = judge(with_body(code, body[:-WORD] + words(LDR_STACK)), expect)
    assert result.verdict == "rejected"
    assert "1 accesses to the stack: a spill" in result.explanation


def test_too_few_independent_chains_are_rejected() -> None:
    name = "instruction_throughput/fp64_fma_128#accumulators=8"
    code, expect = program(name), expectation(name)
    assert expect["chains"] == 8
    for used in (1, 2, 4, 7):
        body = b"".join(words(FMLA_0 + i % used) for i in range(384))
        result = judge(with_body(code, body), expect)
        assert f"wanted 8 dependency chains, found {used}" in result.explanation


def test_a_frame_without_its_calibration_is_rejected() -> None:
    name = "instruction_latency/integer_add#length=48"
    code = program(name)
    for half in (code.body, code.end):
        at = code.code.rindex(words(0x8B090108) * 100, 0, half)
        broken = code.code[:at] + words(NOP) + code.code[at + WORD :]
        result = judge(MachineCode.from_bytes(broken, "aarch64"), expectation(name))
        assert result.verdict == "rejected"
        assert "the calibration" in result.explanation


def test_a_body_that_is_not_closed_by_its_counter_is_rejected() -> None:
    name = "instruction_latency/integer_add#length=48"
    code = program(name)
    broken = code.code[: code.body_end] + words(NOP) + code.code[code.body_end + WORD :]
    result = judge(MachineCode.from_bytes(broken, "aarch64"), expectation(name))
    assert "not closed by one counter and one branch" in result.explanation


B_EQ_OVER, B_BACK = 0x54000040, 0x17FBFFFE


def test_a_body_beyond_the_reach_of_a_branch_is_closed_by_two() -> None:
    code, expect = program(FAR), expectation(FAR)
    assert code.body_end - code.body == 1 << 20
    closing = words(B_EQ_OVER) + words(B_BACK)
    at = code.body_end + WORD
    assert code.code[at : at + 2 * WORD] == closing
    assert judge(code, expect).listing.count("\n") < 10  # a unit, and what closes the body
    for other in (
        words(B_EQ_OVER) + words(B_BACK + 1),  # back behind the first instruction
        words(B_EQ_OVER + 0x20) + words(B_BACK),  # over more than the branch
        words(B_EQ_OVER) + words(NOP),
    ):
        broken = MachineCode.from_bytes(code.code[:at] + other + code.code[at + 2 * WORD :], "aarch64")
        assert "not closed by one counter and one branch" in judge(broken, expect).explanation
    # of another kind such an end is none
    assert judge(code, {**expect, "kind": "independent"}).verdict == "rejected"


# -- every operation --------------------------------------------------------------------------------


@pytest.mark.parametrize("step", sorted(golden.load()["steps"]))
def test_every_operation_is_decoded_as_it_was_written(step: str) -> None:
    stored = golden.load()["steps"][step]
    code = golden.unfold(stored["words"])
    found = [instruction.opcode for instruction in decode.decode(code, 0, len(code))]
    assert found == [opcode(line) for line in stored["text"].splitlines()]


@pytest.mark.parametrize(
    "operation", sorted(n for n, row in golden.suite().tables["aarch64"].items() if row.latency != "-")
)
def test_every_latency_form_is_one_unbroken_chain(operation: str) -> None:
    row = golden.suite().tables["aarch64"][operation]
    if not (row.latency or row.form):
        pytest.skip("asked for throughput only")
    stored = golden.load()["steps"][f"{operation} latency"]
    step = golden.unfold(stored["words"])
    opcodes: dict[str, int | str] = {}
    for line in stored["text"].splitlines():
        opcodes[opcode(line)] = int(opcodes.get(opcode(line), 0)) + 8
    code = with_body(program("instruction_latency/integer_add#length=48"), step * 8)
    result = judge(code, opcodes | {"kind": "chain", "chains": 1})
    assert result.verdict == "verified", result.explanation


def test_a_word_that_is_no_instruction_is_called_unknown() -> None:
    (instruction,) = decode.decode(words(0x00000000 | 0xFFFFFFFF), 0, WORD)
    assert instruction.opcode == "unknown"
    assert instruction.text == ".word 0xffffffff"


@pytest.mark.parametrize(
    ("word", "reads", "writes"),
    [
        (0x1E2E1000, set(), {"v0"}),  # fmov s0, #1.0
        (0xEB03005F, {"x2", "x3"}, set()),  # cmp x2, x3
        (0x4E400C00 | 0x1E << 5 | 0x1F << 16, {"v0", "v30", "v31"}, {"v0"}),  # fmla v0.8h, v30.8h, v31.8h
        (0x1EFE2800, {"v0", "v30"}, {"v0"}),  # fadd h0, h0, h30
        (0x4E9F97C0, {"v0", "v30", "v31"}, {"v0"}),  # sdot v0.4s, v30.16b, v31.16b
        (0xCA020042, {"x2"}, {"x2"}),  # eor x2, x2, x2: A64 has no zeroing idiom
        (0xD2800002, set(), {"x2"}),  # mov x2, #0
        (0xF8408742, set(), {"x2"}),  # ldr x2, [x26], #8: the scratch pointer is held
        (0x9E6702FC, {"x23"}, {"v28"}),  # fmov d28, x23
    ],
)
def test_registers_read_and_written(word: int, reads: set[str], writes: set[str]) -> None:
    (instruction,) = decode.decode(words(word), 0, WORD)
    assert instruction.opcode != "unknown"
    assert instruction.reads == reads
    assert instruction.writes == writes


# -- a fresh assembly ---------------------------------------------------------------------------------

needs_assembler = pytest.mark.skipif(
    golden.assembler() is None, reason="no AArch64 assembler on PATH (binutils-aarch64-linux-gnu)"
)


@needs_assembler
def test_a_fresh_assembly_gives_the_golden_programs() -> None:
    for name in golden.PROGRAMS:
        assert golden.assemble(golden.sources()[name].text) == golden.code(name), name


@needs_assembler
def test_a_fresh_assembly_gives_the_golden_steps() -> None:
    stored = {name: step["words"] for name, step in golden.load()["steps"].items()}
    assert golden.assembled_steps() == stored
