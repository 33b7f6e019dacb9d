"""The page of a survey: numbers as people compare them, what differs from the suite, what is missing."""

from __future__ import annotations

from pathlib import Path

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.findings.lint import offences_in_html
from reportgen.site.address import Links, survey_page
from reportgen.site.pages import survey
from reportgen.site.surveys import Surveyed
from reportgen.status import Status
from reportgen.survey.record import Agreement, Compared, Reason, Survey

HERE = survey_page("d")


def latency(pair: str, cycles: float | None, through: str = "") -> PairLatency:
    status, reason = (Status.OK, "") if cycles else (Status.UNSTABLE, "two groups")
    return PairLatency(pair, status, cycles, cycles, cycles, reason, through=through)


def form(
    key: str, extension: str, interval: float | None, *latencies: PairLatency, **more: object
) -> FormRow:
    mnemonic, *operands = key.removesuffix("_evex").split("_")
    status = Status.OK if interval else Status.FAILED
    told = {"status": status, "interval": interval, "latencies": latencies, "encoding": "vex", **more}
    return FormRow(key, mnemonic, tuple(operands), extension, text="", **told)  # type: ignore[arg-type]


ROWS = (
    form("vaddps_xmm_xmm_xmm", "avx", 0.5, latency("2→1", 3.001), latency("3→1", 2.999)),
    form("vaesenc_xmm_xmm_xmm_evex", "avx512vl+vaes", 0.5, encoding="evex"),
    form("vaesenc_ymm_ymm_ymm", "vaes", 0.5, beside=2),
    form("add_r64_r64", "x86-64", 0.2501, status=Status.CENSORED, reason="it may be shorter"),
    form("movd_xmm_r32", "sse2", 1.0, latency("2→1", 6.0, "movq")),
    form("rdseed_r64", "rdseed", None, latency("1→1", None), reason="the worker was ended by SIGILL"),
)


def page(
    rows: tuple[FormRow, ...] = ROWS, agreement: Agreement | None = None, *, reported: bool = True
) -> str:
    left = (
        Reason("privileged", tuple(f"op{number}" for number in range(20))),
        Reason("the same text as mov_rm64_r64, which the assembler writes", ("mov_r64_rm64",)),
        Reason("the assembler writes it as shl_rm8_1", ("sal_rm8_1",)),
    )
    found = Survey(1, "run", "2026-11-30T20:00:00", "d", "Device", 9, rows, left, agreement)
    surveyed = Surveyed(found, {"survey.csv": (Path("none"), "rows")}, "key", reported)
    return survey.page(HERE, surveyed, None, Links(), newest=True).markdown


def test_operands_that_no_text_has_are_explained_where_there_are_some() -> None:
    masked = form("vexpandps_zmm_kz_zmm", "avx512f", 1.33, latency("1→1", 5.05), encoding="evex")
    text = page((*ROWS, masked))
    assert "zmm, kz, zmm (EVEX)" in text
    assert "kz zeroes what it leaves out" in text
    assert not offences_in_html(text)
    assert "kz zeroes" not in page()


def test_pairs_of_one_number_stand_together() -> None:
    text = page()
    assert "3 (2→1, 3→1)" in text
    assert "6 (2→1 + movq)" in text
    assert not offences_in_html(text)


def test_bounds_failures_and_what_stands_beside_are_told() -> None:
    text = page()
    assert "≤ 0.25<" in text
    assert "the worker was ended by SIGILL" in text
    assert "with 2 instructions beside each" in text
    assert 'id="rdseed_r64" class="rg-absent"' in text


def test_forms_stand_by_the_extension_that_tells_most() -> None:
    text = page()
    assert '<a href="#vaesenc_xmm_xmm_xmm_evex">vaes (2)</a>' in text
    assert text.index('id="vaesenc_xmm') < text.index('id="vaesenc_ymm') < text.index('id="add_r64')
    assert "xmm, xmm, xmm (EVEX)" in text


def test_what_is_not_asked_of_is_one_row_a_reason() -> None:
    text = page()
    assert "op11 and 8 more" in text
    assert "mov_r64_rm64, sal_rm8_1" in text
    assert "6 of the 9 forms" in text


def test_numbers_of_the_suite_stand_beside_those_of_the_survey() -> None:
    apart = (Compared("add_r64_r64", "integer_add", "throughput", 0.25, 0.3, within=False),)
    text = page(agreement=Agreement("suite-run", 0.02, 12, 11, apart))
    assert "12 of these numbers too" in text
    assert "11 are within 2 %" in text
    assert ">0.833<" in text
    assert "Beside the curated suite" not in page(agreement=Agreement("suite-run", 0.02, 0, 0, ()))


def test_a_device_without_a_report_is_not_linked_to() -> None:
    assert "Report of the device" in page()
    assert "Report of the device" not in page(reported=False)
