"""The closest curve that never falls (pool adjacent violators, Barlow et al. 1972)."""

from __future__ import annotations

import numpy as np

from reportgen.analysis.robust import Array


def envelope(values: Array) -> Array:
    """Least-squares fit to `values` that never falls; same length."""
    heights: list[float] = []
    lengths: list[int] = []
    for value in values:
        heights.append(float(value))
        lengths.append(1)
        while len(heights) > 1 and heights[-2] > heights[-1]:
            length = lengths[-2] + lengths[-1]
            heights[-2] = (heights[-2] * lengths[-2] + heights[-1] * lengths[-1]) / length
            lengths[-2] = length
            heights.pop()
            lengths.pop()
    return np.repeat(heights, lengths) if heights else np.array([])


def without_spikes(values: Array) -> Array:
    """Running median of three; the ends stay.  Steps and slopes pass, a single stray value does not."""
    if len(values) < 3:
        return values
    middle = np.median(np.stack([values[:-2], values[1:-1], values[2:]]), axis=0)
    return np.concatenate([values[:1], middle, values[-1:]])
