"""A few devices of the population, held to the limits of the published ones as far as so few can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration import limits
from calibration.__main__ import main
from calibration.counts import Calibration, Seeds
from calibration.kinds import Kind
from calibration.sample import calibrate
from reportgen.collect.progress import Silent

SAMPLE = Seeds(first=500_020, devices=3)
"""Neither published nor what anything was fitted to."""


@pytest.fixture(scope="module")
def numbers() -> Calibration:
    return calibrate(SAMPLE, 1, Silent())


def test_a_sample_keeps_to_the_limits(numbers: Calibration) -> None:
    assert limits.broken(numbers, allowing=True) == []


def test_every_kind_is_among_them(numbers: Calibration) -> None:
    assert {one.kind for one in numbers.intervals} == {kind.name for kind in Kind}
    assert sum(one.right.count for one in numbers.reliability) > 1000
    assert {verdict for row in numbers.hypotheses for verdict, some in row.verdicts.items() if some} == {
        "supported",
        "not supported",
        "undecided",
    }


def test_nothing_that_is_shared_is_often_read_as_separate(numbers: Calibration) -> None:
    shared = [row.readings for row in numbers.sharing if row.ports]
    separate = sum(readings["separate"] for readings in shared)
    assert separate <= 0.05 * sum(sum(readings.values()) for readings in shared)


def test_the_same_devices_give_the_same_bytes_whatever_the_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for workers in ("1", "2"):
        words = [
            "--first",
            "500100",
            "--devices",
            "1",
            "--workers",
            workers,
            "--out",
            str(tmp_path / workers),
        ]
        failed = main(words)
        said = [line for line in capsys.readouterr().err.splitlines() if "simulated devices:" not in line]
        assert bool(failed) is bool(said)
    one, two = ({file.name: file.read_bytes() for file in (tmp_path / n).iterdir()} for n in ("1", "2"))
    assert set(one) == {"calibration.md", "calibration.json", "calibration.light.svg", "calibration.dark.svg"}
    assert one == two
