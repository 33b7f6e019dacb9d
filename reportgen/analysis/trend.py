"""Rates a second without the drift of the run: they are those of its middle.

A core whose clock falls while a run is taken shows every rate a second a little lower in each pass.  That
is no scatter from visit to visit: it is common to all points, and in the middle of the run it is nothing.
Passes follow each other over the whole run, so a straight line over them, one for all points, takes it away
(analysis of covariance; Fisher, Statistical Methods for Research Workers, 1932).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from reportgen.analysis.robust import Visits, median

LEAST_POINTS = 8
"""Points that must show a trend together: of fewer, their own scatter would pass for one."""


def trend(points: Iterable[Visits]) -> float:
    """What the logarithm of all points gains from one pass to the next; 0 where too few of them tell.

    It is the median over points of the slope from the first pass of a point to its last one, so up to half of
    the points may be disturbed.
    """
    slopes = [
        float(np.log(one.centres[-1] / one.centres[0]) / (one.ids[-1] - one.ids[0]))
        for one in points
        if len(one.ids) > 1
    ]
    return median(np.array(slopes)) if len(slopes) >= LEAST_POINTS else 0.0


def without_trend(rates: Mapping[str, Visits], slope: float) -> dict[str, Visits]:
    """The same rates with a trend over passes taken out about the middle of all passes."""
    if not rates or not slope:
        return dict(rates)
    passes = np.unique(np.concatenate([one.ids for one in rates.values()]))
    middle = float(passes[0] + passes[-1]) / 2
    return {
        name: Visits(one.centres * np.exp(-slope * (one.ids - middle)), one.counts, one.ids)
        for name, one in rates.items()
    }
