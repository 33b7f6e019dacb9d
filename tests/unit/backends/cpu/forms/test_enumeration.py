"""The forms of the decoder's table: all of it is asked of or has a reason, and keys are stable."""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version

import pytest
from iced_x86 import Code

from reportgen.backends.cpu.x86_64.forms.enumeration import enumerated
from reportgen.backends.cpu.x86_64.forms.questions import accumulators, asked, instances, pairs
from reportgen.suite.survey import GENERAL, MEMORY, Form, form_of
from reportgen.suite.survey import constants as recorded

FORMS, LEFT_OUT = enumerated()


def keyed(key: str) -> Form:
    return next(form for form in FORMS if form.key == key)


def test_every_opcode_is_asked_of_or_has_a_reason() -> None:
    opcodes = {name.lower() for name, value in vars(Code).items() if isinstance(value, int)}
    assert {form.code for form in FORMS} | {one.what for one in LEFT_OUT} == opcodes
    assert all(len(one.reason) > 5 for one in LEFT_OUT)


@pytest.mark.skipif(
    not version("iced-x86").startswith("1.21"), reason="counted with the tables of iced-x86 1.21"
)
def test_the_numbers_of_forms_and_reasons_are_those_of_the_decoders_version() -> None:
    assert 10_500 < len(FORMS) < 10_800
    assert 1300 < len(LEFT_OUT) < 1600
    reasons = Counter(one.reason for one in LEFT_OUT)
    assert len(reasons) < 40
    assert reasons["privileged"] > 100


@pytest.mark.parametrize(
    ("key", "operands", "extension", "flags"),
    [
        ("vaddps_xmm_xmm_m128", ["xmm:w", "xmm:r", "m128:r"], "avx", ""),
        ("adc_r64_r64", ["r64:rw", "r64:r"], "x86-64", "rw"),
        ("mov_r8_r8", ["r8:rw", "r8:r"], "x86-64", ""),  # keeps the upper bits
        ("vpaddd_xmm_xmm_xmm_evex", ["xmm:w", "xmm:r", "xmm:r"], "avx512vl+avx512f", ""),
        ("vfmadd231ps_ymm_ymm_ymm", ["ymm:rw", "ymm:r", "ymm:r"], "fma", ""),
        ("shl_r64_cl", ["r64:rw", "cl:r"], "x86-64", "w"),
        ("lea_r64_m", ["r64:w", "m:"], "x86-64", ""),
        ("vaddps_zmm_k_zmm_zmm", ["zmm:rw", "k:r", "zmm:r", "zmm:r"], "avx512f", ""),
        ("vaddps_zmm_kz_zmm_zmm", ["zmm:w", "kz:r", "zmm:r", "zmm:r"], "avx512f", ""),
        ("vmovups_m512_k_zmm", ["m512:w", "k:r", "zmm:r"], "avx512f", ""),
        ("vpcmpd_k_k_zmm_zmm_imm8", ["k:w", "k:r", "zmm:r", "zmm:r", "imm8:"], "avx512f", ""),
        ("vaddps_zmm_zmm_m32bcst16", ["zmm:w", "zmm:r", "m32bcst16:r"], "avx512f", ""),
        ("lock_add_m64_r64", ["m64:rw", "r64:r"], "x86-64", "w"),
        ("vpgatherdd_ymm_vm32y_ymm", ["ymm:rw", "vm32y:r", "ymm:rw"], "avx2", ""),
        ("vpgatherdd_zmm_k_vm32z", ["zmm:rw", "k:rw", "vm32z:r"], "avx512f", ""),
        ("vpscatterqd_vm64z_k_ymm_evex", ["vm64z:r", "k:rw", "ymm:r"], "avx512f", ""),
    ],
)
def test_a_form_says_what_it_reads_and_writes(
    key: str, operands: list[str], extension: str, flags: str
) -> None:
    form = keyed(key)
    assert [f"{one.name}:{one.access}" for one in form.operands] == operands
    assert (form.extension, form.flags) == (extension, flags)


def test_what_is_not_named_is_known() -> None:
    assert [(one.name, one.access) for one in keyed("div_r64").implicit] == [("rax", "rw"), ("rdx", "rw")]
    assert [(one.name, one.access) for one in keyed("blendvps_xmm_xmm").implicit] == [("zmm0", "r")]


@pytest.mark.parametrize(
    ("key", "chained"),
    [
        ("vaddps_xmm_xmm_xmm", ["2to1", "3to1"]),
        ("vfmadd231ps_ymm_ymm_ymm", ["1to1", "2to1", "3to1"]),
        ("adc_r64_r64", ["1to1", "2to1", "flagstoflags"]),
        ("div_r32", ["raxtorax", "rdxtordx"]),
        ("mulx_r64_r64_r64", ["3to1", "3to2"]),
        ("xadd_r32_r32", ["1to1", "2to1", "1to2", "2to2"]),
        ("add_m64_r64", ["1to1"]),  # through memory
        ("vaddps_xmm_xmm_m128", []),  # as in registers
        ("movd_xmm_r32", []),  # across register files
        ("pmovmskb_r32_xmm", []),
        ("cmp_r64_r64", []),
        ("lea_r64_m", ["2to1"]),
        ("vaddps_zmm_k_zmm_zmm", ["1to1"]),  # the mask's is across files, the sources' as without it
        ("vaddps_zmm_kz_zmm_zmm", ["1to1"]),  # whether what is overwritten is waited for
        ("vpcmpd_k_k_zmm_zmm_imm8", ["2to1"]),
        ("vpblendmd_zmm_k_zmm_zmm", []),
        ("vmovups_zmm_k_m512", []),
        ("lock_add_m64_r64", ["1to1"]),
        ("vpgatherdd_ymm_vm32y_ymm", ["1to1", "2to1"]),
        ("vgatherqpd_zmm_k_vm64z", ["1to1", "3to1"]),
        ("vgatherdpd_ymm_vm32x_ymm", ["1to1"]),  # what is gathered is wider than an index
        ("vpscatterdd_vm32z_k_zmm", []),
    ],
)
def test_a_pair_is_asked_where_a_result_can_be_the_next_source(key: str, chained: list[str]) -> None:
    assert pairs(keyed(key)) == chained


@pytest.mark.parametrize(
    ("opcode", "variants"),
    [
        ("evex_vaddps_zmm_k1z_zmm_zmmm512b32_er", ["zmm", "k zmm", "kz zmm", "m512", "m32bcst16"]),
        ("evex_vmovups_zmm_k1z_zmmm512", ["zmm", "k zmm", "kz zmm", "m512", "k m512", "kz m512"]),
        ("evex_vpcmpd_kr_k1_zmm_zmmm512b32_imm8", ["zmm", "k zmm", "m512", "m32bcst16"]),
        ("add_rm32_r32", ["", "m32", "lock m32"]),
        ("xchg_rm32_r32", ["", "m32"]),  # atomic without the prefix
        ("mov_rm32_r32", ["", "m32"]),
    ],
)
def test_an_opcode_is_asked_in_several_ways(opcode: str, variants: list[str]) -> None:
    found = []
    for form in FORMS:
        if form.code == opcode:
            mask = form.operands[1].name if form.masked else ""
            last = next((one.name for one in form.operands if one.file == MEMORY), "")
            last = last or ("zmm" if "zmm" in opcode else "")
            words = ["lock" if form.text.startswith("lock") else "", mask, last]
            found.append(" ".join(filter(None, words)))
    assert found == variants


def test_registers_that_a_form_names_hold_no_results() -> None:
    assert "rcx" not in accumulators(keyed("shl_r64_cl"))[GENERAL]
    assert instances(keyed("mulx_r64_r64_r64")) == len(accumulators(keyed("mulx_r64_r64_r64"))[GENERAL]) // 2
    assert instances(keyed("vpaddd_zmm_zmm_zmm")) == 26
    assert asked(keyed("vfmadd231ps_ymm_ymm_m256")) == ("throughput:6", "throughput:12")


def test_a_form_comes_back_from_what_a_run_holds() -> None:
    for form in FORMS[::37]:
        assert form_of(form.key, recorded(form)) == form
