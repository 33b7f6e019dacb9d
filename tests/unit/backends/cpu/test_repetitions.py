"""How often a body is repeated: bodies of known length, read by time stamps of every grain."""

from __future__ import annotations

import itertools

import pytest

from reportgen.backends.cpu import clock, repetitions
from reportgen.backends.cpu.frame import Stamps
from reportgen.backends.cpu.repetitions import BODY_SECONDS, MOST_TRIED, Repetitions, Trial

TICK_HZ = (24e6, 25e6, 31.25e6, 50e6, 54e6, 62.5e6, 100e6, 1e9, 2.6e9)
"""Apple, Ampere and others' multiples of 25 MHz, Raspberry Pi 5, QEMU, Armv8.6, one of x86-64."""


def stamps(ticks: int) -> Stamps:
    return Stamps(0, ticks, 0, 500, 500, 90, 90, ticks, 0)


def timed(tick_hz: float, seconds: float, asked: list[int]) -> Trial:
    """Trials of a body that takes so long; each sample begins elsewhere between two ticks."""
    phase = itertools.cycle((0.1, 0.6, 0.35, 0.85))

    def trial(count: int) -> list[Stamps]:
        asked.append(count)
        begins = [next(phase) for _ in range(4)]
        return [stamps(int(begin + count * seconds * tick_hz)) for begin in begins]

    return trial


@pytest.fixture(autouse=True)
def of_one_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "granularity", lambda: 1)


@pytest.mark.parametrize("tick_hz", TICK_HZ)
@pytest.mark.parametrize("seconds", [4e-9, 16e-9, 45e-9, 300e-9, 8e-6])
def test_a_sample_lasts_as_long_as_it_shall(tick_hz: float, seconds: float) -> None:
    count = Repetitions(tick_hz).of("point", timed(tick_hz, seconds, []))
    assert count * seconds == pytest.approx(BODY_SECONDS, rel=0.15)


def test_a_long_body_runs_once() -> None:
    asked: list[int] = []
    assert Repetitions(1e9).of("point", timed(1e9, 5e-3, asked)) == 1
    assert asked == [repetitions.TRIAL]


def test_a_body_that_takes_no_time_is_given_up() -> None:
    """An emulator may leave out code whose results nobody reads."""
    asked: list[int] = []
    assert Repetitions(24e6).of("point", timed(24e6, 0.0, asked)) == MOST_TRIED
    assert asked[-1] == MOST_TRIED


def test_it_is_the_same_on_every_visit() -> None:
    known, asked = Repetitions(1e9), list[int]()
    first = known.of("point", timed(1e9, 50e-9, asked))
    tried = len(asked)
    assert known.of("point", timed(1e9, 90e-9, asked)) == first
    assert len(asked) == tried


def test_steps_of_many_ticks_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time stamp at 1 GHz may move by 40 ticks at a time."""
    monkeypatch.setattr(clock, "granularity", lambda: 40)
    asked: list[int] = []
    Repetitions(1e9).of("point", timed(1e9, 50e-9, asked))
    assert asked == [2, 32]
