"""Bytes at each level, and where their intensity stops growing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.roofline.traffic import intensity_limit, product, product_bytes, single_pass
from tests.unit.roofline.cases import KIB, MIB

SIZES = st.integers(1, 8192)
CACHES = st.floats(KIB, 64 * MIB)


def test_a_small_product_moves_each_operand_once() -> None:
    n = 128
    assert 2 * n**3 / product_bytes(n, n, n, 4, MIB) == pytest.approx(n / 6)
    assert 2 * n**3 / product_bytes(n, n, n, 8, MIB) == pytest.approx(n / 12)


def test_behind_a_mebibyte_fp32_stops_at_128() -> None:
    assert intensity_limit(MIB, 4) == pytest.approx(128)
    n = 1 << 17
    assert 2 * n**3 / product_bytes(n, n, n, 4, MIB) == pytest.approx(128, rel=0.01)
    # N/6 meets the limit at N = 768
    assert intensity_limit(MIB, 4) == 768 / 6


@given(SIZES, SIZES, SIZES, CACHES, st.sampled_from([2.0, 4.0, 8.0]))
def test_traffic_is_a_bound_that_a_larger_cache_never_raises(
    m: int, n: int, k: int, cache: float, word: float
) -> None:
    compulsory = product_bytes(m, n, k, word)
    near, far = product_bytes(m, n, k, word, cache), product_bytes(m, n, k, word, 2 * cache)
    assert compulsory == pytest.approx((m * k + k * n + m * n) * word)
    assert compulsory <= far <= near * (1 + 1e-12)
    if 3 * max(m, n, k) ** 2 * word <= cache:  # all of it fits
        assert near == compulsory


@given(SIZES, CACHES)
def test_the_intensity_of_a_large_product_stays_below_its_limit(n: int, cache: float) -> None:
    words = cache / 4
    if n >= 4 * math.sqrt(words):
        # the term -2 S lets it exceed the limit by less than 1/(1 - sqrt(S)^3/n^3)
        room = 1 / (1 - words**1.5 / n**3)
        assert 2 * n**3 / product_bytes(n, n, n, 4, cache) <= intensity_limit(cache, 4) * room * (1 + 1e-9)


def test_each_level_is_crossed_by_what_the_next_cache_inwards_cannot_keep() -> None:
    ends = {"l1": (31 * KIB, 33 * KIB), "l2": (900 * KIB, 1100 * KIB)}
    n = 1024
    found = product(n, n, n, 4, ("l1", "l2", "dram"), ends)
    assert found["l1"].least == 12 * n * n  # registers are no level: compulsory only
    assert found["l2"].least == product_bytes(n, n, n, 4, 33 * KIB)
    assert found["dram"].least == product_bytes(n, n, n, 4, 1100 * KIB)
    assert found["l2"].least > found["dram"].least


def test_a_single_pass_is_the_same_at_every_level() -> None:
    found = single_pass(12 * 4096, ("l1", "l2"))
    assert {level: 2 * 4096 / moved.least for level, moved in found.items()} == {"l1": 1 / 6, "l2": 1 / 6}
    found = single_pass(24 * 4096, ("l1", "dram"))
    assert 2 * 4096 / found["dram"].least == 1 / 12
