"""`collect --device sm_all`: one run a target, whatever becomes of the others."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen.backends import registry
from reportgen.backends.base import Candidate
from reportgen.cli.main import main
from reportgen.collect import runner
from reportgen.runs import store
from reportgen.runs.schema import Device
from tests.simulated.faulty import suite
from tests.simulated.target import TARGET, Toolchain

ASKED = dataclasses.replace(suite("fine", "emulated", "folded"), tables={"cuda": {}})


@pytest.fixture(autouse=True)
def toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two targets, of which one cannot be built for."""
    monkeypatch.setattr(registry, "get", lambda selector: Toolchain())
    monkeypatch.setattr(runner, "load_suite", lambda: ASKED)


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_target_that_fails_does_not_stop_the_next(tmp_path: Path) -> None:
    result = call("collect", "--device", "sm_all", "--data", tmp_path)
    assert result.exit_code == 1
    assert "sm_80" in result.stdout
    assert "failed: no device 'sm_80'" in result.stdout
    (ref,) = store.list_runs(tmp_path)
    assert ref.device == "sm-90"


def test_the_summary_counts_programs_by_what_became_of_them(tmp_path: Path) -> None:
    result = call("collect", "--device", "sm_all", "--data", tmp_path, "--json")
    rows = {row["device"]: row for row in json.loads(result.stdout)}
    assert rows["sm_90"]["verified"] == 2
    assert rows["sm_90"]["emulated"] == 1
    assert rows["sm_90"]["invalid"] == 1
    assert Path(rows["sm_90"]["sealed"]).is_dir()
    assert rows["sm_80"]["sealed"].startswith("failed: ")


def test_one_target_shows_families_and_reasons(tmp_path: Path) -> None:
    result = call("collect", "--device", "sm_90", "--data", tmp_path)
    assert result.exit_code == 0
    assert "emulated" in result.stdout
    assert "the compiler folded or merged steps" in result.stdout
    assert "nothing was timed on a device" in result.stdout


def test_devices_come_before_targets_and_a_target_says_that_nothing_is_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = [
        Candidate("sm_90", TARGET),
        Candidate("cpu", Device("c", "cpu", "V", "CPU", "x86_64", cores=2)),
        Candidate("cuda:0", Device("g", "cuda", "NVIDIA", "GPU", ""), "no driver is here. Install one"),
    ]
    monkeypatch.setattr(registry, "discover", lambda: here)
    shown = call("devices").stdout
    assert shown.index("cpu ") < shown.index("cuda:0") < shown.index("sm_90")
    assert "builds only, nothing is timed" in shown
    assert "no driver is here. Install one" in " ".join(shown.split())
    rows = {row["selector"]: row for row in json.loads(call("devices", "--json").stdout)}
    assert {name: row["kind"] for name, row in rows.items()} == {
        "cpu": "measured", "cuda:0": "measured", "sm_90": "toolchain",
    }  # fmt: skip
    assert not rows["cuda:0"]["usable"]
