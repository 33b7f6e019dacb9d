"""Replacement policies of one cache set, simulated: which line makes room for another.

Each policy is told which line is visited and says whether the set held it.  The names are those of the
literature: least recently used (LRU), first in first out (FIFO), a tree of bits (PLRU), a bit a line (MRU,
NRU), insertion at the other end of the order (LIP, BIP; Qureshi et al., "Adaptive insertion policies for high
performance caching", ISCA 2007), and two-bit ages, the family that Abel & Reineke write QLRU_Hxy_Mz_Rw_Uv
("nanoBench: a low-overhead tool for running microbenchmarks on x86 systems", ISPASS 2020;
uops.info/cache.html): what a hit makes of an age, the age of a new line, which line goes, how ages grow, and
whether they grow at misses only (UMO).  SRRIP and BRRIP are members of that family (Jaleel et al., "High
performance cache replacement using re-reference interval prediction", ISCA 2010).

Lines are small whole numbers.  A set is full from the start, of lines that nobody visits (negative numbers):
policies differ by what they do when room is made, and a steady state has no empty places.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Hashable
from functools import cache, partial

RARELY = 32
"""A policy that treats one new line in so many otherwise than the rest: BIP and BRRIP, as in their papers."""


class Policy:
    """A set of `ways` lines; `chance` decides where a policy leaves it to chance."""

    def __init__(self, ways: int, chance: random.Random) -> None:
        self.ways, self.chance = ways, chance
        self.lines = [-1 - way for way in range(ways)]

    def visit(self, line: int) -> bool:
        """Visit a line.

        Returns:
            whether it was there.
        """
        if line in self.lines:
            self.hit(self.lines.index(line))
            return True
        way = self.victim()
        self.lines[way] = line
        self.filled(way)
        return False

    def hit(self, way: int) -> None:
        """What a visit of a line that is there changes."""

    def victim(self) -> int:
        """The way that makes room."""
        raise NotImplementedError

    def filled(self, way: int) -> None:
        """What a new line in a way changes."""
        self.hit(way)

    def state(self) -> Hashable:
        """All that decides what happens next: equal states have equal futures."""
        return tuple(self.lines)


class Order(Policy):
    """Lines in an order; the last goes.

    Args:
        ways: of the set.
        chance: decides where a new line comes.
        promote: a hit moves a line to the front (LRU), or not (FIFO).
        rarely: new lines come last, and only one in so many first (BIP; 0: none, LIP; 1: all).
    """

    def __init__(self, ways: int, chance: random.Random, promote: bool = True, rarely: int = 1) -> None:
        super().__init__(ways, chance)
        self.promote, self.rarely = promote, rarely

    def visit(self, line: int) -> bool:
        """Find the line, or put it into the order."""
        there = line in self.lines
        if there:
            if self.promote:
                self.lines.remove(line)
                self.lines.insert(0, line)
            return True
        self.lines.pop()
        first = self.rarely == 1 or (self.rarely > 1 and self.chance.randrange(self.rarely) == 0)
        self.lines.insert(0 if first else self.ways, line)
        return False


class Random(Policy):
    """Any line goes; `spared`: but not the one visited last."""

    def __init__(self, ways: int, chance: random.Random, spared: bool = False) -> None:
        super().__init__(ways, chance)
        self.spared, self.last = spared, -1

    def hit(self, way: int) -> None:
        """Remember the way."""
        self.last = way

    def victim(self) -> int:
        """Any way, or any but the last."""
        way = self.chance.randrange(self.ways)
        while self.spared and way == self.last:
            way = self.chance.randrange(self.ways)
        return way


class Tree(Policy):
    """A binary tree over the ways, a bit a fork that points away from the last visit.

    Ways that are no power of two are halved as evenly as they can be.  `leaf`: the last fork is left to
    chance.
    """

    def __init__(self, ways: int, chance: random.Random, leaf: bool = False) -> None:
        super().__init__(ways, chance)
        self.leaf = leaf
        self.bits: dict[tuple[int, int], int] = dict.fromkeys(_forks(0, ways), 0)

    def hit(self, way: int) -> None:
        """Every fork on the path points away from it."""
        low, high = 0, self.ways
        while high - low > 1:
            middle = low + (high - low + 1) // 2
            right = way >= middle
            self.bits[low, high] = 0 if right else 1
            low, high = (middle, high) if right else (low, middle)

    def victim(self) -> int:
        """Where the forks point."""
        low, high = 0, self.ways
        while high - low > 1:
            middle = low + (high - low + 1) // 2
            by_chance = self.leaf and high - low == 2
            right = self.chance.randrange(2) if by_chance else self.bits[low, high]
            low, high = (middle, high) if right else (low, middle)
        return low

    def state(self) -> Hashable:
        """Lines and what is known of their visits."""
        return tuple(self.lines), tuple(self.bits.values())


def _forks(low: int, high: int) -> list[tuple[int, int]]:
    if high - low < 2:
        return []
    middle = low + (high - low + 1) // 2
    return [(low, high), *_forks(low, middle), *_forks(middle, high)]


class GroupedTree(Policy):
    """Groups of four ways, each a tree; of the groups the least recently used makes room."""

    GROUP = 4

    def __init__(self, ways: int, chance: random.Random) -> None:
        super().__init__(ways, chance)
        self.groups = [Tree(self.GROUP, chance) for _ in range(ways // self.GROUP)]
        self.order = list(range(len(self.groups)))

    def hit(self, way: int) -> None:
        """The way within its group, and the group among the others."""
        group = way // self.GROUP
        self.groups[group].hit(way % self.GROUP)
        self.order.remove(group)
        self.order.insert(0, group)

    def victim(self) -> int:
        """The way to which the tree of the oldest group points."""
        group = self.order[-1]
        return group * self.GROUP + self.groups[group].victim()

    def state(self) -> Hashable:
        """Lines and what is known of their visits."""
        return tuple(self.lines), tuple(self.order), tuple(tuple(g.bits.values()) for g in self.groups)


class OneBit(Policy):
    """A bit a line, set while it was not visited lately; the first such line goes, or any (`anyone`).

    `at_miss`: when no bit is left, a miss sets all again (NRU); else the visit that takes the last sets all
    others (MRU, also called bit-PLRU).
    """

    def __init__(self, ways: int, chance: random.Random, at_miss: bool = False, anyone: bool = False) -> None:
        super().__init__(ways, chance)
        self.at_miss, self.anyone = at_miss, anyone
        self.bits = [True] * ways

    def hit(self, way: int) -> None:
        """Clear the bit; the last one sets all others, unless misses do."""
        self.bits[way] = False
        if not self.at_miss and not any(self.bits):
            self.bits = [other != way for other in range(self.ways)]

    def victim(self) -> int:
        """The first way whose bit is set, or any of them."""
        if not any(self.bits):
            self.bits = [True] * self.ways
        if self.anyone:
            return self.chance.choice([way for way, bit in enumerate(self.bits) if bit])
        return self.bits.index(True)

    def state(self) -> Hashable:
        """Lines and what is known of their visits."""
        return tuple(self.lines), tuple(self.bits)


HITS = {
    "H21": (0, 0, 1, 2),
    "H20": (0, 0, 0, 2),
    "H11": (0, 0, 1, 1),
    "H10": (0, 0, 0, 1),
    "H00": (0, 0, 0, 0),
}
"""Age before a hit -> age after it."""
OLDEST = 3
RULES = (
    ("R0_U0", 0, False),
    ("R0_U1", 1, False),
    ("R1_U2", 2, False),
    ("R1_U3", 3, False),
    ("R0_U0_UMO", 0, True),
    ("R1_U2_UMO", 2, True),
)
"""Which line goes and how ages grow: name, growth, at misses only."""


class Ages(Policy):
    """Two-bit ages: QLRU_Hxy_Mz_R<gone>_U<grow>[_UMO]; the line of the oldest age goes.

    Args:
        ways: of the set.
        chance: decides which new line is younger.
        hit: what a hit makes of an age.
        new: age of a new line.
        grow: how ages grow: 0 until one is oldest, 1 the same but for the line just visited, 2 by one where
            none is oldest, 3 the same but for the line just visited.
        umo: they grow at misses only, before the line that goes is chosen.
        rarely: of so many new lines one is a step younger (BRRIP); 0: none.
    """

    def __init__(
        self,
        ways: int,
        chance: random.Random,
        hit: str,
        new: int,
        grow: int,
        umo: bool,
        rarely: int = 0,
    ) -> None:
        super().__init__(ways, chance)
        self.after, self.new, self.grow, self.umo = HITS[hit], new, grow, umo
        self.rarely = rarely
        self.ages = [OLDEST] * ways

    def visit(self, line: int) -> bool:
        """Find the line, or put it in the place of the oldest."""
        there = line in self.lines
        if there:
            way = self.lines.index(line)
            self.ages[way] = self.after[self.ages[way]]
        else:
            if self.umo:
                self._older(-1)
            way = self._oldest()
            self.lines[way] = line
            self.ages[way] = self.new - (self.rarely > 0 and self.chance.randrange(self.rarely) == 0)
        if not self.umo:
            self._older(way)
        return there

    def _oldest(self) -> int:
        # where growth leaves none of the oldest age R1 takes the first; R0 is defined for the other rules
        return self.ages.index(OLDEST) if OLDEST in self.ages else 0

    def _older(self, way: int) -> None:
        """Ages grow after a visit of `way`; -1: before one."""
        spared = way if self.grow in (1, 3) else -1
        if self.grow in (2, 3):
            missing = int(OLDEST not in self.ages)
        elif spared < 0:
            missing = OLDEST - max(self.ages)
        else:
            missing = OLDEST - max(self.ages[:spared] + self.ages[spared + 1 :])
        if missing:
            self.ages = [age if at == spared else age + missing for at, age in enumerate(self.ages)]

    def state(self) -> Hashable:
        """Lines and what is known of their visits."""
        return tuple(self.lines), tuple(self.ages)


Make = Callable[[int, random.Random], Policy]


@cache
def candidates(ways: int) -> dict[str, Make]:
    """Name -> how to make a set of `ways` ways, of all policies that are simulated.

    Of the QLRU family those are left out that differ from another only while a set has empty places (R1 and
    R2 from R0 where ages grow by U0 or U1), or not at all (U1 from U0, U3 from U2, at misses only).
    """
    found: dict[str, Make] = {
        "LRU": Order,
        "FIFO": partial(Order, promote=False),
        "PLRU": Tree,
        "MRU": OneBit,
        "NRU": partial(OneBit, at_miss=True),
        "random": Random,
        "random_but_last": partial(Random, spared=True),
        "PLRU_random_leaf": partial(Tree, leaf=True),
        "NRU_random": partial(OneBit, at_miss=True, anyone=True),
        "LIP": partial(Order, rarely=0),
        "BIP": partial(Order, rarely=RARELY),
        "BRRIP": partial(Ages, hit="H00", new=OLDEST, grow=0, umo=True, rarely=RARELY),
    }
    if ways % GroupedTree.GROUP == 0 and ways > 2 * GroupedTree.GROUP:  # of two groups it is the tree
        found["LRU_PLRU4"] = GroupedTree
    for hit, new, (rule, grow, umo) in itertools.product(HITS, range(OLDEST + 1), RULES):
        name = f"QLRU_{hit}_M{new}_{rule}"
        found[name] = partial(Ages, hit=hit, new=new, grow=grow, umo=umo)
    return found


BY_CHANCE = frozenset({"random", "random_but_last", "PLRU_random_leaf", "NRU_random", "BIP", "BRRIP"})
LEAST_TOLERANCE, TOLERANCE_OF_MISSES = 0.025, 0.08
"""What a measured share may be off by, though a policy holds: so much, and so much of the share itself.  A
miss takes a little more or less time by what stands around it: a few per cent where the line that made room
is the next to be visited, or where hits stand between misses."""
STARTS, STARTS_BY_CHANCE = 10, 2
"""States from which a sequence is begun, of policies without and with chance."""
MOST_PERIODS = 400
CHANCE_VISITS = 6_000
"""Visits of a policy that leaves something to chance, over which misses are counted."""


def share(name: str, ways: int, sequence: tuple[int, ...]) -> tuple[float, float]:
    """Share of the visits of a sequence, repeated for ever, that miss: the least and the largest over starts.

    A policy without chance comes back to a state it was in; misses are counted from there to where it
    comes back again.  One with chance is followed for `CHANCE_VISITS`.
    """
    make, by_chance = candidates(ways)[name], name in BY_CHANCE
    starts = range(STARTS_BY_CHANCE if by_chance else STARTS)
    shares = [_from(make, by_chance, ways, sequence, start) for start in starts]
    return min(shares), max(shares)


def tolerance(share: float) -> float:
    """How far a measured share may lie from a predicted one."""
    return LEAST_TOLERANCE + TOLERANCE_OF_MISSES * share


def _from(make: Make, by_chance: bool, ways: int, sequence: tuple[int, ...], start: int) -> float:
    policy = make(ways, random.Random(start))
    before = random.Random(start)
    # What a set held before can decide what it holds for ever: lines of the sequence came in any order, and
    # now and then another one comes between.
    for _ in range(8 * ways):
        line = before.choice(sequence)
        policy.visit(line)
        policy.visit(line)
    for other in range(start % 4):
        policy.visit(1000 + other)
    if by_chance:
        periods = -(-CHANCE_VISITS // len(sequence))
        for _ in range(periods // 8):
            _misses(policy, sequence)
        return sum(_misses(policy, sequence) for _ in range(periods)) / (periods * len(sequence))
    seen: dict[Hashable, int] = {}
    misses: list[int] = []
    while len(misses) < MOST_PERIODS:
        state = policy.state()
        if state in seen:
            misses = misses[seen[state] :]
            break
        seen[state] = len(misses)
        misses.append(_misses(policy, sequence))
    return sum(misses) / (len(misses) * len(sequence))


def _misses(policy: Policy, sequence: tuple[int, ...]) -> int:
    return sum(not policy.visit(line) for line in sequence)
