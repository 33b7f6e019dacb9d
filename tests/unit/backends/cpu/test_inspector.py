"""The inspector accepts what was meant and catches the naive forms of what was not."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Source
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.inspector import inspect, listing
from reportgen.backends.cpu.isa import Instruction, decoder
from tests.unit.backends.cpu.x86 import assemble, assembles, generate, judge, planned, with_body

pytestmark = assembles

IMUL = "instruction_latency/integer_mul#length=48"
ADDSS = "instruction_latency/fp32_add#length=48"
FOUR = "instruction_throughput/integer_mul#accumulators=4"


def one_point_a_probe() -> list[str]:
    chosen: dict[str, str] = {}
    for point, (probe, _) in planned().items():
        if probe.definition.isas != ("cuda",):
            chosen.setdefault(probe.id, point)
    return list(chosen.values())


def test_one_point_of_every_probe_is_verified() -> None:
    wrong = {}
    for point in one_point_a_probe():
        result = judge(generate(point))
        if result.verdict != "verified":
            wrong[point] = result.explanation
    assert wrong == {}


@pytest.mark.parametrize("kernel", ["read", "write", "copy", "triad", "nt_write", "nt_copy"])
@pytest.mark.parametrize("features", [("avx", "fma"), ("avx", "fma", "avx512f")])
def test_every_stream_is_verified_at_every_width(kernel: str, features: tuple[str, ...]) -> None:
    from tests.unit.backends.cpu.x86 import device

    point = f"memory_hierarchy/bandwidth_saturation#kernel={kernel},bytes=131072,cores=2"
    source = generate(point, device(features))
    result = judge(source)
    assert result.verdict == "verified", result.explanation
    assert ("zmm" in result.listing) == ("avx512f" in features)


def test_the_verdict_tells_what_was_seen() -> None:
    result = judge(generate(IMUL))
    assert result.opcodes == {"imul": 48}
    assert result.facts == {"instructions": 48, "stack_accesses": 0, "chains": 1}
    assert "48 imul, nothing foreign, no stack access; every step reads what the step" in result.explanation
    assert result.listing.splitlines()[0] == "imul rbx,r14    ; x 48"
    assert result.listing.splitlines()[1] == "dec r15"
    assert len(result.sha256) == 64


# -- histogram ----------------------------------------------------------------------------------------


def rejected(source: Source, *lines: str) -> str:
    result = judge(source, with_body(source, *lines))
    assert result.verdict == "rejected"
    return result.explanation


def test_one_instruction_too_few_or_too_many() -> None:
    source = generate(IMUL)
    assert "wanted 48 imul, found 47 imul" in rejected(source, *["imul rbx, r14"] * 47)
    assert "wanted 48 imul, found 49 imul" in rejected(source, *["imul rbx, r14"] * 49)
    assert "found nothing" in rejected(source)


@pytest.mark.parametrize("line", ["nop", "mov rbx, rbx", "add rbx, r14", "lfence", "jmp 1f\n1:"])
def test_a_foreign_instruction(line: str) -> None:
    source = generate(IMUL)
    explanation = rejected(source, *["imul rbx, r14"] * 24, line, *["imul rbx, r14"] * 24)
    assert "wanted 48 imul, found" in explanation


@pytest.mark.parametrize("wrong", ["vaddsd", "vaddps", "vsubss", "vmulss"])
def test_the_same_operation_of_another_type(wrong: str) -> None:
    source = generate(ADDSS)
    right = "vaddss xmm0, xmm0, xmm14"
    explanation = rejected(source, *[right] * 47, f"{wrong} xmm0, xmm0, xmm14")
    assert f"1 {wrong}" in explanation
    assert "wanted 48 vaddss" in explanation


def test_a_spill_to_the_stack() -> None:
    source = generate(IMUL)
    explanation = rejected(
        source, *["imul rbx, r14"] * 24, "mov [rsp-8], rbx", "mov rbx, [rsp-8]", *["imul rbx, r14"] * 24
    )
    assert "2 accesses to the stack: a spill" in explanation


def test_bytes_that_are_no_instruction() -> None:
    source = generate(IMUL)
    assert "1 unknown" in rejected(source, *["imul rbx, r14"] * 47, ".byte 0x06")


# -- dataflow -------------------------------------------------------------------------------------------


def test_a_zeroing_idiom_breaks_the_chain_even_where_it_was_expected() -> None:
    source = generate(IMUL)
    text = with_body(source, *["imul rbx, r14", "xor ebx, ebx"] * 24)
    expect = {"imul": 24, "xor": 24, "kind": "chain", "chains": 1}
    code = assemble(Source(source.point, text, expect, {}, {}))
    result = inspect(code, text, expect)
    assert result.verdict == "rejected"
    assert "chain" in result.explanation
    # the same with a form that does read its operand
    text = text.replace("xor ebx, ebx", "xor rbx, r14")
    assert inspect(assemble(Source("", text, expect, {}, {})), text, expect).verdict == "verified"


def test_a_chain_broken_in_its_middle() -> None:
    source = generate(IMUL)
    step = "imul rbx, r14"
    # another register: two chains; a source that is not the step before: no gain in depth
    assert "found 2" in rejected(source, *[step] * 24, *["imul rbp, r14"] * 24)
    broken = rejected(source, *[step] * 24, "imul rbx, r14, 3", *[step] * 23)
    assert "chain" in broken


def test_a_form_whose_result_is_not_its_next_input() -> None:
    source = generate(ADDSS)
    assert "chain" in rejected(source, *["vaddss xmm0, xmm14, xmm15"] * 48)


@pytest.mark.parametrize("used", [1, 2, 3])
def test_fewer_accumulators_than_wanted(used: int) -> None:
    source = generate(FOUR)
    registers = ["rbx", "rcx", "rbp", "rsi"][:used]
    lines = [f"imul {registers[i % used]}, r14" for i in range(384)]
    assert f"wanted 4 dependency chains, found {used}" in rejected(source, *lines)


def test_more_accumulators_than_wanted() -> None:
    source = generate(FOUR)
    registers = ["rbx", "rcx", "rbp", "rsi", "r8", "r9", "r10", "r11"]
    lines = [f"imul {registers[i % 8]}, r14" for i in range(384)]
    assert "wanted 4 dependency chains, found 8" in rejected(source, *lines)


def test_independent_work_that_depends_on_nothing() -> None:
    source = generate("instruction_throughput/fp32_add#accumulators=4")
    lines = [f"vaddss xmm{i % 4}, xmm14, xmm15" for i in range(384)]
    assert "wanted 4 dependency chains, found 0" in rejected(source, *lines)


def test_stores_to_one_place_are_not_a_chain_and_reloads_are() -> None:
    mix = generate("instruction_throughput/load_store_mix#accumulators=4")
    assert judge(mix).verdict == "verified"
    assert judge(generate("instruction_latency/store_forward#length=48")).verdict == "verified"
    forward = generate("instruction_latency/store_forward#length=48")
    apart = [line for _ in range(48) for line in ("mov [r13], rbx", "mov rbx, [r13+64]")]
    assert "chain" in rejected(forward, *apart)


def test_a_pair_that_shares_a_register() -> None:
    source = generate("pipeline_interference/add_vs_mul#first=integer_add,second=integer_mul")
    assert judge(source).verdict == "verified"
    shared = source.text.replace("imul r9, r14", "imul rbx, r14").replace("imul r8, r14", "imul rbx, r14")
    assert shared != source.text
    result = judge(source, shared)
    assert result.verdict == "rejected"
    assert "wanted 10 dependency chains" in result.explanation


# -- frame ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        (".fill 2048, 3, 0xc8014d", ".fill 2047, 3, 0xc8014d", "the calibration before"),
        (".fill 2048, 3, 0xc8014d", ".fill 2048, 3, 0xc0014d", "the calibration before"),  # add r8, r8
        (".fill 32, 3, 0xc8014d", ".fill 33, 3, 0xc8014d", "the calibration before"),
        (".fill 256, 3, 0xd23145", ".fill 255, 3, 0xd23145", "the canary after"),
        ("  dec r15\n  jnz body", "  sub r15, 1\n  jnz body", "not closed by one counter and one branch"),
        ("  dec r15\n  jnz body", "  dec r15\n  nop\n  jnz body", "not closed by one counter and one branch"),
    ],
)
def test_a_frame_that_is_not_what_it_says(right: str, wrong: str, complaint: str) -> None:
    source = generate(IMUL)
    assert right in source.text
    result = judge(source, source.text.replace(right, wrong))
    assert result.verdict == "rejected"
    assert complaint in result.explanation


def test_a_calibration_interrupted_in_its_middle() -> None:
    source = generate(IMUL)
    split = "  .fill 1024, 3, 0xc8014d\n  nop\n  .fill 1024, 3, 0xc8014d"
    result = judge(source, source.text.replace("  .fill 2048, 3, 0xc8014d", split))
    assert "holds [32, 1024, 1024] times 'add r8,r9' in a row, not [32, 2048]" in result.explanation


def test_library_points_check_the_frame_only() -> None:
    source = generate("roofline/saxpy#n=1024")
    result = judge(source)
    assert result.verdict == "verified"
    assert "the timed work is library code" in result.explanation
    assert "found 1 nop" in rejected(source, "nop")


# -- decoder ------------------------------------------------------------------------------------------------


def decoded(line: str) -> Instruction:
    source = generate(IMUL)
    code: MachineCode = assemble(Source("", with_body(source, line), {}, {}, {}))
    (found,) = decoder("x86_64").decode(code.code, code.body, code.body_end)
    return found


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("add rbx, rcx", {"rbx", "rcx"}, {"rbx"}),
        ("mov ebx, ecx", {"rcx"}, {"rbx"}),
        ("xor ebx, ebx", set(), {"rbx"}),
        ("vxorps xmm1, xmm1, xmm1", set(), {"zmm1"}),
        ("vfmadd231ps ymm1, ymm2, ymm3", {"zmm1", "zmm2", "zmm3"}, {"zmm1"}),
        ("vaddps zmm1, zmm2, zmm3", {"zmm2", "zmm3"}, {"zmm1"}),
        ("cmovne rbx, rcx", {"rbx", "rcx"}, {"rbx"}),
        ("kaddq k1, k1, k7", {"k1", "k7"}, {"k1"}),
        ("tdpbf16ps tmm0, tmm6, tmm7", {"tmm0", "tmm6", "tmm7"}, {"tmm0"}),
        ("add rbx, r14", {"rbx"}, {"rbx"}),  # the constant is held
    ],
)
def test_registers_read_and_written(line: str, reads: set[str], writes: set[str]) -> None:
    found = decoded(line)
    assert found.reads == reads
    assert found.writes == writes


@pytest.mark.parametrize(
    ("line", "loads", "stores"),
    [
        ("mov rbx, [rcx+8]", True, False),
        ("mov [rcx+8], rbx", False, True),
        ("add [rcx+8], rbx", True, True),
        ("lea rbx, [rcx+8]", False, False),
    ],
)
def test_memory_read_and_written(line: str, loads: bool, stores: bool) -> None:
    found = decoded(line)
    assert found.place is not None
    assert (found.place.base, found.place.index, found.place.displacement) == ("rcx", "", 8)
    assert (found.loads, found.stores) == (loads, stores)


def test_a_listing_folds_what_repeats() -> None:
    nothing: frozenset[str] = frozenset()
    lines = [Instruction("x", text, nothing, nothing, None, False, False) for text in ("a", "b", "b", "a")]
    assert listing(lines) == "a\nb    ; x 2\na"
    assert listing([]) == ""
