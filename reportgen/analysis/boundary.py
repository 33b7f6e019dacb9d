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
from reportgen.analysis.isotonic import envelope, without_spikes
from reportgen.analysis.miss_ratio import GOOD_FIT, REACH, Kink, fit_kink
from reportgen.analysis.robust import Array, Interval

LEAST_STEP = 1.6
"""Latency of a level / latency of the level before it.  First-level translation misses add 7 to 9
cycles to a second level of 14 or more, at most the half; cache levels lie a factor of 2 apart."""
LEAST_KINK = 2.0
"""The same for a rise that the miss-ratio model describes: translation buffers rise like that too, by up
to three quarters of a second level's latency."""
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
SMEARED_HEIGHT = 0.9
SHARP_OCTAVES = 0.25
"""A first-level edge longer than this (to `SHARP_HEIGHT`) is not sharp."""
LEAST_KNEE = 1.08
"""A smaller rise within a plateau is no knee."""
LOOSE_FIT = 0.04
"""A knee only has to be described well enough to be taken out."""
KINK_BASE = 8
"""Sizes of the plateau that take part in the miss-ratio fit of its end."""
KINK_WINDOWS = 8
"""Windows tried for that fit, from the longest."""
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
    flat: Array
    """Latency with the hits of inner levels that replace by chance taken out."""


def levels(size: Array, latency: Array, noise: Array, most: int = 3) -> Levels:
    """Plateaus and edges of a curve.

    A rise that the miss-ratio model describes is replaced by the step that it would be if every access
    missed, so that the next level shows as the plateau that it is, and the search begins anew.

    Args:
        size: ascending, no duplicates.
        latency: positive, one a size.
        noise: relative standard deviation of each latency.
        most: keep only so many edges, those with the largest steps.
    """
    kinks: list[Kink] = []
    flat = bare = latency
    found = _levels(size, bare, noise, most)
    while len(kinks) < most:
        kink = _first_kink(size, bare, noise, found, kinks)
        if kink is None:
            break
        kinks.append(kink)
        flat, bare = kink.flattened(size, flat), kink.flattened(size, bare)
        found = _levels(size, bare, noise, most)
    translation = _translation(size, bare, noise, found)
    if translation is not None:
        bare = bare - translation.added(size)
        found = _levels(size, bare, noise, most)
    edges = list(found.edges)
    for kink in kinks:
        at = min(
            range(len(edges)),
            key=lambda index: abs(math.log(edges[index].interval.value / kink.capacity.value)),
            default=None,
        )
        if at is not None:
            edges[at] = Edge(_on_grid(size, kink.capacity), "kink", kink.hit, kink.hit + kink.penalty)
    knees = list(found.knees)
    if translation is not None:
        end = translation.hit + translation.penalty
        knees.insert(0, Knee(translation.capacity.value, translation.hit, end))
    curve = np.exp2(envelope(without_spikes(np.log2(latency))))
    return Levels(found.plateaus, tuple(edges), tuple(knees), curve, flat)


def _translation(size: Array, latency: Array, noise: Array, found: Levels) -> Kink | None:
    """A knee beyond the first level that the miss-ratio model describes: a translation buffer's end.

    Taken out, the edge after it begins where the cache ends and not where the buffer does.
    """
    for index, plateau in enumerate(found.plateaus):
        hit = plateau.start
        low = latency < LEAST_KINK * hit
        last = int(np.flatnonzero(low)[-1]) if low.any() else 0
        if index == 0 or last <= plateau.first or latency[last] < hit * LEAST_KNEE:
            continue
        for end in np.unique(np.linspace(plateau.first, last, KINK_WINDOWS).astype(int))[:0:-1]:
            window = slice(plateau.first, int(end) + 1)
            rise = float(latency[window].max() / hit - 1)
            slack = max(LOOSE_FIT, 2 * float(np.median(noise[window])) / max(rise, 1e-9))
            kink = fit_kink(size[window], latency[window], hit, slack=slack)
            if kink is not None and LEAST_KNEE - 1 < kink.penalty / kink.hit < LEAST_KINK - 1:
                return kink
    return None


def _first_kink(size: Array, latency: Array, noise: Array, found: Levels, known: list[Kink]) -> Kink | None:
    """The first rise that the miss-ratio model describes and that is not among the `known`."""
    for index, before in enumerate(found.plateaus):
        edge = found.edges[index] if index < len(found.edges) else None
        if edge is None or any(
            edge.interval.low / 1.2 <= kink.capacity.value <= edge.interval.high * 1.2 for kink in known
        ):
            continue
        last = found.plateaus[index + 1].last if index + 1 < len(found.plateaus) else len(size) - 1
        begin = max(before.first, before.last - KINK_BASE)
        first = int(np.searchsorted(size, size[before.last] * REACH))
        for end in np.unique(np.linspace(last, first, KINK_WINDOWS).astype(int))[::-1]:
            if end <= before.last + 2 or end >= len(size):
                continue
            window = slice(begin, int(end) + 1)
            rise = float(latency[window].max() / before.end - 1)
            slack = max(GOOD_FIT, 2 * float(np.median(noise[window])) / max(rise, 1e-9))
            kink = fit_kink(size[window], latency[window], before.end, slack=slack)
            if kink is not None and kink.penalty >= (LEAST_KINK - 1) * kink.hit:
                return kink
    return None


def _levels(size: Array, latency: Array, noise: Array, most: int) -> Levels:
    """Plateaus, and edges that are sharp or smeared."""
    octaves, height = np.log2(size), without_spikes(np.log2(latency))
    smooth = envelope(height)
    parts = _flat_parts(octaves, height, smooth, noise)
    groups, knees = _grouped(parts, octaves)
    while len(groups) - 1 > most:
        steps = [after.start / before.end for before, after in pairwise(groups)]
        _merge(groups, int(np.argmin(steps)))
    curve = np.exp2(smooth)
    while True:
        edges = [
            _edge(size, curve, before, after, noise, first=index == 0)
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
    return Levels(tuple(groups), tuple(edges), tuple(knees), curve, latency)


def _flat_parts(octaves: Array, height: Array, smooth: Array, noise: Array) -> list[Plateau]:
    """Flat segments among those that PELT proposes, and the flattest stretch of each that is not."""
    deviations = np.maximum(noise / math.log(2), LEAST_DEVIATION)
    starts = [0, *change_points(height, deviations)]
    parts = []
    for first, after in zip(starts, [*starts[1:], len(height)], strict=True):
        ends = _flattest(octaves, smooth, first, after - 1)
        if ends is not None:
            middle = float(np.exp2(np.median(height[ends[0] : ends[1] + 1])))
            parts.append(Plateau(*ends, middle, middle))
    return parts


def _flattest(octaves: Array, smooth: Array, first: int, last: int) -> tuple[int, int] | None:
    """The segment itself if it is flat, else its flattest stretch of `FLAT_OCTAVES`, if any is flat."""

    def flat(begin: int, end: int) -> bool:
        length, rise = octaves[end] - octaves[begin], smooth[end] - smooth[begin]
        return bool(length >= FLAT_OCTAVES and (rise <= FLAT_RISE or rise <= FLAT_SLOPE * length))

    if flat(first, last):
        return first, last
    found = []
    for begin in range(first, last):
        end = int(np.searchsorted(octaves, octaves[begin] + FLAT_OCTAVES - 1e-9))
        if end <= last and end - begin >= 3 and flat(begin, end):
            found.append((float(smooth[end] - smooth[begin]), begin, end))
    return min(found)[1:] if found else None


def _grouped(parts: list[Plateau], octaves: Array) -> tuple[list[Plateau], list[Knee]]:
    """Plateaus that are a cache level apart; flat parts less than that apart are one plateau."""
    groups: list[Plateau] = []
    knees: list[Knee] = []
    for part in parts:
        if groups and part.start < groups[-1].end * LEAST_STEP:
            before = groups[-1]
            if part.start > before.end * LEAST_KNEE:
                middle = (octaves[before.last] + octaves[part.first]) / 2
                knees.append(Knee(float(np.exp2(middle)), before.end, part.start))
            groups[-1] = Plateau(before.first, part.last, before.start, part.end)
        else:
            groups.append(part)
    return groups, knees


def _merge(groups: list[Plateau], index: int) -> None:
    before, after = groups[index], groups[index + 1]
    groups[index : index + 2] = [Plateau(before.first, after.last, before.start, after.end)]


def _edge(size: Array, curve: Array, before: Plateau, after: Plateau, noise: Array, *, first: bool) -> Edge:
    hit, top = before.end, after.start
    height = (curve - hit) / (top - hit)
    height[: before.first + 1] = np.minimum(height[: before.first + 1], 0.0)
    error = 4 * float(np.median(noise[before.first : before.last + 1])) * hit / (top - hit)
    low = _last_within(height, max(ON_PLATEAU, error))
    start, half, most = (_first_from(height, level) for level in (SHARP_HEIGHT, 0.5, SMEARED_HEIGHT))
    resolved = max(SHARP_OCTAVES, _two_steps(size, low))
    if first and math.log2(size[start] / size[low]) <= resolved:
        ends = float(size[low]), float(size[start])
        return Edge(Interval(math.sqrt(ends[0] * ends[1]), *ends), "sharp", hit, top)
    sharp = math.log2(size[most] / size[low]) <= resolved
    if not sharp and not first:
        low = _last_within(height, max(SMEARED_START, error))
    value = min(max(_crossing(size, height, half, 0.5), float(size[low])), float(size[most]))
    shape = "sharp" if sharp else "smeared"
    return Edge(Interval(value, float(size[low]), float(size[most])), shape, hit, top)


def _last_within(height: Array, limit: float) -> int:
    above = np.flatnonzero(height > limit)
    return max(0, int(above[0]) - 1) if len(above) else len(height) - 1


def _first_from(height: Array, level: float) -> int:
    above = np.flatnonzero(height >= level)
    return int(above[0]) if len(above) else len(height) - 1


def _two_steps(size: Array, low: int) -> float:
    """Octaves over two steps of the grid from `low`: what the grid cannot resolve."""
    return float(np.log2(size[min(low + 2, len(size) - 1)] / size[low]))


def _crossing(size: Array, height: Array, index: int, level: float) -> float:
    """Size at which the height passes `level`, interpolated before `index` on the octave scale."""
    if index == 0 or height[index] <= height[index - 1]:
        return float(size[index])
    share = (level - height[index - 1]) / (height[index] - height[index - 1])
    return float(size[index - 1] * (size[index] / size[index - 1]) ** min(max(share, 0.0), 1.0))


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
