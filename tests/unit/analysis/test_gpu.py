"""A simulated GPU is found again: chains, warps, banks, blocks, levels by path, walks, copies, peaks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import derive, quantities
from reportgen.analysis.gpu_bank_widths import passes
from reportgen.analysis.quantity import Quantity
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
    conflicts,
    copies,
    distances,
    first_level,
    on_chip,
    streams,
    working_set,
)
from tests.simulated.gpu_truth import KIB, MIB, GpuTruth

TRUTH = GpuTruth()
SMALL = GpuTruth(
    banks=16, fma_latency=6.0, near=250.0, far=250.0, l1_bytes=128 << 10,
    register_file=32768, shared_bytes=100 * KIB, multiprocessors=60,
    sector=64, constant_bytes=(4 * KIB, 16 * KIB), tlb_entries=96, cluster_other=220.0, copy_fixed=900.0,
    copy_rate=60.0, resident=2,
)  # fmt: skip
BOTH = pytest.mark.parametrize("truth", [TRUTH, SMALL], ids=["large", "small"])


@cache
def found(truth: GpuTruth = TRUTH) -> dict[str, Quantity]:
    run, rows = make(truth)
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def near(quantity: Quantity, truth: float, within: float = 0.01) -> bool:
    assert quantity.status == Status.OK, quantity.reason
    assert quantity.value is not None
    return abs(quantity.value / truth - 1) <= within


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


def test_too_few_sizes_on_the_chip_are_a_reason_of_that_path() -> None:
    name, points = on_chip(TRUTH)
    run, rows = make(TRUTH, asked=[(name, points[:4])])
    (one,) = quantities(run, pa.table(rows))
    assert (one.metric, one.status) == ("memory.shared.l1.capacity", Status.UNSTABLE)


def test_two_parts_of_a_cache() -> None:
    assert near(found()["memory.l2.distance.near"], TRUTH.near)
    assert near(found()["memory.l2.distance.far"], TRUTH.far)
    assert found()["memory.l2.distance.far"].details["share"] == pytest.approx(0.5)


def test_a_cache_in_one_piece() -> None:
    assert near(found(SMALL)["memory.l2.distance.near"], SMALL.near)
    assert "between 250 and 25" in found(SMALL)["memory.l2.distance.near"].reason
    assert "keeps copies" in found(SMALL)["memory.l2.distance.near"].reason
    assert "memory.l2.distance.far" not in found(SMALL)


@pytest.mark.parametrize("far", [260.0, 200.0])
def test_multiprocessors_far_from_all_lines_hide_no_parts_and_make_none(far: float) -> None:
    rng = np.random.default_rng(5)
    run, rows = make(TRUTH, asked=[distances(replace(TRUTH, near=200.0, far=far))])
    away = rng.uniform(-30, 30, size=(8, 64))  # of the multiprocessor of a sample; lines scatter less
    rows["ticks"] = [
        ticks + round(16 * (away[one, sample] + 5 * rng.normal()))
        for ticks, one, sample in zip(rows["ticks"], rows["pass"], rows["sample"], strict=True)
    ]
    both = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert near(both["memory.l2.distance.near"], 200.0, 0.05)
    assert ("memory.l2.distance.far" in both) == (far > 200)
    if far > 200:
        assert near(both["memory.l2.distance.far"], far, 0.05)
        assert both["memory.l2.distance.far"].details["share"] == pytest.approx(0.5, abs=0.02)
    else:
        assert "medians of single multiprocessors lie between 17" in both["memory.l2.distance.near"].reason


@BOTH
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
    # a texture meets all levels, through a unit that takes its time
    for level, latency in (("l1", truth.l1_latency), ("l2", truth.l2_latency)):
        assert near(both[f"memory.texture.{level}.latency"], latency + truth.texture_longer)
    end = both["memory.texture.l1.capacity"]
    assert end.low is not None
    assert end.high is not None
    assert end.low <= truth.l1_bytes <= end.high


def test_bandwidth_comes_with_its_launch() -> None:
    rate = found()["bandwidth.dram.read"]
    assert near(rate, TRUTH.memory_rate)
    assert (rate.details["blocks"], rate.details["width"]) == (1024, 16)


def test_all_first_caches_together() -> None:
    rate = found()["bandwidth.l1.read"]
    assert near(rate, TRUTH.l1_rate)
    assert (rate.details["blocks"], rate.details["width"]) == (4 * TRUTH.multiprocessors, 16)
    assert rate.details["bytes"] == 4 * TRUTH.multiprocessors * 16384


def test_a_first_cache_smaller_than_what_is_read_of_it_has_no_rate() -> None:
    tiny = replace(TRUTH, l1_bytes=60 << 10)
    run, rows = make(tiny, asked=[working_set(tiny), first_level(tiny)])
    both = {one.metric: one for one in quantities(run, pa.table(rows))}
    rate = both["bandwidth.l1.read"]  # of two blocks only, 32 KiB
    assert rate.details["blocks"] == 2 * TRUTH.multiprocessors
    less = replace(TRUTH, l1_bytes=30 << 10)
    run, rows = make(less, asked=[working_set(less), first_level(less)])
    (none,) = [one for one in quantities(run, pa.table(rows)) if one.metric.startswith("bandwidth.")]
    assert (none.metric, none.status) == ("bandwidth.first_level", Status.INVALID)
    assert "more than surely fits into its first cache" in none.reason


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
def test_one_multiprocessor_is_told_from_all(truth: GpuTruth) -> None:
    for level, rate in (("l2", truth.l2_rate), ("dram", truth.memory_rate)):
        for kernel, part in (("read", 1.0), ("copy", 0.9)):
            assert near(found(truth)[f"bandwidth.{level}.{kernel}"], rate * part)
            alone = found(truth)[f"bandwidth.{level}.{kernel}.one_multiprocessor"]
            assert near(alone, rate * part * truth.one_share)
            assert alone.details["blocks"] == 1


@BOTH
def test_a_chase_is_of_the_level_that_its_path_meets(truth: GpuTruth) -> None:
    both = found(truth)
    assert near(both["chase.l1.latency"], truth.l1_latency)
    assert near(both["chase.l2.latency"], truth.l2_latency)
    assert near(both["chase.dram.latency"], truth.memory_latency)
    assert near(both["chase.l1.plain.latency"], truth.l1_latency)
    assert near(both["chase.l2.cg.latency"], truth.l2_latency)
    assert "chase.l1.cg.latency" not in both


def test_of_a_path_that_may_pass_a_level_by_nothing_is_said_without_its_sweep() -> None:
    chase = found()["chase.l1.volatile.latency"]
    assert (chase.status, chase.value) == (Status.INVALID, None)
    assert "no sweep by the path volatile" in chase.reason


@BOTH
def test_constant_memory_has_levels_and_an_end_that_is_a_bound(truth: GpuTruth) -> None:
    both = found(truth)
    for number, size in enumerate(truth.constant_bytes, 1):
        end = both[f"memory.constant.l{number}.capacity"]
        assert end.low is not None
        assert end.high is not None
        assert end.low <= size < end.high
    for number, cycles in enumerate(truth.constant_latency, 1):
        assert near(both[f"memory.constant.l{number}.latency"], cycles)
    last = both["memory.constant.l3.capacity"]
    assert (last.status, last.low, last.high) == (Status.CENSORED, 64 * KIB, None)


@BOTH
def test_shared_and_local_memory_are_flat(truth: GpuTruth) -> None:
    both = found(truth)
    assert near(both["memory.shared.l1.latency"], truth.shared_latency)
    assert near(both["memory.local.l1.latency"], truth.l1_latency)
    assert both["memory.shared.l1.capacity"].status is Status.CENSORED
    assert "memory.shared.l2.capacity" not in both
    assert not [metric for metric in both if metric.startswith("memory.shared.dram")]


@BOTH
def test_a_walk_tells_sector_from_line(truth: GpuTruth) -> None:
    sector, line = found(truth)["memory.sector.ca"], found(truth)["memory.sector.ca.outer"]
    assert (sector.low, sector.value) == (truth.sector - 16, truth.sector)
    assert (line.low, line.value) == (truth.line - 16, truth.line)


def test_a_walk_whose_loads_all_miss_has_no_sector() -> None:
    walk = found()["memory.sector.cg"]
    assert walk.status is Status.UNSUPPORTED
    assert walk.value is None
    assert "all of the walk missed, or nothing of it" in walk.reason


@BOTH
def test_lines_by_path_are_not_mixed(truth: GpuTruth) -> None:
    for metric in ("memory.line", "memory.nc.line"):
        piece = found(truth)[metric]
        assert piece.low is not None
        assert piece.low < truth.sector == piece.value


@BOTH
def test_ways_of_the_first_level(truth: GpuTruth) -> None:
    ways = found(truth)["memory.l1.associativity"]
    assert (ways.low, ways.high) == (truth.ways, 20)
    assert "hash of the address" in ways.reason


def test_lines_that_a_hash_spreads_are_no_ways() -> None:
    name, points = conflicts(TRUTH)
    flat = [replace(one, cycles=points[0].cycles) for one in points]
    run, rows = make(TRUTH, asked=[(name, flat)])
    (ways,) = quantities(run, pa.table(rows))
    assert (ways.status, ways.value, ways.low) == (Status.UNSUPPORTED, None, None)
    assert "Up to 64 lines" in ways.reason
    assert "hash of the address" in ways.reason


@BOTH
def test_reach_of_translation_by_the_distance_of_addresses(truth: GpuTruth) -> None:
    for distance, size in (("64k", 64 * KIB), ("2m", 2 * MIB)):
        reach = found(truth)[f"memory.dtlb1.reach_{distance}"]
        entries = truth.tlb_entries * truth.tlb_distance // size
        assert reach.low is not None
        assert reach.high is not None
        assert reach.low <= entries < reach.high
        if truth is TRUTH:  # of a rise at the last count only its beginning is seen
            assert reach.details["penalty"] == pytest.approx(truth.tlb_penalty, rel=0.02)


@BOTH
def test_shared_memory_of_other_blocks(truth: GpuTruth) -> None:
    for size in (2, 4, 8, 16):
        assert near(found(truth)[f"memory.cluster.{size}.own"], truth.cluster_own)
        assert near(found(truth)[f"memory.cluster.{size}.last"], truth.cluster_other)


@BOTH
def test_copies_are_a_fixed_time_and_a_rate(truth: GpuTruth) -> None:
    for copy in ("load", "store", "tile_load"):
        fixed, rate = (found(truth)[f"memory.bulk.{copy}.{what}"] for what in ("fixed", "rate"))
        assert near(fixed, truth.copy_fixed)
        assert near(rate, truth.copy_rate)
        if truth is TRUTH:  # of the other, small copies are on the line to 3 %
            assert fixed.details["linear_from"] == truth.copy_least


def test_copies_on_no_line_have_no_rate() -> None:
    run, rows = make(TRUTH, asked=[copies(TRUTH)])
    last = [at for at, point in enumerate(rows["point"]) if "bulk_copy" in point and "196608" in point]
    for at in last:
        rows["ticks"][at] *= 3
    rate = {one.metric: one for one in quantities(run, pa.table(rows))}["memory.bulk.load.rate"]
    assert (rate.status, rate.value) == (Status.UNSTABLE, None)


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


def test_the_run_is_replayed(tmp_path: Path) -> None:
    run, rows = make(TRUTH)
    sealed = write.seal(tmp_path / "nvidia-simulated" / run.run, run, rows, programs(TRUTH))
    outcome = collect(Options(data=tmp_path / "again", selector=f"replay:{sealed}"))
    first, second = derive(read.load(sealed)), derive(read.load(outcome.path))
    assert [one.metric for one in first] == [one.metric for one in second]
    assert [one.value for one in first] == [one.value for one in second]
    assert verify(sealed) == []
