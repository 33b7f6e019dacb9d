"""Code of one's own from end to end: a processor of known times, the real collector, the command."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.backends.cpu.isa import host
from reportgen.cli.main import main
from reportgen.collect.runner import Options
from reportgen.errors import BundleError, RunRefused, UserError
from reportgen.measurement import stored
from reportgen.measurement.derive import derive
from reportgen.measurement.measure import Asked, Text, measure
from reportgen.measurement.record import INSIDE, Measurement, OwnRow
from reportgen.model.exports import json as model_json
from reportgen.runs import store
from reportgen.runs.schema import MEASUREMENT
from reportgen.site.render import Renderer
from reportgen.status import Status
from tests.simulated import own_code as simulated
from tests.unit.model.cost.machine import core

pytestmark = pytest.mark.skipif(host() != "x86_64", reason="the assembler takes its own machine's code only")

TEXTS = (
    Text("two", "# items: 2\nadd rax, rbx\nadd rcx, rbx"),
    Text("three", "again:\n add rax, [rsi]\n add rsi, 8\n imul rcx, rax\n dec rdx\n jnz again"),
    Text("also_two", "add rsi, rbx\nadd rdi, rbx\n# items: 2"),
    Text("broken", "mov rax, [rbx]"),
)


def asked(data: Path, **changes: object) -> Asked:
    options = Options(data=data, selector="loops", seed=1, passes=2, command=simulated.command)
    return dataclasses.replace(Asked(options, TEXTS, model=str(data / "model.json"), tools=()), **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measure")
    model_json.write_model(folder, core())
    measure(asked(folder), backend=simulated.OwnCode())
    return folder


@pytest.fixture(scope="module")
def found(data: Path) -> Measurement:
    return derive(stored.find(data, "latest"))


def row(found: Measurement, name: str) -> OwnRow:
    return next(one for one in found.rows if one.name == name)


def test_cycles_are_the_slope_and_what_the_frame_adds_is_apart(found: Measurement) -> None:
    for name, instructions in (("two", 2), ("three", 3), ("also_two", 2)):
        one = row(found, name)
        assert (one.status, one.instructions) == (Status.OK, instructions)
        assert one.cycles == pytest.approx(instructions * simulated.CYCLES, rel=0.005)
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.cycles <= one.high
        assert one.overhead == pytest.approx(simulated.OVERHEAD, rel=0.2)
        assert one.samples
        assert min(one.samples) == pytest.approx(one.cycles, rel=0.01)
        assert sum(one.rejected.values()) == one.taken - one.n > 0
    assert row(found, "three").arrays == 1
    assert row(found, "three").registers["rsi"] == "array + 0"


def test_code_that_ends_its_worker_is_a_row_with_the_reason(found: Measurement) -> None:
    one = row(found, "broken")
    assert (one.status, one.cycles) == (Status.FAILED, None)
    assert "memory outside of its arrays" in one.reason
    assert "SIGSEGV" in one.reason


def test_which_costs_less_and_which_cannot_be_told_apart(found: Measurement) -> None:
    verdicts = {frozenset((one.first, one.second)): one for one in found.pairs}
    assert verdicts[frozenset(("two", "also_two"))].verdict == "cannot tell"
    other = verdicts[frozenset(("two", "three"))]
    assert (other.first, other.verdict) == ("two", "first")
    assert other.low < other.ratio < other.high
    assert other.ratio == pytest.approx(3.0, rel=0.01)


def test_what_the_model_says_is_sealed_beside_it(data: Path, found: Measurement) -> None:
    run = stored.find(data, "latest").run
    assert run.plan["kind"] == MEASUREMENT
    assert run.plan["model"] == core().run
    (said,) = row(found, "two").predictions
    assert said.cycles is not None
    assert said.cycles > 0
    assert said.decides
    assert row(found, "two").place in (INSIDE, "above", "below")


def test_a_device_never_means_its_measurement(data: Path) -> None:
    with pytest.raises(BundleError, match="no run"):
        store.resolve(data, simulated.DEVICE.id)


def test_an_interrupted_measurement_goes_on_without_its_files(tmp_path: Path) -> None:

    model_json.write_model(tmp_path, core())
    question = asked(tmp_path, texts=TEXTS[:1])
    late = dataclasses.replace(question, collect=dataclasses.replace(question.collect, max_seconds=0.001))
    first = measure(late, backend=simulated.OwnCode())
    assert first.resume.startswith("reportgen measure --resume ")
    name = first.resume.split()[3]
    again = dataclasses.replace(
        question, texts=(), collect=dataclasses.replace(question.collect, seed=None, passes=None, resume=name)
    )
    outcome = measure(again, backend=simulated.OwnCode())
    (one,) = derive(stored.find(tmp_path, outcome.run.run)).rows
    assert one.cycles == pytest.approx(1.0, rel=0.005)
    with pytest.raises(RunRefused, match="no interrupted run"):
        measure(again, backend=simulated.OwnCode())


def test_a_model_of_no_run_is_said_and_a_named_one_must_be_there(tmp_path: Path) -> None:
    question = asked(tmp_path, texts=TEXTS[:1], model="")
    outcome = measure(question, backend=simulated.OwnCode())
    (one,) = derive(stored.find(tmp_path, outcome.run.run)).rows
    assert one.predictions[0].fault.startswith("no run of written-core")
    with pytest.raises(UserError):
        measure(dataclasses.replace(question, model="absent"), backend=simulated.OwnCode())


def test_the_command_derives_a_sealed_measurement(data: Path, tmp_path: Path) -> None:
    words = ["measure", "--run", "latest", "--data", str(data)]
    said = CliRunner().invoke(main, [*words, "--out", str(tmp_path)])
    assert said.exit_code == 1, said.output  # one has no number
    text = " ".join(said.output.split())
    assert "also_two: 0.9999 cycles a round" in text
    assert "for each of 2 results" in text
    assert "broken: failed: it accessed memory outside of its arrays" in text
    assert "cannot be told apart" in text
    rows = {
        one["name"]: one for one in csv.DictReader((tmp_path / "measurement.csv").read_text().splitlines())
    }
    assert float(rows["three"]["cycles"]) == pytest.approx(1.5, rel=0.005)
    assert json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["device"] == simulated.DEVICE.id
    refused = CliRunner().invoke(main, [*words, "--asm", "nop"])
    assert refused.exit_code == 2
    assert "--run measures nothing" in refused.output


def test_the_page_shows_code_numbers_samples_and_predictions(
    data: Path, found: Measurement, tmp_path: Path
) -> None:
    site = Renderer(data, tmp_path).render()
    pages = {page.uri: page.path.read_text() for page in site.pages}
    assert not site.warnings
    text = pages[f"devices/{simulated.DEVICE.id}/own-code/index.md"]
    assert f"devices/{simulated.DEVICE.id}/{found.run}/index.md" in pages
    for one in found.rows:
        assert text.count(f'<tr id="row-{one.name}"') == 1
    assert "add rax,[rsi]&#10;add rsi,8&#10;imul rcx,rax" in text
    assert "memory outside of its arrays" in text
    assert "no: the intervals meet" in text
    assert 'alt="Percent by which samples of a round differ' in text
    assets = {one.uri for one in site.assets}
    for name in ("figures/own-code.light.svg", "figures/own-code.dark.svg", "download/measurement.csv"):
        assert f"devices/{simulated.DEVICE.id}/{found.run}/{name}" in assets
    again = Renderer(data, tmp_path).render()
    assert [page.path.read_text() for page in again.pages] == list(pages.values())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "no code was given"),
        (("nowhere.s",), "there is no file 'nowhere.s'"),
        (("--asm", "ret"), "it returns"),
        (("--asm", "nop", "--bytes", "few"), "--bytes"),
        (("--asm", "nop", "--bytes", "1"), "is no size of arrays"),
        (("--resume", "--asm", "nop"), "--resume goes on"),
    ],
)
def test_what_the_command_refuses_is_one_line(words: tuple[str, ...], complaint: str, tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["measure", "--data", str(tmp_path), *words])
    assert said.exit_code == 2
    assert complaint in said.stderr
    assert len(said.stderr.splitlines()) == 1
