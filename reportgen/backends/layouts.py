"""Where a pointer chase goes: the order in which cells of a buffer point to each other.

Every layout is one cycle through all of its cells, given as byte offsets in the order of the
visit.  No hardware is touched here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]

LINE = 64
SLOT = 512
"""Distance of the node pairs of the line probe: more than any line or pair of lines."""
PAIR_SLOTS = 512
"""Node pairs of the line probe where the sizes of caches are not known."""
INTERLEAVED = 6
"""Sets in which a sequence is repeated: enough that a line has arrived when its set is visited again, few
enough that no prefetcher sees lines beside each other."""
APART = 4
"""Lines between two such sets, at least."""
WORDS = LINE // 8
"""Pointers that a line has room for: it can be visited so often in a period."""


def random_cycle(size: int, rng: np.random.Generator, line: int = LINE) -> Offsets:
    """Every line of `size` bytes once, in random order: no prefetcher sees a pattern.

    (Saavedra & Smith 1995 walk by strides; a random cycle replaces the stride since prefetchers
    follow strides.)
    """
    return rng.permutation(max(1, size // line)).astype(np.int64) * line


def pair_slots(first: int, second: int) -> int:
    """Node pairs of the line probe that a first level of `first` bytes does not hold and a second level does.

    First cells lie in every eighth set, and are as many as stand, by the same factor, between what these
    sets hold of either level.  Where they also fill the sets of the second level, what a neighbour does to
    the third hides the line: 1,024 pairs did that with 512 KiB.
    """
    return round((first * second) ** 0.5 / SLOT) if first and second else PAIR_SLOTS


def pairs(offset: int, rng: np.random.Generator, slots: int = PAIR_SLOTS) -> Offsets:
    """Nodes of two cells, `offset` bytes apart, the nodes in random order.

    First cell, second cell, next node: the second access is a hit in the innermost level if both
    cells share a line.
    """
    starts = rng.permutation(slots).astype(np.int64) * SLOT
    return np.stack([starts, starts + offset], axis=1).reshape(-1)


def conflict(count: int, stride: int, rng: np.random.Generator) -> Offsets:
    """`count` lines at multiples of `stride`, in random order."""
    return rng.permutation(count).astype(np.int64) * stride


def one_a_page(count: int, page: int, rng: np.random.Generator, line: int = LINE, least: int = 0) -> Offsets:
    """One line of each of `count` pages, in random order; then another of each, until there are `least`.

    The line within the page moves on from page to page, so that the lines spread over all cache sets.  All
    pages are visited in one order again and again, so that buffers of translations meet no other sequence.
    """
    order = rng.permutation(count).astype(np.int64)
    turns = np.arange(max(1, -(-least // count)), dtype=np.int64)[:, None]
    return (order * page + ((order * 29 + turns * 61) % (page // line)) * line).reshape(-1)


def in_one_set(sequence: Sequence[int], stride: int, rng: np.random.Generator, inner: int = 0) -> Offsets:
    """Visits of lines that share a set, in a given order; each visit's pointer lies in a word of its own.

    The sequence is repeated in up to `INTERLEAVED` sets, a step in each of them after the other, in another
    order at every step.  A line of the sequence has the same place in all sets, drawn at random.

    Args:
        sequence: the lines of one period, as small whole numbers; none more than `WORDS` times.
        stride: bytes of a way: lines so far apart share a set.
        rng: which sets, the order of their visits, and where lines lie.
        inner: bytes of a way of the level before, which must miss: then the sequence is repeated in all sets
            whose lines share one set there, so that between two visits of a line many others go through it.

    Raises:
        ValueError: a line is visited more often than it has words.
    """
    lines = sorted(set(sequence))
    if max(Counter(sequence).values()) > WORDS:
        raise ValueError(f"a line is visited more than {WORDS} times in a period")
    place = dict(zip(lines, (int(at) for at in rng.permutation(len(lines))), strict=True))
    sets = stride // LINE
    count = max(1, stride // inner if inner else min(INTERLEAVED, sets // (2 * APART)))
    room = sets // count
    shift = int(rng.integers(sets))
    spread = [0] * count if inner else [int(rng.integers(room - APART + 1)) for _ in range(count)]
    chosen = [(shift + at * room + spread[at]) % sets for at in range(count)]
    visits: Counter[tuple[int, int]] = Counter()
    offsets = []
    for line in sequence:
        for at in rng.permutation(count):
            word = visits[int(at), line]
            visits[int(at), line] += 1
            offsets.append(place[line] * stride + chosen[at] * LINE + 8 * word)
    return np.array(offsets, dtype=np.int64)


def span(offsets: Offsets) -> int:
    """Bytes that a buffer must have to hold the layout."""
    return int(offsets.max()) + LINE


def link(buffer: NDArray[np.uint64], base: int, offsets: Offsets) -> int:
    """Write the cycle into `buffer` (8-byte words that start at address `base`).

    Returns:
        The address of the first cell.
    """
    words = offsets >> 3
    buffer[words[:-1]] = (offsets[1:] + base).astype(np.uint64)
    buffer[words[-1]] = base + int(offsets[0])
    return base + int(offsets[0])
