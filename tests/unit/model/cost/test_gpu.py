"""SASS listings: read, matched with operations, bounded for a warp and for a scheduler."""

from __future__ import annotations

import pytest

from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost import gpu, sass
from reportgen.model.cost.estimate import estimate
from reportgen.model.cost.parse import Unreadable, parse
from reportgen.status import Status
from tests.unit.model.cost.machine import core, fact

LISTING = """
	.headerflags	@"EF_CUDA_SM90"
.L_x_1:
        /*0010*/                   LDG.E R0, [R2.64+0x4] ;                /* 0x0000000402007981 */
                                                                         /* 0x000ea8000c1e1900 */
        /*0020*/                   IADD3 R6, P0, R6, 0x4, RZ ;
        /*0030*/                   FFMA R5, R0, R7, R5 ;
        /*0040*/                   F2I.TRUNC.NTZ R8, R5 ;
        /*0050*/                   ISETP.NE.AND P1, PT, R6, R9, PT ;
        /*0060*/              @P1  BRA `(.L_x_1) ;
        /*0070*/                   EXIT ;
"""


def target(**numbers: float) -> Architecture:
    units = {"latency": "cycle", "issue": "cycle/instruction"}
    facts = []
    for name, value in numbers.items():
        kind, _, operation = name.partition("_")
        metric = f"encoded.{kind}.{operation}"
        facts.append(Fact(metric, units[kind], Status.OK, Claim.COMPILER_ENCODED, 0.8, value, value, value))
    return core(
        isa="sm_90",
        device="sm-90",
        name="sm_90",
        instructions=(),
        resources=None,
        memory=(),
        facts=tuple(facts),
    )


SM90 = target(
    latency_fp32_fma=4, issue_fp32_fma=1, latency_integer_add=4, issue_integer_add=2, issue_global_load=4,
    issue_convert_fp32_int32=8, issue_integer_min=2,
)  # fmt: skip


def test_a_listing_is_read() -> None:
    body = parse("k.sass", LISTING)
    assert body.isa == "cuda"
    assert body.notes == ("the loop of 6 instructions that ends with BRA",)
    load, add, fma, convert, compare, branch = body.instructions
    assert (load.mnemonic, load.reads, load.writes, load.memory) == (
        "LDG.E",
        ("R2", "R3"),
        ("R0",),
        ("load",),
    )
    assert add.writes == ("R6",)
    assert (set(fma.reads), fma.writes) == ({"R0", "R7", "R5"}, ("R5",))
    assert (compare.writes, branch.reads, branch.flow, branch.target) == (("P1",), ("P1",), "conditional", 0)
    assert convert.writes == ("R8",)


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("DFMA R4, R6, R8, R4 ;", {"R6", "R8", "R4"}, {"R4", "R5"}),
        ("IMAD.WIDE R2, R3, 0x4, R8 ;", {"R3", "R8"}, {"R2", "R3"}),
        ("@!P0 FADD R1, R2, R3 ;", {"R2", "R3", "P0", "R1"}, {"R1"}),
        ("@PT FADD R1, R2, R3 ;", {"R2", "R3"}, {"R1"}),
        ("STG.E.64 [R2.64], R4 ;", {"R2", "R3", "R4"}, set()),
        ("LDS.128 R4, [R2+0x10] ;", {"R2"}, {"R4", "R5", "R6", "R7"}),
    ],
)
def test_registers_of_an_instruction(line: str, reads: set[str], writes: set[str]) -> None:
    (one,) = sass.instructions(line)
    assert (set(one.reads), set(one.writes)) == (reads, writes)


@pytest.mark.parametrize(
    ("opcode", "operation"),
    [
        ("FFMA", "fp32_fma"),
        ("FFMA.FTZ", "fp32_fma"),
        ("IMAD.WIDE.U32", "integer_mul_wide"),
        ("IMAD.MOV.U32", "integer_mad"),
        ("MUFU.EX2", "exp2"),
        ("LDG.E.64.CONSTANT", "global_load"),
        ("LDSM.16.M88.4", "matrix_load"),
        ("HMMA.16816.F32", "mma_m16n8k16_f16_f32"),
        ("F2I.F64.TRUNC", "convert_fp64_int32"),
        ("BRA", ""),
        ("QGMMA", None),
    ],
)
def test_opcodes_stand_for_operations(opcode: str, operation: str | None) -> None:
    assert gpu.operation(opcode) == operation


def test_one_warp_waits_and_many_fill_the_scheduler() -> None:
    body = parse("k.sass", LISTING)
    one = estimate(body, SM90)
    # issue: load 4, add 2, fma 1, conversion 8, compare 2, branch 1
    assert (one.cycles, one.decides) == (18.0, "issue")
    assert {bound.name: bound.cycles for bound in one.bounds} == {"issue": 18.0, "dependencies": 4.0}
    assert estimate(body, SM90, warps=4).cycles == 72.0
    assert one.conversions == 8.0
    assert "10 registers a thread or more: by these a scheduler holds at most 51 warps" in one.notes
    assert any("least distances, not latencies" in note for note in one.notes)


def test_a_latency_that_nothing_tells_opens_the_range() -> None:
    body = parse("c.sass", ".L1:\nLDG.E.64 R2, [R2.64] ;\n@P0 BRA `(.L1) ;\n")
    one = estimate(body, SM90)
    waits = {bound.name: bound for bound in one.bounds}
    assert "dependencies" not in waits  # nothing is known of it
    assert one.cycles == 5.0
    told = estimate(body, target(latency_global_load=30, issue_global_load=4))
    assert told.decides == "dependencies"


def test_what_no_row_names_is_unknown() -> None:
    one = estimate(parse("u.sass", "FFMA R5, R0, R7, R5 ;\nQGMMA R8, R0, R4, R8 ;\n"), SM90)
    assert (one.unknown, one.covered) == (("QGMMA R8, R0, R4, R8",), 0.5)


def test_sass_on_a_processor_is_refused() -> None:
    with pytest.raises(Unreadable, match="is SASS, written-core is x86_64"):
        estimate(parse("k.sass", LISTING), core())


def test_a_measured_rate_is_shared_out_among_the_schedulers() -> None:
    """It is that of a multiprocessor, and a warp belongs to one of four schedulers."""
    body = [one for one in parse("k.sass", LISTING).instructions if one.mnemonic.startswith(("FFMA", "F2I"))]
    measured = core(
        isa="sm_90", instructions=(), resources=None, memory=(),
        facts=(
            fact("latency.fp32_fma", 4.0), fact("issue_interval.fp32_fma", 0.25, "cycle/instruction"),
            fact("latency.convert_fp32_int32", 20.0),
            fact("issue_interval.convert_fp32_int32", 2.0, "cycle/instruction"),
        ),
    )  # fmt: skip
    found = gpu.warp(body, measured)
    assert found.issue == pytest.approx(1.0 + 8.0)
    assert not found.encoded
