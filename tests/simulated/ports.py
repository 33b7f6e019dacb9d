"""The port model: which instructions can start where, and how long a mix of them takes at best.

An operation goes to any of its ports and keeps it for `busy` cycles.  Pipelines are shared where the sets of
two operations meet, and separate where they do not; limits that are no ports bind whatever they name.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from tests.simulated.truth import CpuTruth


def group_cycles(truth: CpuTruth, counts: Mapping[str, int]) -> float:
    """Cycles in which a group of `counts` independent instructions can be issued.

    The least time over all schedules is the largest ratio of work confined to a set of ports to
    the size of that set (bipartite matching bound), the front end's time, or that of a limit.
    """
    kinds = [truth.operations[name] for name in counts]
    unions = {
        frozenset().union(*(kind.ports for kind in some))
        for size in range(1, len(kinds) + 1)
        for some in combinations(kinds, size)
    }
    port_time = max(
        sum(
            count * truth.operations[name].busy
            for name, count in counts.items()
            if truth.operations[name].ports <= union
        )
        / len(union)
        for union in unions
    )
    limited = [
        sum(count for name, count in counts.items() if name in limit.operations) / limit.per_cycle
        for limit in truth.limits
    ]
    return max(port_time, sum(counts.values()) / truth.front_end, *limited)


def rate(truth: CpuTruth, name: str) -> float:
    """Most instructions of one kind a cycle."""
    return 1 / group_cycles(truth, {name: 1})


def plateau_rate(truth: CpuTruth, name: str, accumulators: int) -> float:
    """Instructions per cycle of `accumulators` independent chains."""
    return min(accumulators / truth.operations[name].latency, rate(truth, name))


def in_group(truth: CpuTruth, name: str) -> int:
    """Instructions of one kind in a group of a pair."""
    return max(1, round(truth.operations[name].rate)) if truth.balanced else truth.group


def proportion(order: str) -> tuple[int, int]:
    """How often each kind's group stands in a mix: `2to1`; once each where the order is no proportion."""
    first, _, second = order.partition("to")
    return (int(first), int(second)) if first.isdigit() and second.isdigit() else (1, 1)


def pair_cycles(truth: CpuTruth, first: str, second: str, order: str = "") -> float:
    """Cycles of a group of both, in one arrangement or proportion; `second` "" for `first` alone."""
    one, other = proportion(order)
    counts = {first: in_group(truth, first) * one}
    if second == first:
        counts[first] *= 2
    elif second:
        counts[second] = in_group(truth, second) * other
    bad, factor = truth.uneven.get((first, second), ("", 1.0))
    return group_cycles(truth, counts) * (factor if order and order == bad else 1.0)


def index(truth: CpuTruth, first: str, second: str) -> float:
    """The true interference index of a pair, with groups as the simulated suite builds them."""
    alone = [pair_cycles(truth, name, "") for name in (first, second)]
    return (pair_cycles(truth, first, second) - max(alone)) / min(alone)


def share_ports(truth: CpuTruth, first: str, second: str) -> bool:
    """Whether some port serves both."""
    return bool(truth.operations[first].ports & truth.operations[second].ports)


def share_limit(truth: CpuTruth, first: str, second: str) -> bool:
    """Whether something that is no port serves both."""
    return any({first, second} <= limit.operations for limit in truth.limits)
