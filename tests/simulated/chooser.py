"""One way to draw a device, two sources of draws: a seed, or hypothesis, which shrinks what fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from hypothesis import strategies as st

T = TypeVar("T")


class Chooser(Protocol):
    """Draws the parts of a device."""

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""

    def real(self, low: float, high: float) -> float:
        """A number, evenly."""

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""

    def chance(self, share: float) -> bool:
        """True in a share of the draws."""


class Seeded:
    """Draws from a random generator: the population of the calibration.

    Parts of a device that draw from generators of their own leave what others draw as it was.
    """

    def __init__(self, seed: int, part: int = 0) -> None:
        self._rng = np.random.default_rng([seed, part] if part else seed)

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return int(self._rng.integers(low, high + 1))

    def real(self, low: float, high: float) -> float:
        """A number, evenly."""
        return float(self._rng.uniform(low, high))

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[int(self._rng.integers(len(options)))]

    def chance(self, share: float) -> bool:
        """True in a share of the draws."""
        return bool(self._rng.random() < share)


class Drawn:
    """Draws through hypothesis: the same population, in no defined shares, and shrinkable."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return int(self._draw(st.integers(low, high)))

    def real(self, low: float, high: float) -> float:
        """A number; in a thousand steps, so that a failing one is short to write down."""
        return low + (high - low) * int(self._draw(st.integers(0, 1000))) / 1000

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[int(self._draw(st.integers(0, len(options) - 1)))]

    def chance(self, share: float) -> bool:
        """True or false; shrinks to false."""
        return bool(self._draw(st.booleans())) if 0 < share < 1 else share >= 1


def logarithmic(choose: Chooser, low: float, high: float) -> float:
    """A positive number, evenly in its logarithm."""
    return math.exp(choose.real(math.log(low), math.log(high)))
