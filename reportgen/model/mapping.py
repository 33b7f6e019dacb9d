"""The smallest set of resources that explains how long mixes of two kinds of instructions take.

A kind goes to any one of its resources and keeps it for `busy` cycles.  Of a group of n_A and n_B
instructions the longest of three times is left: those of each kind alone, T_A and T_B, and that of all the
work over the resources that at least one of them may use,

    T_AB = max(T_A, T_B, (T_A s_A + T_B s_B) / u)        u = s_A + s_B - shared

(s: resources of a kind; busy = s x interval; the bound of a bipartite matching).  A mix that takes longer
than the longer kind alone tells `u`; any other only a least `u`.

A resource is described by the set of kinds that it serves.  The integer program counts how many resources of
each set there are: names of resources never enter, so no two solutions differ by them only.  It explains as
many mixes as it can with as few resources as it can.  A kind has as few as its rate allows, at one
instruction a cycle each, and more only where that explains more mixes (an instruction that keeps each for two
cycles).  That two kinds share without a mix that showed it costs as much as half a mix.

Ritter and Hack, "PMEvo" (PLDI 2020), infer port mappings from such times by evolution; Abel and Reineke,
"uops.info" (ASPLOS 2019), by blocking instructions; Derumigny et al., "PALMED" (CGO 2022), by linear
programs over abstract resources, from which the formulation by sets is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.model.assignment import Alternative, Kinds, Program, Range

TOLERANCE = 0.04
"""A time within this ratio of what a set of resources predicts is explained by it."""
LATE = 0.10
"""A time that is longer by up to this much is explained less well, a longer one badly: resources bound a time
from below, and schedulers choose one before they know all that will come."""
AT_FRONT_END = 1.05
"""A mix that takes less than this times the front end's time shows what the front end does."""
MOST_OF_A_KIND = 12
ROUNDS = 4
"""Kinds that may get more resources than their rates ask for, one after the other, and how many at most."""
MOST_DOUBTED = 3
"""Kinds that are tried with more resources: those with most mixes that are not explained well."""
MOST_ALTERNATIVES = 6
"""Explanations of one group of kinds that are listed."""
WORTH = 1.0
"""By how much the objective must fall for a kind to get more resources than its rate asks for."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Cycles of a group of two kinds, independent of each other; `front_end` 0 where not known."""

    first: str
    second: str
    first_count: float
    second_count: float
    cycles: float
    front_end: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """Kinds that are linked by sharing, and the sets of resources that explain them equally well."""

    kinds: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    complete: bool
    """Whether the list of alternatives holds all of them."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What a mix tells of the union of two kinds' resources: u <= or = (T_A s_A + T_B s_B) / T."""

    mix: Mix
    first_time: float
    second_time: float
    exact: bool


def explain(intervals: Mapping[str, float], mixes: Iterable[Mix]) -> tuple[Group, ...]:
    """Groups of kinds with the resources that explain them.

    Args:
        intervals: kind -> cycles an instruction, alone.
        mixes: of kinds that are in `intervals`; those of a kind with itself say nothing here.
    """
    told = [_read(intervals, mix) for mix in mixes if mix.first != mix.second]
    compete = {_pair(one.mix) for one in told if one.exact}
    return tuple(
        _explain(kinds, intervals, [one for one in told if _pair(one.mix) <= set(kinds)])
        for kinds in _components(list(intervals), compete)
    )


def undecided(intervals: Mapping[str, float], mixes: Iterable[Mix]) -> tuple[tuple[str, str], ...]:
    """Pairs that showed no competition, in mixes that would not show it if they shared one resource.

    The kind with more resources hides what it shares unless it is kept busy throughout.
    """
    sizes = {kind: least_resources(interval) for kind, interval in intervals.items()}
    room: dict[Kinds, int] = {}
    for mix in mixes:
        if mix.first != mix.second:
            told = _read(intervals, mix)
            most = 0 if told.exact else _range(told, sizes).most
            room[_pair(mix)] = min(room.get(_pair(mix), most), most)
    order = list(intervals)
    found = (tuple(sorted(pair, key=order.index)) for pair, most in room.items() if most)
    return tuple((first, second) for first, second in found)


def predicted(alternative: Alternative, counts: Mapping[str, float]) -> float:
    """Least cycles in which the resources can do `counts` instructions of each kind.

    The largest, over sets of kinds, of their work over the resources that serve any of them.
    """
    kinds = [kind for kind, count in counts.items() if count > 0 and kind in alternative.busy]
    served = {kind: frozenset(i for i, r in enumerate(alternative.resources) if kind in r) for kind in kinds}
    unions = {frozenset[int]()}
    for kind in kinds:
        unions |= {union | served[kind] for union in unions}
    return max(
        (
            sum(counts[kind] * alternative.busy[kind] for kind in kinds if served[kind] <= union) / len(union)
            for union in unions
            if union
        ),
        default=0.0,
    )


def _pair(mix: Mix) -> Kinds:
    return frozenset((mix.first, mix.second))


def _read(intervals: Mapping[str, float], mix: Mix) -> _Told:
    """What a mix tells: of one at the rate of the front end, only a bound."""
    first, second = mix.first_count * intervals[mix.first], mix.second_count * intervals[mix.second]
    at_front_end = mix.front_end > 0 and mix.cycles < AT_FRONT_END * mix.front_end
    return _Told(mix, first, second, mix.cycles > max(first, second) * (1 + TOLERANCE) and not at_front_end)


def _components(kinds: Sequence[str], links: set[Kinds]) -> list[tuple[str, ...]]:
    """Kinds in groups that no link joins, in the order of `kinds`."""
    left, found = list(kinds), []
    while left:
        group = {left[0]}
        while True:
            joined = group.union(*(link for link in links if link & group))
            if joined == group:
                break
            group = joined
        found.append(tuple(kind for kind in kinds if kind in group))
        left = [kind for kind in left if kind not in group]
    return found


def _range(one: _Told, sizes: Mapping[str, int]) -> Range:
    """How many resources two kinds share by what a mix tells."""
    first, second = sizes[one.mix.first], sizes[one.mix.second]
    work = (one.first_time * first + one.second_time * second) / one.mix.cycles

    both = min(first, second)

    def fewest(room: float) -> int:
        least = math.ceil(first + second - work * (1 + room))
        return min(max(least, 0), both + 1) if one.exact else 0

    most = math.floor(first + second - work / (1 + TOLERANCE))
    return Range(one.mix.first, one.mix.second, fewest(TOLERANCE), fewest(LATE), min(max(most, 0), both))


def _explain(kinds: tuple[str, ...], intervals: Mapping[str, float], told: Sequence[_Told]) -> Group:
    """One group: as few resources a kind as its rate allows, more where that is worth it."""
    sizes = {kind: least_resources(intervals[kind]) for kind in kinds}
    compete = {_pair(one.mix) for one in told if one.exact}

    def program(trial: Mapping[str, int]) -> Program:
        return Program(kinds, intervals, trial, [_range(one, trial) for one in told], compete)

    cost, doubted = program(sizes).cost()
    for _ in range(ROUNDS):
        tried = [(*program(trial).cost(), trial) for trial in _larger(sizes, list(doubted)[:MOST_DOUBTED])]
        best = min(tried, key=lambda one: one[0], default=(math.inf, {}, sizes))
        if cost - best[0] < WORTH:
            break
        cost, doubted, sizes = best
    found, complete = program(sizes).solve(MOST_ALTERNATIVES)
    return Group(kinds, tuple(found), complete)


def least_resources(interval: float) -> int:
    """The fewest resources that give a rate, at one instruction a cycle each."""
    return max(1, math.ceil((1 - TOLERANCE) / interval))


def _larger(sizes: Mapping[str, int], doubted: Sequence[str]) -> list[dict[str, int]]:
    """The same with one kind on one resource more, or on twice as many."""
    return [
        {**sizes, kind: more}
        for kind in doubted
        for more in sorted({sizes[kind] + 1, 2 * sizes[kind]})
        if more <= MOST_OF_A_KIND
    ]
