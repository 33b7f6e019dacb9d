"""What branches cost a loop: those that are taken, as the run measured; a wrong prediction, as a note."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.model.architecture import Architecture, Fact
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Span
from reportgen.units import significant

INTERVAL, MISPREDICTION, GROUP = "branch.taken.interval", "branch.misprediction", "branch.loop.group"
ASSUMED = Span(0.5, 1.0, 1.0)
"""Cycles of a taken branch where the run did not ask: one, but cores that take two a cycle are on sale."""


def taken(body: Sequence[Instruction]) -> int:
    """Branches that are taken in every round."""
    return sum(one.flow == "jump" for one in body) + (body[-1].flow == "conditional")


def interval(architecture: Architecture) -> tuple[Span, str]:
    """Cycles of a taken branch, and where they come from in words."""
    fact = asked(architecture, INTERVAL)
    if fact is None or fact.value is None or fact.low is None or fact.high is None:
        return ASSUMED, "one a cycle assumed, this run did not ask"
    return Span(fact.low, fact.value, fact.high), f"{fact.value:.3g} cycles each, measured"


def notes(body: Sequence[Instruction], architecture: Architecture) -> list[str]:
    """What wrong predictions of branches inside of a round would add: estimates take them as predicted."""
    inside = sum(one.flow == "conditional" for one in body[:-1])
    if not inside:
        return []
    some = "a branch inside of the round is" if inside == 1 else f"{inside} branches inside of the round are"
    fact = asked(architecture, MISPREDICTION)
    if fact is None or fact.value is None or fact.low is None or fact.high is None:
        return [f"{some} taken to be predicted; what a wrong prediction costs this run did not measure"]
    low, middle, high = (significant(number, 3) for number in (fact.low, fact.value, fact.high))
    cost = f"about {middle} cycles ({low} … {high}, measured)"
    return [f"{some} taken to be predicted; each wrong prediction adds {cost}"]


def asked(architecture: Architecture, metric: str) -> Fact | None:
    """What the run says of a metric."""
    return next((fact for fact in architecture.facts if fact.metric == metric), None)
