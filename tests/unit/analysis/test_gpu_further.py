"""What each further one adds: a line, surely none, nothing at all, or hidden by scatter."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.analysis.gpu_distance import split
from reportgen.analysis.gpu_further import Growth, growth
from reportgen.analysis.robust import symmetric
from reportgen.status import Status

COUNTS = (1, 2, 4, 8, 16, 32)
WORDS = "Further ones do not all add the same", "Nothing is added."


def of(times: list[float], half: float) -> Growth:
    return growth(COUNTS, [symmetric(one, half) for one in times])


def test_a_line_is_told() -> None:
    line = of([60 + 3.0 * (count - 1) for count in COUNTS], 0.1)
    assert line.refusal(*WORDS) is None
    assert line.each.value == pytest.approx(3.0)


@pytest.mark.parametrize(("half", "sure"), [(0.5, True), (40.0, False)])
def test_times_off_a_line_deny_it_only_beyond_their_intervals(half: float, sure: bool) -> None:
    line = of([65.0, 93.0, 76.0, 103.0, 142.0, 178.0], half)
    assert (line.straight, line.bent) == (False, sure)
    refusal = line.refusal(*WORDS)
    assert refusal is not None
    assert refusal[0] is Status.UNSTABLE
    assert refusal[1].startswith(WORDS[0]) is sure


@pytest.mark.parametrize(("half", "status"), [(0.1, Status.UNSUPPORTED), (20.0, Status.UNSTABLE)])
def test_nothing_is_added_only_where_an_addition_would_show(half: float, status: Status) -> None:
    line = of([60.0, 60.1, 59.9, 60.0, 60.1, 60.0], half)
    refusal = line.refusal(*WORDS)
    assert refusal is not None
    assert refusal[0] is status
    assert (refusal[1] == WORDS[1]) is (status is Status.UNSUPPORTED)


def test_whole_cycles_of_one_latency_are_no_two_groups() -> None:
    """Sixteen loads of 275.47 cycles, read in whole cycles: steps of a sixteenth with nothing between."""
    chance = np.random.default_rng(7)
    loads = np.round(16 * 275.47 + chance.normal(scale=0.5, size=900)) / 16
    assert split(loads) is None
    apart = np.concatenate([loads, loads + 20.0])
    border = split(apart)
    assert border is not None
    assert 276 < border < 295
