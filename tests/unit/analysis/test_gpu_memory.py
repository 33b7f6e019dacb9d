"""The memory of a simulated GPU is found again: levels by path, parts, walks, translation, copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_memory import (
    conflicts,
    copies,
    distances,
    first_level,
    on_chip,
    working_set,
)
from tests.simulated.gpu_truth import KIB, MIB, GpuTruth
from tests.unit.analysis.simulated_gpus import BOTH, SMALL, TRUTH, found, near


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
