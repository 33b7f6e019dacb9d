"""Search for access sequences that tell replacement policies apart.

    python -m tests.data.replacement.search WAYS

Draws sequences made of runs, turns and returns to single lines, simulates every policy of
`reportgen.analysis.replacement_policies` on each, and takes those that separate the most pairs, one after
the other.  The seed is fixed, so the same call gives the same sequences; `sequences.json` beside this file
is what it gave, and `probes/memory_hierarchy/replacement_policy.toml` asks them.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections import Counter
from pathlib import Path

from reportgen.analysis.replacement_policies import candidates, share, tolerance

RECORD = Path(__file__).with_name("sequences.json")
SEED = 4
DRAWN = 250
WANTED = 10
KNOWN = frozenset(
    f"QLRU_{name}"
    for name in ("H11_M1_R0_U0", "H11_M1_R1_U2", "H00_M1_R0_U1", "H21_M2_R0_U0_UMO", "H00_M2_R0_U0_UMO")
)
"""Of the QLRU family those that processors are known for (uops.info/cache.html), and SRRIP."""
WEIGHT = 10
"""A pair of policies that are known by name counts so many times as much as another."""
MOST_VISITS = 8
"""Of one line in a period: each needs a word of the line for its pointer."""
PERIOD = 6
"""Visits of a period over the ways, at most."""

Sequence = tuple[int, ...]
Predicted = dict[str, tuple[float, float]]


def seeded(ways: int, seed: int = SEED) -> random.Random:
    """What sequences for so many ways are drawn with."""
    return random.Random(seed * 100 + ways)


def drawn(ways: int, chance: random.Random) -> Sequence:
    """A sequence over some lines more than the set holds: runs up and down, returns to single lines."""
    lines = ways + chance.choice([1, 2, 2, 3, ways // 2, ways])
    longest = chance.randrange(2 * ways, PERIOD * ways + 1)
    found: list[int] = []
    while len(found) < longest:
        start, length = chance.randrange(lines), chance.randrange(1, lines + 1)
        run = [(start + at) % lines for at in range(length)]
        kind = chance.randrange(5)
        if kind == 1:
            run.reverse()
        elif kind == 2:
            pinned = chance.randrange(lines)
            run = [line for one in run[: lines // 2] for line in (one, pinned)]
        elif kind == 3:
            run = [line for one in run[: lines // 2] for line in (one, one)]
        elif kind == 4:
            run = [chance.randrange(lines) for _ in run]
        found += run
    found = found[:longest]
    visits: Counter[int] = Counter()
    kept = []
    for line in found:
        visits[line] += 1
        if visits[line] <= MOST_VISITS:
            kept.append(line)
    return renamed(tuple(kept))


def renamed(sequence: Sequence) -> Sequence:
    """Lines numbered in the order of their first visit."""
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(line, len(numbers)) for line in sequence)


def predicted(ways: int, sequence: Sequence) -> Predicted:
    """Policy -> least and largest share of misses."""
    return {name: share(name, ways, sequence) for name in candidates(ways)}


def told_apart(shares: Predicted) -> frozenset[tuple[str, str]]:
    """Pairs of policies: what is measured where one holds lies outside of what the other allows."""
    found = set()
    for a, b in itertools.combinations(shares, 2):
        low, high = sorted((shares[a], shares[b]))
        if high[0] - low[1] > tolerance(high[0]) + tolerance(low[1]):
            found.add((a, b))
    return frozenset(found)


def weight(pairs: set[tuple[str, str]] | frozenset[tuple[str, str]]) -> int:
    """How much a set of pairs counts."""
    return sum(WEIGHT if all(known(name) for name in pair) else 1 for pair in pairs)


def known(name: str) -> bool:
    """Whether people know a policy by its name, or processors that have it."""
    return name in KNOWN or not name.startswith("QLRU")


def plain(ways: int) -> list[Sequence]:
    """What everybody would try first: round in a circle, back and forth, one line between all others."""
    circles = [tuple(range(ways + more)) for more in (2, ways // 2)]
    forth = [(*range(ways + more), *range(ways + more - 2, 0, -1)) for more in (2, ways // 2)]
    between = [
        tuple(line for at in range(1, count + 1) for line in ((0, at) if at % every == 0 else (at,)))
        for count, every in ((ways, 1), (ways + ways // 2, 2))
    ]
    return [renamed(one) for one in (*circles, *forth, *between) if max(Counter(one).values()) <= MOST_VISITS]


def chosen(ways: int, seed: int = SEED, count: int = DRAWN, wanted: int = WANTED) -> list[Sequence]:
    """The sequences that together tell the most pairs apart, the most useful first."""
    chance = seeded(ways, seed)
    some = plain(ways) + [drawn(ways, chance) for _ in range(count)]
    separated = {one: told_apart(predicted(ways, one)) for one in some if len(set(one)) > ways}
    found: list[Sequence] = []
    done: set[tuple[str, str]] = set()
    while len(found) < wanted:
        best = max(separated, key=lambda one: (weight(separated[one] - done), -len(one)))
        if not separated[best] - done:
            break
        found.append(best)
        done |= separated[best]
    return found


def main() -> None:
    """Search for the ways named, and put what is found into the record."""
    ways = int(sys.argv[1])
    found = [" ".join(map(str, one)) for one in chosen(ways)]
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    record[str(ways)] = found
    ordered = dict(sorted(record.items(), key=lambda row: int(row[0])))
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
