"""What whole cycles leave open of a slope: nothing where a step takes whole cycles."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.analysis.gpu_rounding import of_slope, whole
from reportgen.analysis.robust import NORMAL_95

STEPS = np.array([1.0, 4.0, 8.0])


def test_whole_steps_are_told_from_others() -> None:
    assert whole(STEPS, 60 + 16 * STEPS, 16.0, 60.0)
    for each in (16.1, 16.5, 15.9):
        assert not whole(STEPS, 60 + each * STEPS, each, 60.0)
    assert not whole(STEPS, 60 + 16 * STEPS + np.array([0.0, 1.0, 0.0]), 16.0, 60.3)


def test_whole_cycles_leave_as_much_open_as_rounding_moves_a_slope() -> None:
    rng = np.random.default_rng(3)
    off, said = [], []
    for _ in range(400):
        first, each = rng.uniform(50, 60), rng.uniform(20, 120)
        cycles = np.rint(first + each * STEPS)
        off.append(np.polyfit(STEPS, cycles, 1, w=1 / cycles)[0] - each)
        said.append(of_slope(STEPS, cycles))
    assert np.median(said) == pytest.approx(np.std(off), rel=0.1)
    inside = np.abs(off) <= NORMAL_95 * np.array(said)
    assert 0.93 < inside.mean() < 0.99


def test_longer_chains_leave_less_open() -> None:
    assert 0 < of_slope(4 * STEPS, 60 + 4 * 16.3 * STEPS) < 0.5 * of_slope(STEPS, 60 + 16.3 * STEPS)
