"""Where a rate that rises in proportion turns into one that stays: two asymptotes and the bend between them.

    ln y = a + f(ln x - c),    f(u) = -q ln(1 + exp(-u / q))

c is where the asymptotes meet, a the height of the flat one, and q how rounded the bend is: there the curve
stays below both by 2^-q.  q = 0 is a sharp bend, the lower of both everywhere; q = 1 is the sum of both
times, one after the other.  (It is the p-norm of two times with p = 1/q.)

All three are estimated together on a grid, with errors that have the tails of Student's t, so that a few
contaminated points do not move them (Lange, Little and Taylor 1989, doi 10.2307/2290063).  What the points
miss the curve by widens the intervals: a bend of another shape is not known any better for being measured
precisely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.analysis.robust import Array, Interval, mad_deviation

FREEDOM = 4.0
"""Degrees of freedom of the errors: heavy tails, and a variance."""
AS_NORMAL = math.sqrt((FREEDOM + 1) / (FREEDOM + 3))
"""Scale of Student's t that tells as much of a place as a normal distribution of deviation 1: the Fisher
information of t is (freedom + 1) / (freedom + 3) / scale^2 (Lange, Little and Taylor, appendix)."""
LEAST_SCATTER = 1e-3
"""Relative error that no point is believed to lie below."""
FITTED = 3
"""Parameters."""
LEAST_POINTS = FITTED + 2
DEEPEST = 0.35
"""Lowest depth of a bend that is looked for: below a half both times add to more than their sum."""
GRID = (33, 21)
"""Positions of the bend, and depths, of one look at the posterior."""
LOOKS = 4
"""Each closer than the one before."""
SEEN = 12.0
"""Logarithm of the odds beyond which nothing is looked for any more."""
WEIGHINGS = 3
COVERED = (0.025, 0.5, 0.975)


@dataclass(frozen=True)
class Knee:
    """The best fit, and what the points leave open."""

    at: Interval
    """Where the asymptotes meet, in the unit of x."""
    depth: Interval
    """The curve there over both asymptotes: 1 for a sharp bend, 1/2 where both times add up.  Its value is
    the middle of what is likely: where no point lies at the bend, the best fit is one of many."""
    slope: float
    """y / x of the rising asymptote."""
    height: float
    """y of the flat one."""
    residuals: Array
    """Logarithm of each point over the curve."""
    scatter: float
    """Of the points about the curve, relative: their own standard deviation and what they miss it by."""


def knee(x: Array, y: Array, errors: Array) -> Knee:
    """The bend of y over x.

    Args:
        x: at least `LEAST_POINTS` positive positions, ascending.
        y: positive values.
        errors: relative standard deviation of each value.
    """
    places, values = np.log(x), np.log(y)
    scale = np.hypot(errors, LEAST_SCATTER)
    first = _posterior(places, values, scale * AS_NORMAL, looks=2)
    missed = mad_deviation(np.concatenate([first.residuals, -first.residuals]))
    about = np.hypot(scale, missed * math.sqrt(len(x) / (len(x) - FITTED)))
    # what points are known to scatter by is part of what they miss the curve by; the larger of two estimates
    # is too large already, so the parameters that were fitted are not allowed for again
    scale = np.maximum(scale, missed)
    found = _posterior(places, values, scale * AS_NORMAL, LOOKS)
    low, _, high = _marginal(found.bends, found.odds.sum(axis=1))
    best = found.bend
    shallow, middle, deep = _marginal(found.depths, found.odds.sum(axis=0))
    return Knee(
        at=Interval(math.exp(best), math.exp(min(low, best)), math.exp(max(high, best))),
        depth=Interval(middle, shallow, deep),
        slope=math.exp(found.height - found.bend),
        height=math.exp(found.height),
        residuals=found.residuals,
        scatter=float(np.median(about)),
    )


@dataclass(frozen=True)
class _Posterior:
    bends: Array
    depths: Array
    odds: Array
    """Of each pair of them, relative."""
    bend: float
    height: float
    residuals: Array


def _posterior(x: Array, y: Array, scale: Array, looks: int) -> _Posterior:
    """Odds of bend and depth, each height the best of its pair; looked at closer and closer."""
    around = 0.5 * (x[-1] - x[0])
    ends = [(x[0] - around, x[-1] + around), (DEEPEST, 1.0)]
    for _ in range(looks):
        axes = [np.linspace(*end, count) for end, count in zip(ends, GRID, strict=True)]
        logs, heights = _fit(axes[0], axes[1], x, y, scale)
        best = np.unravel_index(int(np.argmax(logs)), logs.shape)
        near = logs > logs[best] - SEEN
        used = axes
        ends = [
            _narrowed(axis, axis[near.any(axis=1 - number)], end)
            for number, (axis, end) in enumerate(zip(axes, ends, strict=True))
        ]
    bend, depth = float(used[0][best[0]]), float(used[1][best[1]])
    height = float(heights[best])
    residuals = y - height - _shape(x - bend, np.array(depth))
    return _Posterior(used[0], used[1], np.exp(logs - logs[best]), bend, height, residuals)


def _narrowed(axis: Array, near: Array, end: tuple[float, float]) -> tuple[float, float]:
    """The part of an axis where anything is likely, and a step on either side, within its ends."""
    step = axis[1] - axis[0]
    return max(end[0], float(near.min() - step)), min(end[1], float(near.max() + step))


def _shape(offset: Array, depth: Array) -> Array:
    """The curve over its flat asymptote, in logarithms: f of the head, by the depth 2^-q."""
    rounding = np.maximum(-np.log2(depth), 1e-6)
    return np.asarray(-rounding * np.logaddexp(0.0, -offset / rounding))


def _fit(bends: Array, depths: Array, x: Array, y: Array, scale: Array) -> tuple[Array, Array]:
    """Log-likelihood and best height of every pair of bend and depth."""
    curve = _shape(x - bends[:, None, None], depths[None, :, None])
    apart = y - curve
    height = np.median(apart, axis=-1)
    for _ in range(WEIGHINGS):
        squares = ((apart - height[..., None]) / scale) ** 2
        weights = (FREEDOM + 1) / (FREEDOM + squares) / scale**2
        height = (weights * apart).sum(axis=-1) / weights.sum(axis=-1)
    squares = ((apart - height[..., None]) / scale) ** 2
    return -(FREEDOM + 1) / 2 * np.log1p(squares / FREEDOM).sum(axis=-1), height


def _marginal(axis: Array, odds: Array) -> tuple[float, float, float]:
    """Where 2.5, 50 and 97.5 % of the odds lie below; each takes the cell around it."""
    share = np.concatenate([[0.0], np.cumsum(odds) / odds.sum()])
    edges = np.concatenate([[axis[0]], (axis[1:] + axis[:-1]) / 2, [axis[-1]]])
    low, middle, high = (float(np.interp(part, share, edges)) for part in COVERED)
    return low, middle, high
