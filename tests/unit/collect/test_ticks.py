from __future__ import annotations

import pytest

from reportgen.collect.ticks import frequency


def readings(
    hz: float, seconds: float, start_ns: int = 10**12, start_ticks: int = 5
) -> list[tuple[int, int]]:
    return [
        (start_ns + int(t * 1e9), start_ticks + int(t * hz)) for t in (seconds * i / 9 for i in range(10))
    ]


def test_the_frequency_is_the_slope_and_its_interval_holds_the_truth() -> None:
    found = frequency([readings(2.6e9, 30.0)])
    assert found.hz == pytest.approx(2.6e9, rel=1e-8)
    assert found.low < 2.6e9 < found.high
    assert (found.high - found.low) / found.hz < 1e-6


def test_clocks_that_start_anew_between_two_sittings_do_no_harm() -> None:
    found = frequency([readings(2.6e9, 30.0), readings(2.6e9, 10.0, start_ns=1000, start_ticks=0)])
    assert found.hz == pytest.approx(2.6e9, rel=1e-8)


def test_a_clock_that_drifts_widens_the_interval() -> None:
    first, second = readings(2.6e9, 10.0), readings(2.61e9, 10.0, start_ns=2 * 10**12)
    found = frequency([first, second])
    assert found.low < 2.6e9
    assert found.high > 2.61e9


def test_without_two_readings_nothing_is_known() -> None:
    for sittings in ([], [[(5, 5)]], [[(0, 0), (0, 0)]]):
        assert frequency(sittings).hz == 0.0
