"""Instruction supply: boundaries are found where they are, and two lengths tell bytes from instructions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.analysis import footprint
from reportgen.analysis.quantity import Quantity
from reportgen.status import Status
from tests.simulated.asked import Asked
from tests.simulated.footprint_points import LENGTHS, delivered, footprint_probe, seen
from tests.simulated.truth import KIB, MIB, CpuTruth, TrueSupply
from tests.unit.analysis.cases import analysed, covers
from tests.unit.test_method_pages import constants

LARGE = 5 * MIB
HIERARCHIES = {
    "three levels": CpuTruth().supply,
    "no store of decoded instructions": (
        TrueSupply(4.0, 16, size=64 * KIB), TrueSupply(2.0, 8, size=MIB), TrueSupply(1.0, 4)
    ),
    "a large second cache": (
        TrueSupply(8.0, instructions=1024), TrueSupply(4.0, 16, size=32 * KIB), TrueSupply(2.0, 8)
    ),
    "a large first cache": (TrueSupply(8.0, 32, size=192 * KIB), TrueSupply(4.0, 16)),
}  # fmt: skip


def suite(truth: CpuTruth) -> list[Asked]:
    return [footprint_probe(truth)]


def found(supply: tuple[TrueSupply, ...], seed: int = 1) -> dict[str, Quantity]:
    return analysed(suite, replace(CpuTruth().quiet(), supply=supply), seed)


@pytest.mark.parametrize("name", HIERARCHIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_boundary_and_rate_of_a_known_hierarchy(name: str, seed: int) -> None:
    supply = HIERARCHIES[name]
    quantities = found(supply, seed)
    for code in LENGTHS:
        levels = seen(replace(CpuTruth(), supply=supply), code)
        for number, (end, rate) in enumerate(levels, 1):
            capacity = quantities[f"fetch.{code}.level{number}.capacity"]
            delivering = quantities[f"fetch.{code}.level{number}.rate"]
            assert delivering.value == pytest.approx(rate, rel=0.02), (code, number)
            if number == len(levels):
                assert capacity.status is Status.CENSORED, (code, number)
                assert capacity.low == 4 * MIB
            else:
                assert covers(capacity, end), (code, number, capacity.low, capacity.high)
        assert f"fetch.{code}.level{len(levels) + 1}.capacity" not in quantities


def test_two_lengths_agree_on_a_count_and_on_a_size() -> None:
    quantities = found(HIERARCHIES["three levels"])
    count, size = quantities["fetch.op_cache.capacity"], quantities["fetch.l1i.capacity"]
    assert covers(count, 1536)
    assert count.unit == "count"
    assert covers(size, 32 * KIB)
    assert set(count.details["of"]) == {"fetch.move2.level1.capacity", "fetch.move4.level1.capacity"}


def test_without_a_limit_in_instructions_none_is_named() -> None:
    quantities = found(HIERARCHIES["no store of decoded instructions"])
    assert "fetch.op_cache.capacity" not in quantities
    assert covers(quantities["fetch.l1i.capacity"], 64 * KIB)


def test_an_end_near_that_of_the_second_level_is_not_named_the_first() -> None:
    supply = (TrueSupply(6.0, 24, size=1.5 * MIB), TrueSupply(2.0, 8))
    assert "fetch.l1i.capacity" not in found(supply)  # the system reports 2 MiB


def test_a_boundary_beyond_the_range_is_a_lower_bound() -> None:
    supply = (TrueSupply(4.0, 64, size=LARGE), TrueSupply(1.0, 4))
    quantities = found(supply)
    for code in LENGTHS:
        capacity = quantities[f"fetch.{code}.level1.capacity"]
        assert capacity.status is Status.CENSORED
        assert capacity.low == 4 * MIB
        assert capacity.high is None
    assert "fetch.l1i.capacity" not in quantities


def test_ends_that_lie_close_together_are_one() -> None:
    # 4096 no-operations of 4 bytes are 16 KiB: nothing of a level between that and 32 KiB shows
    supply = (TrueSupply(6.0, instructions=4096), *HIERARCHIES["three levels"][1:])
    quantities = found(supply)
    first = quantities["fetch.nop4.level1.capacity"]
    assert first.low is not None
    assert first.high is not None
    assert first.low <= 16 * KIB
    assert first.high < MIB
    assert covers(quantities["fetch.op_cache.capacity"], 4096)  # moves of two bytes end far enough inside


def test_the_curve_is_kept_for_the_figure() -> None:
    details = found(HIERARCHIES["three levels"])["fetch.move2.level1.capacity"].details
    assert len(details["bytes"]) == len(details["cycles"]) == 49
    assert details["length"] == 2
    assert details["cycles"][0] == pytest.approx(1 / delivered(HIERARCHIES["three levels"][0], 2), rel=0.02)


def test_the_page_of_the_method_gives_the_constants() -> None:
    written = constants("code-footprint.md")
    assert float(written["least step"]) == footprint.LEAST_STEP
    assert int(written["boundaries of a curve, at most"]) == footprint.MOST
    assert float(written["share of the second level"]) == footprint.SHARE_OF_L2
