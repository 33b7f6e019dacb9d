"""Roofs of all cores beside those of one."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.all_cores import pairs, together
from reportgen.roofline.sheet import Sheet
from reportgen.status import Status
from tests.unit.roofline.cases import roof

SHEET = Sheet(
    "core", "Core", "run",
    (roof("fp32", 100e9), roof("fp64", 50e9)), (roof("l1", 1000e9), roof("dram", 20e9)), (), (), (), (),
)  # fmt: skip


def quantity(metric: str, value: float | None, unit: str, status: Status = Status.OK) -> Quantity:
    low, high = (None, None) if value is None else (0.9 * value, 1.1 * value)
    return Quantity(metric, unit, status, "probe", "method", value=value, low=low, high=high)


GIVEN = (
    quantity("peak.fp32.sustained", 700e9, "FLOP/second"),
    quantity("bandwidth.dram.all_cores", 60e9, "byte/second"),
    quantity("bandwidth.l1.all_cores", None, "byte/second", Status.SKIPPED),
)


def test_what_was_measured_on_all_cores_is_paired_with_its_roof_of_one() -> None:
    found = pairs(SHEET, GIVEN)
    assert [(pair.one.name, pair.ratio) for pair in found] == [("fp32", 7.0), ("dram", 3.0)]
    assert found[0].every.metric == "peak.fp32.sustained"
    assert pairs(msgspec.structs.replace(SHEET, gpu=True), GIVEN) == ()


def test_ridges_follow_with_the_widest_interval() -> None:
    whole = together(SHEET, pairs(SHEET, GIVEN))
    (ridge,) = whole.ridges
    assert ridge.value == pytest.approx(700 / 60)
    assert (ridge.low, ridge.high) == (pytest.approx(630 / 66), pytest.approx(770 / 54))
    assert whole.points == ()
