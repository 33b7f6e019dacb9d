"""Set-associative caches filled page by page: what share of a cyclic random chase misses.

A chase visits every line of its working set once a round, always in the same random order.  A set with
no more lines than ways always hits.  One with more always misses when it replaces the least recently
used line; when it replaces by chance, a line survives until its next visit with the probability that none
of the misses in between chose its way; when it resists thrashing, as many lines as it has ways stay
(`kept`).

Where the sets are indexed above the page offset, the page decides on which sets its lines fall: a page
has a *colour*, drawn at random for every page and visit.
"""

from __future__ import annotations

import math
from functools import cache as remembered
from typing import Any

import numpy as np

from tests.simulated.truth import TrueCache

Array = np.ndarray[Any, np.dtype[np.float64]]
MOST_LINES = 96
"""Lines of a set beyond which all accesses miss, near enough."""


def chance_misses(ways: int, lines: float) -> float:
    """Share of misses of a cyclic chase over `lines` lines of a set that replaces by chance."""
    if lines <= ways:
        return 0.0
    survival = math.log(1 - 1 / ways) if ways > 1 else -math.inf
    share = 1.0
    for _ in range(200):  # 1 - m = (1 - 1/ways)^(m x other lines), from above
        share = 1 - math.exp(survival * share * (lines - 1))
    return share


@remembered
def set_misses(ways: int, policy: str) -> Array:
    """Share of accesses that miss in a set of `ways` ways, by number of lines that share it."""
    first, _, rest = policy.partition("+")
    if rest:  # set dueling: half of the sets follow one rule, half another
        return (set_misses(ways, first) + set_misses(ways, rest)) / 2
    lines = np.arange(MOST_LINES + 1)
    match policy:
        case "lru":
            return (lines > ways).astype(float)
        case "random":
            return np.array([chance_misses(ways, count) for count in lines])
        case "kept":
            return np.maximum(0.0, 1 - ways / np.maximum(lines, 1))
    raise ValueError(policy)


def even_misses(cache: TrueCache, working_set: float) -> float:
    """Share of misses when the lines spread evenly over the sets."""
    table = set_misses(cache.ways, cache.policy)
    each = working_set / cache.way
    fewer = min(int(each), MOST_LINES - 1)
    crowded = min(1.0, each - fewer)
    lines = (1 - crowded) * fewer + crowded * (fewer + 1)
    missing = (1 - crowded) * fewer * table[fewer] + crowded * (fewer + 1) * table[fewer + 1]
    return float(missing / lines)


def random_misses(cache: TrueCache, working_set: float, page: float, rng: np.random.Generator) -> float:
    """Share of misses when every page takes a colour at random."""
    colours = max(1, round(cache.way / page))
    pages = working_set / page
    whole = int(pages)
    if whole > 24 * cache.ways * colours:
        return 1.0
    table = set_misses(cache.ways, cache.policy)
    counts = rng.multinomial(whole, np.full(colours, 1 / colours))
    rest = pages - whole
    extra = int(rng.integers(colours))
    shares = table[np.minimum(counts, MOST_LINES)]
    missing = float((counts * shares).sum())
    one = int(counts[extra])
    missing += rest * ((one + 1) * table[min(one + 1, MOST_LINES)] - one * shares[extra])
    return missing / pages


def misses(cache: TrueCache, working_set: float, page: float, rng: np.random.Generator) -> float:
    """Share of accesses that miss a cache in one visit; `page` is what is contiguous in memory."""
    if cache.hashed or cache.way <= page:
        return even_misses(cache, working_set)
    return random_misses(cache, working_set, page, rng)
