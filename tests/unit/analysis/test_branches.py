"""Branches: costs and ends are found where they are, and nowhere else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.loop_rounds import LEAST_SHOWN, SLACK
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.taken_branches import ORDER, never_falling
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.branch_points import (
    COUNTS,
    DEPTHS,
    DISTANCES,
    LENGTHS,
    calls_probe,
    ends,
    misprediction_probe,
    round_of,
    rounds_probe,
    taken_probe,
)
from tests.simulated.population import devices
from tests.simulated.truth import KIB, CpuTruth
from tests.unit.analysis.cases import QUIET, analysed

COST, INTERVAL, DEPTH = "branch.misprediction", "branch.taken.interval", "branch.return.depth"
GROUP = "branch.loop.group"


def of(probe: object, truth: CpuTruth, seed: int = 1) -> dict[str, Quantity]:
    return analysed(lambda one: [probe(one)], truth, seed)  # type: ignore[operator]


def within(quantity: Quantity, truth: float, slack: float = 1.0) -> bool:
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low / slack <= truth <= quantity.high * slack


@given(devices(), st.floats(8.0, 40.0), st.integers(0, 100))
@settings(max_examples=12, deadline=None)
def test_the_cost_of_a_misprediction_lies_in_its_interval(truth: CpuTruth, cost: float, seed: int) -> None:
    quantity = of(misprediction_probe, replace(truth, misprediction=cost), seed)[COST]
    if quantity.status is Status.OK:
        assert within(quantity, cost, 1.02)
        assert quantity.value == pytest.approx(cost, rel=0.1)


def test_what_alternates_is_told_beside_it() -> None:
    quantity = of(misprediction_probe, replace(QUIET, alternating=3.0))[COST]
    assert quantity.details["alternating"] == pytest.approx(3.0, rel=0.05)
    assert quantity.value == pytest.approx(15.0, rel=0.02)
    assert quantity.details["share"] == [0, 0, 0.125, 0.125, 0.25, 0.25, 0.5]


def test_a_cost_that_grows_a_little_widens_the_interval() -> None:
    plain = of(misprediction_probe, QUIET)[COST]
    quantity = of(lambda truth: misprediction_probe(truth, curved=0.02), QUIET)[COST]
    assert quantity.status is Status.OK
    assert within(quantity, 15 * 1.02)
    assert within(quantity, 15 * 1.08)
    assert quantity.inputs["precision"] > 2 * plain.inputs["precision"]


def test_time_that_is_not_proportional_has_no_number() -> None:
    quantity = of(lambda truth: misprediction_probe(truth, curved=0.4), QUIET)[COST]
    assert quantity.status is Status.UNSTABLE
    assert "not proportional to the share of random outcomes" in quantity.reason
    assert quantity.value is None


def test_outcomes_that_were_predicted_have_no_cost() -> None:
    quantity = of(misprediction_probe, replace(QUIET, misprediction=-1.0))[COST]
    assert quantity.status is Status.INVALID
    assert "no prediction was wrong" in quantity.reason


def test_two_shares_are_no_slope() -> None:
    def few(truth: CpuTruth) -> Asked:
        info, some = misprediction_probe(truth)
        return info, [one for one in some if one.point.settings["random"] in (0, 8)]

    quantity = of(few, QUIET)[COST]
    assert quantity.status is Status.SKIPPED
    assert quantity.reason == "Too few shares of random outcomes."


@given(
    devices(),
    st.integers(200, 1500),
    st.integers(4, 8),
    st.floats(0.5, 2.0),
    st.integers(0, 100),
)
@settings(max_examples=6, deadline=None)
def test_every_end_of_taken_branches_lies_in_its_interval(
    truth: CpuTruth, entries: int, times: int, interval: float, seed: int
) -> None:
    truth = replace(
        truth,
        taken_interval=interval,
        branch_targets=((entries, 1.0), (entries * times, 9.0)),
        code_levels=(),
    )
    found = of(taken_probe, truth, seed)
    assert within(found[INTERVAL], interval, 1.01)
    for distance in DISTANCES:
        for name, end in zip(ORDER, ends(truth, distance), strict=False):
            quantity = found[f"branch.taken.{distance}b.{name}"]
            assert within(quantity, end)
            assert quantity.low is not None
            assert quantity.high is not None
            assert quantity.high / quantity.low < 1.6


def test_an_end_of_code_comes_at_fewer_branches_the_further_they_are_apart() -> None:
    truth = replace(QUIET, branch_targets=(), code_levels=((32 * KIB, 1.0),))
    found = of(taken_probe, truth)
    for distance in DISTANCES:
        assert within(found[f"branch.taken.{distance}b.first"], 32 * KIB / distance)
        assert f"branch.taken.{distance}b.second" not in found


def test_without_an_end_there_is_a_bound() -> None:
    found = of(taken_probe, replace(QUIET, branch_targets=(), code_levels=()))
    for distance in DISTANCES:
        quantity = found[f"branch.taken.{distance}b.first"]
        assert quantity.status is Status.CENSORED
        assert quantity.low == COUNTS[-1]
        assert quantity.high is None
    assert found[INTERVAL].details["most"] == COUNTS[-1]


def test_a_small_rise_is_no_end() -> None:
    found = of(taken_probe, replace(QUIET, branch_targets=((1000, 0.1),), code_levels=()))
    assert found["branch.taken.16b.first"].status is Status.CENSORED


def test_the_curve_is_kept_for_the_figure() -> None:
    details = of(taken_probe, QUIET)["branch.taken.32b.first"].details
    assert len(details["count"]) == len(details["cycles"]) == len(COUNTS)
    assert details["distance"] == 32
    assert details["before"] == pytest.approx(1.0, abs=0.02)
    assert details["after"] == pytest.approx(1.7, abs=0.05)


def test_numbers_that_are_slower_than_larger_ones_hide_no_end() -> None:
    cycles = np.array([1.0, 1.0, 1.4, 1.0, 1.0, 2.0, 3.0, 2.0, 2.0])
    assert list(never_falling(cycles)) == [1, 1, 1, 1, 1, 2, 2, 2, 2]
    short = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 2.0, 2.0])
    assert list(never_falling(short)) == [1, 1, 2, 2, 2, 1, 2, 2]


@given(devices(), st.integers(8, 64), st.floats(8.0, 40.0), st.integers(0, 100))
@settings(max_examples=12, deadline=None)
def test_the_depth_of_calls_lies_in_its_interval(truth: CpuTruth, stack: int, cost: float, seed: int) -> None:
    quantity = of(calls_probe, replace(truth, return_stack=stack, misprediction=cost), seed)[DEPTH]
    if quantity.status is Status.OK:
        assert quantity.low is not None
        assert quantity.high is not None
        assert quantity.low <= stack < quantity.high
        assert quantity.details["before"] == pytest.approx(4.0, rel=0.1)


def test_returns_that_are_all_predicted_give_a_bound() -> None:
    quantity = of(calls_probe, replace(QUIET, return_stack=1000))[DEPTH]
    assert quantity.status is Status.CENSORED
    assert quantity.low == DEPTHS[-1]


@pytest.mark.parametrize(("small", "large"), [(4096, 7168), (2048, 3072), (512, 900)])
def test_two_ends_close_to_each_other_are_told_where_the_first_begins(small: int, large: int) -> None:
    truth = replace(QUIET, branch_targets=((small, 3.0), (large, 11.0)), code_levels=())
    for seed in range(2):
        found = of(taken_probe, truth, seed)
        for distance in DISTANCES:
            first = found[f"branch.taken.{distance}b.first"]
            assert within(first, small)
            assert first.high is not None
            assert first.high <= large


@pytest.mark.parametrize("seed", [153, 177])
def test_times_that_lie_on_no_line_have_no_end(seed: int) -> None:
    info, timed = calls_probe(QUIET)
    draws = np.random.default_rng(seed)
    cycles = 1000 * np.exp(0.1 * draws.standard_normal(len(timed)))
    cycles -= np.arange(len(timed)) * draws.uniform(0, 20)
    shown = [replace(one, cycles=float(each)) for one, each in zip(timed, cycles, strict=True)]
    quantity = analysed([(info, shown)])[DEPTH]
    assert quantity.status is Status.UNSTABLE
    assert "No depth lies on the line" in quantity.reason
    assert quantity.value is None


@pytest.mark.parametrize("closing", [1, 2])
@pytest.mark.parametrize("width", [4.0, 5.0, 6.0])
@pytest.mark.parametrize("group", [6, 8, 9, 10])
def test_a_group_is_found_or_is_a_bound_or_nothing(group: int, width: float, closing: int) -> None:
    truth = replace(QUIET, loop_group=group, loop_width=width)
    quantity = of(lambda one: rounds_probe(one, closing), truth)[GROUP]
    shown = sum(
        round_of(truth, length + closing) > 1.04 * round_of(replace(truth, loop_group=0), length + closing)
        for length in LENGTHS
    )
    if shown >= LEAST_SHOWN:
        assert (quantity.status, quantity.low, quantity.high) == (Status.OK, group, group)
        assert quantity.details["width"] == pytest.approx(width, rel=0.03)
    elif not shown:
        assert quantity.status is Status.CENSORED
        assert quantity.low is not None
        assert quantity.low <= group
    else:
        assert quantity.status is not Status.OK


@given(devices(), st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_a_group_of_a_drawn_core_is_the_true_one(truth: CpuTruth, seed: int) -> None:
    quantity = of(rounds_probe, truth, seed)[GROUP]
    if quantity.status is Status.OK:
        assert within(quantity, truth.loop_group)
    elif quantity.status is Status.CENSORED:
        assert quantity.low is not None
        assert quantity.low <= (truth.loop_group or math.inf)


@pytest.mark.parametrize("late", [2, 3, 4])
def test_a_few_rounds_may_come_out_otherwise(late: int) -> None:
    info, timed = rounds_probe(QUIET)
    shown = [replace(one, cycles=one.cycles * (1.15 if at % 5 == 1 and at // 5 < late else 1.0))
             for at, one in enumerate(timed)]  # fmt: skip
    quantity = analysed([(info, shown)])[GROUP]
    assert quantity.status is (Status.OK if late <= SLACK else Status.UNSTABLE)


def test_rounds_of_another_law_and_few_rounds_have_no_group() -> None:
    info, timed = rounds_probe(QUIET)
    shown = [replace(one, cycles=1.0 + 0.37 * at**1.2) for at, one in enumerate(timed)]
    other = analysed([(info, shown)])[GROUP]
    assert other.status is Status.UNSTABLE
    assert "No size of a group" in other.reason
    few = analysed([(info, timed[:5])])[GROUP]
    assert few.value is None
    assert "5 lengths of a round gave a time; 8 are needed" in few.reason
