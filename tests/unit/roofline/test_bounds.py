"""What can be attained, and how long work takes at least."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.roofline.bounds import Moved, attainable, bound, predict, without_overlap
from tests.unit.roofline.cases import roof, roofs

RATES = st.floats(1e8, 1e14)
INTENSITIES = st.floats(1e-3, 1e4)


@given(RATES, RATES, INTENSITIES)
def test_without_overlap_is_between_half_and_the_whole_of_the_roof(
    peak: float, rate: float, intensity: float
) -> None:
    roof, least = attainable(peak, rate, intensity), without_overlap(peak, rate, intensity)
    assert roof / 2 * (1 - 1e-9) <= least <= roof


@given(RATES, RATES)
def test_at_the_ridge_it_is_exactly_half(peak: float, rate: float) -> None:
    assert without_overlap(peak, rate, peak / rate) == pytest.approx(peak / 2)


@pytest.mark.parametrize(("peak", "rate", "ridge"), [(19.5e12, 2.0e12, 9.75), (312e12, 2.0e12, 156.0)])
def test_known_ridges(peak: float, rate: float, ridge: float) -> None:
    assert attainable(peak, rate, ridge) == peak
    assert attainable(peak, rate, ridge * 0.99) < peak


def test_the_lowest_of_all_levels_binds_each_at_its_own_intensity() -> None:
    # 10 FLOP a byte of memory, half a FLOP a byte of the second level: 200 G in both, 250 G in the first
    moved = {"l1": Moved(4e9), "l2": Moved(2e9), "dram": Moved(1e8)}
    found = bound(1e9, moved, "bf16", roofs())
    assert found is not None
    assert (found.limiter, found.kind) == ("l2", "memory")
    assert found.value == pytest.approx(200e9)
    assert found.without_overlap == pytest.approx(1 / (1 / 400e9 + 1 / 200e9))


def test_a_roof_whose_interval_overlaps_is_a_rival() -> None:
    some = roofs(roof("fp32", 100e9, 0.02), roof("dram", 20e9, 0.05))
    near = bound(1e9, {"dram": Moved(1e9 / 5.1)}, "fp32", some)
    far = bound(1e9, {"dram": Moved(1e9 / 8)}, "fp32", some)
    assert near is not None
    assert far is not None
    assert (near.limiter, near.rivals) == ("fp32", ("dram",))
    assert (far.limiter, far.rivals) == ("fp32", ())


def test_an_interval_of_bytes_widens_the_bound() -> None:
    found = bound(1e9, {"dram": Moved(1e9, 4e9)}, "fp32", roofs())
    assert found is not None
    assert (found.low, found.value, found.high) == pytest.approx((5e9, 20e9, 20e9))


def test_a_level_without_a_roof_is_named_and_none_at_all_gives_nothing() -> None:
    found = bound(1e9, {"l3": Moved(1e9)}, "fp32", roofs())
    assert found is not None
    assert (found.limiter, found.unknown) == ("fp32", ("l3",))
    assert bound(1e9, {"l3": Moved(1e9)}, "fp8", roofs()) is None


def test_predicted_time_lies_between_the_largest_and_the_sum() -> None:
    moved = {"l1": Moved(1e9), "dram": Moved(1e9, 2e9)}
    found = predict(1e10, moved, "fp32", roofs())
    assert found is not None
    assert found.parts == pytest.approx({"fp32": 0.1, "l1": 0.001, "dram": 0.05})
    assert (found.limiter, found.at_least, found.at_most) == (
        "fp32",
        pytest.approx(0.1),
        pytest.approx(0.201),
    )
    assert found.unknown == ()
    lacking = predict(1e10, {"l3": Moved(1.0), "dram": Moved(1e9)}, "fp8", roofs())
    assert lacking is not None
    assert lacking.unknown == ("fp8", "l3")
    assert predict(1.0, {"l3": Moved(1.0)}, "fp8", roofs()) is None


@given(st.floats(1, 1e15), st.floats(1, 1e12), st.floats(1, 4))
def test_times_are_ordered_and_agree_with_the_bound(work: float, least: float, factor: float) -> None:
    moved = {"dram": Moved(least, least * factor)}
    times, rate = predict(work, moved, "fp32", roofs()), bound(work, moved, "fp32", roofs())
    assert times is not None
    assert rate is not None
    assert times.at_least <= times.at_most
    assert work / rate.value == pytest.approx(times.at_least)
    assert rate.low <= rate.value <= rate.high
