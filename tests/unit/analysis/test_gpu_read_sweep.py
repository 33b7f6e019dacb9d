"""What all multiprocessors see of a cache is found again; where nothing shows it, nothing is said."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.gpu import make
from tests.simulated.gpu_memory import reads
from tests.simulated.gpu_truth import MIB, GpuTruth

TRUTH = GpuTruth()


def found(truth: GpuTruth, keep: int = 99, reported: int | None = None) -> Quantity:
    probe, points = reads(truth)
    run, rows = make(truth, asked=[(probe, points[:keep])])
    if reported is not None:
        device = msgspec.structs.replace(run.device, reported={"l2_bytes": reported})
        run = msgspec.structs.replace(run, device=device)
    (one,) = quantities(run, pa.table(rows))
    assert one.metric == "memory.l2.capacity.all_multiprocessors"
    return one


@pytest.mark.parametrize("size", [26, 38, 50, 58, 90])
def test_the_capacity_is_within_the_interval(size: int) -> None:
    one = found(replace(TRUTH, l2_of_all=size * MIB))
    assert one.status is Status.OK
    assert one.low is not None
    assert one.high is not None
    assert one.low <= size * MIB < one.high


def test_a_larger_cache_is_a_bound() -> None:
    one = found(replace(TRUTH, l2_bytes=256 * MIB, l2_of_all=256 * MIB))
    assert (one.status, one.low, one.high) == (Status.CENSORED, 128 * MIB, None)


def test_a_rate_that_the_cache_does_not_bound_says_nothing() -> None:
    one = found(replace(TRUTH, memory_rate=TRUTH.l2_rate))
    assert (one.status, one.value) == (Status.UNSTABLE, None)
    assert "far beyond" in one.reason


@pytest.mark.parametrize("reported", [0, 6 * MIB])
def test_a_cache_that_does_not_hold_the_smallest_sizes_says_nothing(reported: int) -> None:
    one = found(replace(TRUTH, l2_of_all=6 * MIB), reported=reported)
    assert (one.status, one.value) == (Status.UNSTABLE, None)
    assert "does not hold" in one.reason


def test_few_sizes_show_no_end() -> None:
    one = found(TRUTH, keep=5)
    assert (one.status, one.value) == (Status.UNSTABLE, None)
