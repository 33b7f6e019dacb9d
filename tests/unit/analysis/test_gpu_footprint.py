"""Instruction caches of simulated GPUs: boundaries and rates are found, and keep their numbers for names."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import fetch
from reportgen.findings.derive import derive
from reportgen.status import Status
from tests.simulated import gpu
from tests.simulated.gpu_footprint import KIB, PROBE, TrueCode, footprint
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.analysis.cases import covers

CODES = {"ffma": 1, "ffma_16_warps": 16}
HIERARCHIES = {
    "two caches": TrueCode(),
    "a small one": TrueCode(((12 * KIB, 2.0, 0.5), (math.inf, 4.0, 1.0))),
    "three": TrueCode(
        ((8 * KIB, 1.0, 0.25), (32 * KIB, 2.0, 0.5), (128 * KIB, 4.0, 2.0), (math.inf, 9.0, 6.0))
    ),
}


def found(truth: TrueCode) -> dict[str, Quantity]:
    run, rows = gpu.make(GpuTruth(), asked=[footprint(truth)])
    return {one.metric: one for one in quantities(run, pa.table(rows))}


@pytest.mark.parametrize("name", HIERARCHIES)
def test_every_level_of_a_known_hierarchy(name: str) -> None:
    truth = HIERARCHIES[name]
    quantities = found(truth)
    for code, warps in CODES.items():
        for number, (end, one, all_warps) in enumerate(truth.levels, 1):
            stem = f"fetch.{code}.level{number}"
            cycles = one if warps == 1 else all_warps
            # what counts a pass is part of what one warp shows
            assert quantities[f"{stem}.rate"].value == pytest.approx(
                1 / cycles, rel=0.15 if warps == 1 else 0.02
            )
            capacity = quantities[f"{stem}.capacity"]
            if math.isfinite(end):
                assert covers(capacity, end), (stem, capacity.low, capacity.high)
            else:
                assert capacity.status is Status.CENSORED
                assert capacity.low == 256 * KIB
        assert f"fetch.{code}.level{len(truth.levels) + 1}.capacity" not in quantities


def test_a_boundary_beyond_the_range_is_a_lower_bound() -> None:
    quantities = found(TrueCode(((512 * KIB, 1.0, 0.25), (math.inf, 8.0, 4.0))))
    for code in CODES:
        capacity = quantities[f"fetch.{code}.level1.capacity"]
        assert (capacity.status, capacity.low, capacity.high) == (Status.CENSORED, 256 * KIB, None)
        assert f"fetch.{code}.level2.capacity" not in quantities


def test_one_length_tells_no_name() -> None:
    run, rows = gpu.make(GpuTruth(), asked=[footprint(TrueCode())])
    findings = {one.id: one for one in derive(run, quantities(run, pa.table(rows)))}
    assert not {"fetch.l1i.capacity", "fetch.op_cache.capacity"} & set(findings)
    assert findings["fetch.ffma.level1.capacity"].sentence.startswith(
        "Straight code of FFMA keeps the rate of "
    )
    assert "FFMA, 16 warps" in findings["fetch.ffma_16_warps.level1.rate"].sentence
    inferred = findings["resource:fetch.ffma.level1.capacity"]
    assert "is not told apart" in inferred.sentence
    assert {fetch.SIZE, fetch.COUNT} <= set(inferred.alternatives)
    assert findings[f"hypothesis:{PROBE}"].verdict == "supported"
