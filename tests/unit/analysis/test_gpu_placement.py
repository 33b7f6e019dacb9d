"""Clusters in parts of unequal size: what is said covers every place, and what fits nowhere has no number."""

from __future__ import annotations

from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_placement import Parts, clusters
from tests.simulated.gpu_truth import GpuTruth
from tests.unit.analysis.simulated_gpus import near

WHOLE, CUT = Parts(), Parts(sizes=(14, 12, 12, 10))


@cache
def found(parts: Parts, seed: int) -> dict[str, Quantity]:
    run, rows = make(GpuTruth(), seed=seed, asked=[clusters(parts)])
    return {one.metric.removeprefix("memory.cluster."): one for one in quantities(run, pa.table(rows))}


@pytest.mark.parametrize("seed", range(1, 9))
def test_an_interval_lies_among_the_ways_that_there_are(seed: int) -> None:
    for name, one in found(WHOLE, seed).items():
        size, peer = name.split(".")
        if peer == "own":
            assert near(one, WHOLE.own), name
            continue
        ways = [WHOLE.pair, WHOLE.neighbour, WHOLE.farther]
        assert one.value is not None, one.reason
        assert ways[0] * 0.99 <= one.value <= ways[-1] * 1.01, name
        assert (one.low or 0.0) <= one.value <= (one.high or 0.0), name
        if (size, peer) == ("16", "last"):  # always in another group: there is one way
            assert near(one, WHOLE.farther), name


def test_places_that_differ_from_visit_to_visit_widen_the_interval() -> None:
    width = {}
    for seed in range(1, 9):
        for name, one in found(WHOLE, seed).items():
            width.setdefault(name, []).append((one.high or 0.0) - (one.low or 0.0))
    assert max(width["2.next"]) > 5 * max(width["2.own"])


def test_a_cluster_that_fits_nowhere_has_a_reason_and_no_number() -> None:
    small = found(CUT, 1)
    for peer in ("own", "next", "last"):
        assert (small[f"16.{peer}"].value, small[f"16.{peer}"].status) == (None, Status.UNSUPPORTED)
        assert "no part of this device holds a cluster" in small[f"16.{peer}"].reason
        assert small[f"8.{peer}"].value is not None
