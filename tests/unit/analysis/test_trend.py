"""Drift of the clock is no scatter: it is taken out of rates a second, about the middle of the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.robust import Visits, pooled_scatter, visit_interval
from reportgen.analysis.trend import LEAST_POINTS, trend, without_trend
from tests.simulated.cpu import make_run
from tests.simulated.expected import peak_per_cycle
from tests.simulated.truth import CpuTruth, Noise


def rates(points: int, drift: float, scatter: float, seed: int = 0) -> dict[str, Visits]:
    """Points of different rates, seen in passes 0, 1, 2 while all fall by `drift` a pass."""
    rng = np.random.default_rng(seed)
    ids = np.arange(3.0)
    return {
        f"point {at}": Visits(
            (at + 1) * 1e9 * np.exp(drift * (ids - 1) + scatter * rng.standard_normal(3)), np.ones(3), ids
        )
        for at in range(points)
    }


def cleaned(some: dict[str, Visits]) -> dict[str, Visits]:
    return without_trend(some, trend(some.values()))


def test_a_common_trend_goes_and_the_middle_stays() -> None:
    some = rates(12, drift=-0.02, scatter=0.0)
    assert trend(some.values()) == pytest.approx(-0.02)
    for at, one in enumerate(cleaned(some).values()):
        assert one.centres == pytest.approx([(at + 1) * 1e9] * 3)


def test_intervals_are_those_of_the_scatter_alone() -> None:
    scatter = 0.001
    moved = cleaned(rates(20, drift=-0.02, scatter=scatter))
    still = rates(20, drift=0.0, scatter=scatter)
    for name, one in moved.items():
        width = visit_interval(one, pooled_scatter(list(moved.values()))).half / one.value
        plain = visit_interval(still[name], pooled_scatter(list(still.values()))).half / one.value
        assert width == pytest.approx(plain, rel=0.25)


def test_disturbed_points_do_not_make_a_trend() -> None:
    some = rates(12, drift=0.0, scatter=0.0)
    for at in range(5):
        some[f"point {at}"] = Visits(np.array([1.0, 1.0, 0.5]) * (at + 1) * 1e9, np.ones(3), np.arange(3.0))
    assert trend(some.values()) == pytest.approx(0.0)


def test_few_points_show_no_trend_of_their_own() -> None:
    few = rates(LEAST_POINTS - 1, drift=-0.02, scatter=0.001)
    assert trend(few.values()) == 0.0
    assert without_trend(few, 0.0) == few
    many = rates(12, drift=-0.02, scatter=0.001).values()
    assert trend(Visits(one.centres[:1], one.counts[:1], one.ids[:1]) for one in many) == 0.0
    assert without_trend({}, -0.02) == {}


def test_peaks_a_second_of_a_falling_clock_are_those_of_the_middle() -> None:
    """Few points, no wobble: only the trend of all bodies of the run tells drift from scatter."""
    truth = replace(CpuTruth(), noise=Noise(drift=-0.05, wobble=0.0, contaminated=0.0))
    run, columns = make_run(truth, 7)
    found = {one.metric: one for one in quantities(run, pa.table(columns))}
    peak = found["peak.fp32"]
    assert peak.low is not None
    assert peak.high is not None
    assert peak.low <= peak_per_cycle(truth, "fp32") * truth.cycle_hz <= peak.high
    assert peak.high / peak.low < 1.02  # a pass is 1.7 % slower than the one before
