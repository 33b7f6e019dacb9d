from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reportgen import units

positive = st.floats(min_value=1e-12, max_value=1e18, allow_nan=False)
numbers = st.one_of(positive, positive.map(lambda x: -x), st.just(0.0))

FACTORS = {
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "m": 1e-3,
    "µ": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
}
BINARY = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


@given(numbers, st.integers(min_value=1, max_value=8))
def test_significant_keeps_as_many_digits_as_asked(value: float, digits: int) -> None:
    assert float(units.significant(value, digits)) == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits))


@given(numbers)
def test_significant_has_no_loose_ends(value: float) -> None:
    text = units.significant(value)
    assert "e" not in text.lower()
    assert not ("." in text and text.endswith(("0", ".")))


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (4.0, "4"), (4.0004, "4"), (12345.6, "12350"), (0.0012345, "0.001234")]
)
def test_significant_as_people_write_it(value: float, text: str) -> None:
    assert units.significant(value) == text


@given(st.floats(min_value=1, max_value=2.0**50))
def test_a_capacity_is_read_back_from_its_text(size: float) -> None:
    number, prefix = units.format_bytes(size).split(" ")
    assert float(number) * BINARY[prefix] == pytest.approx(size, rel=0.51e-3)
    assert prefix == "TiB" or float(number) <= 1024


@given(st.sampled_from(sorted(units.PREFIXED)), st.floats(min_value=1, max_value=1e17))
def test_a_rate_is_read_back_from_its_text(unit: str, value: float) -> None:
    number, prefixed = units.format_value(value, unit).split(" ")
    prefix = prefixed.removesuffix(units.format_value(1.0, unit).split(" ")[1])
    assert float(number) * FACTORS[prefix] == pytest.approx(value, rel=0.51e-3)


@given(st.floats(min_value=1e-12, max_value=1e3))
def test_a_duration_is_read_back_from_its_text(value: float) -> None:
    number, prefixed = units.format_value(value, "second").split(" ")
    assert float(number) * FACTORS[prefixed.removesuffix("s")] == pytest.approx(value, rel=0.51e-3)


@given(positive, positive, st.sampled_from(["cycle", "byte", "byte/second", "second", "ratio", "FLOP/byte"]))
def test_an_interval_says_its_unit_and_both_ends(first: float, second: float, unit: str) -> None:
    low, high = sorted((first, second))
    text = units.format_interval(low, high, unit)
    ends = units.format_value(low, unit), units.format_value(high, unit)
    assert text.endswith(ends[1])
    if ends[0] == ends[1]:
        assert text == ends[0]
    else:
        assert text.startswith(ends[0].split(" ")[0])
        assert " … " in text


@given(st.integers(min_value=0, max_value=2**50))
def test_a_size_in_bytes_is_parsed_as_it_is(size: int) -> None:
    assert units.parse_size(str(size)) == size
    assert units.parse_size(f" {size}B ") == size


@given(st.integers(min_value=1, max_value=4096), st.sampled_from(["KiB", "MiB", "GiB"]))
def test_a_size_with_a_prefix_is_parsed(count: int, prefix: str) -> None:
    assert units.parse_size(f"{count} {prefix}") == count * BINARY[prefix]
    assert units.parse_size(f"{count}{prefix.lower()}") == count * BINARY[prefix]


@given(st.integers(min_value=1, max_value=2**40))
def test_what_is_printed_short_enough_is_parsed_back(size: int) -> None:
    text = units.format_bytes(size)
    assume(math.isclose(float(text.split(" ")[0]) * BINARY[text.split(" ")[1]], size))
    assert units.parse_size(text) == pytest.approx(size, rel=1e-3)


@pytest.mark.parametrize("text", ["", "many", "4 kilobytes", "KiB"])
def test_what_is_not_a_size_says_what_is_expected(text: str) -> None:
    with pytest.raises(ValueError, match="expected for example 4KiB"):
        units.parse_size(text)


def test_a_statistic_is_a_share_or_a_pure_number() -> None:
    assert units.format_statistic(0.1234, 0.11, 0.1357, share=True) == "12.3 % (11.0 … 13.6)"
    assert units.format_statistic(0.1234, None, None, share=True) == "12.3 %"
    assert units.format_statistic(0.926, 0.91, 0.954) == "0.93 (0.91 … 0.95)"
    assert units.format_statistic(0.926, None, 0.954) == "0.93"


def test_whole_counts_are_told_whole() -> None:
    assert units.format_value(10809, "count") == "10809"
    assert units.format_value(8411.7, "count") == "8412"
    assert units.format_value(17.724, "count") == "17.72"
    assert units.format_value(12_345_678, "count") == "12350000"
