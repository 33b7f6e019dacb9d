"""Envelope, shares of misses and rises: the parts that find the ends of levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.isotonic import envelope, without_spikes
from reportgen.analysis.miss_shapes import CURVES as CURVES_OF_MISSES
from reportgen.analysis.miss_shapes import EVEN, shares
from reportgen.analysis.rises import fit_rises

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


SIZES = np.exp2(np.arange(12, 24, 1 / 10))


def noisy(latency: Any, seed: int) -> Any:
    return latency * np.exp(0.001 * np.random.default_rng(seed).standard_normal(len(latency)))


@pytest.mark.parametrize(("kind", "ways"), CURVES_OF_MISSES)
def test_shares_of_misses_rise_from_none_to_all(kind: str, ways: int) -> None:
    share = shares(CURVES_OF_MISSES.index((kind, ways)), np.array([0.01, 0.2, 0.9, 1.3, 4.0, 1000.0]))
    assert np.all(np.diff(share) >= 0)
    assert share[0] == 0
    assert share[-1] > 0.97
    assert bool(share[2] == 0) == (kind in EVEN)
    assert share[3] > 0.1


@given(
    st.integers(0, len(CURVES_OF_MISSES) - 1),
    st.floats(14, 21),
    st.floats(3, 20),
    st.floats(5, 60),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=30)
def test_a_rise_of_any_kind_is_found(
    curve: int, capacity: float, hit: float, penalty: float, seed: int
) -> None:
    latency = noisy(hit + penalty * shares(curve, SIZES / 2**capacity), seed)
    rises, variants = fit_rises(SIZES, latency, np.full(len(SIZES), 0.001))
    assert len(rises) >= 1
    best = max(rises, key=lambda rise: rise.penalty)
    assert best.capacity.low / 1.05 <= 2**capacity <= best.capacity.high * 1.05
    assert best.capacity.low <= best.capacity.value <= best.capacity.high
    assert best.penalty == pytest.approx(penalty, rel=0.1)
    assert rises[0].hit == pytest.approx(hit, rel=0.02)
    assert variants


def test_three_rises_are_three() -> None:
    step, pages = CURVES_OF_MISSES.index(("step", 8)), CURVES_OF_MISSES.index(("pages_step", 8))
    ends = ((step, 32 << 10, 10.0), (pages, 1 << 20, 36.0), (pages, 6 << 20, 250.0))
    latency = 4 + sum(penalty * shares(curve, SIZES / end) for curve, end, penalty in ends)
    rises, _ = fit_rises(SIZES, noisy(latency, 7), np.full(len(SIZES), 0.001))
    assert [rise.capacity.value for rise in rises] == pytest.approx([end for _, end, _ in ends], rel=0.05)
    assert [rise.top for rise in rises] == pytest.approx([14, 50, 300], rel=0.02)


def test_a_flat_curve_has_no_rise() -> None:
    assert fit_rises(SIZES, noisy(np.full(len(SIZES), 5.0), 3), np.full(len(SIZES), 0.001)) == ((), ())
