"""A simulated GPU is found again: chains, warps, banks, blocks, launches, peaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis.derive import derive, quantities
from reportgen.analysis.gpu_bank_widths import passes
from reportgen.collect.runner import Options, collect
from reportgen.roofline.ridges import ridges
from reportgen.runs import read, write
from reportgen.runs.verify import verify
from reportgen.status import Status
from tests.simulated.gpu import make, programs
from tests.simulated.gpu_execution import (
    bank_sweep,
    block_sweep,
    launches,
    registers,
    shared_memory,
    warp_sweep,
)
from tests.simulated.gpu_memory import (
    streams,
    working_set,
)
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.analysis.simulated_gpus import BOTH, SMALL, TRUTH, found, near


@BOTH
def test_dependent_latency(truth: GpuTruth) -> None:
    assert near(found(truth)["latency.fp32_fma"], truth.fma_latency)


@BOTH
def test_warps_fill_a_multiprocessor(truth: GpuTruth) -> None:
    rate = found(truth)["execution.warp_count_sweep.fp32_fma.1"]
    assert near(rate, truth.fma_rate, 0.03)  # counting the turns takes issue slots
    assert rate.details["knee"] == (16 if truth is TRUTH else 24)


@BOTH
def test_banks_and_what_meeting_costs(truth: GpuTruth) -> None:
    stem = "execution.shared_bank_strides"
    assert near(found(truth)[f"{stem}.banks"], truth.banks)
    assert near(found(truth)[f"{stem}.conflict"], truth.conflict, 0.05)
    if truth is TRUTH:
        assert near(found(truth)[f"{stem}.latency"], truth.shared_latency)


def test_passes_over_the_banks_by_hand() -> None:
    # words of one half or quarter of a warp lie side by side, then all in one bank or two
    assert [passes(1, width, 32) for width in (4, 8, 16)] == [1, 2, 4]
    assert [passes(3, width, 32) for width in (4, 8, 16)] == [1, 2, 4]
    assert [passes(2, width, 32) for width in (4, 8, 16)] == [2, 4, 8]
    assert [passes(32, width, 32) for width in (4, 8, 16)] == [32, 32, 32]


@BOTH
def test_wide_loads_take_passes_over_the_banks(truth: GpuTruth) -> None:
    stem = "execution.shared_bank_strides"
    for width, more in ((8, 2.0), (16, 6.0)):
        assert near(found(truth)[f"{stem}.latency_{width}"], truth.shared_latency + more)
        assert near(found(truth)[f"{stem}.conflict_{width}"], truth.wide_pass, 0.05)


def test_wide_loads_that_passes_do_not_explain_have_no_number() -> None:
    name, points = bank_sweep(TRUTH)
    bent = [
        replace(one, cycles=(one.cycles[0] * 2,))
        if one.point.settings == {"width": 8, "stride": 3} else one
        for one in points
    ]  # fmt: skip
    run, rows = make(TRUTH, asked=[(name, bent)])
    got = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert got["execution.shared_bank_strides.latency_8"].status is Status.UNSTABLE
    assert "do not explain all strides" in got["execution.shared_bank_strides.conflict_8"].reason
    assert got["execution.shared_bank_strides.latency_16"].status is Status.OK


def test_lanes_that_cost_nothing_show_no_banks() -> None:
    run, rows = make(TRUTH, asked=[bank_sweep(replace(TRUTH, conflict=0.0))])
    (banks,) = quantities(run, pa.table(rows))
    assert (banks.metric, banks.status) == ("execution.shared_bank_strides.banks", Status.UNSUPPORTED)


def test_warps_that_still_rise_are_called_warps() -> None:
    run, rows = make(TRUTH, asked=[warp_sweep(replace(TRUTH, fma_latency=16.0))])
    rate = {one.metric: one for one in quantities(run, pa.table(rows))}[
        "execution.warp_count_sweep.fp32_fma.1"
    ]
    assert rate.status is Status.CENSORED
    assert "still rises at 32 warps" in rate.reason


@pytest.mark.parametrize("probe", ["register_pressure", "shared_memory_pressure"])
def test_every_step_of_the_table_is_found_in_the_curve(probe: str) -> None:
    steps = [one for metric, one in found().items() if metric.startswith(f"execution.{probe}.")]
    details = steps[0].details
    fits, settings = details["warps_fit"], details["setting"]
    wanted = [at for at in range(len(fits) - 1) if fits[at + 1] < fits[at]]
    assert [(one.low, one.high) for one in steps] == [(settings[at], settings[at + 1]) for at in wanted]
    assert len(wanted) >= 7
    assert {one.details["table"] for one in steps} == {"agrees"}
    assert details["unseen"] == []
    assert details["warps"] == pytest.approx(
        fits, rel=0.08
    )  # turns come out uneven, and blocks take time to start


@pytest.mark.parametrize("probe", ["register_pressure", "shared_memory_pressure"])
def test_the_driver_s_own_answer_stands_beside_the_table(probe: str) -> None:
    """Of a device with less than the table says only the driver knows."""
    for truth, alike in ((TRUTH, True), (SMALL, False)):
        step = found(truth)[f"execution.{probe}.1"]
        said, fits = step.details["warps_driver"], step.details["warps_fit"]
        assert (said == fits, step.details["driver_differs"] == []) == (alike, alike)
        assert step.details["warps"] == pytest.approx(said, rel=0.08)


def test_where_no_table_knows_the_device_the_driver_s_answer_stands_for_it() -> None:
    run, rows = make(SMALL, asked=[registers(SMALL)])
    points = tuple(
        msgspec.structs.replace(point, facts={k: v for k, v in point.facts.items() if k != "warps_fit"})
        for point in run.points
    )
    steps = quantities(msgspec.structs.replace(run, points=points), pa.table(rows))
    assert {one.details["table"] for one in steps} == {"agrees"}
    assert steps[0].details["driver_differs"] == []


def test_a_device_with_fewer_registers_than_the_table_says_is_told() -> None:
    steps = [one for metric, one in found(SMALL).items() if metric.startswith("execution.register_pressure.")]
    assert [(one.low, one.high) for one in steps if one.details["table"] == "elsewhere"] == [(24, 32)]
    assert steps[0].details["warps_before"] == pytest.approx(40, rel=0.05)
    assert steps[0].details["of_table"][1] < 0.7


def test_a_step_that_only_the_table_has_is_named() -> None:
    name, points = registers(TRUTH)
    flat = [replace(one, cycles=points[0].cycles) if number < 4 else one for number, one in enumerate(points)]
    run, rows = make(TRUTH, asked=[(name, flat)])
    step = {one.metric: one for one in quantities(run, pa.table(rows))}["execution.register_pressure.1"]
    assert (step.low, step.high) == (48, 56)
    assert step.details["unseen"] == [40, 48]


def test_one_block_at_a_time_shows_no_step() -> None:
    name, points = shared_memory(TRUTH)
    alone = [
        replace(one, cycles=points[0].cycles, point=msgspec.structs.replace(one.point, facts={"blocks": 1}))
        for one in points
    ]
    run, rows = make(TRUTH, asked=[(name, alone)])
    (bound,) = quantities(run, pa.table(rows))
    assert bound.status is Status.CENSORED
    assert (bound.low, bound.unit) == (232448, "byte")
    assert "One block ran at a time" in bound.reason


@BOTH
def test_blocks_that_share_a_multiprocessor(truth: GpuTruth) -> None:
    alone = found(truth)["execution.block_count_sweep.alone"]
    assert alone.low is not None
    assert alone.high is not None
    assert alone.low <= truth.multiprocessors < alone.high
    assert near(found(truth)["execution.block_count_sweep.crowded"], truth.resident)


def test_a_device_larger_than_every_launch_has_a_bound() -> None:
    run, rows = make(TRUTH, asked=[block_sweep(replace(TRUTH, multiprocessors=4096))])
    (bound,) = quantities(run, pa.table(rows))
    assert (bound.status, bound.low, bound.high) == (Status.CENSORED, 1024, None)


@BOTH
def test_what_a_launch_costs_and_a_block_of_it(truth: GpuTruth) -> None:
    stem = "execution.launch_overhead"
    assert near(found(truth)[f"{stem}.fixed"], truth.launch)
    assert near(found(truth)[f"{stem}.waited"], truth.launch + truth.wait)
    assert near(found(truth)[f"{stem}.block"], truth.launch_block, 0.02)


def test_blocks_that_cost_nothing_measurable_have_no_cost() -> None:
    run, rows = make(TRUTH, asked=[launches(replace(TRUTH, launch_block=0.0))])
    again = {one.metric: one for one in quantities(run, pa.table(rows))}
    block = again["execution.launch_overhead.block"]
    assert (block.status, block.value) == (Status.UNSTABLE, None)


@BOTH
def test_kernels_of_the_suite_are_inspected_and_under_the_roof_of_the_device(truth: GpuTruth) -> None:
    kernel = found(truth)["kernel.sgemm.4096"]
    assert near(kernel, truth.gemm_share * 64 * truth.fma_rate * truth.multiprocessors * truth.clock_hz)
    assert kernel.status is Status.OK


@BOTH
def test_every_unit_has_a_peak_of_the_device_and_a_ridge_on_every_level(truth: GpuTruth) -> None:
    both = found(truth)
    crossings = {one.metric: one for one in ridges(both.values())}
    work = {"fp32": 64 * truth.fma_rate, "fp64": 64 * truth.dp_rate, "tensor_fp16": 4096 * truth.mma_rate}
    for unit, each in work.items():
        assert near(both[f"peak.{unit}.per_cycle"], each)
        whole = each * truth.multiprocessors * truth.clock_hz
        assert near(both[f"peak.{unit}"], whole)
        assert both[f"peak.{unit}"].details["multiprocessors"] == truth.multiprocessors
        for level, rate in (("l2", truth.l2_rate), ("dram", truth.memory_rate)):
            assert near(crossings[f"ridge.{unit}.{level}"], whole / rate)


def test_seconds_follow_the_pace_of_every_sample() -> None:
    """A clock that falls to half during the run changes cycles of a stream, not its bytes a second."""
    run, rows = make(TRUTH, asked=[working_set(TRUTH), streams(TRUTH)])
    later = [index for index, number in enumerate(rows["pass"]) if number == 2]
    for index in later:
        rows["calibration_before"][index] //= 2
        if "bandwidth" in rows["point"][index]:
            rows["ticks"][index] //= 2
    again = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert near(again["bandwidth.dram.read"], TRUTH.memory_rate)


def test_visits_that_disagree_eightfold_tell_no_rate() -> None:
    run, rows = make(TRUTH, asked=[working_set(TRUTH), streams(TRUTH)])
    for index, number in enumerate(rows["pass"]):
        if number == 2 and "bandwidth" in rows["point"][index]:
            rows["ticks"][index] *= 8
    again = {one.metric: one for one in quantities(run, pa.table(rows))}
    rate = again["bandwidth.dram.read"]
    assert (rate.status, rate.value) == (Status.UNSTABLE, None)
    assert rate.reason.startswith("Visits disagree: all they tell is ")


def test_the_run_is_replayed(tmp_path: Path) -> None:
    run, rows = make(TRUTH)
    sealed = write.seal(tmp_path / "nvidia-simulated" / run.run, run, rows, programs(TRUTH))
    outcome = collect(Options(data=tmp_path / "again", selector=f"replay:{sealed}"))
    first, second = derive(read.load(sealed)), derive(read.load(outcome.path))
    assert [one.metric for one in first] == [one.metric for one in second]
    assert [one.value for one in first] == [one.value for one in second]
    assert verify(sealed) == []
