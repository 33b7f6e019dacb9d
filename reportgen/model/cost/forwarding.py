"""What to say of loads that read other bytes than one store of the loop wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.model.architecture import Architecture
from reportgen.model.cost import graph
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Latencies
from reportgen.model.cost.x86_64 import Taken

MOST = 3
"""Pairs that are named; a longer list is not read."""


def notes(
    body: Sequence[Instruction], architecture: Architecture, taken: Mapping[Instruction, Taken]
) -> list[str]:
    """A line for each load of a part of what a store of the loop wrote, or of more; the slowest first."""
    latencies = Latencies(architecture, taken)
    told: dict[str, float] = {}
    for edge in graph.edges(body):
        if edge.register == graph.OVERLAP:
            store, load = body[edge.source], body[edge.target]
            cycles = latencies.forwarded(load, edge)
            what = f"'{load.text}' reads other bytes than '{store.text}' wrote"
            takes = "taken as if it waited for nothing" if cycles is None else f"it takes {cycles:.3g} cycles"
            told[f"{what}: {takes}"] = cycles or 0.0
    lines = sorted(told, key=lambda line: -told[line])
    more = [f"{len(lines) - MOST} more loads of that kind"] if len(lines) > MOST else []
    return [*lines[:MOST], *more]
