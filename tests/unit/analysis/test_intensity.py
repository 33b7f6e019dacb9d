"""A stream that computes: its ridge and its overlap are found, and not where the sweep does not show them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.knee import LEAST_POINTS, knee
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.intensity_points import MULTIPLY_ADDS, ridge, sweep_probe
from tests.simulated.population import devices
from tests.simulated.truth import MIB, CpuTruth
from tests.unit.analysis.cases import Columns, analysed

LEVELS = ("l1", "l2", "l3", "dram")
RIDGE, OVERLAP = "ridge.observed.fp32", "overlap.fp32"


def found(truth: CpuTruth, seed: int = 0) -> dict[str, Quantity]:
    return analysed(lambda one: [sweep_probe(one)], truth, seed)


@given(
    st.integers(LEAST_POINTS, 18),
    st.floats(0.0, 1.0),
    st.floats(0.5, 1.0),
    st.floats(0.001, 0.03),
    st.integers(0, 1000),
)
@settings(max_examples=40, deadline=None)
def test_the_bend_lies_in_its_interval(
    count: int, share: float, depth: float, error: float, seed: int
) -> None:
    x = np.geomspace(0.0625, 64.0, count)
    at = float(x[1] * (x[-2] / x[1]) ** share)
    rounding = max(-np.log2(depth), 1e-6)
    shape = -rounding * np.logaddexp(0.0, -np.log(x / at) / rounding)
    y = 1e11 * np.exp(shape + error * np.random.default_rng(seed).standard_normal(count))
    fitted = knee(x, y, np.full(count, error))
    # 95 of 100 by chance; beside the ends of the sweep only one point shows an asymptote
    assert fitted.at.low * 0.95 <= at <= fitted.at.high * 1.05
    assert fitted.depth.low - 0.03 <= depth <= fitted.depth.high + 0.03
    assert fitted.height / fitted.slope == pytest.approx(fitted.at.value)


def test_a_contaminated_point_moves_neither_asymptote() -> None:
    x = np.geomspace(0.0625, 64.0, 18)
    y = np.minimum(1e11, 2e10 * x)
    y[3] *= 0.5
    fitted = knee(x, y, np.full(18, 0.002))
    assert fitted.at.value == pytest.approx(5.0, rel=0.01)
    assert fitted.depth.value == pytest.approx(1.0, abs=0.02)


@given(devices(), st.floats(0.5, 1.0), st.integers(0, 100))
@settings(max_examples=8, deadline=None)
def test_every_ridge_and_overlap_is_found(truth: CpuTruth, overlap: float, seed: int) -> None:
    truth = replace(truth, overlap=dict.fromkeys(LEVELS, overlap))
    quantity = found(truth, seed)
    for level in LEVELS:
        seen, reached = quantity[f"{RIDGE}.{level}"], quantity[f"{OVERLAP}.{level}"]
        wanted = ridge(truth, level)
        if seen.status is Status.UNVERIFIED:
            assert seen.low is not None
            assert seen.high is not None
            assert seen.low * 0.95 <= wanted <= seen.high * 1.05
            assert reached.value == pytest.approx(overlap, abs=0.06)
        else:  # the sweep ends beside it
            assert wanted < 2 * MULTIPLY_ADDS[1] / 16 or wanted > MULTIPLY_ADDS[-3] / 16, seen.reason


@pytest.mark.parametrize("overlap", [1.0, 0.75, 0.5])
def test_perfect_partial_and_no_overlap_are_told_apart(overlap: float) -> None:
    truth = replace(CpuTruth().quiet(), overlap=dict.fromkeys(LEVELS, overlap))
    quantities = found(truth)
    for level in LEVELS:
        quantity = quantities[f"{OVERLAP}.{level}"]
        assert quantity.value == pytest.approx(overlap, abs=0.04)
        assert quantity.details["over_no_overlap"][0] == pytest.approx(2 * overlap, abs=0.08)
        seen = quantities[f"{RIDGE}.{level}"]
        # twelve of them, each 95 of 100 times
        assert seen.low * 0.98 <= ridge(truth, level) <= seen.high * 1.02


def test_a_sweep_that_ends_left_of_the_ridge_gives_a_lower_bound() -> None:
    few = tuple(count for count in MULTIPLY_ADDS if count <= 64)
    quantities = analysed([sweep_probe(CpuTruth(), few)], CpuTruth())
    seen = quantities[f"{RIDGE}.dram"]  # beyond 4 FLOP a byte
    assert seen.status is Status.CENSORED
    assert seen.low == pytest.approx(4, rel=0.3)
    assert seen.high is None
    assert quantities[f"{OVERLAP}.dram"].value is None
    assert "still rises at 4 FLOP a byte" in quantities[f"{OVERLAP}.dram"].reason


@pytest.mark.parametrize("share", [0.45, 0.6])
def test_a_ridge_just_before_the_end_of_the_sweep_is_not_excluded(share: float) -> None:
    truth = replace(CpuTruth(), overlap=dict.fromkeys(LEVELS, 0.55))
    wanted = ridge(truth, "dram")
    few = tuple(count for count in MULTIPLY_ADDS if count / 16 <= wanted / share)
    for seed in range(3):
        seen = analysed([sweep_probe(truth, few)], truth, seed)[f"{RIDGE}.dram"]
        assert seen.low is None or seen.low * 0.97 <= wanted, seed


def test_a_sweep_that_begins_right_of_the_ridge_says_so() -> None:
    many = tuple(count for count in MULTIPLY_ADDS if count >= 24)
    seen = analysed([sweep_probe(CpuTruth(), many)], CpuTruth())[f"{RIDGE}.l1"]
    assert seen.status is Status.SKIPPED
    assert "Already at 1.5 FLOP a byte the rate hardly rises" in seen.reason
    assert len(seen.details["rate"]) == len(many)


def test_rates_that_scatter_have_no_ridge() -> None:
    def scattered(columns: Columns) -> None:
        names = np.unique(columns["point"].astype(str))
        factors = dict(
            zip(names, np.exp(0.5 * np.random.default_rng(2).standard_normal(len(names))), strict=True)
        )
        columns["ticks"] = (columns["ticks"] * [factors[one] for one in columns["point"]]).astype(np.int64)

    seen = analysed([sweep_probe(CpuTruth())], CpuTruth(), edit=scattered)[f"{RIDGE}.l2"]
    assert seen.status is Status.UNSTABLE
    assert "about any curve with one ridge" in seen.reason


def test_data_that_lie_elsewhere_are_named_by_where_they_lie() -> None:
    quantities = analysed([sweep_probe(CpuTruth(), sizes={"l3": 256 * MIB})], CpuTruth())
    assert f"{RIDGE}.l3" not in quantities
    assert quantities[f"{RIDGE}.dram"].details["bytes"] == 4 * 32 * MIB


def test_data_beside_the_end_of_a_level_have_no_level() -> None:
    quantities = analysed([sweep_probe(CpuTruth(), sizes={"l2": 2 * MIB})], CpuTruth())
    assert quantities[f"{RIDGE}.l2"].status is Status.INVALID
    assert quantities[f"{OVERLAP}.l2"].status is Status.INVALID


def test_too_few_points_say_why() -> None:
    def few(truth: CpuTruth) -> list[Asked]:
        return [sweep_probe(truth, MULTIPLY_ADDS[:3])]

    seen = analysed(few, CpuTruth())[f"{RIDGE}.l1"]
    assert seen.value is None
    assert "too few settings" in seen.reason
