"""Gates reject what a neighbour, a moving clock or a migration spoiled, and nothing else."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.backends import gates
from reportgen.backends.base import ClockConstants
from reportgen.backends.cpu.clock import LENGTHS
from reportgen.runs.schema import ACCEPTED

CLOCK = ClockConstants(
    calibration_cycles=4096, canary_instructions=8192, agreement=0.004, canary_share=0.97, note=""
)
CLEAN = 1000
"""Ticks of a clean canary; with a calibration of 3072 ticks (0.75 a cycle), 6.144 a cycle."""


def columns(rows: int = 4, **changes: list[int]) -> dict[str, list[int]]:
    same = {
        "sample": list(range(rows)),
        "thread": [0] * rows,
        "ticks": [30_000] * rows,
        "empty": [0] * rows,
        "calibration_before": [3072] * rows,
        "calibration_after": [3072] * rows,
        "canary_before": [CLEAN] * rows,
        "canary_after": [CLEAN] * rows,
    }
    return same | changes


def best_of(*batches: dict[str, list[int]]) -> float:
    rates = gates.BestRate()
    for batch in batches:
        rates.add(batch, CLOCK)
    return rates.best()


def test_clean_samples_are_accepted() -> None:
    best = best_of(columns())
    assert best == pytest.approx(6.144)
    assert gates.judge(columns(), CLOCK, best) == [ACCEPTED] * 4


def test_each_fault_has_its_name() -> None:
    taken = columns(
        calibration_after=[3072, 3072, 3090, 3072],
        canary_after=[CLEAN, 2 * CLEAN, CLEAN, CLEAN],
        ticks=[30_000, 30_000, 30_000, 0],
    )
    assert gates.judge(taken, CLOCK, 6.144) == [
        ACCEPTED,
        "issue rate low",
        "calibrations disagree",
        "clock stood still",
    ]


def test_an_interruption_in_the_empty_window_sets_the_sample_aside() -> None:
    """17,101 and 101,087 ticks instead of 98 were seen: chains less them had a time below zero."""
    usual = columns()["empty"][0]
    taken = columns(empty=[usual, usual + 10, usual + 70, 17101])
    assert gates.judge(taken, CLOCK, 0.0) == [ACCEPTED, ACCEPTED, gates.INTERRUPTED, gates.INTERRUPTED]


def test_what_only_the_launcher_saw_stays_and_the_rest_is_judged_anew() -> None:
    marks = ["first of batch", "migrated", "issue rate low", ACCEPTED]
    taken = columns(canary_before=[CLEAN, CLEAN, CLEAN, 2 * CLEAN])
    assert gates.judge(taken, CLOCK, 6.144, marks) == [
        "first of batch",
        "migrated",
        ACCEPTED,
        "issue rate low",
    ]


def test_without_a_best_rate_no_canary_is_judged() -> None:
    assert gates.judge(columns(canary_before=[9 * CLEAN] * 4), CLOCK, 0.0) == [ACCEPTED] * 4


def test_what_was_not_taken_is_not_judged() -> None:
    nothing = [0] * 4
    taken = columns(
        calibration_before=nothing, calibration_after=nothing, canary_before=nothing, canary_after=nothing
    )
    assert gates.judge(taken, CLOCK, 6.0) == [ACCEPTED] * 4
    assert best_of(taken) == 0.0


def test_threads_of_a_sample_stand_and_fall_together_and_may_slow_each_other() -> None:
    taken = columns(
        sample=[0, 0, 1, 1],
        thread=[0, 1, 0, 1],
        canary_before=[2 * CLEAN] * 4,
        calibration_after=[3072, 3200, 3072, 3072],
    )
    assert gates.judge(taken, CLOCK, 6.144) == ["calibrations disagree"] * 2 + [ACCEPTED] * 2


def counted(seconds: float, begin: float, hertz: float) -> int:
    """Ticks of a counter over a window that begins so far behind one of them."""
    return int(begin + seconds * hertz)


@pytest.mark.parametrize("hertz", [24e6, 25e6, 54e6, 62.5e6, 1e9])
@pytest.mark.parametrize(("cycle_hz", "wide"), [(3.5e9, 8), (2.6e9, 4), (1.5e9, 3)])
def test_a_coarse_counter_sets_no_clean_sample_aside(hertz: float, cycle_hz: float, wide: int) -> None:
    """The lengths of AArch64: 24 MHz of Apple's cores, 25 of Ampere's, 54 of a small board's."""
    lengths = LENGTHS["aarch64"]
    clock = ClockConstants(lengths.calibration_cycles, lengths.canary_instructions, 0.004, 0.97, "")
    begins = [(at * 0.6180339887) % 1 for at in range(400)]  # anywhere between two ticks, evenly
    chain = [counted(lengths.long_chain / cycle_hz, one, hertz) for one in begins]
    canary = [counted(lengths.canary_instructions / wide / cycle_hz, one, hertz) for one in begins]
    taken = columns(
        100,
        ticks=[round(80e-6 * hertz)] * 100,
        empty=[counted(90 / cycle_hz, one, hertz) for one in begins[50:150]],
        calibration_before=chain[:100],
        calibration_after=chain[100:200],
        canary_before=canary[200:300],
        canary_after=canary[300:],
    )
    rates = gates.BestRate()
    rates.add(taken, clock)
    assert rates.best() == pytest.approx(wide, rel=0.02)
    assert gates.judge(taken, clock, rates.best()) == [ACCEPTED] * 100


def test_calibrations_that_differ_by_a_step_are_not_told_apart() -> None:
    """A counter that moves by a microsecond at a time, as an emulator's."""
    steps = msgspec.structs.replace(CLOCK, granularity=63)
    taken = columns(calibration_before=[1063] * 4, calibration_after=[1063, 1125, 1126, 1127])
    assert gates.judge(taken, steps, 0.0) == [ACCEPTED] * 3 + ["calibrations disagree"]
    assert gates.judge(taken, CLOCK, 0.0) == [ACCEPTED] + ["calibrations disagree"] * 3


def test_windows_fall_by_the_launcher_s_marks_alone_and_all_threads_with_them() -> None:
    columns = {"sample": [0, 0, 1, 1]}
    marks = ["accepted", "accepted", "accepted", gates.MIGRATED]
    assert gates.unbracketed(columns, marks) == ["accepted", "accepted", gates.MIGRATED, gates.MIGRATED]


def test_the_best_rate_is_one_that_samples_gather_at() -> None:
    lucky = columns(8, canary_before=[500] + [CLEAN] * 7, canary_after=[500] + [CLEAN] * 7)
    assert best_of(lucky) == pytest.approx(6.144)
    assert best_of(columns(2)) == 0.0
    assert best_of(columns(2), columns(1)) == pytest.approx(6.144)
    # a neighbour during nine samples in ten does not hide it
    slow = columns(90, canary_before=[2 * CLEAN] * 90)
    assert best_of(slow, columns(10)) == pytest.approx(6.144)


def test_long_and_multi_thread_samples_say_nothing_of_the_best_rate() -> None:
    assert best_of(columns(9, ticks=[3072 * 21] * 9)) == 0.0
    assert best_of(columns(9, thread=[1] * 9)) == 0.0


def test_the_clock_may_move_during_a_long_body() -> None:
    moved = columns(calibration_after=[3110] * 4, ticks=[3072 * 200, 30_000, 30_000, 30_000])
    assert gates.judge(moved, CLOCK, 0.0) == [ACCEPTED] + ["calibrations disagree"] * 3


@given(st.lists(st.floats(0.9, 1.1), min_size=5, max_size=40))
def test_the_error_of_a_median_does_not_depend_on_the_unit(values: list[float]) -> None:
    assert gates.relative_error([value * 1e6 for value in values]) == pytest.approx(
        gates.relative_error(values)
    )


def test_sampling_stops_when_precise_and_not_before() -> None:
    assert gates.precise([100.0] * 5)
    assert not gates.precise([100.0] * 4)
    assert not gates.precise([100.0, 103.0, 97.0, 101.0, 99.0])
    # one outlier in ten does not hold it up
    assert gates.precise([100.0, 100.1] * 5 + [200.0])
    assert gates.relative_error([1.0]) == float("inf")
    assert gates.relative_error([0.0, 0.0]) == float("inf")
