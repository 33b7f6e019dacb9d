from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analysis.robust import (
    Scatter,
    mad_deviation,
    median,
    moderated,
    modes,
    pooled_interval,
    pooled_scatter,
    student_t,
    visit_interval,
    visits,
)

PASSES = np.repeat([0, 1, 2], 10)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_median_is_numpys(values: list[float]) -> None:
    assert median(np.array(values)) == pytest.approx(float(np.median(values)))


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.30265), (3, 3.18245), (5, 2.57058), (10, 2.22814), (30, 2.04227), (1e6, 1.95997)],
)
def test_students_quantile_is_the_tables(freedom: float, quantile: float) -> None:
    assert student_t(freedom) == pytest.approx(quantile, rel=4e-3)


def test_students_quantile_never_rises() -> None:
    values = [student_t(freedom) for freedom in np.linspace(0.5, 40, 300)]
    assert all(after <= before for before, after in pairwise(values))


def test_mad_is_the_standard_deviation_of_normal_values() -> None:
    values = np.random.default_rng(0).normal(10, 2, 20000)
    assert mad_deviation(values) == pytest.approx(2, rel=0.03)
    assert mad_deviation(values[:1]) == 0


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.1))
def test_a_tenth_of_contaminated_samples_does_not_move_a_visit(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    values = 100 * np.exp(0.001 * rng.standard_normal(60))
    contaminated = rng.permutation(60) < share * 60
    values = np.where(contaminated, values * rng.uniform(1.2, 2.2, 60), values)
    found = visits(values, np.repeat([0, 1, 2], 20))
    assert found.value == pytest.approx(100, rel=1e-3)


def test_a_contaminated_sample_of_a_small_visit_is_judged_by_the_others() -> None:
    values = np.array([100.0] * 10 + [100.1] * 10 + [100.0, 180.0])
    found = visits(values, np.repeat([0, 1, 2], [10, 10, 2]))
    assert found.centres.tolist() == [100.0, 100.1, 100.0]
    assert found.counts.tolist() == [10, 10, 1]


def test_two_groups_in_every_visit_are_two_modes() -> None:
    values = np.tile([100.0, 101, 100, 150, 151], 6)
    assert modes(values, PASSES) == pytest.approx((100, 150.5), rel=0.01)


@pytest.mark.parametrize(
    "values",
    [
        np.tile([100.0, 101, 100, 101, 102], 6),  # one group
        np.repeat([100.0, 100.5, 150], 10),  # a visit that differs
        np.array([100.0] * 28 + [150, 151]),  # contamination
        np.array([100.0, 150] * 4),  # too few to tell, see below
    ],
)
def test_what_is_not_two_modes(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    assert modes(values, PASSES[: len(values)]) == ()


def test_pooled_scatter_ignores_a_disturbed_point() -> None:
    rng = np.random.default_rng(3)
    points = [visits(np.exp(0.01 * rng.standard_normal(3)), np.arange(3)) for _ in range(40)]
    points.append(visits(np.array([1.0, 1.0, 2.0]), np.arange(3)))
    assert pooled_scatter(points).deviation == pytest.approx(0.01, rel=0.25)


def test_no_point_visited_twice_gives_no_scatter() -> None:
    assert pooled_scatter([visits(np.array([1.0, 1.1]), np.array([0, 0]))]) == Scatter(0.0, 0.0)
    assert moderated(0.0, 0, Scatter(0.0, 0.0)) == (0.0, 0.0)


def test_a_single_visit_states_its_ignorance() -> None:
    interval = visit_interval(visits(np.full(9, 50.0), np.zeros(9, dtype=int)), Scatter(0.0, 0.0))
    assert interval.value == 50
    assert 0 < interval.half < 1


def test_a_wide_interval_of_a_rate_stays_above_zero() -> None:
    interval = visit_interval(visits(np.repeat([10.0, 60.0], 9), np.repeat([0, 1], 9)), Scatter(0.0, 0.0))
    assert 0 < interval.low < 10
    assert interval.low * interval.high == pytest.approx(interval.value**2)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_intervals_cover_in_95_of_100_cases(count: int) -> None:
    """Visits of forty points that scatter alike; each point's own interval."""
    rng = np.random.default_rng(count)
    hits = total = 0
    for _ in range(60):
        points = [visits(np.exp(0.01 * rng.standard_normal(count)), np.arange(count)) for _ in range(20)]
        pooled = pooled_scatter(points)
        for point in points:
            low, high = visit_interval(point, pooled)[1:]
            hits += low <= 1 <= high
            total += 1
    assert 0.93 <= hits / total <= 0.975


@pytest.mark.parametrize(("disturbed", "least"), [(1, 0.90), (2, 0.95)])
def test_disturbed_visits_of_five_neither_widen_nor_move_an_interval(disturbed: int, least: float) -> None:
    rng = np.random.default_rng(disturbed)
    hits, widths = 0, []
    for _ in range(500):
        logs = 0.02 * rng.standard_normal(5)
        logs[:disturbed] += 0.3 + np.abs(rng.standard_normal(disturbed))
        low, high = visit_interval(visits(np.exp(logs), np.arange(5)), Scatter(0.01, 20.0))[1:]
        hits += low <= 1 <= high
        widths.append(high / low)
    assert hits / 500 >= least
    assert np.median(widths) < 1.35


def test_the_common_part_of_an_error_does_not_shrink_with_visits() -> None:
    rng = np.random.default_rng(0)
    point = visits(np.exp(1e-4 * rng.standard_normal(50)), np.arange(50))
    assert pooled_interval([point], [point], 0.01).half == pytest.approx(0.0196, rel=0.01)
    assert math.isclose(pooled_interval([point], [point]).half, 0, abs_tol=1e-4)
