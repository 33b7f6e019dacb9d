"""A survey from end to end: a processor of known numbers behind the real collector, then command and page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from reportgen.analysis.survey_rows import FormRow
from reportgen.backends.cpu.isa import host
from reportgen.cli.main import main
from reportgen.collect.runner import Options, Outcome
from reportgen.errors import BundleError, UserError
from reportgen.runs import read, store
from reportgen.runs.schema import SURVEY
from reportgen.site.render import Renderer
from reportgen.status import Status
from reportgen.suite.load import load_suite
from reportgen.suite.survey import FAMILY
from reportgen.survey import stored
from reportgen.survey.measure import survey
from reportgen.survey.record import FASTER, RATE, UNKNOWN, Survey
from reportgen.validation.llvm_mca import LlvmMca
from tests.simulated import forms as simulated
from tests.unit.model.cost.machine import core
from tests.unit.validation.tools import REGIONS, write

pytestmark = pytest.mark.skipif(host() != "x86_64", reason="forms are assembled on x86-64 only")

EACH = 40
"""Cycles of a line, by the tool that stands in for llvm-mca: no interval of two passes is so wide."""
ASKED = "bmi2,vfmadd213sd*,vmovd*,cmp_r64_r64,xadd_r64*"


def collected(data: Path, glob: str = ASKED) -> Outcome:
    options = Options(data=data, selector="loops", glob=glob, seed=1, command=simulated.command)
    tools = data.with_name(f"{data.name}-tools")
    write(tools, "llvm-mca-19", REGIONS, version="19.1.7", each=EACH, lacks="shlx")
    return survey(options, backend=simulated.Forms(), tool=LlvmMca(path=str(tools)))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("survey")
    collected(folder)
    return folder


@pytest.fixture(scope="module")
def found(data: Path) -> Survey:
    return stored.derived(stored.find(data, "latest"), data)


def row(found: Survey, key: str) -> FormRow:
    return next(one for one in found.rows if one.key == key)


def test_latencies_by_pair_and_rates_are_those_of_the_processor(found: Survey) -> None:
    one = row(found, "mulx_r64_r64_r64")
    assert {each.pair: each.cycles for each in one.latencies} == pytest.approx(
        {"3→1": 4.0, "3→2": 3.0}, rel=0.01
    )
    assert one.interval == pytest.approx(1.0, rel=0.01)
    assert one.status is Status.OK
    for each in found.rows:
        if each.extension == "bmi2" and each.mnemonic != "mulx" and each.key != simulated.CRASHES:
            assert each.interval == pytest.approx(simulated.INTERVAL, rel=0.01)
            assert [one.cycles for one in each.latencies] == pytest.approx(
                [2.0] * len(each.latencies), rel=0.01
            )


def test_a_pair_across_files_is_a_sum_that_says_so(found: Survey) -> None:
    (one,) = row(found, "vmovd_xmm_r32").latencies
    assert (one.pair, one.through) == ("2→1", "vmovq")
    assert one.cycles == pytest.approx(2.0, rel=0.01)
    assert row(found, "vmovd_xmm_r32").latency is None
    compared = row(found, "cmp_r64_r64").latencies
    assert [(one.pair, one.through) for one in compared] == [("1→flags", "setb"), ("2→flags", "setb")]


def test_a_form_that_ends_its_worker_is_a_row_with_the_reason(found: Survey) -> None:
    one = row(found, simulated.CRASHES)
    assert (one.status, one.interval) == (Status.FAILED, None)
    assert "exit code 3" in one.reason


def test_the_same_bodies_stand_beside_what_llvm_mca_says(found: Survey) -> None:
    (model,) = found.modelled
    assert (model.name, model.version, model.target, model.absent) == ("llvm-mca", "19.1.7", "znver9", "")
    one = row(found, "mulx_r64_r64_r64")
    assert (one.predicted, one.verdict) == (EACH, FASTER)
    assert [(each.predicted, each.verdict) for each in one.latencies] == [(EACH, FASTER), (EACH, FASTER)]
    # the sum with the instruction that brings the result back
    (across,) = row(found, "vmovd_xmm_r32").latencies
    assert (across.predicted, across.verdict) == (2 * EACH, FASTER)
    lacking = row(found, "shlx_r64_r64_r64")
    assert (lacking.predicted, lacking.verdict) == (None, UNKNOWN)
    assert {name.partition("_")[0] for one in model.unknown for name in one.what} == {"shlx"}
    rates = next(one for one in model.counts if one.kind == RATE)
    assert rates.compared + rates.unknown == sum(one.interval is not None for one in found.rows)
    assert row(found, simulated.CRASHES).verdict == ""


def test_where_there_is_no_llvm_mca_the_survey_says_why(tmp_path: Path) -> None:
    options = Options(data=tmp_path, selector="loops", glob="mulx_r64*", seed=1, command=simulated.command)
    outcome = survey(options, backend=simulated.Forms(), tool=LlvmMca(path=str(tmp_path)))
    (model,) = stored.derived(read.load(outcome.path), tmp_path).modelled
    assert model.absent.startswith("no llvm-mca on the search path")
    said = CliRunner().invoke(main, ["survey", "--run", "latest", "--data", str(tmp_path)])
    assert "llvm-mca: absent (no llvm-mca on the search path" in said.output


def test_another_model_can_be_asked_of_a_sealed_survey(data: Path, found: Survey, tmp_path: Path) -> None:
    tool = write(tmp_path, "llvm-mca", REGIONS, version="21.1.0", each=50, lacks="none")
    words = ["survey", "--run", "latest", "--data", str(data)]
    said = CliRunner().invoke(main, [*words, "--llvm-mca", str(tool), "--json"])
    assert said.exit_code == 0, said.output
    whole = json.loads(said.stdout)
    (model,) = whole["modelled"]
    # the processor is that of the sealed answers
    assert (model["version"], model["target"], model["unknown"]) == ("21.1.0", "znver9", [])
    assert {one["predicted"] for one in whole["rows"] if one["key"] == "mulx_r64_r64_r64"} == {50.0}
    other = CliRunner().invoke(main, [*words, "--llvm-mca", str(tool), "--mcpu", "znver8"])
    assert "Beside llvm-mca 21.1.0, for znver8" in other.output
    absent = CliRunner().invoke(main, [*words, "--llvm-mca", str(tmp_path / "none")])
    assert absent.exit_code == UserError.exit_code
    assert "no program" in absent.output
    assert found.modelled[0].version == "19.1.7"


def test_what_is_left_out_has_reasons(data: Path, found: Survey) -> None:
    run = read.load(store.list_runs(data)[0].path).run
    assert run.plan["kind"] == SURVEY
    assert run.plan["forms"] == found.forms > len(found.rows)
    reasons = {one.reason: one.what for one in found.left_out}
    assert "vpaddd_ymm_ymm_ymm" in reasons["this processor lacks avx2"]
    assert sum(len(one.what) for one in found.left_out) > 3000


def test_a_device_never_means_its_survey(data: Path) -> None:
    with pytest.raises(BundleError, match="no run"):
        store.resolve(data, simulated.DEVICE.id)


@pytest.mark.parametrize(
    "words",
    ["derive {} --out {}", "roofline {}", "export {} --format csv --out {}", "cost add:1 --device {}"],
)
def test_what_is_made_of_the_suite_is_not_made_of_a_survey(
    data: Path, found: Survey, tmp_path: Path, words: str
) -> None:
    asked = words.format(found.run, tmp_path / "out").split()
    said = CliRunner().invoke(main, [*asked, "--data", str(data)])
    assert said.exit_code == BundleError.exit_code, said.output
    assert f"'reportgen survey --run {found.run}'" in said.output
    assert not (tmp_path / "out").exists()


def test_a_survey_can_be_compared_with_one(data: Path, found: Survey) -> None:
    said = CliRunner().invoke(main, ["compare", found.run, found.run, "--data", str(data)])
    assert said.exit_code == 0, said.output


def test_the_suites_own_plan_has_no_survey() -> None:
    assert not [name for name in load_suite().definitions if name.startswith(FAMILY)]


def test_a_form_that_is_none_is_answered_with_near_ones(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no instruction form matches 'pdeep'") as raised:
        collected(tmp_path, "pdeep")
    assert "pdep" in raised.value.remedy


def test_the_command_derives_a_sealed_survey(data: Path, tmp_path: Path) -> None:
    words = ["survey", "--run", "latest", "--data", str(data)]
    said = CliRunner().invoke(main, [*words, "--show", "mulx_r64*", "--out", str(tmp_path)])
    assert said.exit_code == 0, said.output
    assert "3→1 4" in said.output
    assert "lacks" not in said.output
    assert "Beside llvm-mca 19.1.7, for znver9: of " in said.output
    rows = list(csv.DictReader((tmp_path / "survey.csv").read_text().splitlines()))
    assert [one["latency_cycles"] for one in rows if one["form"] == "mulx_r64_r64_r64"] == ["4", "3"]
    assert {one["latency_verdict"] for one in rows if one["form"] == "mulx_r64_r64_r64"} == {FASTER}
    assert {one["cycles_per_instruction_predicted"] for one in rows if one["mnemonic"] == "mulx"} == {
        str(EACH)
    }
    whole = json.loads((tmp_path / "survey.json").read_text())
    assert whole["device"] == simulated.DEVICE.id
    refused = CliRunner().invoke(main, [*words, "--forms", "adc*"])
    assert refused.exit_code == 2
    assert "--run measures nothing" in refused.output
    nothing = CliRunner().invoke(main, [*words, "--show", "nix*"])
    assert nothing.exit_code == 2


def test_the_cost_model_takes_from_it_what_its_run_lacks(data: Path, tmp_path: Path) -> None:
    model, loop = tmp_path / "model.json", tmp_path / "loop.s"
    model.write_bytes(msgspec.json.encode(core()))
    loop.write_text("loop:\n  xadd rax, rbx\n  add rsi, rax\n  dec r15\n  jne loop\n")
    words = ["cost", str(loop), "--device", str(model), "--data"]
    known = CliRunner().invoke(main, [*words, str(data)])
    assert known.exit_code == 0, known.output
    said = " ".join(known.output.split())
    assert (
        "The model knows 100% of 4 instructions. As the survey of all forms measured them: xadd r64, r64."
        in said
    )
    without = CliRunner().invoke(main, [*words, str(tmp_path)])
    assert "Unknown" in without.output


def test_the_page_has_every_form_once_and_says_what_is_missing(
    data: Path, found: Survey, tmp_path: Path
) -> None:
    site = Renderer(data, tmp_path).render()
    pages = {page.uri: page.path.read_text() for page in site.pages}
    assert not site.warnings
    text = pages[f"devices/{simulated.DEVICE.id}/instructions/index.md"]
    for one in found.rows:
        assert text.count(f'<tr id="{one.key}"') == 1
    assert "4 (3→1), 3 (3→2)" in text
    assert "2 (2→1 + vmovq)" in text
    assert "exit code 3" in text
    assert "privileged" in text
    assert "sort=" not in text.split("</table>")[0].split("<tbody>")[1].replace("data-sort=", "")
    assert f"devices/{simulated.DEVICE.id}/{found.run}/index.md" in pages
    assets = {one.uri for one in site.assets}
    assert f"devices/{simulated.DEVICE.id}/{found.run}/survey.csv" in assets
    assert f"devices/{simulated.DEVICE.id}/{found.run}/figures/scheduling-model.dark.svg" in assets
    assert "scheduling model {#model}" in text
    assert "<p>llvm-mca: the cycles an instruction that it says" in text
    assert "llvm-mca 19.1.7, which takes this processor for znver9" in text
