"""Marks of a visit's samples, from made-up columns."""

from __future__ import annotations

import pytest

from reportgen.backends import gates
from reportgen.backends.cpu import clock, sampling


def marks(ticks: list[int], warmup: list[int], grain: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(clock, "granularity", lambda: grain)
    rows = len(ticks)
    columns = {"ticks": ticks, "empty": [0] * rows, "warmup": warmup, "sample": list(range(rows))}
    return sampling._without_uneven(columns, [gates.ACCEPTED] * rows, [gates.ACCEPTED] * rows)


def test_a_warm_up_unlike_the_others_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = marks([4000, 4001, 3999, 4000, 4600], [1000] * 5, 1, monkeypatch)
    assert found == [gates.ACCEPTED] * 4 + [gates.UNEVEN]


def test_a_step_of_a_coarse_time_stamp_is_no_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 MHz: a body of 80 µs is 1920 ticks, and a quarter of it in the warm-up 480."""
    found = marks([1920, 1921, 1919, 1920, 1921], [480, 479, 481, 480, 481], 1, monkeypatch)
    assert found == [gates.ACCEPTED] * 5


@pytest.mark.parametrize(
    ("ticks", "warmup"), [([1, 0, 1, 1], [0, 0, 1, 0]), ([0, 0, 0, 1], [1, 1, 1, 1]), ([2, 1], [0, 0])]
)
def test_less_than_a_step_is_not_compared(
    ticks: list[int], warmup: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert marks(ticks, warmup, 1, monkeypatch) == [gates.ACCEPTED] * len(ticks)


def test_where_every_sample_strays_by_itself_only_those_far_off_are_set_aside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight chains of multiply-adds on a Zen 3 core: 191 to 206 cycles, in the warm-up as in the body."""
    bodies = [4000, 4150, 3920, 4210, 4060, 3900, 4120, 3980, 4030, 4180]
    found = marks([*bodies, 6000], [1000] * (len(bodies) + 1), 1, monkeypatch)
    assert found == [gates.ACCEPTED] * len(bodies) + [gates.UNEVEN]


def test_disturbed_samples_do_not_tell_how_far_others_stray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine samples of twenty were taken beside a neighbour, who came and went within the sample."""
    monkeypatch.setattr(clock, "granularity", lambda: 1)
    ticks = [4000 + at % 3 for at in range(10)] + [4700] + [5000 + 200 * at for at in range(9)]
    columns = {"ticks": ticks, "empty": [0] * 20, "warmup": [1000] * 20, "sample": list(range(20))}
    verdicts = [gates.ACCEPTED] * 11 + [gates.SLOW] * 9
    found = sampling._without_uneven(columns, [gates.ACCEPTED] * 20, verdicts)
    assert found == [gates.ACCEPTED] * 10 + [gates.UNEVEN] * 10
