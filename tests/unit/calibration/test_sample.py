"""A few devices of the population, held to the limits of the published ones as far as so few can tell."""

from __future__ import annotations

import pytest

from calibration import limits
from calibration.counts import Calibration, Seeds
from calibration.kinds import Kind
from calibration.sample import calibrate
from reportgen.collect.progress import Silent

SAMPLE = Seeds(first=500_000, devices=8)
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


def test_workers_do_not_change_the_numbers() -> None:
    seeds = Seeds(first=500_100, devices=1)
    assert calibrate(seeds, 2, Silent()) == calibrate(seeds, 1, Silent())
