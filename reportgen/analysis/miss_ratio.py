"""A buffer that replaces by chance: beyond its capacity C a share 1 - C/size of the accesses misses.

    latency(size) = hit + penalty x max(0, 1 - C/size)

The rise begins with a kink at C and slows down; the next level's own latency, hit + penalty, is only
approached.  A least-recently-used buffer, in contrast, misses everywhere as soon as it overflows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.analysis.robust import Array, Interval

GOOD_FIT = 0.015
"""Root mean square residual, as a share of the rise, up to which the model describes it."""
REACH = 1.7
"""The fit must extend to this multiple of C: shorter, any rise looks like a kink."""
LEAST_MISSING = 0.3
"""Where fewer accesses miss, the latency of those that do cannot be read from the mean of all."""
LEAST_BEYOND = 5
"""Sizes beyond C; two parameters through fewer prove nothing."""
STEPS_PER_OCTAVE = 100


@dataclass(frozen=True)
class Kink:
    """A fit of the model."""

    capacity: Interval
    hit: float
    penalty: float

    def missing(self, size: Array) -> Array:
        """Share of accesses that miss at each size."""
        return np.maximum(0.0, 1 - self.capacity.value / size)

    def added(self, size: Array) -> Array:
        """Latency that the misses add at each size."""
        return self.penalty * self.missing(size)

    def flattened(self, size: Array, latency: Array) -> Array:
        """The curve as it would be if every access beyond C missed: a step instead of a kink.

        A share of the accesses hits, whatever serves the others; near C, where nearly all hit, the
        fit stands in for the samples.
        """
        missing = self.missing(size)
        rest = self.hit + (latency - self.hit) / np.maximum(missing, LEAST_MISSING)
        beyond = np.where(missing >= LEAST_MISSING, rest, self.hit + self.penalty)
        return np.where(missing > 0, beyond, latency)


def fit_kink(
    size: Array, latency: Array, hit: float, *, slack: float = GOOD_FIT, most: float = math.inf
) -> Kink | None:
    """Fit capacity and penalty at a given `hit`, or None where the model does not describe the rise.

    The capacity is scanned from the smallest size to `most` (and to the largest size / `REACH`); its
    interval holds every capacity whose squared error is within the 95 % factor of the least.
    """
    highest = min(float(size[-1]) / REACH, most)
    if len(size) < 4 or highest <= size[0]:
        return None
    octaves = np.arange(math.log2(size[0]), math.log2(highest), 1 / STEPS_PER_OCTAVE)
    candidates = np.exp2(octaves)
    missing = np.maximum(0.0, 1 - candidates[:, None] / size[None, :])
    rise = latency - hit
    weight = (missing**2).sum(axis=1)
    penalty = (missing @ rise) / np.maximum(weight, 1e-12)
    error = ((rise - penalty[:, None] * missing) ** 2).sum(axis=1)
    error[penalty <= 0] = np.inf
    best = int(np.argmin(error)) if len(error) else 0
    if not len(error) or not math.isfinite(error[best]) or best == len(error) - 1:
        return None  # at the end of the scan the capacity is somewhere beyond
    freedom = len(size) - 2
    if math.sqrt(error[best] / freedom) > slack * float(rise.max() - rise.min()):
        return None
    if np.count_nonzero(size > candidates[best]) < LEAST_BEYOND:
        return None
    inside = np.flatnonzero(error <= error[best] * (1 + 4.0 / freedom) + 1e-12)
    interval = Interval(
        float(candidates[best]),
        float(candidates[max(0, inside[0] - 1)]),
        float(candidates[min(len(candidates) - 1, inside[-1] + 1)]),
    )
    return Kink(interval, hit, float(penalty[best]))
