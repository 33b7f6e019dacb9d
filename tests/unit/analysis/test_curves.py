"""Envelope, change points and the miss-ratio fit: the parts that find the ends of levels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.change_points import change_points
from reportgen.analysis.isotonic import envelope, without_spikes
from reportgen.analysis.miss_ratio import fit_kink

CURVES = st.lists(st.floats(-100, 100), min_size=1, max_size=40).map(np.array)


@given(CURVES)
def test_the_envelope_never_falls_and_keeps_the_mean(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    smooth = envelope(values)
    assert np.all(np.diff(smooth) >= 0)
    assert smooth.mean() == pytest.approx(values.mean(), abs=1e-9)


@given(CURVES)
@settings(max_examples=25)
def test_the_envelope_is_scipys(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    from scipy.optimize import isotonic_regression

    assert envelope(values) == pytest.approx(isotonic_regression(values).x, abs=1e-9)


def test_one_spike_goes_and_a_step_stays() -> None:
    assert without_spikes(np.array([1, 1, 9, 1, 1, 5, 5.0])).tolist() == [1, 1, 1, 1, 1, 5, 5]
    assert without_spikes(np.array([3.0, 1.0])).tolist() == [3, 1]


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=20)
def test_change_points_are_those_of_ruptures(seed: int, segments: int) -> None:
    import ruptures

    rng = np.random.default_rng(seed)
    levels = rng.uniform(0, 5, segments)
    values = np.repeat(levels, rng.integers(4, 20, segments)) + 0.05 * rng.standard_normal()
    values = values + 0.05 * rng.standard_normal(len(values))
    penalty = 3 * 0.05**2 * np.log(len(values))
    theirs = ruptures.Pelt(model="l2", min_size=1, jump=1).fit(values).predict(pen=penalty)[:-1]
    assert change_points(values, np.full(len(values), 0.05)) == theirs


def test_a_noisy_stretch_holds_no_change_points() -> None:
    rng = np.random.default_rng(5)
    deviations = np.repeat([0.01, 0.5], 40)
    assert change_points(rng.standard_normal(80) * deviations, deviations) == []
    assert change_points(np.array([1.0]), np.array([0.1])) == []


@given(
    st.floats(2e4, 2e5),
    st.floats(2, 20),
    st.floats(5, 40),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=30)
def test_the_fit_finds_the_capacity(capacity: float, hit: float, penalty: float, seed: int) -> None:
    size = np.exp2(np.arange(13, 21, 1 / 8))
    noise = np.exp(0.001 * np.random.default_rng(seed).standard_normal(len(size)))
    latency = (hit + penalty * np.maximum(0, 1 - capacity / size)) * noise
    kink = fit_kink(size, latency, hit, slack=0.03)
    assert kink is not None
    assert kink.capacity.value == pytest.approx(capacity, rel=0.03)
    assert kink.capacity.low <= kink.capacity.value <= kink.capacity.high
    assert kink.penalty == pytest.approx(penalty, rel=0.03)
    beyond = size > 2 * capacity
    assert kink.flattened(size, latency)[beyond] == pytest.approx(hit + penalty, rel=0.03)


@pytest.mark.parametrize(
    "latency",
    [
        lambda size: np.where(size > 5e4, 16.0, 5.0),  # least recently used
        lambda size: np.full(len(size), 5.0),  # no rise
        lambda size: 5 + 20 / (1 + (2e5 / size) ** 8),  # smeared
    ],
)
def test_the_fit_refuses_other_shapes(latency: object) -> None:
    size = np.exp2(np.arange(13, 21, 1 / 8))
    assert callable(latency)
    assert fit_kink(size, latency(size), 5.0) is None


def test_the_fit_needs_sizes_beyond_the_capacity() -> None:
    size = np.exp2(np.arange(13, 16.5, 1 / 2))
    assert fit_kink(size, 5 + 11 * np.maximum(0, 1 - 3e4 / size), 5.0) is None
    assert fit_kink(size[:3], size[:3], 5.0) is None
