"""Which access comes before which: vector clocks of warps, passed on by barriers, fences and waits.

Every warp has a time of its own, and knows of others of its domain up to which of their times it comes
behind them.  A domain is a cluster, or the whole grid where a kernel has fences, with which blocks may order
their accesses among themselves.  What a unit of its own does for a warp (copies, products of a warp group)
and what signals an mbarrier has a column too: only who waited for it comes behind it.
Source: NVIDIA, "Parallel Thread Execution ISA", "Memory Consistency Model" and "Proxies".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Warps = NDArray[np.int64]
Table = NDArray[np.int32]
BARRIERS = 64
"""Of a domain, that have a column of their own; more share them."""


@dataclass
class Passed:
    """What waits at a place for those who come for it: rows of both tables."""

    known: Table
    fenced: Table


class Clocks:
    """Times of `warps` warps in domains of `domain` warps each.

    Args:
        warps: of the launch.
        domain: warps that may learn of each other.
        units: whether there are units that act on their own.
    """

    def __init__(self, warps: int, domain: int, units: bool) -> None:
        self.warps, self.domain, self.units = warps, domain, units
        self.columns = 2 * domain + BARRIERS if units else domain
        self.own = np.arange(warps, dtype=np.int64) % domain
        self.home = np.arange(warps, dtype=np.int64) // domain
        self._agents = self.home * self.columns + self.own
        self.known: Table = np.zeros((warps, self.columns), dtype=np.int32)
        """[warp, column]: up to which time of a column the warp comes behind it."""
        self.fenced: Table = np.zeros_like(self.known) if units else self.known
        """The same for accesses of units of their own: with a proxy fence on the way."""
        self._released: Table = np.zeros_like(self.known)
        self._acquired: Table = np.zeros_like(self.known)
        self._arrived = Passed(self.known.copy(), self.fenced.copy())
        self._started = np.zeros(-(-warps // domain) * self.columns, dtype=np.int32)
        self._places: dict[int, Table] = {}
        self.tick(np.arange(warps, dtype=np.int64))

    @property
    def tables(self) -> tuple[Table, ...]:
        """Both, or the one where they are the same."""
        return (self.known,) if self.fenced is self.known else (self.known, self.fenced)

    # ---- who acts, and when

    def agent(self, warps: Warps) -> Warps:
        """Numbers of warps as those who access."""
        return self._agents[warps]

    def unit(self, warp: int) -> int:
        """Number of the unit that acts for a warp."""
        return int(self.home[warp]) * self.columns + self.domain + int(self.own[warp])

    def signalled(self, warp: int, number: int) -> int:
        """Number of what signals a barrier of a warp's domain."""
        return int(self.home[warp]) * self.columns + 2 * self.domain + number % BARRIERS

    def products(self, warp: int) -> int:
        """Number of the unit that multiplies through tensor memory for a warp, product after product."""
        return self.signalled(warp, BARRIERS - 1)

    def now(self, warps: Warps) -> Table:
        """Times of warps."""
        return self.known[warps, self.own[warps]]

    def tick(self, warps: Warps) -> None:
        """What warps do from now on is later than what others learnt of them."""
        self.known[warps, self.own[warps]] += 1

    def start(self, agent: int) -> int:
        """Time of a new act of a unit."""
        self._started[agent] += 1
        return int(self._started[agent])

    def started(self, agent: int) -> int:
        """Time of its latest one."""
        return int(self._started[agent])

    def ordered(
        self, warps: Warps, agents: Warps, times: Table, through_fence: bool = False
    ) -> NDArray[np.bool_]:
        """Whether each of some warps comes behind what an agent did at a time."""
        table = self.fenced if through_fence else self.known
        home, column = np.divmod(agents, self.columns)
        same = home == self.home[warps]
        found: NDArray[np.bool_] = same & (table[warps, np.where(same, column, 0)] >= times)
        return found

    # ---- how it is passed on

    def meet(self, groups: NDArray[np.bool_], size: int) -> None:
        """A barrier of all warps of some groups of `size` warps."""
        for table in self.tables:
            each = table.reshape(-1, size, self.columns)
            each[groups] = each[groups].max(axis=1, keepdims=True)
        self.tick(np.flatnonzero(np.repeat(groups, size)))

    def arrive(self, warps: Warps) -> None:
        """At a barrier that is waited at later."""
        self._arrived.known[warps], self._arrived.fenced[warps] = self.known[warps], self.fenced[warps]
        self.tick(warps)

    def arrived(self, groups: NDArray[np.bool_], size: int) -> None:
        """All have waited there: each comes behind what others did before they arrived."""
        for table, given in zip(self.tables, (self._arrived.known, self._arrived.fenced), strict=False):
            each = table.reshape(-1, size, self.columns)
            every = given.reshape(-1, size, self.columns)[groups].max(axis=1, keepdims=True)
            each[groups] = np.maximum(each[groups], every)

    def place(self) -> Passed:
        """A new place that nobody has come to."""
        row = np.zeros(self.columns, dtype=np.int32)
        return Passed(row, row.copy())

    def leave(self, warp: int, place: Passed) -> None:
        """A warp arrives at an mbarrier."""
        np.maximum(place.known, self.known[warp], out=place.known)
        np.maximum(place.fenced, self.fenced[warp], out=place.fenced)
        self.tick(np.array([warp]))

    def take(self, warp: int, place: Passed) -> None:
        """A warp saw that all have arrived there."""
        for table, given in zip(self.tables, (place.known, place.fenced), strict=False):
            np.maximum(table[warp], given, out=table[warp])

    def waited(self, warps: Warps, agent: int, time: int, by_proxy: bool = False) -> None:
        """Warps waited for what a unit did until a time."""
        column = agent % self.columns
        for table in self.tables if by_proxy else (self.known,):
            table[warps, column] = np.maximum(table[warps, column], np.int32(time))

    def fence_proxy(self, warps: Warps) -> None:
        """What warps wrote themselves units of their own may see from here on.

        Stricter than the language, which lets a fence lie anywhere on the way: those who wrote have it,
        before they let others go on, as NVIDIA's own library does.
        """
        if self.fenced is not self.known:
            for columns in (self.own[warps], self.domain + self.own[warps]):
                self.fenced[warps, columns] = self.known[warps, columns]
            self.tick(warps)

    # ---- fences, and accesses on which several may agree (volatile ones, atomics)

    def fence(self, warps: Warps) -> None:
        """Warps come behind what they saw published, and what they publish later tells of what was before."""
        self.known[warps] = np.maximum(self.known[warps], self._acquired[warps])
        self._released[warps] = self.known[warps]
        self.tick(warps)

    def publish(self, warps: Warps, addresses: NDArray[np.int64], adds: bool) -> None:
        """Warps write to addresses that others look at; an atomic adds to what others published there."""
        telling = self._released[warps].any(axis=1)
        if not telling.any():
            return
        rows: dict[tuple[int, int], Table] = {}  # which places may share: nothing changes them
        for warp, address in _pairs(warps[telling], addresses[telling]):
            before = self._places.get(address) if adds else None
            key = warp, id(before)
            if key not in rows:
                row = self._released[warp]
                rows[key] = row.copy() if before is None else np.maximum(before, row)
            self._places[address] = rows[key]

    def look(self, warps: Warps, addresses: NDArray[np.int64]) -> None:
        """Warps read addresses to which others may have published."""
        if self._places:
            seen: set[tuple[int, int]] = set()
            for warp, address in _pairs(warps, addresses):
                row = self._places.get(address)
                if row is not None and (warp, id(row)) not in seen:
                    seen.add((warp, id(row)))
                    np.maximum(self._acquired[warp], row, out=self._acquired[warp])


def _pairs(warps: Warps, addresses: NDArray[np.int64]) -> list[tuple[int, int]]:
    return sorted(set(zip(warps.tolist(), addresses.tolist(), strict=True)))
