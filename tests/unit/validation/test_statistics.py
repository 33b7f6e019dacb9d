"""Errors, rank correlation and their intervals, against values that are known otherwise."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from reportgen.validation import statistics
from reportgen.validation.statistics import ape, draws, errors, kendall, medians, share


def test_errors_of_three_loops_by_hand() -> None:
    found = errors([2.0, 3.0, 8.0], [2.0, 4.0, 5.0], ["a", "b", "c"])
    assert found is not None
    assert ape([2.0, 3.0, 8.0], [2.0, 4.0, 5.0]).tolist() == [0.0, 0.25, pytest.approx(0.6)]
    assert found.mape.value == pytest.approx((0.25 + 0.6) / 3)
    assert found.median.value == pytest.approx(0.25)
    assert found.tau is not None
    assert found.tau.value == pytest.approx(1.0)
    assert (found.loops, found.kinds) == (3, 3)


def test_rank_correlation_of_the_textbook() -> None:
    # one pair of six is in the wrong order: (5 - 1) / 6
    found = errors([1.0, 2.0, 4.0, 3.0], [1.0, 2.0, 3.0, 4.0], list("abcd"))
    assert found is not None
    assert found.tau is not None
    assert found.tau.value == pytest.approx(4 / 6)


def test_nothing_has_no_statistics_and_two_loops_no_rank_correlation() -> None:
    assert errors([], [], []) is None
    assert share([], []) is None
    two = errors([1.0, 2.0], [1.0, 2.0], ["a", "b"])
    assert two is not None
    assert two.tau is None
    alike = errors([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], list("abc"))
    assert alike is not None
    assert alike.tau is None


def test_one_kind_of_loop_gives_no_interval() -> None:
    found = errors([1.0, 2.0, 3.0], [1.1, 2.0, 3.0], ["dot"] * 3)
    assert found is not None
    assert (found.mape.low, found.mape.high) == (None, None)


def test_the_rank_correlation_of_a_resample_is_that_of_its_loops_written_out() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.integers(1, 9, 12).astype(float), rng.integers(1, 9, 12).astype(float)
    weights = rng.integers(0, 4, (6, 12)).astype(float)
    expected = [
        scipy.stats.kendalltau(np.repeat(first, row), np.repeat(second, row)).statistic
        for row in weights.astype(int)
    ]
    assert kendall(first.tolist(), second.tolist(), weights) == pytest.approx(expected)


def test_the_median_of_a_resample_is_that_of_its_loops_written_out() -> None:
    rng = np.random.default_rng(6)
    values, weights = rng.random(11), rng.integers(0, 4, (20, 11)).astype(float)
    expected = [np.median(np.repeat(values, row)) for row in weights.astype(int)]
    assert medians(values, weights) == pytest.approx(expected)


def test_variants_of_a_loop_are_drawn_together() -> None:
    weights = draws(["dot", "axpy", "dot", "sum"])
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_many_variants_of_one_loop_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(7)
    right = rng.uniform(1, 10, 20)
    said = right * rng.lognormal(0, 0.2, 20)
    few = errors(said.tolist(), right.tolist(), [str(i) for i in range(20)])
    many = errors(np.tile(said, 9).tolist(), np.tile(right, 9).tolist(), [str(i) for i in range(20)] * 9)
    assert few is not None
    assert many is not None
    assert (many.mape.low, many.mape.high) == (pytest.approx(few.mape.low), pytest.approx(few.mape.high))


def test_the_interval_covers_the_mean_error_as_often_as_it_claims() -> None:
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(200):
        off = rng.exponential(0.1, 60)
        found = errors((1 + off).tolist(), [1.0] * 60, [str(i) for i in range(60)])
        assert found is not None
        assert found.mape.low is not None
        assert found.mape.high is not None
        covered += found.mape.low <= 0.1 <= found.mape.high
    assert covered / 200 >= 0.9


def test_another_seed_moves_an_end_by_less_than_a_tenth_of_the_width(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(9)
    flags = (rng.random(100) < 0.8).tolist()
    off = (1 + rng.exponential(0.1, 100)).tolist()
    kinds = [str(i // 2) for i in range(100)]
    ends = []
    for seed in range(6):
        monkeypatch.setattr(statistics, "SEED", seed)
        found, within = errors(off, [1.0] * 100, kinds), share(flags, kinds)
        assert found is not None
        assert within is not None
        ends.append([found.mape.low, found.mape.high, within.low, within.high])
    table = np.asarray(ends, dtype=float)
    widths = table[:, [1, 3]].mean(axis=0) - table[:, [0, 2]].mean(axis=0)
    spread = table.std(axis=0)
    assert (spread[[0, 1]] < 0.1 * widths[0]).all()
    assert (spread[[2, 3]] < 0.1 * widths[1]).all()
