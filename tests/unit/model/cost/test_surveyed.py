"""Instructions that only a survey knows: which form they are, and what the model says of them."""

from __future__ import annotations

import pytest

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.model.cost import surveyed, x86_64
from reportgen.model.cost.estimate import estimate
from reportgen.model.cost.parse import x86_bodies
from reportgen.model.cost.uses import Uses
from reportgen.status import Status
from tests.unit.model.cost.machine import core


def row(key: str, interval: float | None, *cycles: float, pairs: dict[str, float] | None = None) -> FormRow:
    mnemonic, *operands = key.removesuffix("_evex").removeprefix("lock_").split("_")
    known = {f"{at}→1": each for at, each in enumerate(cycles, 2)} | (pairs or {})
    latencies = tuple(PairLatency(pair, Status.OK, each, each, each) for pair, each in known.items())
    status = Status.OK if interval else Status.UNSTABLE
    return FormRow(
        key, mnemonic, tuple(operands), "", "", "", status, interval, interval, interval, latencies=latencies
    )


ROWS = [
    row("vaesenc_xmm_xmm_xmm", 0.5, 4.0, 4.0),
    row("vaesenc_ymm_ymm_ymm_evex", 0.5, 4.0, 4.0),
    row("vmpsadbw_ymm_ymm_ymm_imm8", 2.0, 4.0, 5.0),
    row("xadd_r64_r64", 1.0, 2.0),
    row("bsf_r16_m16", 3.0),
    row("vaddps_ymm_ymm_ymm", 9.0, 9.0),  # the suite has it
    row("rdseed_r64", None),
    row("vpgatherdd_ymm_vm32y_ymm", 8.0, 20.0, pairs={"1→1": 8.0}),
    row("vaesenc_xmm_xmm_m128", 0.5),  # as its parts
    row("vpcompressd_zmm_k_zmm", 2.0, 5.0),
    row("vpcompressd_m512_k_zmm", 70.0),
    row("add_r64_r64", 0.25, 1.0),
    row("lock_add_m64_r64", 7.5, pairs={"1→1": 7.0}),
    row("vexpandps_zmm_kz_zmm", 2.0, pairs={"1→1": 5.0}),
    row("vaddps_zmm_kz_zmm_zmm", 1.0),
]
MODEL = surveyed.with_survey(core(), ROWS)

FOUND = [
    ("vaesenc xmm0, xmm1, xmm2", "vector_form_vaesenc_xmm_xmm_xmm"),
    ("vaesenc xmm0, xmm1, [rsi]", "vector_form_vaesenc_xmm_xmm_xmm l1_load_128"),
    ("vaesenc ymm0, ymm1, ymm2", "vector_form_vaesenc_ymm_ymm_ymm_evex"),
    ("vmpsadbw ymm0, ymm1, ymm2, 3", "vector_form_vmpsadbw_ymm_ymm_ymm_imm8"),
    ("xadd rax, rbx", "integer_form_xadd_r64_r64"),
    ("vaddps ymm0, ymm1, ymm2", "fp32_add_256"),
    ("vpgatherdd ymm0, [rsi+ymm1*4], ymm2", "vector_form_vpgatherdd_ymm_vm32y_ymm"),
    ("vpcompressd [rdi]{k1}, zmm0", "vector_form_vpcompressd_m512_k_zmm"),
    ("add [rdi], rax", "integer_add l1_load store"),
    ("lock add [rdi], rax", "integer_form_lock_add_m64_r64"),
]


@pytest.mark.parametrize(("text", "operations"), FOUND)
def test_a_survey_is_asked_where_the_suite_has_nothing(text: str, operations: str) -> None:
    (body,) = x86_bodies([("line", text, True)])
    uses = Uses(MODEL)
    taken = x86_64.take(body.instructions[0], uses.forms, uses.whole)
    assert taken.known
    assert [part.operation for part in taken.parts] == operations.split()


def test_what_no_survey_has_stays_unknown() -> None:
    (body,) = x86_bodies([("line", "rdseed rax", True)])
    assert not x86_64.take(body.instructions[0], Uses(MODEL).forms).known


@pytest.mark.parametrize(
    ("text", "cycles"),
    [
        # waits for what it overwrites, and for the addition that wrote it
        ("vexpandps zmm1{k1}{z}, zmm0\nvaddps zmm1, zmm1, zmm0", 5 + 3),
        ("vaddps zmm1{k1}{z}, zmm0, zmm2\nvaddps zmm1, zmm1, zmm0", 1.58),
        # of a gather by pair: merged results, or indices that were gathered
        ("vpgatherdd ymm0, [rsi+ymm1*4], ymm2\nvpxor ymm2, ymm2, ymm2", 8.0),
        (
            (
                "vpgatherdd ymm1, [rsi+ymm0*4], ymm2\nvpxor ymm2, ymm2, ymm2\n"
                "vpgatherdd ymm0, [rsi+ymm1*4], ymm2\nvpxor ymm2, ymm2, ymm2"
            ),
            2 * 20.0,
        ),
        ("lock add [rdi], rax", 7.5),
    ],
)
def test_pairs_that_a_survey_tells_decide_where_they_are_waited_for(text: str, cycles: float) -> None:
    (body,) = x86_bodies([("loop", f"loop:\n{text}\ndec r15\njne loop", True)])
    assert estimate(body, MODEL).cycles == pytest.approx(cycles, rel=0.02)


def test_only_the_forms_that_may_stand_for_the_code_are_asked_for() -> None:
    (body,) = x86_bodies([("line", "lock add qword ptr [rdi], 3\nvaddps zmm0{k1}, zmm1, [rsi]{1to16}", True)])
    asked = surveyed.keys(body.instructions)
    assert {
        "lock_add_m64_imm8",
        "add_r64_imm8",
        "vaddps_zmm_k_zmm_zmm",
        "vaddps_zmm_k_zmm_m32bcst16",
    } <= asked
    assert len(asked) < 100


def test_an_estimate_says_what_it_knows_by_a_survey() -> None:
    text = "loop:\nvaesenc xmm0, xmm0, xmm1\ndec r15\njne loop"
    (body,) = x86_bodies([("loop", text, True)])
    without, found = estimate(body, core()), estimate(body, MODEL)
    assert without.unknown
    assert not found.unknown
    assert found.cycles == pytest.approx(4.0)
    assert [share.how.partition(",")[0] for share in found.operations if "aes" in share.operation] == [
        "survey"
    ]


def test_a_latency_reaches_from_the_quickest_pair_to_the_slowest() -> None:
    (one,) = [each for each in MODEL.instructions if "vmpsadbw" in each.operation]
    assert one.dependent_latency is not None
    assert (one.dependent_latency.low, one.dependent_latency.value) == (4.0, 5.0)
