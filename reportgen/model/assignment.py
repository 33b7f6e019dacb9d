"""The integer program behind `reportgen.model.mapping`: how many resources serve each set of kinds.

Sets instead of named resources: no two solutions differ by names only, and the program stays small.  HiGHS
solves it (Huangfu and Hall, Math. Prog. Comp. 10, 2018) through scipy, which is imported when it is needed.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_OF_A_SET = 6
"""Resources that serve exactly the same kinds; more are not looked for."""
MOST_SETS = 400
"""Sets of kinds that may share a resource; of more, the smaller ones are taken."""
SECONDS = 10.0
"""For one integer program.  One that takes longer leaves its kinds without an explanation."""

_TOO_FAST = 1.0
_FAR = 0.6
_LATE = 0.2
_UNSEEN = 0.5
_RESOURCE = 0.005
"""Weights of the objective.  A mix that is faster than the resources allow contradicts them.  No number of
resources outweighs a mix, and one mix alone is no reason to let pairs share that were not seen to compete."""
Kinds = frozenset[str]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Resources as the kinds that each serves, and for how long an instruction of a kind keeps one."""

    resources: tuple[Kinds, ...]
    busy: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Range:
    """How many resources two kinds share by one of their mixes."""

    first: str
    second: str
    least: int
    """Fewer would be done sooner than was measured; more than either kind has where even all would."""
    late: int
    """The same, if the mix may be late."""
    most: int
    """More would take longer than was measured."""


class Program:
    """The integer program of one group of kinds.

    Columns: for each set of kinds and each k, whether there are at least k resources of it; for each pair
    that was not seen to compete, whether it shares; for each mix, whether it is late; whether it is far
    too late; whether it is too fast.
    """

    def __init__(
        self,
        kinds: tuple[str, ...],
        intervals: Mapping[str, float],
        sizes: Mapping[str, int],
        told: Iterable[Range],
        compete: set[Kinds],
    ) -> None:
        self._kinds, self._intervals, self._sizes = kinds, intervals, sizes
        # mixes that say the same stand in one row, with their number
        self._ranges = list(Counter(told).items())
        room = self._room()
        links = {pair for pair, (_, most) in room.items() if most}
        self._unseen = sorted(links - compete, key=sorted)
        self._units = [
            (one, k)
            for one in _sets(kinds, links, self._within(room))
            for k in range(self._copies(one, room))
        ]
        self._pairs = len(self._units)
        self._late = self._pairs + len(self._unseen)
        self._far = self._late + len(self._ranges)
        self._fast = self._far + len(self._ranges)
        self._rows: list[tuple[dict[int, float], float, float]] = []
        self._state()

    def _room(self) -> dict[Kinds, tuple[int, int]]:
        """The least and the most resources that two kinds may share, as far as their mixes agree."""
        room: dict[Kinds, tuple[int, int]] = {}
        for told, _ in self._ranges:
            pair = frozenset((told.first, told.second))
            before = room.get(pair, (told.late, told.most))
            both = max(before[0], told.late), min(before[1], told.most)
            room[pair] = both if both[0] <= both[1] else (0, max(before[1], told.most))
        return room

    def _within(self, room: Mapping[Kinds, tuple[int, int]]) -> dict[str, Kinds]:
        """Kind -> the kinds that may go wherever it may go, as all its resources are shared."""
        within: dict[str, set[str]] = {kind: set() for kind in self._kinds}
        for pair, (least, _) in room.items():
            for kind in pair:
                if least == self._sizes[kind]:
                    within[kind] |= pair
        return {kind: frozenset(others) for kind, others in within.items()}

    def _copies(self, one: Kinds, room: Mapping[Kinds, tuple[int, int]]) -> int:
        pairs = (room[frozenset(pair)][1] for pair in itertools.combinations(sorted(one), 2))
        return min(*(self._sizes[kind] for kind in one), *pairs, MOST_OF_A_SET)

    def _state(self) -> None:
        """The rows of the program: (column -> coefficient, lower bound, upper bound)."""
        for index, (_, k) in enumerate(self._units):
            if k:  # a second one only after the first
                self._rows.append(({index - 1: 1.0, index: -1.0}, 0.0, math.inf))
        for kind in self._kinds:
            self._rows.append((self._serving(kind), self._sizes[kind], self._sizes[kind]))
        for number, pair in enumerate(self._unseen):
            for index, (one, k) in enumerate(self._units):
                if k == 0 and pair <= one:
                    self._rows.append(({self._pairs + number: 1.0, index: -1.0}, 0.0, math.inf))
        for number, (told, _) in enumerate(self._ranges):
            self._tell(number, told)

    def _tell(self, number: int, told: Range) -> None:
        """How many resources a pair shares by some of its mixes."""
        largest = min(self._sizes[told.first], self._sizes[told.second])
        shared = self._serving(told.first, told.second)
        if told.least > 0:
            row = {self._late + number: float(told.least - told.late), self._far + number: float(told.least)}
            self._rows.append((shared | row, told.least, math.inf))
        if told.most < largest:
            row = {self._fast + number: float(told.most - largest)}
            self._rows.append((shared | row, -math.inf, told.most))

    def _serving(self, *kinds: str) -> dict[int, float]:
        """Columns of the resources that serve all of some kinds."""
        return {i: 1.0 for i, (one, _) in enumerate(self._units) if one.issuperset(kinds)}

    def cost(self) -> tuple[float, dict[str, int]]:
        """What the best explanation leaves unexplained, weighted, and how many mixes of a kind are in it."""
        best = self._run()
        if best is None:
            return math.inf, {}
        counts: Counter[str] = Counter()
        for number, (told, weight) in enumerate(self._ranges):
            if any(best[start + number] for start in (self._late, self._far, self._fast)):
                counts.update({told.first: weight, told.second: weight})
        return self._cost(best), dict(counts.most_common())

    def solve(self, most: int) -> tuple[list[Alternative], bool]:
        """Up to `most` explanations that are equally good, and whether these are all."""
        best = self._run()
        if best is None:
            return [], False
        found = [self._alternative(best)]
        self._rows.append((dict(enumerate(self._weights())), -math.inf, self._cost(best) + _RESOURCE / 2))
        while len(found) < most:
            last = best[: len(self._units)]
            # not this one again
            again = {i: -1.0 if on else 1.0 for i, on in enumerate(last)}
            self._rows.append((again, 1.0 - sum(last), math.inf))
            best = self._run()
            if best is None:
                return found, True
            found.append(self._alternative(best))
        return found, False

    def _cost(self, solution: Sequence[int]) -> float:
        return sum(weight * on for weight, on in zip(self._weights(), solution, strict=True))

    def _weights(self) -> list[float]:
        return [
            *(_RESOURCE for _ in self._units),
            *(_UNSEEN for _ in self._unseen),
            *(weight * number for weight in (_LATE, _FAR, _TOO_FAST) for _, number in self._ranges),
        ]

    def _run(self) -> list[int] | None:
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        weights = self._weights()
        entries = [(r, c, value) for r, (row, _, _) in enumerate(self._rows) for c, value in row.items()]
        rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
        matrix: Any = csr_array((values, (rows, columns)), shape=(len(self._rows), len(weights)))
        limits = LinearConstraint(
            matrix, [low for _, low, _ in self._rows], [high for _, _, high in self._rows]
        )
        result = milp(
            np.array(weights),
            integrality=np.ones(len(weights), dtype=np.int64),
            bounds=Bounds(0, 1),
            constraints=limits,
            options={"time_limit": SECONDS, "presolve": False},
        )
        return None if result.x is None else [round(float(value)) for value in result.x]

    def _alternative(self, solution: Sequence[int]) -> Alternative:
        resources = [one for (one, _), on in zip(self._units, solution, strict=False) if on]
        resources.sort(key=lambda one: sorted(self._kinds.index(kind) for kind in one))
        return Alternative(
            tuple(resources), {kind: self._sizes[kind] * self._intervals[kind] for kind in self._kinds}
        )


def _sets(kinds: Sequence[str], links: set[Kinds], within: Mapping[str, Kinds]) -> list[Kinds]:
    """Every set of kinds of which each pair is linked, and which holds with a kind all of `within` it.

    Args:
        kinds: of the group.
        links: pairs that may share a resource.
        within: kind -> kinds that go wherever it goes.
    """
    found: set[Kinds] = set()
    stack: list[Kinds] = [frozenset()]
    while stack and len(found) < MOST_SETS:
        members = stack.pop()
        for kind in kinds:
            if kind in members:
                continue
            larger = members | within[kind] | {kind}
            linked = all(frozenset(pair) in links for pair in itertools.combinations(sorted(larger), 2))
            if linked and larger not in found:
                found.add(larger)
                stack.append(larger)
    return sorted(found, key=lambda one: (len(one), sorted(one)))
