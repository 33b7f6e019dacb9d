"""Change points of the mean (PELT), as candidates for the ends of levels.

Killick, Fearnhead and Eckley 2012 (doi 10.1080/01621459.2012.737745): the segmentation that
minimises squared error + penalty x segments, exactly, in about linear time.  With equal deviations
it is the optimum of `ruptures.Pelt(model="l2")`, to which a test compares it; that package has no
weights and takes longer to import than a whole run takes to analyse.  In a ramp it finds more
changes than there are levels: it proposes, `boundary` decides.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.analysis.robust import Array


def change_points(values: Array, deviations: Array, penalty: float = 3.0) -> list[int]:
    """Indices at which a new segment begins, ascending, without 0.

    Args:
        values: the series, at least one value.
        deviations: standard deviation of each value; squared errors are counted in their squares.
        penalty: what one more segment must save, times log(n); 3 is usual.
    """
    n = len(values)
    weights = 1 / deviations**2
    weight, total, squares = (
        np.concatenate([[0.0], np.cumsum(weights * values**power)]) for power in (0, 1, 2)
    )
    each = penalty * math.log(max(n, 2))
    best = np.full(n + 1, np.inf)
    best[0] = -each
    previous = np.zeros(n + 1, dtype=int)
    candidates = np.array([0])
    for end in range(1, n + 1):
        inside = weight[end] - weight[candidates]
        error = squares[end] - squares[candidates] - (total[end] - total[candidates]) ** 2 / inside
        costs = best[candidates] + np.maximum(error, 0.0)
        choice = int(np.argmin(costs))
        best[end] = costs[choice] + each
        previous[end] = candidates[choice]
        candidates = np.append(candidates[costs <= best[end]], end)
    found = []
    at = n
    while previous[at] > 0:
        at = int(previous[at])
        found.append(at)
    return found[::-1]
