"""The resource bound: how long the resources of a device need for the operations of a round."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.model.architecture import Architecture
from reportgen.model.cost.latency import Span
from reportgen.model.cost.uses import Demand, Uses

MOST_LATE = 1.35
"""No mix was seen to take longer than its resources say by more than a third."""
CONVERSIONS = re.compile(r"convert_\w+|move_general_vector|mask_move_general")


@dataclass(frozen=True, slots=True)
class Schedule:
    """Cycles of a round by resources."""

    span: Span
    busiest: tuple[str, ...]
    """Titles of the operations that fill what decides."""
    width: int
    """Resources that these operations have."""
    conversions: float
    """Cycles less without conversions and moves between register files."""


def schedule(counts: Mapping[str, float], uses: Uses, architecture: Architecture) -> Schedule:
    """The least time in which the resources can serve `counts` of each operation."""
    demands = {name: demand for name in counts if (demand := uses.demand(name)) is not None}
    alone = {name: counts[name] * (uses.interval(name) or 0.0) for name in counts}
    value, union = largest({name: (demands[name], counts[name] * demands[name].cycles) for name in demands})
    low, _ = largest({name: (demands[name], counts[name] * demands[name].low) for name in demands})
    longest = max(alone, key=lambda name: alone[name], default="")
    slowest = alone.get(longest, 0.0)
    busiest = tuple(uses.title(name) for name in demands if union and demands[name].resources <= union)
    width = len(union)
    if slowest > value * 1.001:
        value, busiest, width = slowest, (uses.title(longest),), 1
    plain = {name: count for name, count in counts.items() if not CONVERSIONS.fullmatch(name)}
    without = schedule(plain, uses, architecture).span.value if len(plain) < len(counts) else value
    late = _late(counts, demands, architecture)
    return Schedule(Span(min(max(low, slowest), value), value, value * late), busiest, width, value - without)


def largest(work: Mapping[str, tuple[Demand, float]]) -> tuple[float, frozenset[str]]:
    """Cycles of the resources with most to do, and which they are.

    It is the largest, over unions of resources, of the work confined to it over its size; and that union."""
    together: dict[frozenset[str], float] = {}
    for demand, cycles in work.values():
        together[demand.resources] = together.get(demand.resources, 0.0) + cycles
    best, chosen = 0.0, frozenset[str]()
    for component in _components(list(together)):
        unions = {frozenset[str]()}
        for one in component:
            unions |= {union | one for union in unions}
        for union in unions - {frozenset()}:
            cycles = sum(together[one] for one in component if one <= union) / len(union)
            if cycles > best + 1e-12 or (abs(cycles - best) <= 1e-12 and len(union) > len(chosen)):
                best, chosen = cycles, union
    return best, chosen


def _components(sets: list[frozenset[str]]) -> list[list[frozenset[str]]]:
    """Sets in groups that have no resource in common."""
    groups: list[tuple[frozenset[str], list[frozenset[str]]]] = []
    for one in sets:
        touching = [group for group in groups if group[0] & one]
        groups = [group for group in groups if not group[0] & one]
        everything = one.union(*(group[0] for group in touching))
        groups.append((everything, [one, *(member for group in touching for member in group[1])]))
    return [members for _, members in groups]


def _late(counts: Mapping[str, float], demands: Mapping[str, Demand], architecture: Architecture) -> float:
    """How much longer than the resources say some mix of two of these operations was seen to take."""
    resources = architecture.resources
    if resources is None:
        return 1.0
    served = {demand.resources for name, demand in demands.items() if counts[name] > 0}
    worst = 1.0
    for one in resources.deviations:
        uses = [resources.use(name) for name in (one.first, one.second)]
        if all(use is not None and frozenset(use.resources) in served for use in uses):
            worst = max(worst, one.measured / one.predicted)
    return min(worst, MOST_LATE)
