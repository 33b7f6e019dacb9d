"""Pairs of cores that a probe asks for."""

from __future__ import annotations

import pytest

from reportgen.suite.expand import ALL_PAIRS, MOST_PAIRS, pair_of, pairs_of_cores


def test_one_core_is_asked_for_the_pair_that_it_has_not() -> None:
    assert pairs_of_cores(1) == pairs_of_cores(2) == ("0-1", "1-0")


@pytest.mark.parametrize("cores", [2, 3, 5, ALL_PAIRS])
def test_few_cores_are_asked_for_every_pair_both_ways(cores: int) -> None:
    found = [pair_of(pair) for pair in pairs_of_cores(cores)]
    assert sorted(found) == [(a, b) for a in range(cores) for b in range(cores) if a != b]


@pytest.mark.parametrize("cores", [9, 12, 16, 24, 31, 32, 64, 96, 128, 192, 384])
def test_many_cores_are_asked_for_some_pairs_of_each(cores: int) -> None:
    found = [pair_of(pair) for pair in pairs_of_cores(cores)]
    assert len(found) == len(set(found)) <= max(MOST_PAIRS, cores)
    assert {first for first, _ in found} == set(range(cores))
    assert all(first != second and 0 <= second < cores for first, second in found)
    distances = {(second - first) % cores for first, second in found}
    assert {1, cores // 2} <= distances
    assert len(distances) >= 3
