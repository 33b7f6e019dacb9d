"""What latencies from store to load are consistent with, and what a short loop or a like address changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.analysis.access import LOW_BITS
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.store_to_load import grouped
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.metric import Kind
from reportgen.findings.wording.access import SHORT_LOOP, reaches

RENAMED = "data that never went through memory, which takes less than a load from the first level"
FORWARDED = "forwarding from the store to the load"
WAITED = "a load that waits until the store has reached the cache"
TOGETHER = "one way for all of them"
FITTING = frozenset({"same", "within"})
"""Places of loads all of whose bytes the store wrote."""
SEEN = 0.05
"""Cycles below which a difference is none."""
WIDEST_STORE = 8
"""Bytes of the store and of the load: less apart, their low bits overlap in part."""
LEARNT = 0.10
"""A short loop that is quicker by more (relative) is told of."""

L1_LOADS = ("latency.l1_load", "access.split.aligned.load_64_latency", "memory.l1.latency")
"""What a load from the first level takes: the first of these that the run has."""

GROUP_ALTERNATIVES = (
    "a load that is tried again after a fixed time",
    "a predictor that lets the load go ahead and is put right",
    "a bank or a port of the first level that store and load want at once",
)
LEARNT_ALTERNATIVES = (
    "stores that leave the core sooner where few are under way",
    "another arrangement of the code in the front end",
)
ALIKE_ALTERNATIVES = (
    "both lines in one set of the first level",
    "a predictor of ways that takes both lines for one",
)


def explained(evidence: Evidence) -> list[tuple[str, tuple[Quantity, ...]]]:
    """(what it is consistent with, latencies) of each group, the fastest first; empty without two groups."""
    found = grouped(quantity for _, quantity in evidence.of_kind(Kind.STORE_TO_LOAD))
    if len(found) < 2:
        return []
    load = next((one for name in L1_LOADS if (one := evidence.usable(name)) is not None), None)
    rest = list(found)
    told = []
    if load is not None and central(rest[0][-1]) < central(load):
        told.append((RENAMED, rest.pop(0)))
    if len(rest) == 1:
        mixed = any(one.details.get("place") not in FITTING for one in rest[0])
        return [*told, (TOGETHER if mixed else FORWARDED, rest[0])]
    *quicker, slowest = rest
    told += [(FORWARDED, group) for group in quicker]
    return [*told, (WAITED, slowest)]


def learnt(evidence: Evidence) -> list[tuple[Quantity, Quantity]]:
    """(in a short loop, in a long one) of cases that a short loop makes quicker by more than `LEARNT`."""
    return [
        (short, long)
        for short, long in pairs(evidence, evidence.quantities)
        if interval(short)[1] < interval(long)[0] * (1 - LEARNT)
    ]


def alike(evidence: Evidence) -> tuple[list[Quantity], list[Quantity]]:
    """(Times behind stores of equal low bits, behind others), where all of the first are longer, no other."""
    known = [q for _, q in evidence.of_kind(Kind.ALIAS) if q.details.get("added")]
    slower = [q for q in known if reaches(q)[0] > SEEN]
    same = [q for q in known if q.details.get("equal_low_bits")]
    if not same or any(q not in slower for q in same):
        return [], []
    apart = [q for q in known if int(q.details["distance"]) % LOW_BITS >= WIDEST_STORE]
    others = [q for q in apart if reaches(q)[1] <= SEEN]
    return (same, others) if others and len(others) == len(apart) else ([], [])


def pairs(evidence: Evidence, quantities: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """Cases of a short loop, each with the same of a long one."""
    own = {quantity.metric for quantity in quantities}
    for name, short in evidence.of_kind(Kind.STORE_TO_LOAD):
        if name.scope == SHORT_LOOP and name.text in own:
            long = evidence.usable(name.text.removesuffix(f".{SHORT_LOOP}"))
            if long is not None:
                yield short, long
