"""A few devices of the population, held to the limits of the published ones as far as so few can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration import limits, page
from calibration.__main__ import FOLDER, main
from calibration.counts import Cores, Gpus, Seeds
from calibration.gpu_kinds import GpuKind
from calibration.kinds import Kind
from calibration.sample import cores, gpus
from reportgen.collect.progress import Silent

SAMPLE = Seeds(first=500_023, devices=3)
"""Neither published nor what anything was fitted to."""


@pytest.fixture(scope="module")
def numbers() -> Cores:
    return cores(SAMPLE, 1, Silent())


@pytest.fixture(scope="module")
def drawn() -> Gpus:
    return gpus(Seeds(SAMPLE.first, 1), 1, Silent())


def test_a_sample_keeps_to_the_limits(numbers: Cores) -> None:
    assert limits.broken_of(numbers, allowing=True) == []


def test_a_gpu_keeps_to_the_limits(drawn: Gpus) -> None:
    assert limits.broken_of(drawn, allowing=True) == []
    told = {one.kind for one in drawn.intervals}
    assert {GpuKind.RATE.name, GpuKind.LEVEL.name, GpuKind.WAIT.name, GpuKind.LINK.name} <= told
    assert sum(one.right.count for one in drawn.reliability) > 300


def test_every_kind_is_among_them(numbers: Cores) -> None:
    assert {one.kind for one in numbers.intervals} == {kind.name for kind in Kind}
    assert sum(one.right.count for one in numbers.reliability) > 1000
    assert {verdict for row in numbers.hypotheses for verdict, some in row.verdicts.items() if some} == {
        "supported",
        "not supported",
        "undecided",
    }


def test_nothing_that_is_shared_is_often_read_as_separate(numbers: Cores) -> None:
    shared = [row.readings for row in numbers.sharing if row.ports]
    separate = sum(readings["separate"] for readings in shared)
    assert separate <= 0.05 * sum(sum(readings.values()) for readings in shared)


def test_the_same_devices_give_the_same_bytes_whatever_the_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = (FOLDER / "calibration.json").read_bytes()
    for workers in ("1", "2"):
        out = tmp_path / workers
        out.mkdir()
        (out / "calibration.json").write_bytes(published)
        words = f"--only gpus --first 500100 --gpus 1 --workers {workers} --out {out}".split()
        failed = main(words)
        said = [line for line in capsys.readouterr().err.splitlines() if "simulated GPUs:" not in line]
        assert bool(failed) is bool(said)
    one, two = ({file.name: file.read_bytes() for file in (tmp_path / n).iterdir()} for n in ("1", "2"))
    assert set(one) == {"calibration.md", "calibration.json", "calibration.light.svg", "calibration.dark.svg"}
    assert one == two
    kept = page.read(one["calibration.json"])
    assert kept.cores == page.read(published).cores
    assert kept.gpus.seeds == Seeds(500_100, 1)


def test_one_part_alone_needs_the_other_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "gpus", "--out", str(tmp_path)])
    assert "--only needs the other part" in capsys.readouterr().err
