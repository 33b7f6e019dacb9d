"""A recorded bundle, sent through the real runner with its worker processes, comes out as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.collect.runner import Options, collect
from reportgen.errors import BundleError
from reportgen.runs import read
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.simulated.cpu import make_bundle
from tests.simulated.instruction_points import disturbed_probes, latency_probes
from tests.simulated.memory_points import bandwidth_probe
from tests.simulated.roofline_points import peak_probes
from tests.simulated.truth import CpuTruth


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Points that are ok, unsupported, unstable, and samples of several threads."""
    truth = CpuTruth(passes=2)

    def some(truth: CpuTruth):
        return [
            *latency_probes(truth)[:3],
            *disturbed_probes(truth),
            bandwidth_probe(truth),
            *peak_probes(truth),
        ]

    return make_bundle(truth, 3, tmp_path_factory.mktemp("recorded") / "bundle", some)


def test_a_replay_gives_an_equal_bundle(recorded: Path, tmp_path: Path) -> None:
    again = collect(Options(data=tmp_path, selector=f"replay:{recorded}"))
    first, second = read.load(recorded), read.load(again.path)
    assert {point.status for point in first.run.points} >= {Status.OK, Status.UNSUPPORTED, Status.UNSTABLE}
    assert second.samples.equals(first.samples)
    assert second.programs == first.programs
    for field in ("points", "probes", "device", "clock", "drift", "environment", "suite", "counters"):
        assert getattr(second.run, field) == getattr(first.run, field), field
    assert verify(again.path) == []


def test_a_replay_says_that_it_is_one(recorded: Path, tmp_path: Path) -> None:
    first = collect(Options(data=tmp_path, selector=f"replay:{recorded}"))
    second = collect(Options(data=tmp_path, selector=f"replay:{first.path}"))
    original = read.load(recorded).run.run
    assert first.run.plan["replayed"] == second.run.plan["replayed"] == original
    assert first.run.run != original


def test_a_damaged_recording_is_refused(recorded: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in recorded.iterdir():
        (copy / file.name).write_bytes(file.read_bytes()[:-20])
    with pytest.raises(BundleError, match=r"run\.json"):
        collect(Options(data=tmp_path / "data", selector=f"replay:{copy}"))
    (copy / "run.json").write_bytes((recorded / "run.json").read_bytes())
    with pytest.raises(BundleError, match=r"samples\.parquet"):
        collect(Options(data=tmp_path / "data", selector=f"replay:{copy}"))
    assert not list((tmp_path / "data").rglob("run.json"))
