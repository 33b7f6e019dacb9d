"""A simulated GPU is found again: latency, warps, banks, near and far, levels, streams, register steps."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from reportgen.analysis.derive import derive, quantities
from reportgen.analysis.quantity import Quantity
from reportgen.collect.runner import Options, collect
from reportgen.runs import read, write
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.simulated.gpu import GpuTruth, make

TRUTH = GpuTruth()
SMALL = GpuTruth(banks=16, fma_latency=6.0, near=250.0, far=250.0, register_step=64, l1_bytes=128 << 10)


@cache
def found(truth: GpuTruth = TRUTH) -> dict[str, Quantity]:
    run, rows = make(truth)
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def near(quantity: Quantity, truth: float, within: float = 0.01) -> bool:
    assert quantity.status == Status.OK, quantity.reason
    assert quantity.value is not None
    return abs(quantity.value / truth - 1) <= within


@pytest.mark.parametrize("truth", [TRUTH, SMALL])
def test_dependent_latency(truth: GpuTruth) -> None:
    assert near(found(truth)["latency.fp32_fma"], truth.fma_latency)


@pytest.mark.parametrize("truth", [TRUTH, SMALL])
def test_warps_fill_a_multiprocessor(truth: GpuTruth) -> None:
    rate = found(truth)["execution.warp_count_sweep.fp32_fma.1"]
    assert near(rate, truth.fma_rate)
    assert rate.details["knee"] == (16 if truth is TRUTH else 32)


@pytest.mark.parametrize("truth", [TRUTH, SMALL])
def test_banks_and_what_meeting_costs(truth: GpuTruth) -> None:
    stem = "execution.shared_bank_strides"
    assert near(found(truth)[f"{stem}.banks"], truth.banks)
    assert near(found(truth)[f"{stem}.conflict"], truth.conflict, 0.05)
    if truth is TRUTH:
        assert near(found(truth)[f"{stem}.latency"], truth.shared_latency)


def test_two_parts_of_a_cache() -> None:
    assert near(found()["memory.l2.distance.near"], TRUTH.near)
    assert near(found()["memory.l2.distance.far"], TRUTH.far)
    assert found()["memory.l2.distance.far"].details["share"] == pytest.approx(0.5)


def test_a_cache_in_one_piece() -> None:
    assert near(found(SMALL)["memory.l2.distance.near"], SMALL.near)
    assert "equally far" in found(SMALL)["memory.l2.distance.near"].reason
    assert "memory.l2.distance.far" not in found(SMALL)


@pytest.mark.parametrize("truth", [TRUTH, SMALL])
def test_levels_by_path(truth: GpuTruth) -> None:
    both = found(truth)
    for metric, size in (("memory.l1.capacity", truth.l1_bytes), ("memory.l2.capacity", truth.l2_bytes)):
        level = both[metric]
        assert level.low is not None
        assert level.high is not None
        assert level.low <= size <= level.high
    assert near(both["memory.l1.latency"], truth.l1_latency)
    assert near(both["memory.l2.latency"], truth.l2_latency)
    # past the first level there is one edge less
    assert near(both["memory.cg.l1.latency"], truth.l2_latency)


def test_bandwidth_comes_with_its_launch() -> None:
    rate = found()["bandwidth.dram.read"]
    assert near(rate, TRUTH.memory_rate)
    assert (rate.details["blocks"], rate.details["width"]) == (1024, 16)


@pytest.mark.parametrize("truth", [TRUTH, SMALL])
def test_where_registers_cost(truth: GpuTruth) -> None:
    step = found(truth)["execution.register_pressure.1"]
    assert step.low == truth.register_step


def test_seconds_follow_the_pace_of_every_sample() -> None:
    """A clock that falls to half during the run changes cycles of a stream, not its bytes a second."""
    run, rows = make(TRUTH)
    later = [index for index, number in enumerate(rows["pass"]) if number == 2]
    for index in later:
        rows["calibration_before"][index] //= 2
        if "bandwidth" in rows["point"][index]:
            rows["ticks"][index] //= 2
    again = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert near(again["bandwidth.dram.read"], TRUTH.memory_rate)


def test_the_run_is_replayed(tmp_path: Path) -> None:
    run, rows = make(TRUTH)
    sealed = write.seal(tmp_path / "nvidia-simulated" / run.run, run, rows, ())
    outcome = collect(Options(data=tmp_path / "again", selector=f"replay:{sealed}"))
    first, second = derive(read.load(sealed)), derive(read.load(outcome.path))
    assert [one.metric for one in first] == [one.metric for one in second]
    assert [one.value for one in first] == [one.value for one in second]
    assert verify(sealed) == []
