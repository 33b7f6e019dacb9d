"""Mixes of two operations in several proportions, as the interference matrix measures them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.model.mapping import Mix
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.instruction_points import MATRIX
from tests.simulated.ports import group_cycles, rate
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

PROPORTIONS = ((1, 1), (2, 1), (1, 2), (4, 1), (1, 4))
"""Those of `probes/pipeline_interference/matrix.toml`."""
WIDEST = max(max(one) for one in PROPORTIONS)
PIPELINED = tuple(name for name in MATRIX if not name.endswith("_div"))
"""Kinds of which one can start every cycle or more; a divider is slower than the proportions can fill."""
COUNT = 5
"""Instructions of each kind in a group of one to one."""

Signatures = Counter[frozenset[str]]


def intervals(
    truth: CpuTruth, kinds: Sequence[str] = PIPELINED, noise: float = 0.0, seed: int = 0
) -> dict[str, float]:
    """Cycles an instruction of each kind, alone; `noise` is a relative standard deviation."""
    rng = np.random.default_rng(seed)
    return {name: (1 + noise * float(rng.normal())) / rate(truth, name) for name in kinds}


def mixes(
    truth: CpuTruth,
    kinds: Sequence[str] = PIPELINED,
    proportions: Sequence[tuple[int, int]] = PROPORTIONS,
    noise: float = 0.0,
    seed: int = 0,
) -> Iterator[Mix]:
    """Every pair of some kinds in every proportion."""
    rng = np.random.default_rng(seed + 1)
    for first, second in itertools.combinations(kinds, 2):
        for one, other in proportions:
            counts = {first: COUNT * one, second: COUNT * other}
            cycles = group_cycles(truth, counts) * (1 + noise * float(rng.normal()))
            yield Mix(
                first, second, COUNT * one, COUNT * other, cycles, sum(counts.values()) / truth.front_end
            )


def signatures(truth: CpuTruth, kinds: Sequence[str] = PIPELINED) -> Signatures:
    """The ports without their names: which kinds each serves, and how many ports serve those."""
    ports = set().union(*(truth.operations[name].ports for name in kinds))
    return Counter(
        frozenset(name for name in kinds if port in truth.operations[name].ports) for port in ports
    )


def tellable(truth: CpuTruth, kinds: Sequence[str] = PIPELINED, widest: int = WIDEST) -> bool:
    """Whether mixes of some kinds can tell the ports of a machine.

    Of each two operations that share a port the rates are within the widest proportion, so that some
    mix keeps all ports of both busy; the front end passes both at their rates together; and nothing but ports
    limits them.
    """
    if truth.limits:
        return False
    for first, second in itertools.combinations(kinds, 2):
        one, other = truth.operations[first], truth.operations[second]
        if one.ports & other.ports:
            together = len(one.ports | other.ports) / min(one.busy, other.busy)
            if max(one.rate, other.rate) > widest * min(one.rate, other.rate) or together >= truth.front_end:
                return False
    return True


def probe(truth: CpuTruth) -> list[Asked]:
    """The interference matrix with all proportions."""
    name = "pipeline_interference/matrix"
    groups = 20
    timed = []
    for one in MATRIX:
        settings = {"first": one, "second": ""}
        work = {"groups": groups, "first_count": COUNT, "second_count": 0, "instructions": groups * COUNT}
        cycles = groups * group_cycles(truth, {one: COUNT})
        timed.append(Timed(ok_point(name, settings, work=work), cycles=cycles))
    for first, second in itertools.combinations(MATRIX, 2):
        for one, other in PROPORTIONS:
            order = "interleaved" if one == other else f"{one}to{other}"
            settings = {"first": first, "second": second, "order": order}
            counts = {first: COUNT * one, second: COUNT * other}
            work = {
                "groups": groups, "first_count": counts[first], "second_count": counts[second],
                "instructions": groups * sum(counts.values()),
            }  # fmt: skip
            cycles = groups * group_cycles(truth, counts)
            timed.append(Timed(ok_point(name, settings, work=work), cycles=cycles))
    info = probe_info(
        name, "interference", "interference", "ratio", "Which pairs slow each other down?", variable="pair"
    )
    return [(info, timed)]
