"""A latency curve as a sum of rises.

    latency(s) = hit + sum over levels j of penalty_j x m_j(s / C_j)

Each rise is the end of something: of a cache, or of a translation buffer.  What share of the accesses
misses follows one of the curves of `miss_shapes`; hit and penalties are linear.  Rises are added one by
one while they pay, the others adapting to each (orthogonal matching pursuit, Pati et al. 1993); what lies
too close together to have a plateau between is one rise.  The interval of a capacity holds every capacity
with which some curve fits about as well.

Sizes on a rise scatter more than those on a plateau, because each visit finds other pages.  That scatter is
estimated from the residuals there, in proportion to the penalty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis.miss_shapes import COARSE, CURVES, EVEN, KINDS, dictionary, shares
from reportgen.analysis.robust import Array, Integers, Interval

CANDIDATES = 16
"""Capacities tried, per octave."""
MOST_RISES = 6
FLOOR = 0.004
"""Standard deviation (relative) of a latency about the model at least."""
PAYS = 3.0
"""What one more rise must save in squared error, times the logarithm of the number of sizes."""
PLACEMENT = 0.08
"""Standard deviation of a size on a rise, as a share of penalty x sqrt(m (1 - m))."""
INSIDE = 40.0
"""Squared error by which a capacity in the interval may exceed the best one, in variances ..."""
INSIDE_EVEN = 10.0
"""... and where the sets are known to fill evenly, so that fewer curves are possible."""
APART = 2.2
"""Rises whose capacities lie closer than this, as a ratio, are one."""
NEAR = 1.0
"""Octaves about a capacity within which it is adapted to the others; twice as many for its interval."""
ROUNDS = 4


@dataclass(frozen=True)
class Rise:
    """The end of one level or buffer."""

    capacity: Interval
    curve: int
    """Of `miss_shapes.CURVES`."""
    hit: float
    """Latency before, all inner rises complete."""
    penalty: float

    @property
    def top(self) -> float:
        """Latency after."""
        return self.hit + self.penalty

    @property
    def kind(self) -> str:
        """`step`, `chance`, `pages_step`, ..."""
        return CURVES[self.curve][0]

    def missing(self, size: Array) -> Array:
        """Share of accesses that miss at each size."""
        return shares(self.curve, size / self.capacity.value)


Rises = tuple[Rise, ...]
"""Rises of one curve, from the core outwards."""


def fit_rises(
    size: Array, latency: Array, noise: Array, kinds: frozenset[str] = KINDS
) -> tuple[Rises, tuple[Rises, ...]]:
    """Rises of a curve, and other rises that describe it about as well.

    Each of the others has one rise of the best fit replaced by the least or largest capacity with which
    one of the curves is still about as good.

    Args:
        size: ascending, no duplicates.
        latency: positive, one a size.
        noise: relative standard deviation of each latency on a plateau.
        kinds: curves that are tried.
    """
    octaves = np.arange(math.log2(size[0]), math.log2(size[-1]) + 1e-9, 1 / CANDIDATES)
    fit = _Fit(size, latency, np.exp2(octaves), latency * np.hypot(noise, FLOOR), kinds)
    chosen = fit.grown([])
    for _ in range(2):
        fit.reweigh(chosen)
        chosen = fit.merged(fit.grown(fit.merged(fit.adapted(chosen))))
    return fit.rises(fit.adapted(chosen))


class _Fit:
    """The least-squares problem: one atom a curve and candidate capacity."""

    def __init__(
        self, size: Array, latency: Array, capacity: Array, deviation: Array, kinds: frozenset[str]
    ) -> None:
        tried = np.array([at for at, (kind, _) in enumerate(CURVES) if kind in kinds])
        shape = dictionary(size, capacity)[tried]
        self.size, self.latency, self.base = size, latency, deviation
        self.curve = np.repeat(tried, len(capacity))
        self.capacity = np.tile(capacity, shape.shape[0])
        self.octave = np.log2(self.capacity)
        self.atoms = shape.reshape(-1, len(size))
        self.even = np.array([CURVES[one][0] in EVEN for one in self.curve])
        self.coarse = np.flatnonzero(np.isin(self.curve, COARSE))[::2]
        self._weigh(deviation)

    def _weigh(self, deviation: Array) -> None:
        self.weight = 1 / deviation
        self.weighted = self.atoms * self.weight
        self.squares = (self.weighted**2).sum(axis=1)
        self.wanted = self.latency * self.weight

    def _rest(self, chosen: list[int]) -> tuple[Array, Array]:
        """Orthonormal basis of the chosen atoms and the hit, and what they leave of the latencies."""
        columns = np.array([self.weight, *(self.weighted[one] for one in chosen)]).T
        basis, _ = np.linalg.qr(columns)
        return basis, self.wanted - basis @ (basis.T @ self.wanted)

    def error(self, chosen: list[int]) -> float:
        """Squared error in variances."""
        _, rest = self._rest(chosen)
        return float(rest @ rest)

    def gains(self, others: list[int], among: Integers) -> tuple[Array, float]:
        """What each atom of some would save of the squared error that the others leave, and that error."""
        basis, rest = self._rest(others)
        some = self.weighted[among]
        own = self.squares[among] - ((some @ basis) ** 2).sum(axis=1)
        along = some @ rest
        new = (own > 1e-6 * self.squares[among]) & (own > 1e-9) & (along > 0)
        return np.where(new, along**2 / np.where(new, own, 1.0), 0.0), float(rest @ rest)

    def best(self, others: list[int], low: float, high: float) -> int:
        """The atom between two capacities that saves most beside the others."""
        among = np.flatnonzero((self.capacity >= low) & (self.capacity <= high))
        gain, _ = self.gains(others, among)
        return int(among[np.argmax(gain)])

    def adapted(self, chosen: list[int]) -> list[int]:
        """Each atom in turn replaced by the best one near it, until nothing changes."""
        chosen, near = list(chosen), 2.0**NEAR
        for _ in range(ROUNDS):
            before = list(chosen)
            for at, atom in enumerate(before):
                here = float(self.capacity[atom])
                chosen[at] = self.best(chosen[:at] + chosen[at + 1 :], here / near, here * near)
            if chosen == before:
                break
        return chosen

    def grown(self, chosen: list[int]) -> list[int]:
        """More atoms, as long as they pay."""
        while len(chosen) < MOST_RISES:
            gain, error = self.gains(chosen, self.coarse)
            trial = self.adapted([*chosen, int(self.coarse[np.argmax(gain)])])
            left = self.error(trial)
            if error - left < PAYS * math.log(len(self.size)) * self.scale(left, len(trial)):
                break
            chosen = trial
        return chosen

    def scale(self, error: float, count: int) -> float:
        """Squared error a degree of freedom, at least 1."""
        return max(1.0, error / max(len(self.size) - 1 - 3 * count, 1))

    def merged(self, chosen: list[int]) -> list[int]:
        """Of rises too close to each other the smallest is given up to its neighbour, and so on."""
        while True:
            chosen = sorted(chosen, key=lambda one: float(self.capacity[one]))
            heights = self._heights(chosen)
            pairs = [
                (min(heights[at], heights[at + 1]), at)
                for at in range(len(chosen) - 1)
                if self.capacity[chosen[at + 1]] < APART * self.capacity[chosen[at]]
            ]
            if not pairs:
                return chosen
            _, at = min(pairs)
            low, high = (float(self.capacity[chosen[one]]) for one in (at, at + 1))
            rest = chosen[:at] + chosen[at + 2 :]
            chosen = self.adapted([*rest, self.best(rest, low, high)])

    def _heights(self, chosen: list[int]) -> list[float]:
        """Octaves by which each rise lifts the latency."""
        found = self.coefficients(chosen)
        levels = np.maximum(np.cumsum(found), 1e-9)
        return [float(one) for one in np.log2(levels[1:] / levels[:-1])]

    def coefficients(self, chosen: list[int]) -> Array:
        """Hit and penalties."""
        columns = np.array([self.weight, *(self.weighted[one] for one in chosen)]).T
        return np.asarray(np.linalg.lstsq(columns, self.wanted, rcond=None)[0])

    def reweigh(self, chosen: list[int]) -> None:
        """Give sizes on rises the scatter that their residuals show."""
        found = self.coefficients(chosen)
        spread: Any = np.zeros(len(self.size))
        for penalty, atom in zip(found[1:], chosen, strict=True):
            missing = self.atoms[atom]
            spread = spread + penalty**2 * missing * (1 - missing)
        self._weigh(np.sqrt(self.base**2 + PLACEMENT**2 * spread))

    def rises(self, chosen: list[int]) -> tuple[Rises, tuple[Rises, ...]]:
        """The atoms as rises, with the intervals of their capacities, and what else would do."""
        chosen = sorted(chosen, key=lambda one: float(self.capacity[one]))
        scale = self.scale(self.error(chosen), len(chosen))
        intervals = []
        others = []
        for at, atom in enumerate(chosen):
            among = np.flatnonzero(np.abs(self.octave - self.octave[atom]) <= 2 * NEAR)
            allowed = INSIDE * scale
            if at == 0 or self.even.all():  # the sets of a first level fill evenly
                among = among[self.even[among] | (among == atom)]
                allowed = INSIDE_EVEN * scale
            rest = (chosen[:at], chosen[at + 1 :])
            gain, _ = self.gains([*rest[0], *rest[1]], among)
            inside = among[gain >= float(gain[among == atom][0]) - allowed]
            low, high = self.octave[inside].min(), self.octave[inside].max()
            half = 0.5 / CANDIDATES
            intervals.append(
                Interval(float(self.capacity[atom]), float(2 ** (low - half)), float(2 ** (high + half)))
            )
            for curve in np.unique(self.curve[inside]):
                same = inside[self.curve[inside] == curve]
                ends = {int(same[np.argmin(self.octave[same])]), int(same[np.argmax(self.octave[same])])}
                others += [[*rest[0], one, *rest[1]] for one in ends]
        variants = (self._named(one, intervals) for one in others)
        possible = (some for some in variants if all(min(rise.hit, rise.penalty) > 0 for rise in some))
        return self._named(chosen, intervals), tuple(possible)

    def _named(self, chosen: list[int], intervals: list[Interval]) -> Rises:
        found = self.coefficients(chosen)
        return tuple(
            Rise(
                interval._replace(value=float(self.capacity[atom])),
                int(self.curve[atom]),
                float(found[: at + 1].sum()),
                float(found[1 + at]),
            )
            for at, (atom, interval) in enumerate(zip(chosen, intervals, strict=True))
        )
