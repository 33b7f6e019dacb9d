"""Swizzled and promoted tiles of a simulated GPU are found beside plain ones, as ratios."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_tiles import BYTES, COPIES, misses, promoted, swizzled
from tests.simulated.gpu_truth import GpuTruth, Question

TRUTH = GpuTruth()


def found(question: Question, without: str = "") -> dict[str, Quantity]:
    run, rows = make(TRUTH, asked=[question])
    if without:
        kept = [at for at, point in enumerate(rows["point"]) if without not in point]
        rows = {name: [column[at] for at in kept] for name, column in rows.items()}
    return {one.metric: one for one in quantities(run, pa.table(rows))}


def near(quantity: Quantity, truth: float) -> bool:
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low * 0.999 <= truth <= quantity.high * 1.001


@pytest.mark.parametrize("longer", [1.0, 1.25])
def test_a_swizzled_tile_over_a_plain_one(longer: float) -> None:
    both = found(swizzled(replace(TRUTH, swizzled=longer)))
    for row in (32, 64, 128):
        one = both[f"memory.tile.swizzle.{row}"]
        assert (one.status, one.unit) == (Status.OK, "ratio")
        assert near(one, longer)


def test_a_walk_is_shorter_the_more_a_miss_brings() -> None:
    both = found(promoted(TRUTH))
    plain = COPIES * (TRUTH.copy_fixed + BYTES / TRUTH.copy_rate)
    for promotion in (64, 128, 256):
        truth = (plain + misses(promotion) * TRUTH.tile_miss) / (plain + misses(0) * TRUTH.tile_miss)
        assert near(both[f"memory.tile.promotion.{promotion}"], truth)
    assert (misses(0), misses(64), misses(128), misses(256)) == (15, 7, 3, 1)


def test_without_the_plain_one_there_is_no_ratio() -> None:
    one = found(swizzled(TRUTH), "row=64,swizzle=no")["memory.tile.swizzle.64"]
    assert one.value is None
    assert found(promoted(TRUTH), "promotion=0")["memory.tile.promotion.256"].value is None
