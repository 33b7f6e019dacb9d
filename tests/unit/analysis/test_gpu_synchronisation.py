"""What waiting and sharing costs on simulated GPUs, against what they were made to cost."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_synchronisation import QUESTIONS
from tests.simulated.gpu_truth import GpuTruth, Question
from tests.unit.analysis.simulated_gpus import near

TRUTH = GpuTruth()
STEEP = replace(
    TRUTH, barrier=14.0, barrier_warp=4.5, cluster_block=11.0, atomic_shared=(80.0, 9.0), one_address=1.2e9,
    path_again=0.4,
)  # fmt: skip


@cache
def found(truth: GpuTruth = TRUTH) -> dict[str, Quantity]:
    run, rows = make(truth, asked=[question(truth) for question in QUESTIONS])
    return {one.metric: one for one in quantities(run, pa.table(rows))}


@pytest.mark.parametrize("truth", [TRUTH, STEEP], ids=["gentle", "steep"])
def test_a_barrier_that_costs_more_with_every_warp_tells_by_how_much(truth: GpuTruth) -> None:
    by_metric = found(truth)
    for warps in (1, 2, 4, 8, 16, 32):
        each = truth.barrier + truth.barrier_warp * (warps - 1)
        assert near(by_metric[f"barrier.block.{warps}"], each)
    further = by_metric["barrier.block.further"]
    assert near(further, truth.barrier_warp)
    assert further.details["of"] == "warps"
    assert near(by_metric["barrier.cluster.further"], truth.cluster_block)
    assert near(by_metric["barrier.cluster.8"], truth.cluster_barrier + 6 * truth.cluster_block)
    assert near(by_metric["barrier.memory.8"], truth.memory_barrier)


def test_a_barrier_that_costs_the_same_with_all_has_no_slope() -> None:
    further = found(replace(TRUTH, barrier_warp=0.0))["barrier.block.further"]
    assert (further.status, further.value) == (Status.UNSUPPORTED, None)
    assert "nothing is added" in further.reason


def test_times_that_are_on_no_line_have_no_slope() -> None:
    bent = [
        _bent(question(TRUTH)) if number == 0 else question(TRUTH)
        for number, question in enumerate(QUESTIONS)
    ]
    run, rows = make(TRUTH, asked=bent)
    by_metric = {one.metric: one for one in quantities(run, pa.table(rows))}
    assert by_metric["barrier.block.further"].status is Status.UNSTABLE
    assert "straight line is off by" in by_metric["barrier.block.further"].reason
    assert by_metric["barrier.block.32"].status is Status.OK


def _bent(question: Question) -> Question:
    """With four more than eight warps twice as slow again."""
    info, points = question
    return info, [
        replace(one, cycles=tuple(2 * cycles for cycles in one.cycles))
        if int(one.point.settings["warps"]) > 8
        else one
        for one in points
    ]


def test_fences_alone_and_behind_a_store() -> None:
    by_metric = found()
    for scope, alone, behind in zip(
        ("block", "device", "system"), TRUTH.fences, TRUTH.fences_behind, strict=True
    ):
        assert near(by_metric[f"fence.{scope}.alone"], alone)
        assert near(by_metric[f"fence.{scope}.behind_store"], behind)


@pytest.mark.parametrize("truth", [TRUTH, STEEP], ids=["gentle", "steep"])
def test_lanes_that_take_turns_at_an_address(truth: GpuTruth) -> None:
    alone, further = truth.atomic_shared
    assert near(found(truth)["atomic.shared.conflict"], further)
    assert near(found(truth)["atomic.shared.together"], (alone + 31 * further) / alone)


def test_lanes_that_cost_nothing_at_an_address_have_a_ratio_and_no_slope() -> None:
    by_metric = found()
    assert by_metric["atomic.global.conflict"].status is Status.UNSUPPORTED
    ratio = by_metric["atomic.global.together"]
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.low <= 1.001
    assert ratio.high >= 0.999


@pytest.mark.parametrize("truth", [TRUTH, STEEP], ids=["gentle", "steep"])
def test_the_rate_at_one_address_and_apart(truth: GpuTruth) -> None:
    by_metric = found(truth)
    assert near(by_metric["atomic.device.one_address"], truth.one_address)
    assert near(by_metric["atomic.device.one_line"], truth.one_line)
    assert near(by_metric["atomic.device.own_address"], truth.own_address)
    spread = by_metric["atomic.device.spread"]
    assert near(spread, truth.apart)
    assert spread.details["best"] == 512


@pytest.mark.parametrize("truth", [TRUTH, STEEP], ids=["one after the other", "partly at once"])
def test_what_a_further_path_takes(truth: GpuTruth) -> None:
    by_metric = found(truth)
    assert near(by_metric["divergence.path"], truth.path * truth.path_again)
    assert near(by_metric["divergence.factor"], truth.path_again)
    assert by_metric["divergence.factor"].details["factors"][0] == pytest.approx(1.0)


def test_paths_that_were_not_gone_through_are_no_paths() -> None:
    one = found(replace(TRUTH, path=0.0))["divergence.path"]
    assert (one.status, one.value) == (Status.INVALID, None)


def test_intervals_hold_the_truth() -> None:
    held = [
        one.low <= truth <= one.high
        for metric, truth in (
            ("barrier.block.further", TRUTH.barrier_warp),
            ("barrier.cluster.further", TRUTH.cluster_block),
            ("divergence.factor", 1.0),
            ("atomic.shared.conflict", TRUTH.atomic_shared[1]),
        )
        if (one := found()[metric]).low is not None and one.high is not None
    ]
    assert len(held) == 4
    assert sum(held) >= 3, "noise here only adds, so that an interval may lie just above"
