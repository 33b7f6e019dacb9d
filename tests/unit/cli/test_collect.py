"""`reportgen collect` from words to a sealed run, over a recorded one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from reportgen.cli import summary
from reportgen.collect import lock
from reportgen.collect.runner import Interrupted, Options
from reportgen.errors import BundleError
from reportgen.runs import read, store
from reportgen.status import Status
from tests.simulated.cpu import make_bundle
from tests.simulated.instruction_points import disturbed_probes, latency_probes
from tests.simulated.truth import CpuTruth
from tests.unit.cli.test_commands import call, one_line


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def some(truth: CpuTruth):
        return [*latency_probes(truth)[:1], *disturbed_probes(truth)]

    return make_bundle(CpuTruth(passes=2), 1, tmp_path_factory.mktemp("recorded") / "bundle", some)


def test_the_summary_says_what_became_of_the_points_and_what_comes_next(
    recorded: Path, tmp_path: Path
) -> None:
    result = call("collect", "--device", f"replay:{recorded}", "--data", tmp_path)
    assert result.exit_code == 0
    (run,) = store.list_runs(tmp_path)
    assert "measuring:" in result.stderr
    for words in ("instruction_latency", "ok", "unstable", "Too few samples", "not measuring", str(run.path)):
        assert words in result.stdout
    assert f"reportgen derive {run.path}" in result.stdout


def test_the_summary_is_json_too(recorded: Path, tmp_path: Path) -> None:
    result = call("collect", "--device", f"replay:{recorded}", "--data", tmp_path, "--json")
    told = json.loads(result.stdout)
    assert Path(told["path"]).is_dir()
    assert told["families"][0]["family"] == "instruction_latency"
    assert {row["status"] for row in told["reasons"]} == {"unsupported", "unstable"}
    assert "measure" in told["timing"]


def test_a_replay_is_not_filed_among_the_runs_by_default(recorded: Path) -> None:
    assert "--data" in one_line(call("collect", "--device", f"replay:{recorded}"), 2)


def test_what_cannot_start_says_why_in_one_line(recorded: Path, tmp_path: Path) -> None:
    replay = f"replay:{recorded}"
    assert "no backend 'abacus'" in one_line(call("collect", "--device", "abacus", "--data", tmp_path), 2)
    assert "bundle" in one_line(call("collect", "--device", "replay:absent", "--data", tmp_path), 4)
    assert "interrupted run" in one_line(call("collect", "--resume", "--data", tmp_path), 5)
    assert "interrupted run 'abc'" in one_line(call("collect", "--resume", "abc", "--data", tmp_path), 5)
    (device,) = {"simulated-core-4000"}
    with lock.hold(tmp_path / device, device):
        assert "another run" in one_line(call("collect", "--device", replay, "--data", tmp_path), 5)
    (tmp_path / "file").write_text("")
    assert "--data" in one_line(call("collect", "--device", replay, "--data", tmp_path / "file"), 5)


def test_what_is_superseded_is_a_run_that_is_there(recorded: Path, tmp_path: Path) -> None:
    replay = ("collect", "--device", f"replay:{recorded}", "--data", tmp_path)
    none = one_line(call(*replay, "--supersedes", "yesterday"), 4)
    assert none.startswith(f"error: 'yesterday' is no run in '{tmp_path}'. 'reportgen runs list")
    assert call(*replay).exit_code == 0
    (first,) = store.list_runs(tmp_path)
    wrong = first.run[:-1] + ("0" if first.run[-1] != "0" else "1")
    for command in (replay, ("validate", "--data", tmp_path)):
        assert f"Near it: {first.run}." in one_line(call(*command, "--supersedes", wrong), 4)
    assert [ref.run for ref in store.list_runs(tmp_path)] == [first.run]
    done = call(*replay, "--supersedes", first.run[:-2])
    assert done.exit_code == 0
    assert f", corrects run {first.run}" in done.stdout
    (second,) = (ref for ref in store.list_runs(tmp_path) if ref.run != first.run)
    assert json.loads((second.path / "run.json").read_text())["supersedes"] == first.run
    for name in (f"{first.device}/{first.run}", str(first.path), f"{first.path}/", first.run[:-1]):
        assert store.run_to_correct(tmp_path, name, first.device) == first.run
    assert "means several runs" in one_line(call(*replay, "--supersedes", first.run[:3]), 4)
    both = one_line(call(*replay, "--supersedes", first.run, "--resume"), 2)
    assert both.endswith("Leave one of them out.\n")


def test_what_is_superseded_is_a_run_of_the_same_device_and_kind(recorded: Path, tmp_path: Path) -> None:
    replay = ("collect", "--device", f"replay:{recorded}", "--data", tmp_path)
    assert call(*replay).exit_code == 0
    (own,) = store.list_runs(tmp_path)
    for run, device, plan, told in (
        ("20260101T000000Z-aaaaaaaa", "another", {}, "is of another, and only a run of the suite of"),
        ("20260102T000000Z-bbbbbbbb", own.device, {"kind": "validation"}, "is a validation, and only a run"),
        (
            "20260103T000000Z-cccccccc",
            own.device,
            {"kind": "toolchain"},
            "is a toolchain run, and only a",
        ),
    ):
        manifest = json.loads((own.path / "run.json").read_text())
        manifest |= {"run": run, "plan": manifest["plan"] | plan}
        manifest["device"]["id"] = device
        shutil.copytree(own.path, tmp_path / device / run)
        (tmp_path / device / run / "run.json").write_text(json.dumps(manifest))
        said = one_line(call(*replay, "--supersedes", run), 4)
        assert said.startswith(f"error: run {run} {told}")
        assert said.endswith(f"These are: {own.run}.\n")
    assert len(store.list_runs(tmp_path)) == 4, "nothing was collected"
    # Of several that begin alike, the one that fits is meant; what a damaged run was is not asked.
    assert store.run_to_correct(tmp_path, "2026010", own.device, "validation").endswith("bbbbbbbb")
    (tmp_path / own.device / "20260103T000000Z-cccccccc" / "run.json").write_text("{")
    assert store.run_to_correct(tmp_path, "20260103", own.device).endswith("cccccccc")
    with pytest.raises(BundleError, match=r"is of another, .* There is none yet: leave --supersedes out\.$"):
        store.run_to_correct(tmp_path, "20260101", "third")


def test_one_run_is_not_corrected_by_a_run_of_every_target(tmp_path: Path) -> None:
    said = one_line(call("collect", "--device", "sm_all", "--supersedes", "x", "--data", tmp_path), 2)
    assert said.startswith("error: --supersedes names one run, and 'sm_all' makes ")


def test_time_is_a_number_above_zero(tmp_path: Path) -> None:
    for seconds in ("nan", "inf", "0", "soon"):
        for command in ("collect", "validate"):
            result = call(command, "--max-seconds", seconds, "--data", tmp_path)
            assert result.exit_code == 2
            assert "Invalid value for '--max-seconds'" in result.stderr


def test_a_glob_that_matches_nothing_names_the_nearest(tmp_path: Path) -> None:
    result = call("collect", "--probes", "memory_hierachy/*", "--data", tmp_path)
    if result.exit_code == 3:
        pytest.skip(f"no CPU can be measured here: {result.stderr}")
    assert "memory_hierarchy" in one_line(result, 2)


@pytest.mark.parametrize(
    ("said", "glob"),
    [((), "*"), (("--probes", "a/*,b/x"), "a/*,b/x"), (("--probes", "a/*", "--probes", "b/x"), "a/*,b/x")],
)
def test_probes_are_chosen_with_commas_or_one_by_one(
    said: tuple[str, ...], glob: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def collect(options: Options, *_: object) -> None:
        asked.append(options.glob)
        raise Interrupted("interrupted.", "")

    monkeypatch.setattr("reportgen.collect.runner.collect", collect)
    call("collect", *said, "--data", tmp_path)
    assert asked == [glob]


def test_ctrl_c_prints_how_to_go_on(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        raise Interrupted("interrupted.", "5 visits are kept. Go on with: reportgen collect --resume R")

    monkeypatch.setattr("reportgen.collect.runner.collect", pressed)
    result = call("collect", "--data", tmp_path)
    assert result.exit_code == 130
    assert result.stderr == "interrupted. 5 visits are kept. Go on with: reportgen collect --resume R\n"


def test_reasons_that_differ_in_numbers_alone_are_one_row(recorded: Path) -> None:
    run = read.load(recorded).run
    reasons = [f"wrong in {n} of 9 launches of mma_m8n8k{k}" for n, k in ((3, 4), (5, 4), (7, 3))]
    points = [
        msgspec.structs.replace(run.points[0], id=f"a#{n}", status=Status.INVALID, reason=reason)
        for n, reason in enumerate(reasons)
    ]
    shown = summary.reasons(msgspec.structs.replace(run, points=tuple(points)))
    assert [(row["points"], row["reason"]) for row in shown] == [(2, reasons[0]), (1, reasons[2])]
