"""Bounds of a round of x86-64 code, each by one cause."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import msgspec

from reportgen.model.architecture import Architecture
from reportgen.model.cost import branching, graph, memory_bound
from reportgen.model.cost.fusion import fuses
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Latencies, Span
from reportgen.model.cost.schedule import Schedule
from reportgen.model.cost.simulate import WINDOW, simulate
from reportgen.model.cost.uses import Uses
from reportgen.model.cost.x86_64 import Taken
from reportgen.status import Status

SAME = 1.01
"""A schedule that takes no longer than this times the largest bound adds nothing."""


class Bound(msgspec.Struct, frozen=True):
    """Cycles of a round by one cause."""

    name: str
    """`dependencies`, `resources`, `front end`, `taken branches`, `memory`, `schedule`."""
    cycles: float
    low: float
    high: float
    why: str
    """What is behind it, in words."""


def dependencies(
    body: Sequence[Instruction], architecture: Architecture, taken: Mapping[Instruction, Taken]
) -> Bound:
    """The slowest cycle of dependencies, with latencies at the ends of their ranges too."""
    latencies = Latencies(architecture, taken)

    def slowest(end: str) -> graph.Chain:
        def latency(one: Instruction, needed: str) -> float | None:
            span = latencies.between(one, needed)
            return None if span is None else float(getattr(span, end))

        return graph.slowest(body, latency)

    chain, low, high = slowest("value"), slowest("low"), slowest("high")
    members = " → ".join(body[index].text for index in chain.members[:6])
    more = f" → … ({len(chain.members)} instructions)" if len(chain.members) > 6 else ""
    why = f"the chain {members}{more}" if members else "no result is carried from round to round"
    return Bound("dependencies", chain.cycles, low.cycles, high.cycles, why)


def resources(plan: Schedule) -> Bound:
    """What the operations compete for."""
    why = f"{', '.join(plan.busiest)} on {plan.width} resource{'s' if plan.width != 1 else ''}"
    span = plan.span
    return Bound("resources", span.value, span.low, span.high, why if plan.busiest else "nothing")


def front_end(body: Sequence[Instruction], architecture: Architecture) -> Bound | None:
    """A compare or an addition and the branch behind it are one where the core fuses them."""
    rate = architecture.resources.front_end if architecture.resources is not None else 0.0
    if rate <= 0:
        return None
    most = float(len(body))
    fused = sum(fuses(first, second) for first, second in itertools.pairwise(body))
    split = sum(one.stores > 0 and one.loads > 0 for one in body)
    slots = most - fused
    why = f"{slots:g} {'issue slot' if slots == 1 else 'issue slots'} at {rate:.3g} a cycle"
    alone, high = slots / rate, (most + split) / rate
    groups = _groups(body, architecture, slots)
    if groups is None or groups.value <= alone:
        return Bound("front end", alone, alone, high, why)
    why = f"{why}, which come in {groups.value:g} groups in front of the branch that is taken"
    return Bound("front end", groups.value, max(alone, groups.low), max(groups.high, high), why)


def _groups(body: Sequence[Instruction], architecture: Architecture, slots: float) -> Span | None:
    """Cycles of a round whose only taken branch is the last, by what comes in at once in front of it."""
    fact = branching.asked(architecture, branching.GROUP)
    if fact is None or fact.status is not Status.OK or branching.taken(body) != 1 or not body[-1].flow:
        return None
    sizes = (fact.high or fact.value, fact.value, fact.low or fact.value)
    return Span(*(float(math.ceil(slots / size)) for size in sizes if size))


def scheduled(
    body: Sequence[Instruction],
    architecture: Architecture,
    taken: Mapping[Instruction, Taken],
    uses: Uses,
    others: Sequence[Bound | None],
) -> Bound | None:
    """Simulated; only where it takes longer than every bound."""
    rate = architecture.resources.front_end if architecture.resources is not None else 0.0
    if rate <= 0:
        return None
    cycles = simulate(body, taken, Latencies(architecture, taken), uses, rate, in_flight(architecture))
    largest = max((one.cycles for one in others if one is not None), default=0.0)
    if cycles <= largest * SAME:
        return None
    why = "operations wait for a resource that was chosen before it was known what will come"
    return Bound("schedule", cycles, largest, cycles, why)


def in_flight(architecture: Architecture) -> int:
    """Instructions that the core holds at once, by the run where it asked."""
    asked = (fact for fact in architecture.facts if fact.metric == "window.mixed")
    known = next((fact.value or fact.low for fact in asked), None)
    return WINDOW if known is None else round(known)


def branches(body: Sequence[Instruction], architecture: Architecture) -> Bound | None:
    """Branches that are taken in every round."""
    taken = branching.taken(body)
    if not taken:
        return None
    each, why = branching.interval(architecture)
    return Bound(
        "taken branches", taken * each.value, taken * each.low, taken * each.high, f"{taken} a round, {why}"
    )


def memory(body: Sequence[Instruction], architecture: Architecture, size: float) -> Bound | None:
    """The data of a round, for a working set of `size` bytes; without cycles where the run has no number."""
    return moving(memory_bound.traffic(body, line(architecture)), architecture, size)


def moving(moved: memory_bound.Traffic, architecture: Architecture, size: float) -> Bound | None:
    """The same of bytes that are known; None where all of them are in the first level."""
    if size <= 0:
        return None
    transfer = memory_bound.transfer(moved, size, architecture)
    if not transfer.why and transfer.level == "l1":
        return None
    why = transfer.why or f"{moved.into:g} bytes from {transfer.level} and {moved.out:g} back"
    if transfer.between:
        why += f"; no bandwidth of {transfer.level} in this run: between {transfer.between}"
    return Bound("memory", transfer.cycles, transfer.low, transfer.high, why)


def line(architecture: Architecture) -> float:
    """Bytes of a cache line, as measured."""
    for level in architecture.memory:
        found = level.facts.get("line")
        if found is not None and found.value is not None:
            return found.value
    return memory_bound.LINE
