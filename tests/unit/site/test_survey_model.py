"""A survey beside a scheduling model on its page: counts, picture, what differs, and one that is absent."""

from __future__ import annotations

import pytest

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.findings.lint import offences_in_html
from reportgen.site.address import Links, survey_page
from reportgen.site.figures import scheduling_model
from reportgen.site.figures.style import LIMIT_BYTES
from reportgen.site.pages import survey_model
from reportgen.site.view import Picture
from reportgen.status import Status
from reportgen.survey.modelled import beside
from reportgen.survey.record import Survey
from reportgen.survey.said import Said

HERE = survey_page("d")
PICTURE = Picture("figures/light.svg", "figures/dark.svg", (640, 350))


def row(key: str, interval: float | None, *pairs: tuple[str, float, str], extension: str = "avx") -> FormRow:
    name, *operands = key.split("_")
    status = Status.OK if interval else Status.UNSTABLE
    latencies = tuple(
        PairLatency(pair, Status.OK, cycles, cycles, cycles, through=through)
        for pair, cycles, through in pairs
    )
    return FormRow(
        key, name, tuple(operands), extension, "vex", "", status, interval, interval, interval,
        latencies=latencies,
    )  # fmt: skip


ROWS = (
    row("vaddps_xmm_xmm_xmm", 0.5, ("2→1", 3.0, ""), ("3→1", 3.0, "")),
    row("vmovd_xmm_r32", 1.0, ("2→1", 6.0, "vmovq")),
    row("vcompressps_m512_k_zmm", 73.0, extension="avx512f"),
    row("vpcompressd_m512_k_zmm", 71.5, extension="avx512f"),
    row("clc", 0.17, extension="x86-64"),
    row("div_r64", None, extension="x86-64"),
    row("lacking", 1.0, extension="x86-64"),
)
SAID = Said(
    "llvm-mca", "19.1.7", "znver4",
    forms={
        "vaddps_xmm_xmm_xmm": "throughput:0.5 2to1:3 3to1:3", "vmovd_xmm_r32": "throughput:1 2to1:2",
        "vcompressps_m512_k_zmm": "throughput:0.5", "vpcompressd_m512_k_zmm": "throughput:0.5",
        "clc": "throughput:1",
    },
)  # fmt: skip


def surveyed(*said: Said) -> Survey:
    rows, models = ROWS, []
    for one in said:
        rows, model = beside(rows, one)
        models.append(model)
    return Survey(1, "run", "2026-11-30T20:00:00", "d", "Device", 9, rows, (), None, tuple(models))


def text(found: Survey, picture: Picture | None = PICTURE) -> str:
    sections = list(survey_model.section(found, lambda name: name, HERE, picture, Links()))
    return "\n".join(str(part) for one in sections for part in one.body)


def test_counts_stand_by_kind_and_by_extension() -> None:
    told = text(surveyed(SAID))
    assert (
        "Of 5 cycles an instruction, 2 agree; the device took longer than the model says in 2, less in 1"
        in told
    )
    assert "Of 3 latencies, 2 agree" in told
    assert "for znver4" in told
    assert "latency across register files" in told
    for name in ("avx", "avx512f", "x86-64"):
        assert f'<th scope="row">{name}</th>' in told
    assert "A difference is no error of either" in told
    assert not offences_in_html(told)


def test_what_differs_alike_is_one_row_of_the_farthest() -> None:
    some = survey_model.numbers(surveyed(SAID).rows)
    rates = survey_model.farthest([one for one in some if one.pair is None])
    assert [(each.one.row.key, each.number, each.mnemonics) for each in rates] == [
        ("vcompressps_m512_k_zmm", 2, ("vpcompressd",)),
        ("clc", 1, ()),
    ]
    (latency,) = survey_model.farthest([one for one in some if one.pair is not None])
    assert latency.one.ratio == pytest.approx(3.0)
    told = text(surveyed(SAID))
    assert '<a href="#vcompressps_m512_k_zmm">' in told
    assert "2→1 + vmovq" in told
    assert "the instruction that brings the result back (vmovq)" in told


def test_the_picture_has_a_mark_for_all_numbers_at_one_place() -> None:
    record = survey_model.scatter(surveyed(SAID))
    assert record is not None
    rates, latencies = record.panels
    assert [(dot.measured, dot.predicted, dot.number) for dot in latencies.dots] == [
        (3.0, 3.0, 2), (6.0, 2.0, 1),
    ]  # fmt: skip
    assert {dot.verdict for dot in rates.dots} == {"agrees", "slower", "faster"}
    drawn = scheduling_model.draw(record)
    assert len(drawn.encode()) < LIMIT_BYTES
    assert "cycles that llvm-mca says" in drawn
    told = text(surveyed(SAID))
    assert 'alt="Cycles that llvm-mca says against measured ones' in told
    assert told.index("<figure") < told.index("table-model-kinds")


def test_a_model_that_is_absent_is_named_and_one_that_was_not_asked_is_not() -> None:
    absent = surveyed(Said("llvm-mca", absent="no llvm-mca on the search path"))
    assert text(absent) == "<p>llvm-mca says nothing here: no llvm-mca on the search path.</p>"
    assert survey_model.scatter(absent) is None
    assert text(surveyed()) == ""
    assert survey_model.scatter(surveyed()) is None


def test_a_form_says_where_the_model_has_another_number() -> None:
    rows = {one.key: one for one in surveyed(SAID).rows}
    assert survey_model.cell(rows["vaddps_xmm_xmm_xmm"]).html == "0.5"
    assert survey_model.cell(rows["vmovd_xmm_r32"]).html == "1; 2→1 2 slower"
    assert survey_model.cell(rows["clc"]).html == "1 faster"
    assert survey_model.cell(rows["lacking"]).html == "–"
