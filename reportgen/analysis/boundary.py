"""Where the levels of a latency curve end.

PELT proposes segments of the curve (log2 latency over log2 size).  Flat segments are plateaus; what
lies between two of them is a rise.  A rise by less than `LEAST_STEP` is a knee (address translation),
not the end of a cache.  Within a rise the isotonic envelope and a miss-ratio fit decide:

* the boundary is the interval from the largest size that is still on the plateau to the smallest that
  clearly is not, never rounded to a known size;
* a first level is indexed below the page offset, so its sets fill evenly and its edge is sharp: it does
  not fit any more where `SHARP_HEIGHT` of the step is reached;
* further out, physical pages fall on sets by chance: some sets overflow long before the cache is full
  and others long after.  The edge is smeared around the true size, which lies between the start of the
  rise and `SMEARED_HEIGHT` of the step;
* where the miss-ratio model  latency(s) = hit + penalty x max(0, 1 - C/s)  describes the rise
  (replacement by chance), its kink C is the capacity, with the fit's own interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reportgen.analysis.change_points import change_points
from reportgen.analysis.isotonic import envelope
from reportgen.analysis.robust import Array, Interval

LEAST_STEP = 1.6
"""Latency of a level / latency of the level before it.  First-level translation misses add 7 to 9
cycles to a second level of 14 or more, at most the half; cache levels lie a factor of 2 apart."""
FLAT_OCTAVES = 0.3
"""A plateau is at least this long."""
FLAT_SLOPE = 0.25
"""... and rises by no more than this, in octaves of latency per octave of size."""
FLAT_RISE = 0.08
"""... or no more than this in all."""
LEAST_DEVIATION = 0.01
"""Standard deviation (octaves) that PELT's penalty assumes at least; smaller wiggles are no steps."""
ON_PLATEAU = 0.005
"""Share of the step that a size may rise and still fit, if noise does not ask for more."""
SHARP_HEIGHT = 0.3
SMEARED_START = 0.02
SMEARED_HEIGHT = 0.75
SHARP_OCTAVES = 0.25
"""A first-level edge longer than this (to `SHARP_HEIGHT`) is not sharp."""
GOOD_FIT = 0.03
"""Root mean square residual of the miss-ratio fit, as a share of the rise, that is still a fit."""
APART_OCTAVES = 0.2
"""Two boundaries closer than this are one: there is no plateau between them."""


@dataclass(frozen=True)
class Plateau:
    """Indices of the curve, both included, and the latency at either end."""

    first: int
    last: int
    start: float
    end: float


@dataclass(frozen=True)
class Edge:
    """The end of a level: `interval` in bytes (or lines, or pages)."""

    interval: Interval
    shape: str
    """`sharp`, `smeared` or `kink`."""
    hit: float
    """Latency before."""
    top: float
    """Latency after."""
    closed: bool = True
    """False when the curve ends within the rise: the interval has only a lower end."""


@dataclass(frozen=True)
class Knee:
    """A rise too small for the end of a cache."""

    size: float
    hit: float
    top: float


@dataclass(frozen=True)
class Levels:
    """What a curve shows."""

    plateaus: tuple[Plateau, ...]
    edges: tuple[Edge, ...]
    """One fewer than plateaus, or as many when the curve ends within a rise."""
    knees: tuple[Knee, ...]
    envelope: Array


def levels(size: Array, latency: Array, noise: Array, most: int = 3) -> Levels:
    """Plateaus and edges of a curve.

    Args:
        size: ascending, no duplicates.
        latency: positive, one a size.
        noise: relative standard deviation of each latency.
        most: keep only so many edges, those with the largest steps.
    """
    octaves, height = np.log2(size), np.log2(latency)
    smooth = envelope(height)
    parts = _flat_parts(octaves, height, smooth, noise)
    groups, knees = _grouped(parts, octaves, size)
    while len(groups) - 1 > most:
        steps = [after.start / before.end for before, after in pairwise(groups)]
        _merge(groups, int(np.argmin(steps)))
    curve = np.exp2(smooth)
    while True:
        edges = [
            _edge(size, latency, curve, before, after, noise, first=index == 0)
            for index, (before, after) in enumerate(pairwise(groups))
        ]
        close = [
            index
            for index, (one, two) in enumerate(pairwise(edges))
            if math.log2(two.interval.low / one.interval.high) < APART_OCTAVES
        ]
        if not close:
            break
        # The plateau between the two is none: what rose once in two parts is one rise.
        del groups[close[0] + 1]
    open_end = _open_end(size, curve, groups, noise)
    if open_end is not None and len(edges) < most:
        edges.append(open_end)
    return Levels(tuple(groups), tuple(edges), tuple(knees), curve)


def _flat_parts(octaves: Array, height: Array, smooth: Array, noise: Array) -> list[Plateau]:
    """Flat segments among those that PELT proposes."""
    deviation = max(float(np.median(noise)) / math.log(2), LEAST_DEVIATION)
    penalty = 3 * deviation**2 * math.log(max(len(height), 2))
    starts = [0, *change_points(height, penalty)]
    parts = []
    for first, after in zip(starts, [*starts[1:], len(height)], strict=True):
        last = after - 1
        length, rise = octaves[last] - octaves[first], smooth[last] - smooth[first]
        if length >= FLAT_OCTAVES and (rise <= FLAT_RISE or rise <= FLAT_SLOPE * length):
            middle = float(np.exp2(np.median(height[first:after])))
            parts.append(Plateau(first, last, middle, middle))
    return parts


def _grouped(parts: list[Plateau], octaves: Array, size: Array) -> tuple[list[Plateau], list[Knee]]:
    """Plateaus that are a cache level apart; flat parts less than that apart are one plateau."""
    groups: list[Plateau] = []
    knees: list[Knee] = []
    for part in parts:
        if groups and part.start < groups[-1].end * LEAST_STEP:
            before = groups[-1]
            if part.start > before.end * 1.08:
                middle = (octaves[before.last] + octaves[part.first]) / 2
                knees.append(Knee(float(np.exp2(middle)), before.end, part.start))
            groups[-1] = Plateau(before.first, part.last, before.start, part.end)
        else:
            groups.append(part)
    return groups, knees


def _merge(groups: list[Plateau], index: int) -> None:
    before, after = groups[index], groups[index + 1]
    groups[index : index + 2] = [Plateau(before.first, after.last, before.start, after.end)]


def _edge(
    size: Array, latency: Array, curve: Array, before: Plateau, after: Plateau, noise: Array, *, first: bool
) -> Edge:
    hit, top = before.end, after.start
    height = (curve - hit) / (top - hit)
    height[: before.first + 1] = np.minimum(height[: before.first + 1], 0.0)
    error = 4 * float(np.median(noise[before.first : before.last + 1])) * hit / (top - hit)
    low = _last_within(height, max(ON_PLATEAU, error))
    start, half, most = (_first_from(height, level) for level in (SHARP_HEIGHT, 0.5, SMEARED_HEIGHT))
    if first and math.log2(size[start] / size[low]) <= max(SHARP_OCTAVES, _step(size, low)):
        ends = float(size[low]), float(size[start])
        return Edge(Interval(math.sqrt(ends[0] * ends[1]), *ends), "sharp", hit, top)
    kink = fit_kink(size[before.first : after.last + 1], latency[before.first : after.last + 1], hit)
    if kink is not None and size[low] * 0.7 <= kink.value <= size[most]:
        return Edge(_on_grid(size, kink), "kink", hit, top)
    value = _crossing(size, height, half, 0.5)
    begin = _last_within(height, max(SMEARED_START, error))
    return Edge(Interval(value, float(size[begin]), float(size[most])), "smeared", hit, top)


def _last_within(height: Array, limit: float) -> int:
    above = np.flatnonzero(height > limit)
    return max(0, int(above[0]) - 1) if len(above) else len(height) - 1


def _first_from(height: Array, level: float) -> int:
    above = np.flatnonzero(height >= level)
    return int(above[0]) if len(above) else len(height) - 1


def _step(size: Array, low: int) -> float:
    """Octaves over two steps of the grid from `low`: what the grid cannot resolve."""
    return float(np.log2(size[min(low + 2, len(size) - 1)] / size[low]))


def _crossing(size: Array, height: Array, index: int, level: float) -> float:
    """Size at which the height passes `level`, interpolated before `index` on the octave scale."""
    if index == 0 or height[index] <= height[index - 1]:
        return float(size[index])
    share = (level - height[index - 1]) / (height[index] - height[index - 1])
    return float(size[index - 1] * (size[index] / size[index - 1]) ** min(max(share, 0.0), 1.0))


def fit_kink(size: Array, latency: Array, hit: float, slack: float = GOOD_FIT) -> Interval | None:
    """Capacity C of  latency = hit + penalty x max(0, 1 - C/size), or None when that is no fit.

    `hit` is held; C is scanned over the sizes in steps of 1/200 octave and refined; the interval
    holds every C whose squared error is within Student's factor of the least.
    """
    if len(size) < 4:
        return None
    candidates = np.exp2(np.arange(math.log2(size[0]), math.log2(size[-1]), 1 / 200))
    miss = np.maximum(0.0, 1 - candidates[:, None] / size[None, :])
    rise = latency - hit
    weight = (miss**2).sum(axis=1)
    penalty = (miss * rise).sum(axis=1) / np.maximum(weight, 1e-12)
    error = ((rise - penalty[:, None] * miss) ** 2).sum(axis=1)
    error[penalty <= 0] = np.inf
    best = int(np.argmin(error))
    if not math.isfinite(error[best]):
        return None
    freedom = len(size) - 2
    if math.sqrt(error[best] / freedom) > slack * float(rise.max() - rise.min()):
        return None
    inside = np.flatnonzero(error <= error[best] * (1 + 4.0 / freedom) + 1e-12)
    return Interval(float(candidates[best]), float(candidates[inside[0]]), float(candidates[inside[-1]]))


def _on_grid(size: Array, found: Interval) -> Interval:
    """The interval widened to sizes that were measured."""
    low = size[size <= found.low]
    high = size[size > found.high]
    return Interval(
        found.value,
        float(low[-1]) if len(low) else float(size[0]),
        float(high[0]) if len(high) else float(size[-1]),
    )


def _open_end(size: Array, curve: Array, groups: list[Plateau], noise: Array) -> Edge | None:
    """The edge of the last plateau when the curve ends while it rises."""
    if not groups:
        return None
    last = groups[-1]
    if curve[-1] < last.end * LEAST_STEP:
        return None
    above = np.flatnonzero(curve > last.end * (1 + max(0.02, 4 * float(noise[last.last]))))
    low = float(size[max(0, int(above[0]) - 1)])
    return Edge(Interval(low, low, float(size[-1])), "open", last.end, float(curve[-1]), closed=False)
