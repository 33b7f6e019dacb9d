"""`reportgen runs`: what is carried as one file arrives, and a word that names no run is answered."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reportgen.cli.main import main
from tests.simulated.cpu import make_data
from tests.simulated.instruction_points import latency_probes
from tests.simulated.truth import CpuTruth


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(code: int, *words: str | Path) -> str:
    result = call(*words)
    assert result.exit_code == code
    assert len(result.stderr.splitlines()) == 1
    return result.stderr


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sealed run, in a folder of runs."""

    def some(truth: CpuTruth):
        return latency_probes(truth)[:1]

    return make_data(CpuTruth(passes=2), 1, tmp_path_factory.mktemp("data"), some)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_named_from_within_arrives_where_it_belongs(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run)
    told = json.loads(call("runs", "pack", tmp_path / "one.tar.gz", ".", "--json").stdout)
    assert told["files"] == 3
    assert told["bytes"] == (tmp_path / "one.tar.gz").stat().st_size
    (row,) = json.loads(call("runs", "unpack", told["path"], "--data", tmp_path / "in", "--json").stdout)
    assert row["state"] == "as sealed"
    assert files(tmp_path / "in") == files(run.parent.parent)


def test_a_run_that_lies_elsewhere_is_carried_by_its_own_names(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "my bundle")
    file = tmp_path / "one.tar.gz"
    assert "1 run, 3 files" in call("runs", "pack", file, tmp_path / "my bundle").stdout
    assert "as sealed" in call("runs", "unpack", file, "--data", tmp_path / "in").stdout
    assert files(tmp_path / "in") == files(run.parent.parent)


def test_two_copies_of_a_run_are_carried_as_two(run: Path, tmp_path: Path) -> None:
    device = tmp_path / run.parent.name
    shutil.copytree(run, device / run.name)
    shutil.copytree(run, device / "copy")
    file = tmp_path / "out" / "two.tar.gz"
    assert "2 runs, 6 files" in call("runs", "pack", file, "--data", tmp_path).stdout
    call("runs", "unpack", file, "--data", tmp_path / "in")
    assert {path.name for path in (tmp_path / "in" / run.parent.name).iterdir()} == {run.name, "copy"}


def test_a_file_that_was_damaged_on_its_way_puts_nothing_anywhere(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.tar.gz"
    call("runs", "pack", file, run)
    packed = bytearray(file.read_bytes())
    for at in (len(packed) // 2, len(packed) - 8):  # within a file of the run; the sum of all
        broken = tmp_path / "broken.tar.gz"
        broken.write_bytes(packed[:at] + bytes([packed[at] ^ 0x5A]) + packed[at + 1 :])
        message = refused(4, "runs", "unpack", broken, "--data", tmp_path / "in")
        assert "cannot be unpacked" in message
        assert "copy it again" in message
        assert not (tmp_path / "in").exists()


def test_what_is_no_file_of_runs_is_refused(run: Path, tmp_path: Path) -> None:
    assert "is a folder. Name the file" in refused(5, "runs", "pack", tmp_path, run)
    absent = refused(4, "runs", "unpack", tmp_path / "absent", "--data", tmp_path / "in")
    assert "(No such file or directory)" in absent
    assert "Errno" not in absent
    message = refused(5, "runs", "pack", run / "run.json" / "x.tar.gz", run)
    assert "--data" not in message
    assert "FILE" in message


def test_a_folder_that_is_not_there_is_not_verified(run: Path, tmp_path: Path) -> None:
    assert "there is no folder" in refused(4, "runs", "verify", "--data", tmp_path / "dta")
    assert call("runs", "verify", "--data", tmp_path).exit_code == 0


def test_names_of_runs_are_taken_as_a_shell_completes_them(run: Path) -> None:
    data, device = run.parent.parent, run.parent.name
    for name in (device, f"{device}/", f"{device}/{run.name}/", run.name[:10]):
        assert run.name in call("runs", "show", name, "--data", data).stdout
    near = refused(4, "runs", "show", device.replace("-", "_"), "--data", data)
    assert f"Near it: {device}" in near
    assert "Near" not in refused(4, "runs", "show", "entirely different", "--data", data)


def test_what_may_not_be_looked_at_is_one_line(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a user who may not enter a folder, whom root never is."""
    whole = os.stat

    def barred(path: str, *words: Any, **told: Any) -> os.stat_result:
        if "barred" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return whole(path, *words, **told)

    monkeypatch.setattr(os, "stat", barred)
    for code, *words in (
        (5, "runs", "pack", "/barred/x.tar.gz", run),
        (4, "runs", "verify", "--data", "/barred/data"),
        (2, "cost", "/barred/x.s", "--data", run.parent.parent),
        (2, "measure", "/barred/x.s", "--data", run.parent.parent),
    ):
        assert refused(code, *words).startswith("error: ")
