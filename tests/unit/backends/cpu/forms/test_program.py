"""Programs of forms, assembled and inspected: what the inspector sees is what was asked."""

from __future__ import annotations

import pytest

from reportgen.backends.cpu.isa import host
from reportgen.backends.cpu.x86_64.forms import assembling
from reportgen.backends.cpu.x86_64.forms.crossing import across, through
from reportgen.backends.cpu.x86_64.forms.enumeration import enumerated
from reportgen.backends.cpu.x86_64.forms.program import form as program
from reportgen.backends.cpu.x86_64.forms.questions import asked
from reportgen.suite.survey import chosen, patterns_of
from reportgen.suite.survey import constants as recorded

FORMS = {form.key: form for form in enumerated()[0]}
FEATURES = ("avx", "avx2", "avx512bw", "avx512f", "avx512vl")


def body(key: str, question: str) -> tuple[list[str], int]:
    made = program(key, recorded(FORMS[key]), question, FEATURES)
    return list(made.turn), made.times


@pytest.mark.parametrize(
    ("key", "question", "lines", "times"),
    [
        ("add_r64_r64", "1to1:16", ["add rbx, r14"], 16),
        # the sum is overwritten before each step, so that only the addend is waited for
        ("add_r64_r64", "2to1:16", ["mov rcx, r14", "add rcx, rbx", "mov rbx, r14", "add rbx, rcx"], 8),
        ("vaddps_xmm_xmm_xmm", "3to1:48", ["vaddps xmm2, xmm14, xmm1", "vaddps xmm1, xmm14, xmm2"], 24),
        ("div_r64", "raxtorax:16", ["xor edx, edx", "div r14"], 16),
        ("adc_r64_r64", "1to1:16", ["test r14, r14", "adc rbx, r14"], 16),
        ("lea_r64_m", "2to1:16", ["lea rcx, [rbx]", "lea rbx, [rcx]"], 8),
        ("movzx_r32_r8", "2to1:16", ["movzx ecx, bl", "movzx ebx, cl"], 8),
        ("pmovmskb_r32_xmm", "2to1:16", ["pmovmskb ebx, xmm1", "movq xmm1, rbx"], 16),
        ("cmp_r64_r64", "1toflags:16", ["cmp rbx, r14", "setb bl"], 16),
        ("cmovb_r64_r64", "flagsto1:16", ["test rbx, rbx", "mov rbx, r14", "cmovb rbx, r14"], 16),
        ("cvtsi2sd_xmm_r64", "2to1:16", ["movaps xmm1, xmm14", "cvtsi2sd xmm1, rbx", "movq rbx, xmm1"], 16),
        ("add_m64_r64", "1to1:16", ["add qword ptr [r13+0], r14"] * 4, 4),
        ("lock_add_m64_r64", "1to1:16", ["lock add qword ptr [r13+0], r14"] * 4, 4),
        ("vaddps_zmm_k_zmm_zmm", "1to1:16", ["{evex} vaddps zmm1{k7}, zmm14, zmm15"], 16),
        ("vaddps_zmm_kz_zmm_zmm", "1to1:16", ["{evex} vaddps zmm1{k7}{z}, zmm14, zmm15"], 16),
        (
            "vaddps_zmm_k_zmm_zmm",
            "2to1:16",
            ["vmovaps zmm1, zmm14", "{evex} vaddps zmm1{k1}, zmm14, zmm15", "vpmovq2m k1, xmm1"],
            16,
        ),
        (
            "vpgatherdd_ymm_vm32y_ymm",
            "1to1:16",
            ["vmovaps ymm13, ymm15", "vpgatherdd ymm1, [r13+ymm14*1], ymm13"],
            16,
        ),
        (
            "vpgatherdd_zmm_k_vm32z",
            "3to1:16",
            [
                "kmovw k1, k7",
                "vmovaps zmm2, zmm14",
                "{evex} vpgatherdd zmm2{k1}, [r13+zmm1*1]",
                "kmovw k1, k7",
                "vmovaps zmm1, zmm14",
                "{evex} vpgatherdd zmm1{k1}, [r13+zmm2*1]",
            ],
            8,
        ),
    ],
)
def test_a_chain_waits_for_its_pair_alone(key: str, question: str, lines: list[str], times: int) -> None:
    assert body(key, question) == (lines, times)


def test_instances_of_a_throughput_share_no_result() -> None:
    lines, times = body("vpaddd_zmm_zmm_zmm", "throughput:26")
    assert len(set(lines)) == 26
    assert times * 26 >= 192
    assert all(line.endswith("zmm14, zmm15") for line in lines)
    lines, _ = body("mulx_r64_r64_r64", "throughput:4")
    written = [word.strip(",") for line in lines for word in line.split()[1:3]]
    assert len(set(written)) == 8


def test_a_gather_has_a_line_for_each_element_and_its_mask_anew() -> None:
    made = program("x", recorded(FORMS["vgatherqpd_zmm_k_vm64z"]), "throughput:26", FEATURES)
    assert made.turn[:2] == ("kmovw k1, k7", "{evex} vgatherqpd zmm1{k1}, [r13+zmm14*1]")
    assert len(set(made.turn)) == 27
    assert made.beside == 1
    values = next(line for line in made.constants if line.startswith(".byte"))
    indices = bytes(int(part) for part in values.removeprefix(".byte ").split(","))
    places = [int.from_bytes(indices[at : at + 8], "little") for at in range(0, 64, 8)]
    assert len({place // 64 for place in places}) == 8
    # memory holds the indices, so that what is gathered can be the next ones
    assert {"mov [r13+rax], rax", f"add eax, {places[1]}"} <= set(made.init)


def test_what_brings_a_result_back_needs_its_extension() -> None:
    form = FORMS["vptestmd_k_zmm_zmm"]
    assert across(form, FEATURES) == []
    assert across(form, (*FEATURES, "avx512dq")) == ["2to1", "3to1"]
    assert through(form, "2to1") == "vpmovm2q"
    assert across(FORMS["ucomisd_xmm_xmm"], FEATURES) == ["1toflags", "2toflags"]
    assert through(FORMS["ucomisd_xmm_xmm"], "1toflags") == "setb+movq"
    assert across(FORMS["add_r64_r64"], FEATURES) == []  # its flags are not all that it writes


def test_flags_are_chained_through_changing_registers() -> None:
    lines, _ = body("adc_r64_r64", "flagstoflags:16")
    assert len({line.split()[1] for line in lines}) == 4


def test_every_question_of_every_form_has_a_program() -> None:
    for form in FORMS.values():
        for question in asked(form, across(form, (*FEATURES, "avx512dq"))):
            made = program(form.key, recorded(form), question, FEATURES)
            assert made.steps == int(question.partition(":")[2]) or question.startswith("throughput")


@pytest.mark.skipif(host() != "x86_64", reason="the assembler is asked for x86-64 on x86-64 only")
def test_both_tools_agree_on_forms_or_say_why() -> None:
    forms, left = assembling.checked(frozenset({"avx2", "bmi2"}))
    keys = {form.key for form in forms}
    assert {"add_r64_r64", "lock_add_m64_r64", "pdep_r64_r64_r64", "vpaddd_ymm_ymm_ymm"} <= keys
    assert "vpgatherqd_xmm_vm64y_xmm" in keys
    assert len(keys) == len(forms) > 800
    reasons = {one.what: one.reason for one in left}
    assert "lacks fma" in reasons["vfmadd231ps_ymm_ymm_ymm"]
    assert "same text" in reasons["add_r64_rm64"]
    assert "refuses" in reasons["movsxd_r16_r16"]
    named = keys | reasons.keys()
    assert {form.code for form in FORMS.values() if form.key not in named} <= named


def test_patterns_name_keys_or_extensions() -> None:
    some = list(FORMS.values())
    assert {form.extension for form in chosen(some, patterns_of("bmi2"))} == {"bmi2"}
    assert {form.mnemonic for form in chosen(some, patterns_of("vpaddd_*, adcx*"))} == {"vpaddd", "adcx"}
    assert len(chosen(some, patterns_of("*"))) == len(some)
