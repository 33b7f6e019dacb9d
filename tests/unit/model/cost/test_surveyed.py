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


def row(key: str, interval: float | None, *cycles: float) -> FormRow:
    mnemonic, *operands = key.removesuffix("_evex").split("_")
    latencies = tuple(
        PairLatency(f"{at}→1", Status.OK, each, each, each) for at, each in enumerate(cycles, 2)
    )
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
]
MODEL = surveyed.with_survey(core(), ROWS)

FOUND = [
    ("vaesenc xmm0, xmm1, xmm2", "vector_form_vaesenc_xmm_xmm_xmm"),
    ("vaesenc xmm0, xmm1, [rsi]", "vector_form_vaesenc_xmm_xmm_xmm l1_load_128"),
    ("vaesenc ymm0, ymm1, ymm2", "vector_form_vaesenc_ymm_ymm_ymm_evex"),
    ("vmpsadbw ymm0, ymm1, ymm2, 3", "vector_form_vmpsadbw_ymm_ymm_ymm_imm8"),
    ("xadd rax, rbx", "integer_form_xadd_r64_r64"),
    ("vaddps ymm0, ymm1, ymm2", "fp32_add_256"),
]


@pytest.mark.parametrize(("text", "operations"), FOUND)
def test_a_survey_is_asked_where_the_suite_has_nothing(text: str, operations: str) -> None:
    (body,) = x86_bodies([("line", text, True)])
    taken = x86_64.take(body.instructions[0], Uses(MODEL).forms)
    assert taken.known
    assert [part.operation for part in taken.parts] == operations.split()


def test_what_no_survey_has_stays_unknown() -> None:
    (body,) = x86_bodies([("line", "rdseed rax", True)])
    assert not x86_64.take(body.instructions[0], Uses(MODEL).forms).known


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
