"""Instructions that a scheduling model can use: those of which rate and resources are known.

Resources are the abstract ones of the first explanation.  An operation that was not paired with others has
those of the same operation at another width, where that was; every other one is left out and named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reportgen.model.architecture import Architecture, Fact, Instruction
from reportgen.model.cost.uses import Demand, How, Uses
from reportgen.model.mapping import TOLERANCE
from reportgen.model.resources import by_number
from reportgen.status import USABLE
from reportgen.units import significant

SURE = (How.PAIRED, How.WIDTH)
"""How an operation may have come to its resources; anything further is a guess of the cost model."""
STORES = re.compile(r"store(_(128|256|512))?")
LOADS = re.compile(r"l1_load(_(128|256|512))?")


@dataclass(frozen=True, slots=True)
class Scheduled:
    """One operation with all that a scheduling model asks for."""

    operation: str
    title: str
    form: str
    latency: Fact | None
    """None where it was not measured: a store or a vector load has no chain of its own."""
    interval: Fact
    ports: tuple[str, ...]
    """Any one of them serves an instruction."""
    cycles: float
    """For which it is kept."""
    how: How

    @property
    def origin(self) -> str:
        """Where the resources come from, and whether they allow another rate than was measured alone."""
        by_resources = self.cycles / len(self.ports)
        measured = self.interval.value or 0.0
        text = f"resources {self.how}"
        if measured <= 0 or abs(by_resources / measured - 1) <= TOLERANCE:
            return text
        return (
            f"{text}; in mixes one each {significant(by_resources)} cycles, alone one each "
            f"{significant(measured)}"
        )


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is known, and what is not."""

    ports: tuple[str, ...]
    known: tuple[Scheduled, ...]
    left_out: tuple[tuple[str, str], ...]
    """(operation, what is missing)."""


def schedule(architecture: Architecture) -> Schedule:
    """The operations of a run, in the order of its model."""
    uses = Uses(architecture)
    known: list[Scheduled] = []
    left_out: list[tuple[str, str]] = []
    for one in architecture.instructions:
        found = _scheduled(one, uses.demand(one.operation))
        if isinstance(found, Scheduled):
            known.append(found)
        else:
            left_out.append((one.operation, found))
    names = {port for one in known for port in one.ports}
    return Schedule(tuple(sorted(names, key=by_number)), tuple(known), tuple(left_out))


def _scheduled(one: Instruction, demand: Demand | None) -> Scheduled | str:
    """The operation, or what is missing of it."""
    latency, interval = _usable(one.latency), _usable(one.issue_interval)
    if interval is None:
        return "no issue interval"
    if demand is None or demand.how not in SURE:
        return "no resources: it was paired with no other operation"
    ports = sorted((_name(port) for port in demand.resources), key=by_number)
    return Scheduled(
        one.operation, one.title, one.form, latency, interval, tuple(ports), demand.cycles, demand.how
    )


def _usable(fact: Fact | None) -> Fact | None:
    return fact if fact is not None and fact.status in USABLE and fact.value is not None else None


def _name(resource: str) -> str:
    """A name that any format takes: `integer_select 1` is a resource of one operation alone."""
    return re.sub(r"\W+", "_", resource)


def caveats(architecture: Architecture) -> tuple[str, ...]:
    """What the resources are and are not, for the head of a file."""
    resources = architecture.resources
    if resources is None:
        return ()
    found = ["Resources are an inference, abstract, and named by this run alone.", resources.sentence]
    several = [len(group.explanations) for group in resources.groups if len(group.explanations) > 1]
    if several:
        found.append(
            f"Where explanations fit equally well ({', '.join(map(str, several))} of them), this file has "
            "the first; model.json has them all."
        )
    return tuple(found)
