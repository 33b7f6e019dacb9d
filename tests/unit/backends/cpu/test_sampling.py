"""Marks of a visit's samples, from made-up columns."""

from __future__ import annotations

import pytest

from reportgen.backends import gates
from reportgen.backends.cpu import clock, sampling
from reportgen.backends.cpu.preparation import Visit


def marks(ticks: list[int], warmup: list[int], grain: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(clock, "granularity", lambda: grain)
    columns = {"ticks": ticks, "empty": [0] * len(ticks), "warmup": warmup}
    visit = Visit(lambda samples: [], 100, warm=25)
    return sampling._mark_uneven(columns, [gates.ACCEPTED] * len(ticks), visit)


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
