"""Instructions in flight: the step is found where it is, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.population import devices
from tests.simulated.truth import CpuTruth
from tests.simulated.window_points import misses_probe, window_probe
from tests.unit.analysis.cases import analysed

FILLINGS = tuple(CpuTruth().in_flight)


def suite(truth: CpuTruth) -> list[Asked]:
    return [window_probe(truth)]


def found(truth: CpuTruth, seed: int = 0) -> dict[str, Quantity]:
    return analysed(suite, truth, seed)


@given(
    devices(),
    st.fixed_dictionaries({name: st.integers(30, 600) for name in FILLINGS}),
    st.integers(0, 100),
)
@settings(max_examples=25, deadline=None)
def test_every_step_lies_in_its_interval(truth: CpuTruth, in_flight: dict[str, int], seed: int) -> None:
    # a core whose memory is near and whose front end is slow cannot show a large window: then none is told
    truth = replace(truth, in_flight=in_flight, dram_latency=max(truth.dram_latency, 300.0))
    for name, quantity in found(truth, seed).items():
        capacity = in_flight[name.removeprefix("window.")]
        if quantity.status is Status.OK:
            assert quantity.low is not None
            assert quantity.high is not None
            assert quantity.low <= capacity < quantity.high
            assert quantity.high / quantity.low < 1.3
        else:
            assert 2 * capacity / truth.front_end > 0.6 * truth.dram_latency, quantity.reason


def test_what_never_fills_is_a_lower_bound() -> None:
    quantity = found(replace(CpuTruth(), in_flight=CpuTruth().in_flight | {"mixed": 5000}))["window.mixed"]
    assert quantity.status is Status.CENSORED
    assert quantity.low == quantity.details["count"][-1]
    assert quantity.high is None


def test_what_is_full_from_the_first_count_on_has_no_number() -> None:
    quantity = found(replace(CpuTruth(), in_flight=CpuTruth().in_flight | {"store": 4}))["window.store"]
    assert quantity.status is Status.SKIPPED
    assert "Already with 20 instructions" in quantity.reason
    assert quantity.value is None


@pytest.mark.parametrize("name", FILLINGS)
def test_the_curve_is_kept_for_the_figure(name: str) -> None:
    quantity = found(CpuTruth())[f"window.{name}"]
    assert len(quantity.details["count"]) == len(quantity.details["cycles"]) > 40
    assert quantity.details["step"] == pytest.approx(2.0, abs=0.35)


@given(devices(), st.floats(2.0, 48.0), st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_misses_under_way_are_found(truth: CpuTruth, parallel: float, seed: int) -> None:
    truth = replace(truth, parallel_misses=parallel)
    quantity = analysed(lambda one: [misses_probe(one)], truth, seed)["memory.dram.parallelism"]
    assert quantity.status is Status.OK
    assert quantity.value == pytest.approx(parallel, rel=0.1)
    assert quantity.low is not None
    assert quantity.high is not None
    assert quantity.low * 0.97 <= parallel <= quantity.high * 1.03


def test_without_the_list_there_is_no_count() -> None:
    def suite_without(truth: CpuTruth) -> list[Asked]:
        info, some = misses_probe(truth)
        return [(info, some[:-1])]

    quantity = analysed(suite_without, CpuTruth(), 0)["memory.dram.parallelism"]
    assert quantity.value is None
