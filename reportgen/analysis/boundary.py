"""Where the levels of a latency curve end.

The curve is taken apart into rises (`rises`).  A rise by less than `LEAST_STEP` is a knee (address
translation), not the end of a cache.  The others are edges:

* an edge that is over within what the grid of sizes resolves is `sharp`: it lies between the last size that
  is still on the plateau and the first that clearly is not;
* otherwise the capacity is that of the fitted rise, with the interval of all capacities that fit about as
  well; `kink` where the sets fill evenly (replacement that keeps part of the working set), `smeared` where
  pages fall on sets by chance and some sets overflow long before the cache is full.

Nothing is rounded to a known size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.analysis.isotonic import envelope, without_spikes
from reportgen.analysis.miss_shapes import EVEN
from reportgen.analysis.rises import Rise, Rises, fit_rises
from reportgen.analysis.robust import Array, Interval

LEAST_STEP = 1.75
"""Latency of a level / latency of the level before it.  First-level translation misses add 7 to 9
cycles to a second level of 14 or more, at most 0.64 of it; cache levels lie a factor of 2 apart."""
ON_PLATEAU = 0.005
"""Share of the step that a size may rise and still fit, if noise does not ask for more."""
SHARP_HEIGHT = 0.3
"""Share of a first level's step from which a size does not fit: its sets fill evenly."""
FIRST_MOST = float(1 << 20)
"""A larger level is no first one, whichever loads meet it first: loads that pass the first level of a GPU by
meet a second one whose sets are chosen by a hash and fill unevenly."""
SHARP_END = 0.9
"""The same further out, where the whole of a sharp edge is asked for."""
SHARP_OCTAVES = 0.25
"""An edge longer than this, and than two steps of the grid, is not sharp."""
LEAST_KNEE = 1.08
"""A smaller rise is no knee."""
GRID = 1.04
"""A fitted capacity is known no better than within this ratio."""
COMPLETE = 0.8
"""An edge at whose last size fewer of the accesses miss has not ended."""
BEGINS, ENDS = 0.02, 0.9
"""Share of the accesses that miss where a rise begins and where it is over."""


@dataclass(frozen=True)
class Edge:
    """The end of a level."""

    interval: Interval
    """Its capacity in bytes (or lines, or pages)."""
    shape: str
    """`sharp`, `smeared` or `kink`; `open` when the curve ends within it."""
    rise: Rise
    begins: float
    """The last size at which all but a few accesses hit ..."""
    ends: float
    """... and the first at which nearly none does."""

    @property
    def closed(self) -> bool:
        """False when the curve ends within the rise: the interval has only a lower end."""
        return self.shape != "open"


@dataclass(frozen=True)
class Knee:
    """A rise too small for the end of a cache."""

    size: float
    hit: float
    top: float


@dataclass(frozen=True)
class Levels:
    """What a curve shows."""

    rises: Rises
    """All that the curve is made of."""
    variants: tuple[Rises, ...]
    """What would describe it about as well."""
    ends: tuple[int, ...]
    """Which of the rises are ends of cache levels."""
    edges: tuple[Edge, ...]
    """These, from the core outwards."""
    knees: tuple[Knee, ...]
    envelope: Array

    @property
    def count(self) -> int:
        """Levels that show a latency of their own: one more than there are closed edges."""
        return 1 + sum(edge.closed for edge in self.edges)


def levels(size: Array, latency: Array, noise: Array, most: int = 3, least: float = LEAST_STEP) -> Levels:
    """Edges and knees of a curve.

    Args:
        size: ascending, no duplicates.
        latency: positive, one a size.
        noise: relative standard deviation of each latency.
        most: keep only so many edges, those with the largest steps.
        least: a rise by less is a knee.
    """
    smooth = without_spikes(np.log2(latency))
    rises, variants = fit_rises(size, np.exp2(smooth), noise)
    steps = [rise.top / rise.hit for rise in rises]
    ends = [at for at, step in enumerate(steps) if step >= least]
    ends = sorted(sorted(ends, key=lambda at: -steps[at])[:most])
    curve = np.exp2(envelope(smooth))
    edges = tuple(
        _edge(size, curve, noise, rises[at], first=not number and rises[at].capacity.value <= FIRST_MOST)
        for number, at in enumerate(ends)
    )
    knees = tuple(
        Knee(rise.capacity.value, rise.hit, rise.top)
        for at, rise in enumerate(rises)
        if at not in ends and steps[at] >= LEAST_KNEE
    )
    return Levels(rises, variants, tuple(ends), edges, knees, curve)


def _edge(size: Array, curve: Array, noise: Array, rise: Rise, *, first: bool) -> Edge:
    """One edge, by the curve itself where it is sharp and by the fit elsewhere."""
    missing = rise.missing(size)
    begins, ends = _last_within(missing, BEGINS), _first_from(missing, ENDS)
    if missing[-1] < COMPLETE:
        low = float(size[begins])
        return Edge(Interval(low, low, float(size[-1])), "open", rise, low, float(size[-1]))
    bracket = _bracket(size, curve, noise, rise, SHARP_HEIGHT if first else SHARP_END)
    if bracket is not None:
        return Edge(Interval(math.sqrt(bracket[0] * bracket[1]), *bracket), "sharp", rise, *bracket)
    value, least, most = rise.capacity
    return Edge(
        Interval(value, least / GRID, most * GRID),
        "kink" if rise.kind in EVEN else "smeared",
        rise,
        float(size[begins]),
        float(size[ends]),
    )


def _bracket(
    size: Array, curve: Array, noise: Array, rise: Rise, height_outside: float
) -> tuple[float, float] | None:
    """The last size on the plateau and the first at a height of the step, where these are close together."""
    at = np.flatnonzero((size > rise.capacity.value / 4) & (size < rise.capacity.value * 4))
    if len(at) < 2:
        return None
    height = (curve[at] - rise.hit) / rise.penalty
    before = size <= rise.capacity.value
    error = 4 * float(np.median(noise[before])) * rise.hit / rise.penalty if before.any() else 0.0
    low = int(at[_last_within(height, max(ON_PLATEAU, error))])
    high = int(at[_first_from(height, height_outside)])
    if low >= high or math.log2(size[high] / size[low]) > max(SHARP_OCTAVES, _two_steps(size, low)):
        return None
    return float(size[low]), float(size[high])


def _last_within(height: Array, limit: float) -> int:
    above = np.flatnonzero(height > limit)
    return max(0, int(above[0]) - 1) if len(above) else len(height) - 1


def _first_from(height: Array, level: float) -> int:
    above = np.flatnonzero(height >= level)
    return int(above[0]) if len(above) else len(height) - 1


def _two_steps(size: Array, low: int) -> float:
    """Octaves over two steps of the grid from `low`: what the grid cannot resolve."""
    return float(np.log2(size[min(low + 2, len(size) - 1)] / size[low]))
