"""How the share of misses of a chase grows with its working set: one curve a way of replacing and placing.

A chase visits the lines of its working set in turn, always in the same random order.  With x = working set /
capacity and W ways:

`step`          least recently used, sets filled evenly: none miss up to x = 1, all from 1 + 1/W on.
`chance`        replaced by chance, sets filled evenly: a line survives until its next visit when none of the
                misses in between chose its place, 1 - m = (1 - 1/W)^(m k) with k other lines in the set.
`kept`          1 - 1/x: a part of the working set stays and hits, the rest passes by (insertion that resists
                thrashing); accesses in random order give the same.
`duel`          half of the sets as in `step`, half as in `chance`.
`spared`        half of the sets as in `step`, half as in `kept`.
`pages_...`     the same, where each page falls on a random colour: the lines that share a set are Poisson
                distributed, so some sets overflow long before x = 1 and some long after.

Sources: A. J. Smith, Cache Memories, ACM Computing Surveys 14, 1982; R. Kessler and M. Hill, Page Placement
Algorithms for Large Real-Indexed Caches, ACM TOCS 10, 1992; M. Qureshi et al., Adaptive Insertion Policies
for High Performance Caching, ISCA 2007.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from reportgen.analysis.robust import Array

PER_OCTAVE = 96
"""Resolution of the tables, in points an octave of x."""
LEAST, MOST = -5, 6
"""Octaves of x that they cover: below nothing misses, beyond everything."""
CURVES = (
    ("step", 4), ("step", 8), ("step", 16),
    ("chance", 8), ("chance", 16),
    ("kept", 8),
    ("pages_step", 4), ("pages_step", 8), ("pages_step", 12), ("pages_step", 16), ("pages_step", 20),
    ("pages_step", 40),
    ("pages_chance", 8), ("pages_chance", 16),
    ("pages_kept", 8), ("pages_kept", 16),
    ("duel", 8), ("pages_duel", 8), ("pages_duel", 16),
    ("spared", 8), ("pages_spared", 8), ("pages_spared", 16),
)  # fmt: skip
"""(kind, ways) of the curves that are tried."""
CROWDED = 4.0
"""Beyond this multiple of the capacity all sets overflow, whatever their pages."""
COARSE = tuple(
    CURVES.index(one)
    for one in (("step", 8), ("chance", 8), ("kept", 8), ("pages_step", 8), ("pages_chance", 16))
)
"""A few that stand for the others while rises are looked for."""
KINDS = frozenset(kind for kind, _ in CURVES)
EVEN = frozenset({"step", "chance", "kept", "duel", "spared"})
"""Kinds that a first level can show: its sets are indexed below the page offset."""


@cache
def tables() -> Array:
    """Share of misses, one row a curve of `CURVES`, over octaves of x from `LEAST` to `MOST`."""
    octaves = np.arange(LEAST * PER_OCTAVE, MOST * PER_OCTAVE + 1) / PER_OCTAVE
    found = np.array([_curve(kind, ways, np.exp2(octaves)) for kind, ways in CURVES])
    found[:, 0] = 0.0
    return found


def shares(curve: int, x: Array) -> Array:
    """Share of misses of one of `CURVES` at working sets of `x` times its capacity."""
    row = tables()[curve]
    at = np.clip((np.log2(x) - LEAST) * PER_OCTAVE, 0, row.size - 1)
    return np.asarray(np.interp(at, np.arange(row.size), row))


def dictionary(size: Array, capacity: Array) -> Array:
    """Share of misses by curve, capacity and size: shape (curves, capacities, sizes)."""
    table = tables()
    octaves = np.log2(size)[None, :] - np.log2(capacity)[:, None]
    at = np.clip((octaves - LEAST) * PER_OCTAVE, 0, table.shape[1] - 1)
    below = np.floor(at).astype(int)
    share = at - below
    above = np.minimum(below + 1, table.shape[1] - 1)
    return np.asarray(table[:, below] * (1 - share) + table[:, above] * share)


def _curve(kind: str, ways: int, x: Array) -> Array:
    replaced = _set_misses(kind.removeprefix("pages_"), ways, int(ways * 2**MOST) + 2)
    return _over_pages(replaced, ways, x) if kind.startswith("pages_") else _evenly(replaced, ways, x)


def _set_misses(kind: str, ways: int, most: int) -> Array:
    """Share of misses in a set by the number of lines that share it, 0 to `most`."""
    lines = np.arange(most + 1)
    if kind == "step":
        return (lines > ways).astype(float)
    if kind == "duel":
        return (_set_misses("step", ways, most) + _set_misses("chance", ways, most)) / 2
    if kind == "spared":
        return (_set_misses("step", ways, most) + _set_misses("kept", ways, most)) / 2
    if kind == "kept":
        return np.maximum(0.0, 1 - ways / np.maximum(lines, 1))
    share: Any = np.ones(most + 1)
    for _ in range(60):  # a fixed point, from above
        share = 1 - (1 - 1 / ways) ** (share * np.maximum(lines - 1, 0))
    return np.where(lines > ways, share, 0.0)


def _evenly(replaced: Array, ways: int, x: Array) -> Array:
    """All sets hold the same number of lines, or one more."""
    each = x * ways
    fewer = np.minimum(each.astype(int), len(replaced) - 2)
    crowded = np.clip(each - fewer, 0, 1)
    missing = (1 - crowded) * fewer * replaced[fewer] + crowded * (fewer + 1) * replaced[fewer + 1]
    return np.asarray(missing / ((1 - crowded) * fewer + crowded * (fewer + 1)))


def _over_pages(replaced: Array, ways: int, x: Array) -> Array:
    """The lines of a set are Poisson distributed; each counts as often as it is visited.

    Where all sets are far from full it does not matter any more how far.
    """
    near = x <= CROWDED
    mean = x[near] * ways
    lines = np.arange(int(3 * CROWDED * ways) + 1)
    factorials: Any = np.concatenate([[0.0], np.cumsum(np.log(lines[1:]))])
    chances = np.exp(lines[None, :] * np.log(mean)[:, None] - mean[:, None] - factorials[None, :])
    missing = np.array(_evenly(replaced, ways, x))
    missing[near] = (chances * lines * replaced[: len(lines)]).sum(axis=1) / mean
    return np.minimum(1.0, missing)
