"""Levels, lines, ways, translation buffers and chases on hierarchies of known truth."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.analysis import boundary
from reportgen.analysis.quantity import Quantity
from reportgen.runs.schema import Point, Run
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.memory_points import (
    bandwidth_probe,
    chase_probe,
    conflict_probe,
    line_probe,
    tlb_probe,
    working_set_probe,
)
from tests.simulated.population import devices
from tests.simulated.truth import KIB, MIB, CpuTruth, TrueCache
from tests.unit.analysis.cases import Columns, analysed, covers, reject

NOISY = CpuTruth()
# A guest on a server with a fast third level; the sweep is shorter, to keep the tests so.
SMALL = CpuTruth(
    caches=(
        TrueCache("l1", 32 * KIB, 4.0, ways=8),
        TrueCache("l2", 1 * MIB, 14.0, ways=8, smear=0.19, half_height=0.95),
        TrueCache("l3", 8 * MIB, 50.0, smear=0.3, half_height=0.95),
    ),
    dtlb1=72, reported_l3=16 * MIB, sweep_high=64 * MIB,
)  # fmt: skip


def hierarchy(truth: CpuTruth) -> list[Asked]:
    return [working_set_probe(truth), tlb_probe(truth), line_probe(truth), conflict_probe(truth)]


def near(quantity: Quantity, truth: float, ratio: float) -> bool:
    """Whether the interval, widened by a ratio, holds the truth; a bound must not lie above it."""
    assert quantity.low is not None
    return quantity.low / ratio <= truth <= (quantity.high or math.inf) * ratio


@given(devices(), st.integers(0, 1000))
@settings(max_examples=20)
def test_no_device_of_the_population_gets_a_wild_answer(truth: CpuTruth, seed: int) -> None:
    """Whether 95 of 100 intervals hold the truth is for the calibration; here none may be far off."""
    found = analysed(hierarchy, truth, seed)
    l1, l2, l3 = truth.caches
    assert near(found["memory.l1.capacity"], l1.size, 1.1)
    assert near(found["memory.l2.capacity"], l2.size, 2.5)
    third = found["memory.l3.capacity"]
    if third.status is Status.OK:
        assert near(third, l3.size, 2.5)
    assert found["memory.l1.latency"].value == pytest.approx(l1.latency, rel=0.01)
    assert found["memory.l1.associativity"].value == l1.ways
    assert covers(found["memory.line"], truth.line)
    assert near(found["memory.dtlb1.reach"], truth.dtlb1, 1.1)


@pytest.mark.parametrize("huge", [True, False])
@pytest.mark.parametrize("smear", [0.0, 0.19, 0.25])
def test_boundaries_hold_the_true_sizes(smear: float, huge: bool) -> None:
    """Edges by formula, steep and smeared."""
    caches = (SMALL.caches[0], replace(SMALL.caches[1], smear=smear), SMALL.caches[2])
    found = analysed(hierarchy, replace(SMALL, caches=caches, huge_granted=huge))
    capacity = found["memory.l1.capacity"]
    assert covers(capacity, 32 * KIB)
    assert capacity.low is not None
    assert capacity.high is not None
    assert capacity.high / capacity.low <= 1.15
    assert covers(found["memory.l2.capacity"], 1 * MIB)
    assert covers(found["memory.l3.capacity"], 8 * MIB)
    assert found["memory.l1.latency"].value == pytest.approx(4, rel=0.01)
    if huge:
        assert found["memory.l2.latency"].value == pytest.approx(14, rel=0.02)
        assert found["memory.l3.latency"].value == pytest.approx(50, rel=0.04)
    assert found["memory.l1.associativity"].value == 8
    assert covers(found["memory.line"], 64)
    assert covers(found["memory.dtlb1.reach"], 72)


def test_a_translation_knee_is_no_level() -> None:
    """96 pages of 4 KiB end between the first and second level and cost a few cycles."""
    found = analysed([working_set_probe(NOISY)], NOISY)
    for suffix in ("", "_4k"):
        assert covers(found[f"memory.l1.capacity{suffix}"], 48 * KIB)
        assert covers(found[f"memory.l2.capacity{suffix}"], 2 * MIB)
        assert covers(found[f"memory.l3.capacity{suffix}"], 16 * MIB)
        second = found[f"memory.l2.capacity{suffix}"]
        assert second.low is not None
        assert second.low > 1 * MIB
    knee = found["memory.l2.capacity_4k"].details["knees"][0]
    assert knee["bytes"] == pytest.approx(96 * 4 * KIB, rel=0.1)
    assert found["memory.l1.capacity"].details["pages"] == "huge"
    assert found["memory.l1.capacity_4k"].details["pages"] == "4k"
    assert found["memory.dram.latency_4k"].value == pytest.approx(456, rel=0.02)
    assert found["memory.dram.latency"].value == pytest.approx(420, rel=0.03)
    assert found["memory.dram.latency_time"].value == pytest.approx(420 / NOISY.cycle_hz, rel=0.03)


def test_a_smeared_edge_is_wide_and_says_that_it_is() -> None:
    second = analysed([working_set_probe(SMALL)], SMALL)["memory.l2.capacity"]
    assert second.details["shape"] == "smeared"
    assert second.low is not None
    assert second.high is not None
    assert second.high / second.low > 1.1
    assert covers(second, 1 * MIB)
    curve = second.details
    assert curve["begins"] < 0.85 * MIB
    assert curve["ends"] > 1.1 * MIB
    assert len(curve["bytes"]) == len(curve["cycles"]) == len(curve["low"]) == len(curve["high"])


def test_a_first_level_that_replaces_by_chance_is_a_kink() -> None:
    caches = (TrueCache("l1", 40 * KIB, 4.0, policy="random"), *SMALL.caches[1:])
    found = analysed(lambda truth: [working_set_probe(truth)], replace(SMALL, caches=caches))
    assert found["memory.l1.capacity"].details["shape"] == "kink"
    assert found["memory.l1.capacity"].value == pytest.approx(40 * KIB, rel=0.03)
    second = found["memory.l2.latency"]  # one access in ten still hits the first level
    assert second.value == pytest.approx(13.4, rel=0.02)
    assert second.details["alone"] == pytest.approx(14, rel=0.03)
    assert "Other levels serve part" in second.reason


def test_without_huge_pages_there_is_one_curve_and_it_says_so() -> None:
    found = analysed(lambda truth: [working_set_probe(truth)], replace(SMALL, huge_granted=False))
    assert not [metric for metric in found if metric.endswith("_4k")]
    assert "Huge pages were not granted" in found["memory.l1.capacity"].reason
    assert covers(found["memory.l2.capacity"], 1 * MIB)


@pytest.mark.parametrize(
    ("high", "censored", "skipped"),
    [(24 * KIB, "l1", ["l2", "l3"]), (256 * KIB, "l2", ["l3"]), (4 * MIB, "l3", [])],
)
def test_a_range_that_ends_first_gives_a_bound(high: int, censored: str, skipped: list[str]) -> None:
    found = analysed(lambda truth: [working_set_probe(truth)], replace(SMALL, sweep_high=high))
    bound = found[f"memory.{censored}.capacity"]
    assert (bound.status, bound.high) == (Status.CENSORED, None)
    assert bound.low is not None
    assert bound.low <= high
    assert [
        level for level in ("l1", "l2", "l3") if found[f"memory.{level}.capacity"].status is Status.SKIPPED
    ] == skipped
    assert found["memory.dram.latency"].status is Status.SKIPPED
    assert "too small to leave the caches" in found["memory.dram.latency"].reason


def test_a_last_plateau_beyond_the_reported_caches_is_not_a_cache() -> None:
    """Second and third level in one edge, and a sweep too short for memory alone to answer."""
    caches = (SMALL.caches[0], SMALL.caches[1])
    truth = replace(SMALL, caches=caches, dram_latency=300, sweep_high=40 * MIB)
    found = analysed(lambda truth: [working_set_probe(truth)], truth)
    assert found["memory.l3.capacity"].status is Status.UNSUPPORTED
    assert found["memory.dram.latency"].status is Status.INVALID
    assert found["memory.dram.latency"].reason.startswith("cache-resident")


def test_a_range_that_ends_within_a_rise_gives_a_bound() -> None:
    found = analysed(lambda truth: [working_set_probe(truth)], replace(SMALL, sweep_high=1 * MIB))
    bound = found["memory.l2.capacity"]
    assert (bound.status, bound.high) == (Status.CENSORED, None)
    assert bound.low is not None
    assert bound.low < 1 * MIB


def test_two_levels_are_two_levels() -> None:
    """A device without a third level: what lies beyond the second is memory."""

    def no_third(run: Run) -> Run:
        reported = {key: value for key, value in run.device.reported.items() if key != "l3_bytes"}
        device = msgspec.structs.replace(run.device, reported=reported)
        return msgspec.structs.replace(run, device=device)

    caches = (SMALL.caches[0], SMALL.caches[1])
    truth = replace(SMALL, caches=caches, dram_latency=300)
    found = analysed(lambda truth: [working_set_probe(truth)], truth, change=no_third)
    assert covers(found["memory.l2.capacity"], 1 * MIB)
    assert found["memory.l3.capacity"].status is Status.UNSUPPORTED
    assert found["memory.dram.latency"].value == pytest.approx(300, rel=0.02)


def test_one_size_is_no_curve() -> None:
    def one_size(run: Run) -> Run:
        return msgspec.structs.replace(run, points=run.points[:1])

    found = analysed([working_set_probe(SMALL)], SMALL, change=one_size)
    assert found["memory.l1.capacity"].status is Status.UNSTABLE
    assert "curve needs more" in found["memory.l1.capacity"].reason


def test_sizes_that_occur_twice_count_once() -> None:
    """Two requests that were rounded to one size."""

    def doubled(run: Run) -> Run:
        points = []
        for point in run.points:
            same = int(point.settings["bytes"]) // 128 * 128
            points.append(msgspec.structs.replace(point, facts=point.facts | {"bytes_actual": same}))
        return msgspec.structs.replace(run, points=tuple(points))

    found = analysed([working_set_probe(SMALL)], SMALL, change=doubled)
    sizes = found["memory.l1.capacity"].details["bytes"]
    assert sizes == sorted(set(sizes))
    assert covers(found["memory.l1.capacity"], 32 * KIB)


def test_a_disturbed_size_is_no_boundary() -> None:
    """One visit in three, or all of one size, next to a busy neighbour."""

    def disturbed(columns: Columns) -> None:
        names = [name.partition("#")[2] for name in columns["point"]]
        whole = np.isin(names, ["bytes=8192,pages=huge", "bytes=131072,pages=huge"])
        part = (np.arange(len(whole)) // 10) % 40 == 0
        columns["ticks"] = np.where(whole | part, columns["ticks"] * 3 // 2, columns["ticks"])

    found = analysed([working_set_probe(SMALL)], SMALL, edit=disturbed)
    assert covers(found["memory.l1.capacity"], 32 * KIB)
    assert covers(found["memory.l2.capacity"], 1 * MIB)
    assert covers(found["memory.l3.capacity"], 8 * MIB)


def test_every_rejected_sample_leaves_a_reason() -> None:
    found = analysed(hierarchy, SMALL, edit=lambda columns: reject(columns, columns["ticks"] > 0))
    assert {one.status for one in found.values()} == {Status.UNSTABLE}
    assert all("passed the gates" in one.reason for one in found.values())


def test_levels_of_a_single_plateau() -> None:
    size = np.exp2(np.arange(12, 16, 0.25))
    found = boundary.levels(size, np.full(len(size), 5.0), np.full(len(size), 0.001))
    assert (found.count, found.edges, found.rises) == (1, (), ())


def renamed(run: Run, change: Any) -> Run:
    points = tuple(change(point) for point in run.points)
    return msgspec.structs.replace(run, points=points)


def test_chases_agree_with_the_sweep() -> None:
    found = analysed(lambda truth: [working_set_probe(truth), chase_probe(truth)], SMALL)
    for level, truth in (("l1", 4), ("l2", 14), ("l3", 50), ("dram", 420)):
        assert found[f"chase.{level}.latency"].value == pytest.approx(truth, rel=0.04), level
        assert found[f"chase.{level}.latency"].details["measured_levels"] is True


def test_a_label_does_not_make_a_level() -> None:
    """A working set called L3 that by the measured ends is memory."""

    def mislabelled(point: Point) -> Point:
        if point.settings.get("level") == "dram":
            return msgspec.structs.replace(point, settings=point.settings | {"level": "l3"})
        return point

    found = analysed(
        lambda truth: [working_set_probe(truth), chase_probe(truth)], SMALL,
        change=lambda run: renamed(run, mislabelled),
    )  # fmt: skip
    wrong = found["chase.l3.latency"]
    assert (wrong.status, wrong.value) == (Status.INVALID, None)
    assert "by the measured ends it is dram" in wrong.reason


def test_chases_alone_lean_on_reported_sizes_and_say_so() -> None:
    found = analysed([chase_probe(SMALL)], SMALL)
    one = found["chase.l1.latency"]
    assert one.status is Status.UNVERIFIED
    assert one.value == pytest.approx(4, rel=0.01)
    assert "system reports" in one.reason


def test_lines_that_never_end_are_a_bound() -> None:
    found = analysed(lambda truth: [line_probe(truth)], replace(NOISY, line=512))["memory.line"]
    assert (found.status, found.low, found.high) == (Status.CENSORED, 256, None)


@pytest.mark.parametrize("line", [32, 64, 128])
def test_the_line_is_the_first_offset_outside(line: int) -> None:
    found = analysed(lambda truth: [line_probe(truth)], replace(NOISY, line=line))["memory.line"]
    assert (found.value, found.low, found.high) == (line, line - 8, line)


def test_visits_that_disagree_leave_the_line_open() -> None:
    """A neighbour in the level behind: latencies of one offset differ from visit to visit."""
    wide, unstable = 0, 0
    for seed in range(20):
        truth = replace(NOISY, noise=replace(NOISY.noise, memory_visit=0.06 if seed % 2 else 0.2))
        found = analysed(lambda truth: [line_probe(truth)], truth, seed)["memory.line"]
        if found.status is Status.UNSTABLE:
            unstable += 1
            continue
        assert found.low is not None
        assert found.high is not None
        assert found.low < 64 <= found.high
        wide += found.high - found.low > 8
    assert wide
    assert unstable


def test_ways_that_never_end_are_a_bound() -> None:
    wide = replace(NOISY, caches=(replace(NOISY.caches[0], ways=96, size=96 * 4096), *NOISY.caches[1:]))
    found = analysed(lambda truth: [conflict_probe(truth)], wide)["memory.l1.associativity"]
    assert (found.status, found.low, found.high) == (Status.CENSORED, 32, None)


@pytest.mark.parametrize(("first", "second"), [(64, 1536), (96, 2048)])
def test_both_translation_buffers_are_found(first: int, second: int) -> None:
    truth = replace(NOISY, dtlb1=first, dtlb2=second, sweep_high=64 * MIB)
    found = analysed(lambda truth: [working_set_probe(truth), tlb_probe(truth)], truth)
    assert covers(found["memory.dtlb1.reach"], first)
    assert covers(found["memory.dtlb2.reach"], second)


def test_a_second_buffer_beyond_the_range_is_a_bound() -> None:
    def capped(run: Run) -> Run:
        points = tuple(p for p in run.points if int(p.settings["count"]) <= 1024)
        return msgspec.structs.replace(run, points=points)

    found = analysed([tlb_probe(NOISY)], NOISY, change=capped)
    assert covers(found["memory.dtlb1.reach"], 96)
    assert found["memory.dtlb2.reach"].status in (Status.CENSORED, Status.OK)


def test_visits_that_disagree_eightfold_tell_no_rate() -> None:
    def edit(columns: Columns) -> None:
        streams = np.char.startswith(columns["point"].astype(str), "memory_hierarchy/bandwidth")
        columns["ticks"][streams & (columns["pass"] == 1)] *= 8

    rate = analysed(lambda truth: [working_set_probe(truth), bandwidth_probe(truth)], SMALL, edit=edit)[
        "bandwidth.dram.read"
    ]
    assert (rate.status, rate.value) == (Status.UNSTABLE, None)
    assert rate.reason.startswith("Visits disagree: all they tell is ")
