"""What times between cores are consistent with: groups that share something, lines that come in pairs."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

from reportgen.analysis.line_transfer import ELSEWHERE, both_ways
from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.communication import BESIDE

LEAST_CPUS = 4
"""Fewer have no two groups of two."""
GROUP_ALTERNATIVES = (
    "CPUs of a group that are two threads of one core",
    "a mesh or ring on which near cores are a few stops apart",
    "groups of another kind: dies, sockets, nodes of memory",
    "virtual CPUs that the host moved between the visits of different pairs",
)
PAIR_ALTERNATIVES = (
    "a prefetcher that fetches the next line whatever it is part of",
    "the two lines fall into one bank that serves one core at a time",
    "a neighbour that held one of the two cores",
)


def groups(quantity: Quantity) -> tuple[tuple[tuple[str, ...], ...], float, float] | None:
    """CPUs in groups within which lines go faster than from one to another, if they fall into such.

    Pairs are cut at the widest gap of their times (in logarithms), `ELSEWHERE` wide at least.  Those below
    it must join the CPUs to at least two groups, one of two CPUs or more, and no pair inside a group may lie
    above it, nor one between groups below.

    Returns:
        CPUs of each group, seconds of the slowest pair inside, of the fastest between; None without groups.
    """
    times: dict[str, float] = {}
    for pair, seconds in zip(
        quantity.details.get("pairs", ()), quantity.details.get("seconds", ()), strict=True
    ):
        name = both_ways(str(pair))
        times[name] = max(times.get(name, 0.0), float(seconds))
    cpus = sorted({cpu for pair in times for cpu in pair.split("-")}, key=int)
    ordered = sorted(times.values())
    if len(cpus) < LEAST_CPUS or len(ordered) < 2:
        return None
    gaps = [after / before for before, after in pairwise(ordered)]
    at = max(range(len(gaps)), key=gaps.__getitem__)
    if gaps[at] < ELSEWHERE:
        return None
    near, far = ordered[at], ordered[at + 1]
    found = _joined(cpus, [pair for pair, seconds in times.items() if seconds <= near])
    of = {cpu: number for number, group in enumerate(found) for cpu in group}
    fits = all(
        (times[pair] <= near) == (of[first] == of[second])
        for first, second in combinations(cpus, 2)
        if (pair := f"{first}-{second}") in times
    )
    return (found, near, far) if fits and len(found) > 1 and max(map(len, found)) > 1 else None


def _joined(cpus: list[str], pairs: list[str]) -> tuple[tuple[str, ...], ...]:
    """Connected parts of a graph."""
    part = {cpu: {cpu} for cpu in cpus}
    for pair in pairs:
        first, second = pair.split("-")
        if part[first] is not part[second]:
            part[first] |= part[second]
            for cpu in part[second]:
                part[cpu] = part[first]
    distinct = {id(group): group for group in part.values()}
    return tuple(tuple(sorted(group, key=int)) for group in distinct.values())


def pairs_of_lines(evidence: Evidence) -> list[tuple[MetricId, Quantity, float]]:
    """Granules beside which an addition costs more than further away, beyond what one visit may miss."""
    found = []
    for name, quantity in evidence.of_kind(Kind.GRANULE):
        beside = quantity.details.get("beside")
        apart = evidence.usable(f"{name.text.rpartition('.')[0]}.apart")
        if not isinstance(beside, (int, float)) or apart is None or beside < BESIDE:
            continue
        width = (apart.high or math.inf) / (apart.low or 1.0)
        if beside > width:
            found.append((name, quantity, float(beside)))
    return found
