"""Work and bytes that counters gave take the place of those that were counted, and say so."""

from __future__ import annotations

import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.points import Source, measured
from reportgen.status import Status
from tests.unit.roofline.cases import MIB, roofs

BYTES = 64 * MIB


def kernel(**details: float) -> Quantity:
    told: dict[str, object] = {"flop": 1e9, "bytes": BYTES, "precision": "fp32", **details}
    return Quantity(
        "kernel.saxpy.1", "FLOP/second", Status.OK, "p", "library", value=4e9, low=3.9e9, high=4.1e9,
        details=told,
    )  # fmt: skip


def test_counters_take_their_place() -> None:
    (point,), _ = measured([kernel(counter_flop=2e9, counter_dram_bytes=3 * BYTES)], roofs())
    assert (point.work_source, point.bytes_source) == (Source.COUNTER, Source.COUNTER)
    assert point.work == 2e9
    assert point.moved["dram"].least == 3 * BYTES
    # twice the work in the same time
    assert (point.rate, point.low, point.high) == (8e9, 7.8e9, 8.2e9)
    assert point.seconds == pytest.approx(0.25)


def test_without_counters_it_is_as_the_probe_states() -> None:
    (point,), _ = measured([kernel()], roofs())
    assert (point.work_source, point.bytes_source) == (Source.COUNTED, Source.COMPULSORY)
    assert (point.work, point.rate, point.moved["dram"].least) == (1e9, 4e9, BYTES)


def test_a_level_that_no_counter_speaks_of_stays_counted() -> None:
    (point,), _ = measured([kernel(counter_l2_bytes=2 * BYTES)], roofs())
    assert point.moved["l2"].least == 2 * BYTES
    assert point.moved["dram"].least == BYTES
    assert point.work_source is Source.COUNTED


def test_the_first_level_carries_what_shared_memory_moves() -> None:
    (point,), _ = measured([kernel(counter_l1_bytes=2 * BYTES, counter_shared_bytes=3 * BYTES)], roofs())
    assert point.moved["l1"].least == 5 * BYTES
    assert point.intensity("l1") == 1e9 / (5 * BYTES)
    (point,), _ = measured([kernel(counter_shared_bytes=3 * BYTES)], roofs())
    assert point.moved["l1"].least == BYTES


def test_a_routine_none_of_whose_sizes_was_measured_has_no_place() -> None:
    none = Quantity(
        "kernel.vendor_gemm_fp16", "FLOP/second", Status.UNSUPPORTED, "p", "library", reason="no cuBLAS"
    )
    points, absent = measured([none], roofs())
    assert points == ()
    assert (absent[0].name, absent[0].reason) == ("vendor_gemm_fp16", "no cuBLAS")


def test_integer_work_is_counted_in_op() -> None:
    told: dict[str, object] = {"op": 1e9, "bytes": BYTES, "precision": "tensor_int8", "counter_op": 2e9}
    one = Quantity(
        "kernel.vendor_gemm_int8.64", "OP/second", Status.UNVERIFIED, "p", "library", value=4e9, low=3.9e9,
        high=4.1e9, details=told,
    )  # fmt: skip
    (point,), _ = measured([one], roofs())
    assert (point.unit, point.work, point.rate) == ("OP", 2e9, 8e9)
