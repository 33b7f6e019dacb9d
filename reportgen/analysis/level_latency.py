"""Which sizes of a latency curve show a level, and what a load costs there.

A size shows a level when neither inner levels still serve some of its accesses nor outer ones already do.
How many do follows from the fitted rises; those that describe the curve about as well are asked, too, and the
sizes for which all of them say the least are used.  The latency is what was measured there, of the median
size on a typical placement of its pages; where other levels surely take part, the fit's estimate of the
level alone is a detail beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.analysis.boundary import Levels
from reportgen.analysis.rises import Rises
from reportgen.analysis.robust import Array, Integers

CLEAN = 0.002
"""A size to which no fit says that other levels contribute more than this (relative) is used."""
LEAST_SIZES = 4
"""Sizes that are used at least, if there are so many: those to which other levels contribute least."""
PARTLY = 0.005
"""A contribution of other levels of more than this is said."""


@dataclass(frozen=True)
class Stretch:
    """Sizes that show a level's latency."""

    chosen: Integers
    """Indices of the curve, ascending."""
    alone: float
    """Latency of the level alone over what these sizes show, by the best fit."""

    @property
    def mixed(self) -> bool:
        """Whether other levels contribute to what is shown."""
        return abs(self.alone - 1) > PARTLY


def stretch(size: Array, latency: Array, found: Levels, level: int, least: float = 0.0) -> Stretch:
    """The sizes that show level number `level` best, among those from `least` bytes on.

    Misses of a translation buffer are part of what a load costs; where one begins within the level, sizes
    that it does not reach are preferred.  Where none is clean, sizes that the fit does not describe are not.
    """
    inner = found.ends[level - 1] + 1 if 0 < level <= len(found.ends) else 0
    allowed = np.flatnonzero(size >= least)
    if level < len(found.ends):
        end = found.rises[found.ends[level]].capacity.value
        within = np.flatnonzero((size >= least) & (size <= end))
        allowed = within if len(within) else allowed
    fits = np.array([_alone(size, rises, found.ends, inner) for rises in (found.rises, *found.variants)])
    foreign = np.abs(fits - 1)
    translated: Array = np.zeros(len(size))
    for at, rise in enumerate(found.rises):
        if at >= inner and at not in found.ends:
            translated = translated + rise.penalty * rise.missing(size) / rise.hit
    chosen = allowed[(foreign.max(axis=0) + translated)[allowed] <= CLEAN]
    if len(chosen) < LEAST_SIZES:
        strange = np.abs(latency / _shown(size, found.rises) - 1)
        order = np.argsort((foreign.mean(axis=0) + translated + strange)[allowed], kind="stable")
        chosen = np.sort(allowed[order[:LEAST_SIZES]])
    return Stretch(chosen, float(fits[0, chosen].mean()))


def _alone(size: Array, rises: Rises, ends: tuple[int, ...], inner: int) -> Array:
    """Latency of the level after `inner` rises over what the curve shows at each size.

    Args:
        size: of the curve.
        rises: the best fit, or a variant of it.
        ends: which of them are ends of caches.
        inner: how many of them lie before the level.
    """
    own = np.full(len(size), rises[0].hit if rises else 1.0)
    for at, rise in enumerate(rises):
        if at not in ends:
            own = own + rise.penalty * rise.missing(size)
        elif at < inner:
            own = own + rise.penalty
    return np.asarray(own / _shown(size, rises))


def _shown(size: Array, rises: Rises) -> Array:
    """Latency that the rises give to each size."""
    shown: Array = np.full(len(size), rises[0].hit if rises else 1.0)
    for rise in rises:
        shown = shown + rise.penalty * rise.missing(size)
    return shown
