"""The command line: help that does not wait, tables that are JSON too, faults in one line."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from reportgen import __version__
from reportgen.backends.base import ClockConstants
from reportgen.cli.main import COMMANDS, main
from reportgen.collect.journal import JOURNAL, Header
from reportgen.errors import UserError
from tests.simulated.cpu import make_data
from tests.simulated.instruction_points import disturbed_probes, latency_probes
from tests.simulated.truth import CpuTruth


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")

    def some(truth: CpuTruth):
        return [*latency_probes(truth)[:2], *disturbed_probes(truth)]

    make_data(CpuTruth(passes=2), 1, folder, some)
    return folder


def one_line(result: Result, code: int) -> str:
    """The message of a refused call: one line, no traceback."""
    assert result.exit_code == code
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("error: ")
    return result.stderr


def test_help_names_every_command_and_imports_none() -> None:
    check = (
        "import sys\n"
        "from reportgen.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit:\n"
        "    heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'rich', 'reportgen.cli.collect'}\n"
        "    print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert "heavy: []" in done.stdout
    for name, text in COMMANDS.items():
        assert name in done.stdout
        assert text in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str) -> None:
    command = import_module(f"reportgen.cli.{name}").command
    assert command.name == name
    result = call(name, "--help")
    assert result.exit_code == 0
    assert f"  reportgen {name}" in result.stdout
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help


@pytest.mark.parametrize("name", ["list", "show", "verify"])
def test_what_runs_can_do_has_examples(name: str) -> None:
    assert f"  reportgen runs {name}" in call("runs", name, "--help").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("count", "{}"),
        ("roofline", "{}.onnx", "--device", "latest"),
        ("cost", "fp32_fma:1", "--device", "{}"),
        ("export", "{}", "--format", "csv"),
        ("derive", "{}", "--out", "out"),
        ("runs", "list", "--data", "{}"),
        ("site", "--data", "{}"),
        ("site", "--out", "{}"),
    ],
    ids=" ".join,
)
def test_what_the_system_refuses_to_look_at_is_one_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is too long is refused to root too, unlike a folder of somebody else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    result = call(*(word.format("x" * 5000) for word in words))
    assert "(File name too long)" in one_line(result, result.exit_code)
    assert result.exit_code in (2, 4)
    assert call("doctor", "--data", "x" * 5000).exit_code == 3


def test_version_and_unknown_commands() -> None:
    assert call("--version").stdout == f"reportgen {__version__}\n"
    assert call("measure").exit_code == 2


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("reportgen.backends.registry.discover", broken)
    with pytest.raises(ZeroDivisionError):
        call("devices")


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("reportgen.backends.registry.discover", pressed)
    result = call("devices")
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


def test_devices_say_what_is_here_or_why_not() -> None:
    rows = json.loads(call("devices", "--json").stdout)
    assert rows
    for row in rows:
        assert row["usable"] == (not row["reason"])
        assert row["id"]
    assert rows[0]["selector"] in call("devices").stdout


def test_a_run_on_a_gpu_stays_within_minutes_by_its_plan() -> None:
    rows = json.loads(call("probes", "--isa", "sm_90", "--json").stdout)
    seconds = sum(row.get("seconds", 0.0) for row in rows)
    assert sum(row.get("points", 0) for row in rows) > 2000
    assert 60 < seconds <= 8 * 60
    told = call("probes", "--isa", "sm_90").stdout
    assert f"at most {seconds / 60:.1f} min" in " ".join(told.split())
    assert all("seconds" not in row for row in json.loads(call("probes", "--isa", "x86_64", "--json").stdout))


def test_probes_are_listed_with_their_questions() -> None:
    rows = json.loads(call("probes", "--isa", "x86_64", "--json").stdout)
    assert all(row["question"].endswith("?") for row in rows)
    assert len({row["probe"] for row in rows}) == len(rows)
    family = json.loads(call("probes", "--isa", "x86_64", "--family", "memory_hierarchy", "--json").stdout)
    assert {row["family"] for row in family} == {"memory_hierarchy"}
    assert rows[0]["probe"] in call("probes", "--isa", "x86_64").stdout
    assert "memory_hierarchy" in one_line(call("probes", "--isa", "x86_64", "--family", "memory"), 2)
    assert "x86_64" in one_line(call("probes", "--isa", "z80"), 2)


def test_runs_are_listed_shown_and_verified(data: Path, tmp_path: Path) -> None:
    (row,) = json.loads(call("runs", "list", "--data", data, "--json").stdout)
    assert row["state"] == "sealed"
    table = call("runs", "list", "--data", data).stdout
    assert row["run"] in table
    assert row["created"][:16].replace("T", " ") in table
    assert row["created"] not in table
    shown = call("runs", "show", "latest", "--data", data)
    assert "unstable" in shown.stdout
    assert "Too few samples" in shown.stdout
    assert json.loads(call("runs", "show", row["run"], "--data", data, "--json").stdout)["run"] == row["run"]
    assert call("runs", "verify", "--data", data).exit_code == 0
    assert "No run in" in call("runs", "list", "--data", tmp_path).stdout


def test_a_damaged_run_is_named_with_its_file(data: Path, tmp_path: Path) -> None:
    (run,) = data.glob("*/*")
    copy = tmp_path / run.parent.name / run.name
    copy.mkdir(parents=True)
    for file in run.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "samples.parquet").write_bytes(b"short")
    result = call("runs", "verify", "--data", tmp_path, "--json")
    assert result.exit_code == 1
    (row,) = json.loads(result.stdout)
    assert row["fault"].startswith("samples.parquet: ")
    assert "samples.parquet" in one_line(call("derive", copy, "--out", tmp_path / "out"), 4)
    (copy / "run.json").write_text('{"schema": 99}')
    assert "schema 99" in " ".join(call("runs", "list", "--data", tmp_path).stdout.split())
    assert "pgrade" in one_line(call("runs", "show", copy), 4)
    assert "no run 'absent'" in one_line(call("runs", "show", "absent", "--data", tmp_path), 4)


@pytest.mark.parametrize(
    ("asked", "verb"), [("*", "collect"), ("validation/dot*,validation/lcg*", "validate")]
)
def test_an_interrupted_run_is_listed_with_the_command_that_goes_on(
    tmp_path: Path, asked: str, verb: str
) -> None:
    folder = tmp_path / "device" / "20260101T000000Z-00000000.partial"
    folder.mkdir(parents=True)
    (row,) = json.loads(call("runs", "list", "--data", tmp_path, "--json").stdout)
    assert "interrupted; not to be gone on with" in row["state"]
    assert "start a new run" in row["state"]
    header = Header(
        version=1, run="20260101T000000Z-00000000", created="", selector="cpu", device="device",
        environment={}, toolchain={}, counters="", suite={}, seed=1, passes=3, quick=False, probes=asked,
        clock=ClockConstants(0, 0, 0.0, 0.0, ""), programs={}, seconds={},
    )  # fmt: skip
    (folder / JOURNAL).write_bytes(msgspec.json.encode(header) + b"\n")
    (row,) = json.loads(call("runs", "list", "--data", tmp_path, "--json").stdout)
    assert f"reportgen {verb} --resume 20260101T000000Z-00000000" in row["state"]


def test_derive_writes_its_files_and_prints_the_metrics(data: Path, tmp_path: Path) -> None:
    result = call("derive", "latest", "--data", data, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0
    metrics = {row["metric"] for row in json.loads(result.stdout)}
    assert any(metric.startswith("latency.") for metric in metrics)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"model.json", "findings.json", "metrics.csv"} <= written
    table = call("derive", "latest", "--data", data, "--out", tmp_path / "out").stdout
    assert "Wrote" in table
    (tmp_path / "file").write_text("")
    assert "--out" in one_line(call("derive", "latest", "--data", data, "--out", tmp_path / "file" / "x"), 2)


def test_derive_in_brief_needs_no_folder(data: Path, tmp_path: Path) -> None:
    result = call("derive", "latest", "--data", data, "--brief")
    assert result.exit_code == 0
    assert "contradictions" in result.stdout
    assert "Wrote" not in result.stdout
    both = call("derive", "latest", "--data", data, "--brief", "--out", tmp_path / "out").stdout
    assert "Wrote" in both
    assert "--brief" in one_line(call("derive", "latest", "--data", data), 2)
    assert "--json" in one_line(call("derive", "latest", "--data", data, "--brief", "--json"), 2)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A data folder with two runs of one device, the second with another popcount; their ids."""
    folder = tmp_path_factory.mktemp("pair")

    def some(truth: CpuTruth):
        return latency_probes(truth)[:4]

    truth = CpuTruth(passes=2).quiet()
    slow = dict(truth.operations)
    slow["popcnt"] = replace(slow["popcnt"], latency=4)
    first = make_data(truth, 1, folder, some)
    second = make_data(replace(truth, operations=slow), 2, folder, some)
    return folder, first.name, second.name


def test_compare_says_what_differs_and_exits_as_diff_does(pair: tuple[Path, str, str]) -> None:
    data, first, second = pair
    result = call("compare", first, second, "--data", data)
    assert result.exit_code == 1
    assert "latency.popcnt" in result.stdout
    assert "slower" in result.stdout
    assert "latency.integer_add" not in result.stdout
    assert "Second against first, 4 metrics: 3 same and 1 slower." in result.stdout
    same = call("compare", first, second, "--data", data, "--metric", "latency.integer_*")
    assert same.exit_code == 0
    assert "3 metrics: 3 same." in same.stdout
    assert "latency.integer_add" in call("compare", first, second, "--data", data, "--all").stdout
    assert call("compare", first, first, "--data", data).exit_code == 0
    absent = one_line(call("compare", first, second, "--data", data, "--metric", "latencies.*"), 2)
    assert "'latencies.*' matches no metric" in absent


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_compare_fits_the_terminal(pair: tuple[Path, str, str], columns: int) -> None:
    data, first, second = pair
    words = ["compare", first, second, "--data", str(data), "--all"]
    lines = CliRunner().invoke(main, words, env={"COLUMNS": str(columns)}).stdout.splitlines()
    assert max(map(len, lines)) <= columns
    for row in ("latency.popcnt", "latency.integer_add"):
        (at,) = (number for number, line in enumerate(lines) if line.split()[:1] == [row])
        whole = " ".join(line.strip() for line in lines[at : at + 4])
        wanted = r" (slower|same) +[+−]?\d+\.\d % \(.+ … .+\) +\d\S* cycles?.* → \d\S* cycles?.*; 2 %"
        assert re.match(row + wanted, re.sub(" +", " ", whole))


def test_compare_prints_json(pair: tuple[Path, str, str]) -> None:
    data, first, second = pair
    found = json.loads(call("compare", first, second, "--data", data, "--json").stdout)
    assert {row["metric"]: row["verdict"] for row in found["rows"]}["latency.popcnt"] == "slower"
    assert found["first"]["run"] == first


def test_compare_refuses_what_is_not_comparable(pair: tuple[Path, str, str], tmp_path: Path) -> None:
    data, first, second = pair
    (run,) = data.glob(f"*/{second}")
    quick = tmp_path / run.parent.name / second
    shutil.copytree(run, quick)
    manifest = json.loads((quick / "run.json").read_text())
    manifest["plan"]["quick"] = True
    (quick / "run.json").write_text(json.dumps(manifest))
    message = one_line(call("compare", first, quick, "--data", data), 6)
    assert "the second run is a quick one" in message
    assert "--anyway" in message
    anyway = call("compare", first, quick, "--data", data, "--anyway")
    assert anyway.exit_code == 1
    assert "compared anyway, although the second run is a quick one" in anyway.stdout
    assert call("compare", first, quick, "--data", data, "--force").stdout == anyway.stdout
    assert "no run 'nothing'" in one_line(call("compare", first, "nothing", "--data", data), 4)


def test_schemas_are_printed_or_written(tmp_path: Path) -> None:
    names = set(json.loads(call("schema").stdout))
    assert call("schema", "--out", tmp_path).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == names
    assert "run.schema.json" in names
    (tmp_path / "file").write_text("")
    assert "--out" in one_line(call("schema", "--out", tmp_path / "file" / "x"), 2)


def test_doctor_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = call("doctor", "--data", tmp_path, "--json")
    rows = {row["check"]: row for row in json.loads(result.stdout)}
    assert rows["Python"]["state"] == "ok"
    assert rows[f"folder {tmp_path}"]["state"] == "ok"
    (tmp_path / "file").write_text("")
    absent = {"llvmlite"}
    monkeypatch.setattr("reportgen.cli.doctor.find_spec", lambda name: None if name in absent else name)
    result = call("doctor", "--data", tmp_path / "file" / "x", "--json")
    assert result.exit_code == 3
    rows = {row["check"]: row for row in json.loads(result.stdout)}
    assert rows["llvmlite"]["state"] == "missing"
    assert "pip install" in rows["llvmlite"]["remedy"]
    assert "--data" in rows[f"folder {tmp_path / 'file' / 'x'}"]["remedy"]
    assert all(row["remedy"] for row in rows.values() if row["state"] == "missing")


def test_a_broken_suite_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise UserError("probes/a/b.toml: key: expected this.", "Do that.")

    monkeypatch.setattr("reportgen.suite.load.load_suite", broken)
    assert one_line(call("probes"), 2) == "error: probes/a/b.toml: key: expected this. Do that.\n"


def test_a_wrong_word_is_answered_with_near_ones(tmp_path: Path) -> None:
    assert "No such command 'collct'. (Did you mean one of: 'collect'" in call("collct").stderr
    assert "Did you mean memory_hierarchy or" in one_line(call("probes", "memory_hierachy"), 2)
    assert "'reportgen collect' makes one." in one_line(call("runs", "show", "latest", "--data", tmp_path), 4)
    assert f"'{tmp_path}' is a folder. Name a file" in one_line(call("cost", tmp_path), 2)


def test_probes_are_named_as_for_collecting() -> None:
    rows = json.loads(call("probes", "memory_hierarchy/*,roofline", "--isa", "x86_64", "--json").stdout)
    assert {row["family"] for row in rows} == {"memory_hierarchy", "roofline"}


def test_a_run_without_its_programs_is_not_derived(data: Path, tmp_path: Path) -> None:
    (run,) = data.glob("*/*")
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "programs.jsonl.gz").unlink()
    said = one_line(call("derive", tmp_path / "run", "--out", tmp_path / "out"), 4)
    assert "programs.jsonl.gz cannot be read" in said
    assert not (tmp_path / "out").exists()


def test_a_port_that_is_taken_is_said_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("MkDocs was started"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = one_line(call("site", "--serve", "--port", str(port)), 2)
    assert f"127.0.0.1:{port} (Address already in use). Name another --port." in message
