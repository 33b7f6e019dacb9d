"""Estimates that a few contaminated samples do not move, with intervals that cover.

Samples of one point come in visits (passes over the whole run, in random order).  A disturbance
may hold for a whole visit (a neighbour, another placement of pages), so the visit, not the sample,
is the unit that repeats: the interval comes from the scatter of the visits' centres (cluster
sampling).  With three visits a variance of one's own is worth little; it is moderated by the
variance pooled over the other points of the probe (empirical Bayes, Smyth 2004, doi
10.2202/1544-6115.1027).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

NORMAL_MAD = 1.4826
"""Standard deviation of a normal distribution / its median absolute deviation."""
NORMAL_95 = 1.959964
FEW_VISITS = {1: 1.0, 2: 0.5, 3: 0.449, 4: 0.298, 5: 0.287, 6: 0.215, 8: 0.168, 10: 0.138, 12: 0.118}
"""Variance of a median of so many normal values / that of one; of even numbers it is the less, being a mean
of two.  Others follow pi / 2 / (n + pi / 2 - 1)."""
FLOOR = 5e-3
"""Samples of a visit this close to its median (relative) are never outliers."""
OUTLIER = 3.5
"""Samples of a visit further from its median than this many robust deviations are contaminated."""
MODE_GAP = 0.02
"""Two groups of samples closer than this (relative) are one."""
MODE_SHARE = 0.2
"""A smaller group is contamination, not a mode."""
PRIOR_WEIGHT = 10.0
"""Most degrees of freedom that the pooled variance may weigh against a point's own."""
SURPRISE = 9.0
"""A point whose own variance exceeds the pooled one by more than this factor scatters in a way of its own."""
ODD_VISITS = 5
"""Visits from which on one or two that were disturbed do not set the width of an interval."""
ODD_ROOM = 2.0
"""What the median deviation of so few visits is widened by: with one of five disturbed, intervals held in 93
to 97 of 100 cases, and in 88 to 95 with 1.5."""


class Interval(NamedTuple):
    """A value with the interval that should cover the truth in 95 of 100 cases."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2


def symmetric(value: float, half: float) -> Interval:
    """`value` ± `half`."""
    return Interval(value, value - half, value + half)


def student_t(freedom: float) -> float:
    """97.5 % quantile of Student's t; Cornish-Fisher expansion above 2 degrees of freedom.

    Error < 0.4 % at 3 and falling (Abramowitz and Stegun 26.7.5).
    """
    if freedom <= 1:
        return 12.7062
    if freedom < 3:  # exact at 2; between the whole numbers monotonic, which is enough here
        return 4.30265 if freedom >= 2 else 12.7062 - (freedom - 1) * (12.7062 - 4.30265)
    z, n = NORMAL_95, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def median(values: Array) -> float:
    """Median of at least one value; several times faster than `numpy.median` on few values."""
    ordered = np.sort(values)
    half = len(ordered) // 2
    return float(ordered[half]) if len(ordered) % 2 else float(ordered[half - 1] + ordered[half]) / 2


def mad_deviation(values: Array) -> float:
    """Standard deviation estimated from the median absolute deviation; 0 for fewer than 2."""
    if len(values) < 2:
        return 0.0
    return NORMAL_MAD * median(np.abs(values - median(values)))


def modes(values: Array, passes: Integers) -> tuple[float, ...]:
    """Medians of two separate groups of positive samples, or () when they are one group.

    Visits are aligned at their lower samples, since what differs from visit to visit is their scatter, which
    the interval answers for.  Then all samples are cut at the widest gap (in logarithms).  The groups count
    as two when the gap is wider than `MODE_GAP` and than twice the spread inside either, and the smaller
    holds a share of at least `MODE_SHARE`.  At least two visits (if there are two) must show both in such
    shares.
    """
    if len(values) < 10:
        return ()
    logs = np.log(values)
    ids, visit = np.unique(passes, return_inverse=True)
    aligned = logs - np.array([lower_part(logs[visit == one]) for one in range(len(ids))])[visit]
    order = np.argsort(aligned)
    ordered = aligned[order]
    least = max(3, math.ceil(MODE_SHARE * len(ordered)))
    gaps = np.diff(ordered)[least - 1 : len(ordered) - least]
    if not len(gaps):
        return ()
    cut = int(np.argmax(gaps)) + least
    lower, upper = ordered[:cut], ordered[cut:]
    spread = max(mad_deviation(lower), mad_deviation(upper))
    distance = median(upper) - median(lower)
    if gaps.max() < max(math.log1p(MODE_GAP), 2 * spread) or distance < 4 * spread:
        return ()
    low_counts = np.bincount(visit[order[:cut]], minlength=len(ids))
    counts = np.bincount(visit, minlength=len(ids))
    smaller = np.minimum(low_counts, counts - low_counts)
    both = int(np.count_nonzero(smaller >= np.maximum(2, MODE_SHARE * counts)))
    if both < min(2, len(ids)):
        return ()
    return (math.exp(median(logs[order[:cut]])), math.exp(median(logs[order[cut:]])))


def lower_part(values: Array) -> float:
    """The value below which a fifth of a visit's samples lie: within its faster group if it has two."""
    ordered = np.sort(values)
    return float(ordered[int(MODE_SHARE * (len(ordered) - 1))])


@dataclass(frozen=True)
class Visits:
    """Centres of the visits of one point, contaminated samples left out."""

    centres: Array
    counts: Array
    ids: Array
    """Pass numbers, ascending."""

    def over(self, divisor: float) -> Visits:
        """The same visits, their centres divided."""
        return Visits(self.centres / divisor, self.counts, self.ids)

    @property
    def value(self) -> float:
        """Median over visits."""
        return median(self.centres)

    @property
    def loss(self) -> float:
        """Variance of `value` / variance of one visit's centre."""
        visits = len(self.centres)
        return FEW_VISITS.get(visits) or math.pi / 2 / (visits + math.pi / 2 - 1)


def visits(values: Array, passes: Integers) -> Visits:
    """Centres by visit of positive `values`: means of the samples that are not contaminated.

    A sample far from the median of its own visit is dropped; far is judged by the spread within all visits,
    since a visit of few samples does not know its own.  Visits of fewer than five samples, whose
    own median may be the contaminated one, are judged by the median of all.  The rest is averaged: where the
    counter moves in steps a median falls on one of few values, and a mean finds what lies between them.
    """
    order = np.lexsort((values, passes))
    of, ascending = passes[order], values[order]
    first = np.flatnonzero(np.concatenate(([True], of[1:] != of[:-1])))
    sizes = np.diff(first, append=len(of))
    middle = (ascending[first + (sizes - 1) // 2] + ascending[first + sizes // 2]) / 2
    within = ascending / np.repeat(np.where(sizes >= 5, middle, median(values)), sizes) - 1
    kept = np.abs(within) <= max(OUTLIER * mad_deviation(within), FLOOR)
    kept |= np.repeat(~np.logical_or.reduceat(kept, first), sizes)  # a visit that is far off as a whole
    counts = np.add.reduceat(kept, first, dtype=float)
    centres = np.add.reduceat(np.where(kept, ascending, 0.0), first) / counts
    return Visits(centres, counts, of[first].astype(float))


@dataclass(frozen=True)
class Scatter:
    """Relative standard deviation from visit to visit, pooled over points."""

    deviation: float
    freedom: float
    """Degrees of freedom behind it; 0 when no point was visited twice."""


@cache
def _pairs(count: int) -> tuple[Integers, Integers]:
    """Places of the earlier and of the later one of every pair of so many."""
    earlier, later = np.triu_indices(count, 1)
    return earlier, later


def pooled_scatter(points: list[Visits]) -> Scatter:
    """Scatter of visits about their point, from absolute differences of pairs of visits.

    The median of differences ignores up to half of the points being disturbed.
    """
    differences: list[Array] = []
    freedom = 0
    for point in points:
        logs = np.log(point.centres)
        freedom += max(len(logs) - 1, 0)
        earlier, later = _pairs(len(logs))
        differences.append(np.abs(logs[later] - logs[earlier]))
    if not freedom:
        return Scatter(0.0, 0.0)
    deviation = median(np.concatenate(differences)) * NORMAL_MAD / math.sqrt(2)
    # A median of differences is about as sharp as a variance of half the freedom.
    return Scatter(deviation, freedom / 2)


def satterthwaite(parts: Iterable[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of independent variances, each given with its own.

    (sum of variances)^2 / sum of (variance^2 / freedom): Welch 1938, Satterthwaite 1946.  Infinite where no
    part is uncertain.
    """
    some = list(parts)
    spread = sum(variance**2 / freedom for variance, freedom in some if variance)
    return sum(variance for variance, _ in some) ** 2 / spread if spread else math.inf


def moderated(own: float, own_freedom: float, pooled: Scatter) -> tuple[float, float]:
    """Relative variance and its degrees of freedom: own variance moderated by the pooled one.

    Satterthwaite's formula gives the freedom of the weighted sum.  A point that scatters much more than the
    others answers for itself.
    """
    if own_freedom and pooled.freedom and own > SURPRISE * pooled.deviation**2:
        return own, float(own_freedom)
    prior = min(pooled.freedom, PRIOR_WEIGHT)
    total = prior + own_freedom
    if total == 0:
        return 0.0, 0.0
    weight, prior_weight = own_freedom / total, prior / total
    variance = weight * own + prior_weight * pooled.deviation**2
    parts = ((weight, own_freedom), (prior_weight, pooled.freedom))
    return variance, satterthwaite((share, freedom) for share, freedom in parts if freedom)


def visit_variance(point: Visits, pooled: Scatter) -> tuple[float, float]:
    """Relative variance of one visit of a point, and its degrees of freedom."""
    logs = np.log(point.centres)
    freedom = len(logs) - 1
    own = float(np.var(logs, ddof=1)) if freedom else 0.0
    if len(logs) >= ODD_VISITS:
        own = min(own, (ODD_ROOM * mad_deviation(logs)) ** 2)
    return moderated(own, freedom, pooled)


def geometric(value: float, relative: float) -> Interval:
    """An interval about a positive `value` whose half width is known in logarithms, as scatter is here.

    Hardly other than `symmetric` where it is narrow; where it is wide, a time or rate stays above zero.
    """
    return Interval(value, value * math.exp(-relative), value * math.exp(relative))


def visit_interval(point: Visits, pooled: Scatter, systematic: float = 0.0) -> Interval:
    """Value of a point with its 95 % interval.

    `systematic` is a relative standard deviation that all visits share.  A point visited once,
    in a probe where nothing was visited twice, has no measured scatter: the interval is then
    `FLOOR` wide on either side, a statement of ignorance rather than of noise.
    """
    variance, freedom = visit_variance(point, pooled)
    if not freedom:
        return symmetric(point.value, FLOOR * point.value)
    random = student_t(freedom) * math.sqrt(variance * point.loss)
    return geometric(point.value, math.hypot(random, NORMAL_95 * systematic))


def pooled_variance(members: list[Visits], everything: list[Visits]) -> tuple[float, float]:
    """Relative variance of one visit of several points that show one value, and its degrees of freedom."""
    logs = np.log(np.concatenate([one.centres for one in members]))
    freedom = len(logs) - 1
    own = float(np.var(logs, ddof=1)) if freedom else 0.0
    if freedom >= 5:  # enough visits to keep a disturbed one from setting the width
        own = min(own, (1.5 * mad_deviation(logs)) ** 2)
    return moderated(own, float(freedom), pooled_scatter(everything))


def pooled_interval(members: list[Visits], everything: list[Visits], systematic: float = 0.0) -> Interval:
    """Median over all visits of several points that show one value, with its 95 % interval.

    Args:
        members: the points; each visit counts once.
        everything: all points of the probe, whose scatter moderates that of the members.
        systematic: relative standard deviation that all visits share.
    """
    values = np.concatenate([one.centres for one in members])
    value = median(values)
    variance, total = pooled_variance(members, everything)
    if not total:
        return symmetric(value, FLOOR * value)
    loss = Visits(values, values, values).loss
    random = student_t(total) * math.sqrt(variance * loss)
    return geometric(value, math.hypot(random, NORMAL_95 * systematic))
