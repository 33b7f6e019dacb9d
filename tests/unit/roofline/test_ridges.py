"""Roofs and where they meet."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.ceilings import bandwidths, ceilings, peaks
from reportgen.roofline.ridges import ridges
from reportgen.status import Status


def roof(metric: str, value: float | None, half: float = 0.0, **changes: Any) -> Quantity:
    unit = "byte/second" if metric.startswith("bandwidth") else changes.pop("unit", "FLOP/second")
    fields: dict[str, Any] = {
        "status": Status.OK if value is not None else Status.UNSUPPORTED,
        "probe": f"roofline/{metric}", "method": "plateau", "n": 30, "taken": 60,
        "reason": "" if value is not None else "no such unit", "points": (f"{metric}#1",),
        "inputs": {"precision": half, "acceptance": 0.5, "passes": 3.0, "drift": 0.01},
    }  # fmt: skip
    if value is not None:
        fields |= {"value": value, "low": value * (1 - half), "high": value * (1 + half)}
    return Quantity(metric=metric, unit=unit, **(fields | changes))


PEAK = roof("peak.fp32", 160e9, 0.03)
DRAM = [
    roof("bandwidth.dram.read", 15e9, 0.04),
    roof("bandwidth.dram.copy", 11e9),
    roof("bandwidth.dram.triad", 13e9),
    roof("bandwidth.dram.nt_write", 99e9),
    roof("bandwidth.dram.write", 98e9),
    roof("bandwidth.dram.read.all_cores", 97e9),
]


def test_the_roof_of_a_level_is_its_best_ordinary_kernel_on_one_core() -> None:
    assert bandwidths(DRAM)["dram"].metric == "bandwidth.dram.read"


def test_ceilings_are_peaks_then_levels_outwards() -> None:
    given = [
        *DRAM,
        roof("bandwidth.l1.triad", 4e11),
        roof("peak.fp32.per_cycle", 64),
        roof("peak.bf16", None),
        PEAK,
    ]
    assert [one.metric for one in ceilings(given)] == [
        "peak.fp32",
        "bandwidth.l1.triad",
        "bandwidth.dram.read",
    ]
    assert [one.metric for one in peaks(given)] == ["peak.bf16", "peak.fp32"]


@given(
    st.floats(1e9, 1e13),
    st.floats(1e8, 1e12),
    st.floats(0, 0.2),
    st.floats(0, 0.2),
)
def test_the_interval_holds_both_errors_in_quadrature(
    peak: float, rate: float, one: float, other: float
) -> None:
    found = ridges([roof("peak.fp64", peak, one), roof("bandwidth.l2.read", rate, other)])[0]
    assert (found.metric, found.unit) == ("ridge.fp64.l2", "FLOP/byte")
    assert found.value == pytest.approx(peak / rate)
    assert found.low is not None
    assert found.high is not None
    relative = math.hypot(one, other)
    assert found.high - found.low == pytest.approx(2 * relative * peak / rate, abs=1e-9 * peak / rate)
    assert found.inputs["precision"] == pytest.approx(relative)


def test_a_ridge_names_its_roofs_and_the_weaker_inputs() -> None:
    weak = roof("bandwidth.dram.read", 15e9, inputs={"acceptance": 0.1, "passes": 2.0, "drift": 0.2}, n=7)
    found = ridges([PEAK, weak])[0]
    assert found.details == {"peak": "peak.fp32", "bandwidth": "bandwidth.dram.read", "kernel": "read"}
    assert found.points == ("peak.fp32#1", "bandwidth.dram.read#1")
    assert (found.inputs["acceptance"], found.inputs["passes"], found.inputs["drift"]) == (0.1, 2, 0.2)
    assert found.n == 7


def test_integer_peaks_have_ridges_in_op() -> None:
    found = ridges([roof("peak.int8", 7e11, unit="OP/second"), *DRAM])[0]
    assert (found.metric, found.unit) == ("ridge.int8.dram", "OP/byte")


def test_a_missing_roof_gives_its_status_and_reason() -> None:
    found = ridges([roof("peak.bf16", None), *DRAM])[0]
    assert (found.status, found.reason, found.value) == (Status.UNSUPPORTED, "no such unit", None)
    resident = roof("bandwidth.l3.read", None, status=Status.INVALID, reason="cache-resident")
    found = ridges([PEAK, resident])[0]
    assert (found.status, found.reason, found.value) == (Status.INVALID, "cache-resident", None)


def test_an_unverified_roof_makes_an_unverified_ridge() -> None:
    found = ridges([PEAK, roof("bandwidth.l1.read", 3e11, status=Status.UNVERIFIED, reason="no decoder")])[0]
    assert (found.status, found.reason) == (Status.UNVERIFIED, "no decoder")
    assert found.value is not None


def test_a_bound_on_a_roof_places_no_ridge() -> None:
    bound = roof("peak.fp64", 8e10, status=Status.CENSORED, high=None, reason="still rising")
    found = ridges([bound, *DRAM])[0]
    assert (found.status, found.value) == (Status.UNSTABLE, None)
    assert "peak.fp64 is only a bound" in found.reason


def test_nothing_in_nothing_out() -> None:
    assert ridges([]) == ()
    assert ceilings([PEAK]) == (PEAK,)
    assert ridges([PEAK]) == ()
