"""SASS listings: read, matched with operations, bounded for a warp and for a scheduler."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.findings.finding import Claim
from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost import gpu, pipelines, sass, sass_operations
from reportgen.model.cost.estimate import WITHOUT_SIZE, Estimate, estimate
from reportgen.model.cost.parse import Unreadable, parse
from reportgen.model.cost.rank import rank
from reportgen.model.resources import Explanation, ResourceGroup, Resources, Use
from reportgen.status import Status
from tests.unit.model.cost.machine import core, fact, resources

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
        ("LDG.E.64.CONSTANT", "global_load_nc"),
        ("LDSM.16.M88.4", "matrix_load_4"),
        ("HMMA.16816.F32", "mma_m16n8k16_f16_f32"),
        ("F2I.F64.TRUNC", "convert_fp64_int32"),
        ("BRA", ""),
        ("QGMMA", None),
    ],
)
def test_opcodes_stand_for_operations(opcode: str, operation: str | None) -> None:
    assert sass_operations.operation(opcode) == operation


def test_one_warp_waits_and_many_fill_the_scheduler() -> None:
    body = parse("k.sass", LISTING)
    one = estimate(body, SM90)
    # a slot for each of 6; the conversion keeps its pipeline for 8, those of add and compare is kept for 4
    assert (one.cycles, one.decides) == (8.0, "resources")
    assert {bound.name: bound.cycles for bound in one.bounds} == {
        "issue": 6.0, "dependencies": 4.0, "resources": 8.0,
    }  # fmt: skip
    assert "XU pipeline: convert_fp32_int32" in next(b.why for b in one.bounds if b.name == "resources")
    assert estimate(body, SM90, warps=4).cycles == 32.0
    assert one.conversions == 3.0  # without it, 5 slots decide
    assert "10 registers a thread or more: a scheduler holds at most 16 warps" in one.notes
    assert any("least distances, not latencies" in note for note in one.notes)


def test_a_latency_that_nothing_tells_opens_the_range() -> None:
    body = parse("c.sass", ".L1:\nLDG.E.64 R2, [R2.64] ;\n@P0 BRA `(.L1) ;\n")
    one = estimate(body, SM90)
    waits = next(bound for bound in one.bounds if bound.name == "dependencies")
    assert (waits.low, waits.cycles, waits.high) == (0.0, 0.0, gpu.UNTOLD)
    assert (one.cycles, one.decides) == (4.0, "resources")
    assert one.high >= gpu.UNTOLD
    assert "global memory: 256 bytes a round of a warp" in one.notes
    assert WITHOUT_SIZE in one.notes
    told = estimate(body, target(latency_global_load=30, issue_global_load=4))
    assert told.decides == "dependencies"
    assert "occupancy: 8 warps of a scheduler hide the dependencies of each" in told.notes


def test_registers_bound_the_warps_that_are_there_at_once() -> None:
    listing = ".L1:\nFFMA R200, R199, R198, R200 ;\nSTL [R1], R2 ;\n@P0 BRA `(.L1) ;\n"
    two = estimate(parse("wide.sass", listing), SM90, warps=2)
    six = estimate(parse("wide.sass", listing), SM90, warps=6)
    waits = [next(b for b in one.bounds if b.name == "dependencies") for one in (two, six)]
    assert [bound.cycles for bound in waits] == [4.0, 12.0]
    assert "3 turns of warps that do not fit at once" in waits[1].why
    assert "occupancy: 6 warps do not fit at once; they take 3 turns" in six.notes
    assert any(note.startswith("register pressure: 1 of the accesses") for note in six.notes)
    assert "201 registers a thread or more: a scheduler holds at most 2 warps" in six.notes
    assert gpu.fitting(4) == gpu.MOST_WARPS  # few registers do not make room for more


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("fp32_fma", "FMA"), ("integer_mad", "FMA"), ("integer_add", "ALU"), ("integer_logic", "ALU"),
        ("fp16_fma", "FP16"), ("fp64_add", "FP64"), ("exp2", "XU"), ("convert_int32_fp32", "XU"),
        ("convert_fp32_fp16", "ALU"), ("shared_load", "LSU"), ("mma_m16n8k16_f16_f32", "tensor"),
        ("mma_sparse_m16n8k32_f16_f32", "tensor"),
    ],
)  # fmt: skip
def test_pipelines_are_those_of_the_vendor(operation: str, name: str) -> None:
    assert pipelines.pipeline(operation) == name


def lowering(text: str, architecture: Architecture) -> Estimate:
    return estimate(parse("mix", text.replace(",", "\n")), architecture)


TURING = target(
    latency_fp32_fma=4, issue_fp32_fma=2, latency_integer_add=4, issue_integer_add=2,
    latency_mma_m16n8k8_f16_f32=14, issue_mma_m16n8k8_f16_f32=8,
    latency_convert_fp32_fp16=5, issue_convert_fp32_fp16=2, issue_fp64_fma=1,
)  # fmt: skip


def test_many_fp32_against_a_mix_of_integer_and_fp32() -> None:
    """Who has not measured whether the two compete cannot tell; who has, can."""
    plain, mixed = (lowering(text, TURING) for text in ("fp32_fma:32", "fp32_fma:16,integer_add:16"))
    assert [(bound.low, bound.cycles, bound.high) for bound in plain.bounds if bound.name == "resources"] == [
        (64.0, 64.0, 64.0)
    ]
    assert [(bound.low, bound.cycles, bound.high) for bound in mixed.bounds if bound.name == "resources"] == [
        (32.0, 32.0, 64.0)
    ]
    assert "whether ALU and FMA compete was not measured: the range spans both" in mixed.notes
    assert rank(plain, mixed).verdict == "cannot tell"
    separate = msgspec.structs.replace(TURING, resources=pairs("r1", "r2"))
    assert (
        rank(lowering("fp32_fma:32", separate), lowering("fp32_fma:16,integer_add:16", separate)).verdict
        == "second"
    )
    shared = msgspec.structs.replace(TURING, resources=pairs("r1", "r1"))
    found = lowering("fp32_fma:16,integer_add:16", shared)
    assert (found.cycles, found.decides) == (64.0, "resources")
    assert not any("compete" in note for note in found.notes)


def pairs(fma: str, add: str) -> Resources:
    """Both operations keep a resource of a multiprocessor for half a cycle."""
    uses = (Use("fp32_fma", (fma,), 0.5), Use("integer_add", (add,), 0.5))
    names = tuple(dict.fromkeys((fma, add)))
    group = ResourceGroup(("fp32_fma", "integer_add"), (Explanation(names, uses),), True)
    return msgspec.structs.replace(resources(), front_end=0.0, groups=(group,), deviations=(), placed=())


def test_the_matrix_unit_with_conversions_against_plain_fp32() -> None:
    matrix = lowering("mma_m16n8k8_f16_f32:2,convert_fp32_fp16:8", TURING)
    plain = lowering("fp32_fma:64", TURING)
    assert rank(matrix, plain).verdict == "first"
    assert (matrix.cycles, matrix.conversions) == (16.0, 0.0)
    much = lowering("mma_m16n8k8_f16_f32:2,convert_fp32_fp16:20", TURING)
    assert (much.cycles, much.conversions) == (40.0, 24.0)
    assert {share.how for share in much.operations} == {"encoded"}


def test_where_only_a_least_distance_is_known_the_range_reaches_the_slowest_device() -> None:
    found = lowering("fp64_fma:2", TURING)
    assert [(bound.cycles, bound.high) for bound in found.bounds if bound.name == "resources"] == [
        (2.0, 128.0)
    ]


def test_operations_that_nothing_is_known_of_are_named() -> None:
    found = lowering("fp32_fma:3,fp32_fmb:1", TURING)
    assert (found.unknown, found.covered) == (("fp32_fmb",), 0.75)
    with pytest.raises(Unreadable, match="sm-90 has no rate of fp32_fmb"):
        lowering("fp32_fmb:1", TURING)


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
    assert {name: span.value for name, span in found.work.items()} == {
        "fp32_fma": pytest.approx(1.0),
        "convert_fp32_int32": pytest.approx(8.0),
    }
    assert not found.encoded
