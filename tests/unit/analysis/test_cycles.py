from __future__ import annotations

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analysis.cycles import calibration_error, timings
from reportgen.runs.schema import ACCEPTED, ClockRecord

CLOCK = ClockRecord(
    tick_hz=2e9, tick_hz_low=2e9, tick_hz_high=2e9, calibration_cycles=4096, canary_instructions=2048,
    canary_best=5.0, agreement=0.004, canary_share=0.97,
)  # fmt: skip


def table(**columns: list[int | str]) -> pa.Table:
    """Samples of point `p` unless told otherwise; every column one value a row."""
    rows = len(next(iter(columns.values())))
    usual: dict[str, list[int | str]] = {
        "point": ["p"] * rows, "gate": [ACCEPTED] * rows, "pass": [0] * rows, "sample": list(range(rows)),
        "thread": [0] * rows, "start": [0] * rows, "empty": [30] * rows, "ticks": [1030] * rows,
        "calibration_before": [4126] * rows, "calibration_after": [4126] * rows, "repetitions": [1] * rows,
    }  # fmt: skip
    return pa.table(usual | columns)


@given(st.floats(0.2, 3.0), st.floats(100, 1e6), st.integers(1, 1000), st.integers(0, 60))
def test_cycles_do_not_depend_on_the_ratio_of_the_clocks(
    ticks_per_cycle: float, body: float, repetitions: int, empty: int
) -> None:
    calibration = round(4096 * ticks_per_cycle) + empty
    ticks = round(body * ticks_per_cycle * repetitions) + empty
    found = timings(
        CLOCK,
        table(
            ticks=[ticks], empty=[empty], calibration_before=[calibration], calibration_after=[calibration],
            repetitions=[repetitions],
        ),
    )["p"]  # fmt: skip
    # Rounding to ticks is all that is lost.
    assert found.cycles[0] == pytest.approx(body, rel=0.5 / 819 + 0.5 / (ticks - empty) + 1e-9)
    assert found.seconds[0] == pytest.approx((ticks - empty) / repetitions / 2e9)


def test_only_accepted_samples_give_times_and_all_are_counted() -> None:
    found = timings(
        CLOCK,
        table(point=["a", "b", "a", "a"], gate=["first of batch", ACCEPTED, ACCEPTED, "issue rate low"]),
    )
    assert (found["a"].n, found["a"].taken, len(found["a"].cycles)) == (1, 3, 1)
    assert (found["b"].n, found["b"].taken) == (1, 1)


def test_nothing_accepted_is_an_empty_timing() -> None:
    found = timings(CLOCK, table(gate=["migrated", "migrated"]))["p"]
    assert (found.n, found.taken, len(found.seconds)) == (0, 2, 0)
    assert timings(CLOCK, table(ticks=[])) == {}


def test_rows_of_one_samples_threads_count_once() -> None:
    found = timings(CLOCK, table(sample=[0, 0, 1, 1], thread=[0, 1, 0, 1]))["p"]
    assert (found.n, found.taken, len(found.cycles)) == (2, 2, 4)


@pytest.mark.parametrize(
    "column",
    [
        {"ticks": [30, 1030]},
        {"ticks": [12, 1030]},
        {"calibration_before": [0, 4126], "calibration_after": [0, 4126]},
    ],
)
def test_a_time_of_zero_or_less_is_impossible_and_not_a_number(column: dict[str, list[int | str]]) -> None:
    found = timings(CLOCK, table(**column))["p"]
    assert found.impossible == 1
    assert np.all(np.isfinite(found.cycles))


def test_times_beyond_32_bits_keep_their_value() -> None:
    found = timings(CLOCK, table(ticks=[2**40 + 30], repetitions=[2**33]))["p"]
    assert found.seconds[0] == pytest.approx(2**7 / 2e9)


def test_dictionary_columns_in_chunks_are_read() -> None:
    rows = table(point=["a", "b"])
    chunked = pa.concat_tables([rows, table(point=["b", "c"])])
    at = chunked.schema.get_field_index("point")
    coded = chunked.set_column(at, "point", chunked.column("point").dictionary_encode())
    assert {name: one.n for name, one in timings(CLOCK, coded).items()} == {"a": 1, "b": 2, "c": 1}


def test_a_counter_that_steps_makes_calibration_less_certain_where_its_readings_never_differ() -> None:
    fine = table(calibration_before=[4126, 4127, 4129])
    stuck = table(calibration_before=[4160, 4160, 4160])
    dithered = table(calibration_before=[4128, 4160, 4192])
    coarse = msgspec.structs.replace(CLOCK, granularity=32)
    assert calibration_error(CLOCK, fine) == pytest.approx(1.5 / 4127)
    assert calibration_error(coarse, stuck) > 5 * calibration_error(CLOCK, fine)
    assert calibration_error(coarse, dithered) == pytest.approx(1.5 / 4160)
    assert calibration_error(CLOCK, table(calibration_before=[0])) == 0
    assert calibration_error(CLOCK, table(ticks=[])) == 0


def test_ticks_that_are_many_cycles_long_are_not_what_a_window_is_uncertain_by() -> None:
    """Of 24 MHz a tick is 42 ns, and a calibration of AArch64 some 500 of them."""
    clock = msgspec.structs.replace(CLOCK, tick_hz=24e6, calibration_cycles=65504)
    dithered = table(calibration_before=[491, 492, 491, 492, 492])
    assert calibration_error(clock, dithered) == pytest.approx(30 / 65504)
    same = table(calibration_before=[491] * 19 + [492])  # then a tick's rounding is in it as well
    assert calibration_error(clock, same) == pytest.approx(0.366 / 491, rel=0.01)
