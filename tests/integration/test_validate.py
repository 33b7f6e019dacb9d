"""`reportgen validate` from end to end on a processor whose times are known, with tools that are scripts."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from reportgen.backends.cpu.isa import host
from reportgen.cli.main import main
from reportgen.collect import lock
from reportgen.collect.interruption import find as find_interrupted
from reportgen.collect.progress import Silent
from reportgen.collect.runner import Interrupted, Options, Outcome, collect
from reportgen.errors import BundleError, RunRefused, UserError
from reportgen.model.exports import json as model_json
from reportgen.runs import read, store
from reportgen.runs.schema import VALIDATION
from reportgen.runs.verify import verify
from reportgen.status import Status
from reportgen.survey.measure import survey
from reportgen.validation import stored
from reportgen.validation.derive import derive
from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.measure import Asked, validate
from reportgen.validation.osaca import Osaca
from reportgen.validation.record import MODEL, Validation
from tests.simulated import forms
from tests.simulated.cpu import make_data
from tests.simulated.instruction_points import latency_probes
from tests.simulated.loops import BROKEN, CYCLES, DEVICE, Loops, command
from tests.simulated.truth import CpuTruth
from tests.unit.model.cost.machine import core
from tests.unit.validation.tools import MCA, OSACA, write

SOME = "dot_*,lcg_*,axpy_avx2*"


def asked(data: Path, tools: Path, **changes: object) -> Asked:
    settings = {"data": data, "selector": "loops", "glob": SOME, "seed": 1, "command": command} | changes
    return Asked(
        Options(**settings),
        model=str(data / "model.json"),
        tools=(LlvmMca(path=str(tools)), Osaca(DEVICE, path=str(tools))),
    )


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    write(folder, "llvm-mca-14", MCA, version="14.0.6", each=CYCLES)
    write(folder, "osaca", OSACA, version="0.7.1", each=CYCLES)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    model_json.write_model(folder, core())
    return folder


@pytest.fixture(scope="module")
def outcome(data: Path, tools: Path) -> Outcome:
    return validate(asked(data, tools), backend=Loops())


@pytest.fixture(scope="module")
def found(outcome: Outcome, data: Path) -> Validation:
    return stored.derived(read.load(outcome.path), data, str(data / "model.json"))


def test_what_cannot_be_measured_is_told_before_the_others_are_asked(
    data: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.validation.measure.ask", lambda *_: pytest.fail("another model was asked"))

    def into(folder: Path) -> Asked:
        one = asked(data, tools)
        return dataclasses.replace(one, collect=dataclasses.replace(one.collect, data=folder))

    (tmp_path / "file").write_text("")
    with pytest.raises(RunRefused, match="is not a folder"):
        validate(into(tmp_path / "file"), backend=Loops())
    with lock.hold(tmp_path / DEVICE.id, DEVICE.id), pytest.raises(RunRefused, match="another run"):
        validate(into(tmp_path), backend=Loops())


def test_the_run_is_a_sound_bundle_of_its_own_kind(outcome: Outcome) -> None:
    assert verify(outcome.path) == []
    run = read.load(outcome.path).run
    assert run.is_validation
    assert run.plan["kind"] == VALIDATION
    assert run.plan["model"] == core().run
    assert {one["name"] for one in run.plan["others"]} == {"llvm-mca", "OSACA"}
    low, cycles, high = (run.plan["estimates"]["dot_avx2_1"][i] for i in (1, 0, 2))
    assert low <= cycles <= high


def test_what_was_measured_is_the_known_time(found: Validation) -> None:
    rows = {row.name: row for row in found.rows}
    assert set(rows) >= {"dot_avx2_1", "dot_avx2_4", "lcg_scalar_3", "axpy_avx2"}
    assert not any(name.startswith("mandelbrot") for name in rows)
    dot = rows["dot_avx2_1"]  # four instructions without the counter and the branch
    assert dot.measured == pytest.approx(4 * CYCLES, rel=0.001)
    assert dot.low is not None
    assert dot.high is not None
    assert dot.low <= 4 * CYCLES <= dot.high
    assert dot.said(MODEL) == pytest.approx(4.0, abs=0.2)  # the latency of one multiply-add
    assert dot.said("llvm-mca") == pytest.approx(6 * CYCLES)
    assert dot.error("OSACA") == pytest.approx(6 / 4 - 1, rel=0.01)


def test_a_loop_that_cannot_run_is_a_row_with_the_reason(found: Validation) -> None:
    (row,) = (row for row in found.rows if row.name == BROKEN)
    assert (row.status, row.measured) == (Status.UNSUPPORTED, None)
    assert row.reason == "this processor lacks avx512f"
    assert row.predictions["llvm-mca"].fault == "found an unsupported instruction."


def test_data_beyond_the_first_level_are_not_held_against_the_others(found: Validation) -> None:
    (row,) = (row for row in found.rows if row.name == "axpy_avx2_l2")
    assert "beyond the first level" in row.predictions["OSACA"].fault
    assert row.said(MODEL) is not None


def test_statistics_rankings_and_held_out_loops_are_there(found: Validation) -> None:
    held = {row.name for row in found.rows if row.held_out}
    assert held == {"lcg_scalar", "lcg_scalar_3", "dot_fp64_avx2_2", "dot_fp64_avx512_1"}
    scores = {(one.predictor, one.group): one for one in found.scores}
    assert scores[MODEL, "held-out"].errors is not None
    assert scores["OSACA", "common"].errors is not None
    assert {ranking.predictor for ranking in found.rankings} == {MODEL, "llvm-mca", "OSACA"}
    assert all(ranking.right <= ranking.decided <= ranking.pairs for ranking in found.rankings)
    assert found.changed == ()


def test_another_model_is_told_from_the_sealed_one(outcome: Outcome, tmp_path: Path) -> None:
    slow = core()
    facts = [
        msgspec.structs.replace(
            one,
            dependent_latency=msgspec.structs.replace(one.dependent_latency, value=9.0, low=9.0, high=9.0),
        )
        if one.operation == "fp32_fma_256"
        else one
        for one in slow.instructions
    ]
    model_json.write_model(tmp_path, msgspec.structs.replace(slow, instructions=tuple(facts)))
    found = stored.derived(read.load(outcome.path), tmp_path, str(tmp_path / "model.json"))
    assert "dot_avx2_1" in found.changed


@pytest.mark.skipif(host() != "x86_64", reason="forms are assembled on x86-64 only")
def test_what_the_run_does_not_know_is_taken_from_the_survey_that_is_named(
    tools: Path, tmp_path: Path
) -> None:
    model_json.write_model(tmp_path, core())
    options = Options(data=tmp_path, selector="loops", glob="vm??ps_ymm*", seed=1, command=forms.command)
    surveyed = survey(options, backend=forms.Forms()).path
    sealed = read.load(validate(asked(tmp_path, tools, glob="clamp_avx2"), backend=Loops()).path)
    assert sealed.run.plan["survey"] == surveyed.name
    model = str(tmp_path / "model.json")
    found = stored.derived(sealed, tmp_path, model)
    assert (found.survey_run, found.changed) == (surveyed.name, ())
    assert found.rows[0].predictions[MODEL].unknown == ()
    # one that names no survey is derived as it always was
    (without,) = derive(sealed, core()).rows
    assert [text.split()[0] for text in without.predictions[MODEL].unknown] == ["vmaxps", "vminps"]
    shutil.rmtree(surveyed)
    with pytest.raises(BundleError, match=surveyed.name):
        stored.derived(sealed, tmp_path, model)


def test_a_device_never_means_its_validation(outcome: Outcome, data: Path) -> None:
    (ref,) = store.list_runs(data)
    assert ref.kind == VALIDATION
    for name in (DEVICE.id, "latest"):
        with pytest.raises(BundleError, match="no run"):
            store.resolve(data, name)
    assert store.resolve(data, ref.run) == outcome.path
    for name in (DEVICE.id, "latest", ref.run, str(outcome.path)):
        assert stored.find(data, name).run.run == ref.run
    assert "sealed, validation of the cost model" in call("runs", "list", "--data", str(data)).stdout


def test_ctrl_c_keeps_what_was_measured_and_names_the_command(
    data: Path, tools: Path, tmp_path: Path
) -> None:
    class Stop(Silent):
        left = 0

        def stage(self, name: str, total: int) -> None:
            self.left = 4 if name == "measuring" else 0

        def step(self, label: str) -> None:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt

    model_json.write_model(tmp_path, core())
    with pytest.raises(Interrupted, match=r"4 visits are kept\. Go on with: reportgen validate --resume"):
        validate(asked(tmp_path, tools), Stop(), Loops())
    with pytest.raises(RunRefused, match=r"is a validation\..*reportgen validate --resume"):
        collect(Options(data=tmp_path, selector="loops", resume="latest"), backend=Loops())
    assert find_interrupted(tmp_path, "latest", "validate").entries
    # The loops are those of the run that was begun, whatever is asked now.
    again = validate(asked(tmp_path, tools, resume="latest", glob="*"), backend=Loops())
    assert len(again.run.plan["estimates"]) < 20
    assert verify(again.path) == []
    assert again.run.is_validation


def test_ctrl_c_while_predicting_leaves_nothing(data: Path, tools: Path, tmp_path: Path) -> None:
    class Stop(Silent):
        def stage(self, name: str, total: int) -> None:
            raise KeyboardInterrupt

    model_json.write_model(tmp_path, core())
    with pytest.raises(Interrupted, match=r"interrupted while predicting\. Nothing was measured yet"):
        validate(asked(tmp_path, tools), Stop(), Loops())
    assert store.list_runs(tmp_path) == []


def test_time_that_is_over_skips_the_rest(data: Path, tools: Path, tmp_path: Path) -> None:
    model_json.write_model(tmp_path, core())
    cut = validate(asked(tmp_path, tools, max_seconds=1e-6), backend=Loops())
    assert cut.resume.startswith("reportgen validate --resume ")
    rows = stored.derived(read.load(cut.path), tmp_path, str(tmp_path / "model.json")).rows
    assert {row.measured for row in rows} == {None}
    assert any("not reached within --max-seconds" in row.reason for row in rows)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"model": ""},
            "no run of written-core.*could predict.*'reportgen validate --device loops .* --collect' makes",
        ),
        ({"glob": "dot_avx2_11"}, "no loop matches 'dot_avx2_11'. Did you mean dot_avx2_1"),
        ({"isa": "aarch64"}, "written-core is aarch64, and this is asked of x86_64 only"),
        ({"other": "x"}, "the model is of other-core, and this is written-core"),
        ({"resources": None}, "has no resource model"),
    ],
)
def test_what_cannot_be_validated_is_one_line(
    data: Path, tools: Path, tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    device = msgspec.structs.replace(DEVICE, isa=changes["isa"]) if "isa" in changes else DEVICE
    fields = {"device": "other-core"} if "other" in changes else {}
    if "resources" in changes:
        fields["resources"] = None
    model_json.write_model(tmp_path, core(**fields))
    question = asked(tmp_path, tools, **({"glob": changes["glob"]} if "glob" in changes else {}))
    if "model" in changes:
        question = dataclasses.replace(question, model="")
    with pytest.raises(UserError, match=complaint) as caught:
        validate(question, backend=Loops(device))
    assert caught.value.remedy


def test_a_run_is_made_first_where_that_is_asked_for(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Options] = []

    def whole(options: Options, *rest: object) -> Outcome:
        if options.verb == "validate":
            return collect(options, *rest)
        made.append(options)
        (tmp_path / "made").mkdir()
        model_json.write_model(tmp_path / "made", core())
        other = make_data(CpuTruth(passes=2), 1, tmp_path, lambda truth: latency_probes(truth)[:2])
        return Outcome(tmp_path / "made", read.load(other).run)

    monkeypatch.setattr("reportgen.validation.measure.collect", whole)
    question = dataclasses.replace(asked(tmp_path / "data", tools), model="", first=True)
    outcome = validate(question, backend=Loops())
    assert outcome.run.plan["model"] == core().run
    assert [(one.glob, one.selector, one.data, one.verb) for one in made] == [
        ("*", "loops", tmp_path / "data", "collect")
    ]
    named = dataclasses.replace(question, model="absent")
    with pytest.raises(BundleError, match="no run 'absent'"):
        validate(named, backend=Loops())


def test_nothing_to_go_on_with_is_said_before_anything_is_asked(tools: Path, tmp_path: Path) -> None:
    class Nothing(Silent):
        def stage(self, name: str, total: int) -> None:
            raise AssertionError(name)

    model_json.write_model(tmp_path, core())
    with pytest.raises(RunRefused, match="no interrupted run 'latest'"):
        validate(asked(tmp_path, tools, resume="latest"), Nothing(), Loops())


def test_a_replay_is_refused(outcome: Outcome, tools: Path, tmp_path: Path) -> None:
    question = asked(tmp_path, tools, selector=f"replay:{outcome.path}")
    with pytest.raises(UserError, match="a replay measures nothing"):
        validate(question)


def call(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "200"})


def test_the_command_derives_a_sealed_validation(outcome: Outcome, data: Path, tmp_path: Path) -> None:
    words = ("validate", "--data", str(data), "--run", "latest", "--model", str(data / "model.json"))
    result = call(*words, "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "llvm-mca 14.0.6, for znver9" in result.stdout
    assert "cost model: of " in result.stdout
    assert f"Without a number: {BROKEN}, unsupported: this processor lacks avx512f" in result.stdout
    assert (tmp_path / "validation.csv").read_text().startswith("loop,name,title,")
    assert json.loads((tmp_path / "validation.json").read_text())["run"] == outcome.run.run
    assert json.loads(call(*words, "--json").stdout)["device"] == DEVICE.id


def test_what_the_command_refuses_is_one_line(outcome: Outcome, data: Path, tmp_path: Path) -> None:
    path = make_data(CpuTruth(passes=2), 1, tmp_path, lambda truth: latency_probes(truth)[:2])
    for words, complaint in (
        (("--run", "latest"), f"no validation in '{tmp_path}'"),
        (("--run", str(path)), "is no validation"),
        (("--run", "latest", "--passes", "2"), "--run measures nothing"),
        (("--run", str(outcome.path)), "no run 'written-core/20261101T000000Z-00000000'"),
    ):
        result = call("validate", "--data", str(tmp_path), *words)
        assert result.exit_code in (2, 4)
        assert len(result.stderr.splitlines()) == 1
        assert complaint in result.stderr
