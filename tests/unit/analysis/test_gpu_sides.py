"""Groups of multiprocessors by the lines that are near to them are found again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.gpu_sides import COLUMNS, sides
from tests.simulated.gpu import make
from tests.simulated.gpu_memory import LINES, distances
from tests.simulated.gpu_truth import GpuTruth

NEAR, FAR = 200.0, 360.0


def seen(truth: GpuTruth) -> dict[str, Any]:
    run, rows = make(truth, asked=[distances(truth)])
    found = {one.metric: one for one in quantities(run, pa.table(rows))}
    return found["memory.l2.distance.near"].details


def test_two_sides_see_the_lines_the_other_way_round() -> None:
    details = seen(replace(GpuTruth(), sides=2, far_share=0.4))
    first, second = details["groups"]
    assert {number % 2 for number in first["multiprocessors"]} == {0}
    assert {number % 2 for number in second["multiprocessors"]} == {1}
    assert (first["near_share"], second["near_share"]) == (pytest.approx(0.6), pytest.approx(0.4))
    assert (first["near"], first["far"]) == (pytest.approx(NEAR, rel=0.02), pytest.approx(FAR, rel=0.02))
    drawn = details["map"]
    assert drawn["group"] == sorted(drawn["group"])
    assert sum(drawn["lines"]) == LINES
    assert len(drawn["lines"]) <= COLUMNS
    # lines that are near to the first group come first, and each column is of one group
    cells = np.array(drawn["cycles"])
    near = np.array(drawn["line_group"]) == 0
    assert (cells[0] < 220).tolist() == near.tolist()
    assert (cells[-1] > 340).tolist() == near.tolist()


def test_all_see_the_same_lines_near() -> None:
    (only,) = seen(GpuTruth())["groups"]
    assert only["near_share"] == pytest.approx(0.5)


def test_a_cache_in_one_piece_has_one_group_without_far_lines() -> None:
    (only,) = seen(replace(GpuTruth(), far=GpuTruth().near))["groups"]
    assert (only["near_share"], only["far"]) == (1.0, None)


def made(near: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """Of a matrix [multiprocessor, line] of what is near."""
    count, lines = near.shape
    level = np.where(near, NEAR, FAR) + 8 * rng.normal(size=near.shape)
    place, line = (at.reshape(-1) for at in np.indices((count, lines)))
    return sides(level.reshape(-1), 280.0, place, line)


def test_three_groups_with_strays_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    patterns = rng.random((3, 512)) < 0.5
    true = np.repeat([0, 1, 2], [60, 44, 28])
    near = patterns[true] ^ (rng.random((132, 512)) < 0.05)
    found = made(near, rng)["groups"]
    assert [one["multiprocessors"] for one in found] == [
        np.flatnonzero(true == one).tolist() for one in range(3)
    ]


def test_patterns_that_have_nothing_in_common_make_no_groups() -> None:
    rng = np.random.default_rng(4)
    found = made(rng.random((40, 256)) < 0.5, rng)
    assert [len(one["multiprocessors"]) for one in found["groups"]] == [40]


def test_one_multiprocessor_is_no_map() -> None:
    rng = np.random.default_rng(5)
    assert made(rng.random((1, 64)) < 0.5, rng) == {}
