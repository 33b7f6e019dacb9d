"""Instructions that an operation of another form stands for, where a survey knows the very form."""

from __future__ import annotations

import pytest

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.model.cost import exact, surveyed, x86_64
from reportgen.model.cost.estimate import Estimate, estimate
from reportgen.model.cost.latency import Latencies
from reportgen.model.cost.parse import x86_bodies
from reportgen.model.cost.uses import Uses
from reportgen.status import Status
from tests.unit.model.cost.machine import core


def row(key: str, interval: float, cycles: float | None, through: str = "") -> FormRow:
    mnemonic, *operands = key.split("_")
    pair = PairLatency("2→1", Status.OK, cycles, cycles, cycles, through=through)
    latencies = (pair,) if cycles else ()
    return FormRow(
        key,
        mnemonic,
        tuple(operands),
        "",
        "",
        "",
        Status.OK,
        interval,
        interval,
        interval,
        latencies=latencies,
    )


MODEL = surveyed.with_survey(
    core(),
    [
        row("vpsubusb_ymm_ymm_ymm", 0.5, 2.0),
        row("vpaddd_ymm_ymm_ymm", 9.0, 9.0),  # the suite asked it
        row("div_r32", 6.0, 10.0),
        row("div_r64", 99.0, 99.0),  # the suite asked it
        row("vcvttsd2si_r64_xmm", 1.5, 7.0, through="vmovq xmm0, rax"),
        row("vcvtsi2sd_xmm_xmm_r32", 0.5, 9.0, through="vmovq rax, xmm0"),
    ],
)
"""`vector_int32_add_256` (0.25 cycles, latency 1) stands for the first; the suite divides 64 bits (7, 12)."""

FOUND = [
    ("vpsubusb ymm0, ymm1, ymm2", "vector_form_vpsubusb_ymm_ymm_ymm", 2.0, 0.5),
    ("vpsubusb ymm0, ymm1, [rsi]", "vector_form_vpsubusb_ymm_ymm_ymm", 2.0, 0.5),
    ("vpaddd ymm0, ymm1, ymm2", "", 1.0, 0.25),
    ("vpsubb ymm0, ymm1, ymm2", "", 1.0, 0.25),  # no survey has it
    ("div ecx", "integer_form_div_r32", 10.0, 6.0),
    ("div rcx", "", 12.0, 7.0),
    # the operand in memory is of the other file; the way back is in the sum, so that half a round trip stays
    ("vcvttsd2si rcx, [rsi]", "vector_form_vcvttsd2si_r64_xmm", 6.0, 1.5),
    ("vcvtsi2sd xmm0, xmm0, dword ptr [rsi]", "vector_form_vcvtsi2sd_xmm_xmm_r32", 6.0, 0.5),
]


@pytest.mark.parametrize(("text", "form", "latency", "interval"), FOUND)
def test_what_a_form_takes_is_its_own_where_a_survey_has_it(
    text: str, form: str, latency: float, interval: float
) -> None:
    (body,) = x86_bodies([("line", text, True)])
    (one,) = body.instructions
    uses = Uses(MODEL)
    taken = exact.told({one: x86_64.take(one, uses.forms, uses.whole)}, uses)
    part = taken[one].parts[0]
    assert part.form == form
    assert Latencies(MODEL, taken).computing(one) == pytest.approx(latency)
    assert part.asked * (uses.interval(part.operation) or 0.0) == pytest.approx(interval)


def loop(text: str, *, model_knows: bool = True) -> Estimate:
    (body,) = x86_bodies([("loop", f"loop:\n{text}\ndec r15\njne loop", True)])
    return estimate(body, MODEL if model_knows else core())


def test_resources_stay_those_of_the_operation_that_stands_for_it() -> None:
    many = "\n".join(f"vpsubusb ymm{number}, ymm14, ymm15" for number in range(12))
    assert loop(many).cycles == pytest.approx(6.0, rel=0.02)
    assert loop(many, model_knows=False).cycles == pytest.approx(3.0, rel=0.02)
    beside = loop(f"{many}\nvpaddd ymm12, ymm14, ymm15\nvpaddd ymm13, ymm14, ymm15")
    assert beside.cycles == pytest.approx(6.5, rel=0.02)  # on the same four


def test_what_a_survey_told_is_no_longer_alike() -> None:
    (share,) = (one for one in loop("vpsubusb ymm0, ymm0, ymm1").operations if "vector" in one.operation)
    assert share.how.startswith("survey")
    narrow = loop("vpsubusb ymm0, ymm0, ymm1")
    assert narrow.low == pytest.approx(2.0, rel=0.002)  # a latency of its own has no cycle of doubt
    assert loop("vpsubusb ymm0, ymm0, ymm1", model_knows=False).low < 1.0


def test_a_vector_of_128_bits_is_no_wider_one_where_the_suite_asked_it_without_a_width() -> None:
    (body,) = x86_bodies([("line", "vaesenc xmm0, xmm1, xmm2", True)])
    forms = {"aes_round": "vaesenc {d}, {d}, {a}", "aes_round_512": "vaesenc {d}, {d}, {a}"}
    (part,) = x86_64.take(body.instructions[0], forms).parts
    assert part.operation == "aes_round"
