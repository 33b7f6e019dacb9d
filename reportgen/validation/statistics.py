"""How far predictions are from what was measured, and how sure that is.

Loops of one kind are alike, so a bootstrap draws kinds, each with all of its variants (a cluster bootstrap):
two hundred variants of one loop are no two hundred witnesses.

Sources: M. G. Kendall: A new measure of rank correlation. Biometrika 30 (1938), in the form tau-b; B. Efron,
R. Tibshirani: An Introduction to the Bootstrap (1993), percentile intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.stats

from reportgen.validation.record import Errors, Number

DRAWS = 2000
SEED = 20261130
"""Fixed: the same samples give the same page."""
LEVEL = 0.95
LEAST = 3
"""Loops; fewer have no rank correlation worth the name."""

Array = np.ndarray[Any, np.dtype[np.float64]]


def ape(predicted: Sequence[float], measured: Sequence[float]) -> Array:
    """Absolute errors as shares of what was measured."""
    right = np.asarray(measured, dtype=float)
    off: Array = np.abs(np.asarray(predicted, dtype=float) - right) / right
    return off


def errors(predicted: Sequence[float], measured: Sequence[float], kinds: Sequence[str]) -> Errors | None:
    """The statistics; None where there is no loop.

    Args:
        predicted: cycles, > 0.
        measured: cycles, > 0, in the same order.
        kinds: what each loop computes; variants share it.
    """
    if not predicted:
        return None
    off = ape(predicted, measured)
    weights = draws(kinds)
    tau = None
    if len(predicted) >= LEAST:
        value = float(scipy.stats.kendalltau(predicted, measured).statistic)
        if not np.isnan(value):
            tau = _number(value, kendall(predicted, measured, weights))
    return Errors(
        loops=len(predicted),
        kinds=len(set(kinds)),
        mape=_number(float(off.mean()), weights @ off / weights.sum(axis=1)),
        median=_number(float(np.median(off)), medians(off, weights)),
        tau=tau,
    )


def share(right: Sequence[bool], kinds: Sequence[str]) -> Number | None:
    """How many of some answers are right; None where there is none."""
    if not right:
        return None
    flags, weights = np.asarray(right, dtype=float), draws(kinds)
    return _number(float(flags.mean()), weights @ flags / weights.sum(axis=1))


def draws(kinds: Sequence[str]) -> Array:
    """How often each loop is in each resample: shape (DRAWS, loops); no resample for a single kind."""
    names, place = np.unique(np.asarray(kinds), return_inverse=True)
    if len(names) < 2:
        return np.zeros((0, len(kinds)))
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    return np.asarray(counts[:, place], dtype=float)


def medians(values: Array, weights: Array) -> Array:
    """The median of each resample; between two values as `numpy.median` has it."""
    order = np.argsort(values)
    total = np.cumsum(weights[:, order], axis=1)
    half = total[:, -1:] / 2
    lower = values[order][np.argmax(total >= half, axis=1)]
    upper = values[order][np.argmax(total > half, axis=1)]
    return np.asarray((lower + upper) / 2)


def kendall(first: Sequence[float], second: Sequence[float], weights: Array) -> Array:
    """tau-b of each resample; a loop drawn twice ties with itself, a resample that has no tau is left out."""
    signs = [np.sign(np.subtract.outer(one, one)) for one in map(np.asarray, (first, second))]
    agree = np.einsum("bi,ij,bj->b", weights, signs[0] * signs[1], weights, optimize=True)
    untied = [np.einsum("bi,ij,bj->b", weights, np.abs(sign), weights, optimize=True) for sign in signs]
    scale = np.sqrt(untied[0] * untied[1])
    return np.asarray(agree[scale > 0] / scale[scale > 0])


def _number(value: float, resampled: Array) -> Number:
    if not len(resampled):
        return Number(value)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return Number(value, float(low), float(high))
