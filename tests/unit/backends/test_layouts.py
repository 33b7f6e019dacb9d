"""Every layout is one cycle through all of its cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.backends import layouts
from reportgen.backends.layouts import LINE, PAIR_SLOTS, SLOT, Offsets


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def walk(offsets: Offsets, base: int) -> list[int]:
    """Addresses that a chase visits from the first cell until it is there again."""
    buffer = np.zeros(layouts.span(offsets) // 8 + 1, dtype=np.uint64)
    start = layouts.link(buffer, base, offsets)
    seen, at = [start], int(buffer[(start - base) // 8])
    while at != start:
        seen.append(at)
        assert len(seen) <= len(offsets)
        at = int(buffer[(at - base) // 8])
    return seen


seeds = st.integers(0, 99)
layout = st.one_of(
    st.builds(lambda size, seed: layouts.random_cycle(size, rng(seed)), st.integers(1, 1 << 15), seeds),
    st.builds(lambda words, seed: layouts.pairs(words * 8, rng(seed), 64), st.integers(1, 31), seeds),
    st.builds(
        lambda count, stride, seed: layouts.conflict(count, stride, rng(seed)),
        st.integers(1, 40),
        st.sampled_from([64, 2048, 4096, 8192]),
        seeds,
    ),
    st.builds(lambda count, seed: layouts.one_a_page(count, 4096, rng(seed)), st.integers(1, 300), seeds),
    st.builds(
        lambda lines, stride, seed: layouts.in_one_set(sorted([*lines, *lines[::2]]), stride, rng(seed)),
        st.lists(st.integers(0, 30), min_size=1, max_size=20, unique=True),
        st.sampled_from([1024, 4096, 16384]),
        seeds,
    ),
)


@given(offsets=layout, base=st.integers(0, 1 << 40).map(lambda n: n * 64))
def test_a_chase_visits_every_cell_once_and_comes_back(offsets: Offsets, base: int) -> None:
    seen = walk(offsets, base)
    assert sorted(seen) == sorted(base + int(offset) for offset in offsets)
    assert seen == [base + int(offset) for offset in offsets]


@given(offsets=layout)
def test_cells_are_aligned_and_inside_the_span(offsets: Offsets) -> None:
    assert not (offsets % 8).any()
    assert offsets.min() >= 0
    assert layouts.span(offsets) >= int(offsets.max()) + 8


@given(size=st.integers(1, 1 << 20), seed=st.integers(0, 99))
def test_a_random_cycle_is_every_line_of_its_size(size: int, seed: int) -> None:
    offsets = layouts.random_cycle(size, rng(seed))
    assert sorted(offsets) == list(range(0, max(1, size // LINE) * LINE, LINE))


def test_seeds_decide_the_order() -> None:
    one, same, other = (layouts.random_cycle(1 << 16, rng(seed)) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_no_stride_is_followed_for_long() -> None:
    steps = np.diff(layouts.random_cycle(1 << 18, rng()))
    repeated = (steps[1:] == steps[:-1]).mean()
    assert repeated < 0.01


@pytest.mark.parametrize("offset", [8, 56, 64, 128, 248])
def test_pairs_are_that_far_apart_and_their_nodes_are_not(offset: int) -> None:
    assert layouts.pair_slots(32 << 10, 0) == PAIR_SLOTS
    offsets = layouts.pairs(offset, rng())
    assert len(offsets) == 2 * PAIR_SLOTS
    first, second = offsets[0::2], offsets[1::2]
    assert (second - first == offset).all()
    assert sorted(first) == list(range(0, PAIR_SLOTS * SLOT, SLOT))


@pytest.mark.parametrize(
    ("first", "ways", "second", "more_ways"),
    [
        (32, 8, 256, 4),
        (32, 8, 512, 8),
        (32, 8, 1024, 8),
        (48, 12, 2048, 16),
        (64, 4, 1024, 8),
        (128, 8, 12288, 12),
    ],
)
def test_pairs_miss_the_first_level_and_fill_half_of_the_second_at_most(
    first: int, ways: int, second: int, more_ways: int
) -> None:
    """KiB and ways of real cores, lines of 64 bytes."""
    lines = layouts.pairs(8, rng(), layouts.pair_slots(first << 10, second << 10))[::2] // LINE
    for size, of_set, least, most in ((first, ways, 2.0, 1e9), (second, more_ways, 0.0, 0.5)):
        sets = (size << 10) // LINE // of_set
        fullest = np.bincount(lines % sets).max()
        assert least * of_set <= fullest <= most * of_set


def test_a_sequence_is_repeated_in_sets_that_lie_apart() -> None:
    sequence, way = (0, 1, 0, 2, 2, 1), 4096
    offsets = layouts.in_one_set(sequence, way, rng())
    sets = offsets % way // LINE
    assert len(offsets) == layouts.INTERLEAVED * len(sequence)
    chosen = np.unique(sets)
    gaps = np.diff(np.append(chosen, chosen[0] + way // LINE))
    assert len(chosen) == layouts.INTERLEAVED
    assert gaps.min() >= layouts.APART
    tags = {int(one): offsets[sets == one] // way for one in chosen}
    for own in tags.values():  # in each set the same lines in the same order, by names of its own
        assert [list(dict.fromkeys(own)).index(line) for line in own] == list(sequence)
    steps = sets.reshape(len(sequence), layouts.INTERLEAVED)
    assert all(len(set(step)) == layouts.INTERLEAVED for step in steps)
    assert len({tuple(step) for step in steps}) > 1


def test_sets_of_an_outer_level_share_a_set_of_the_first() -> None:
    way, inner = 131072, 4096
    offsets = layouts.in_one_set((0, 1, 0), way, rng(), inner)
    assert len(np.unique(offsets % inner // LINE)) == 1
    assert len(np.unique(offsets % way // LINE)) == way // inner
    assert len(offsets) == 3 * way // inner


def test_a_line_has_room_for_so_many_pointers() -> None:
    offsets = layouts.in_one_set([0] * layouts.WORDS + [1], 4096, rng())
    assert len(np.unique(offsets)) == len(offsets)
    with pytest.raises(ValueError, match="more than 8 times"):
        layouts.in_one_set([0] * (layouts.WORDS + 1), 4096, rng())


def test_conflicting_lines_share_their_low_bits() -> None:
    offsets = layouts.conflict(12, 4096, rng())
    assert sorted(offsets) == [4096 * index for index in range(12)]


@given(count=st.integers(1, 1000), page=st.sampled_from([4096, 16384, 65536]))
def test_one_line_a_page(count: int, page: int) -> None:
    offsets = layouts.one_a_page(count, page, rng())
    assert sorted(offsets // page) == list(range(count))


@given(count=st.integers(1, 1000), page=st.sampled_from([65536, 1 << 21]))
def test_pages_are_visited_in_one_order_by_as_many_lines_as_are_wanted(count: int, page: int) -> None:
    offsets = layouts.one_a_page(count, page, rng(), 128, 512)
    turns = len(offsets) // count
    assert len(set(offsets.tolist())) == len(offsets) >= 512
    assert (turns - 1) * count < 512
    assert ((offsets // page).reshape(turns, count) == offsets[:count] // page).all()


def test_lines_of_pages_spread_over_all_sets() -> None:
    lines = layouts.one_a_page(640, 4096, rng()) % 4096 // LINE
    assert (np.bincount(lines, minlength=64) == 10).all()
