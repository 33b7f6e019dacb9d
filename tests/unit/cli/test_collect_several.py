"""`collect --device all`, `cuda:all`: a run of every device that can be used, whatever becomes of others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from reportgen.backends import registry
from reportgen.backends.base import Candidate
from reportgen.cli.main import main
from reportgen.collect import choosing, runner
from reportgen.errors import BackendUnavailable, RunRefused, UserError
from reportgen.runs.schema import Device, Point
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_execution import chain
from tests.simulated.gpu_truth import GpuTruth

CPU = Candidate("cpu", Device("c", "cpu", "V", "CPU", "x86_64", cores=2))
GPUS = [Candidate(f"cuda:{n}", Device(f"g{n}", "cuda", "NVIDIA", "GPU", "sm_90")) for n in range(2)]
BROKEN = Candidate("cuda:2", Device("g2", "cuda", "NVIDIA", "GPU", "sm_90"), "it fell off the bus.")
TARGET = Candidate("sm_90", Device("sm-90", "cuda", "NVIDIA", "sm_90", "sm_90"))


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Candidate]]:
    found = [CPU, *GPUS, BROKEN, TARGET]

    class Some:
        def __init__(self, selector: str) -> None:
            self.name = selector.partition(":")[0]

        def discover(self) -> list[Candidate]:
            return [one for one in found if one.device.backend == self.name]

    monkeypatch.setattr(registry, "get", Some)
    monkeypatch.setattr(registry, "discover", lambda: found)
    return found


@pytest.mark.parametrize(
    ("selector", "devices"),
    [
        ("all", ("cpu", "cuda:0", "cuda:1")),
        ("cuda:all", ("cuda:0", "cuda:1")),
        ("cpu:all", ("cpu",)),
        ("cuda:1", ("cuda:1",)),
        ("", ("",)),
    ],
)
def test_a_word_for_several_is_every_device_that_can_be_used(selector: str, devices: tuple[str, ...]) -> None:
    assert choosing.several(selector) == devices


def test_where_none_can_be_used_every_reason_is_told(here: list[Candidate]) -> None:
    del here[:3]
    with pytest.raises(BackendUnavailable, match=r"no device of 'all' .* \(cuda:2: it fell off the bus\)"):
        choosing.several("all")
    here.clear()
    with pytest.raises(BackendUnavailable, match="there is none"):
        choosing.several("cuda:all")


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "200"})


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Selectors that were asked for; the second GPU is not reached to its end, the CPU is taken."""
    asked: list[str] = []
    run, _ = make(GpuTruth(), asked=[chain(GpuTruth())])
    left = Point("late", run.probes[0].id, {}, Status.SKIPPED, "no time")

    def one(options: runner.Options, progress: object) -> runner.Outcome:
        asked.append(options.selector)
        if options.selector == "cpu":
            raise RunRefused("another run holds the device.", "Wait for it.")
        late = options.selector == "cuda:1"
        return runner.Outcome(
            Path("out") / options.selector,
            msgspec.structs.replace(run, points=(*run.points, left)) if late else run,
            "reportgen collect --resume X" if late else "",
        )

    monkeypatch.setattr(runner, "collect", one)
    return asked


def test_a_device_that_fails_does_not_stop_the_next(collected: list[str]) -> None:
    result = call("collect", "--device", "all", "--json")
    assert result.exit_code == 1
    assert collected == ["cpu", "cuda:0", "cuda:1"]
    rows = {row["device"]: row for row in json.loads(result.stdout)}
    assert rows["cpu"]["sealed"].startswith("failed: another run holds the device")
    assert (rows["cuda:0"]["ok"], rows["cuda:1"]["skipped"]) == (3, 1)
    assert "skipped" not in rows["cuda:0"]
    assert "Go on with: reportgen collect --resume X" in result.stderr


def test_the_table_has_the_statuses_that_occur(collected: list[str]) -> None:
    shown = call("collect", "--device", "cuda:all").stdout
    header = next(line for line in shown.splitlines() if line.startswith("device"))
    assert header.split() == ["device", "ok", "skipped", "seconds", "sealed"]
    assert "Go on with: reportgen collect --resume X" in shown


@pytest.mark.parametrize("word", ["--resume", "--supersedes"])
def test_what_concerns_one_run_is_refused(collected: list[str], word: str) -> None:
    result = call("collect", "--device", "cuda:all", word, "20260101T000000Z-00000000")
    assert isinstance(result.exception, UserError) or result.exit_code == 2
    assert "makes 2" in (str(result.exception) + result.stderr)
    assert collected == []
