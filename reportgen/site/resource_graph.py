"""The resource model as pages show it: nodes of the graph, rows of the table, how explanations differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from reportgen.model.resources import Explanation, Resources, Use, by_number
from reportgen.site.figures.resource_graph import Operations, ResourceGraph
from reportgen.site.report import Report


@dataclass(frozen=True)
class Placement:
    """An operation and what it may use."""

    operation: str
    use: Use
    others: tuple[Use, ...]
    """Places that fit equally well; of an operation in the matrix they are in the explanations."""
    paired: bool
    """Paired with every other operation of its group, not with some."""


def placements(resources: Resources) -> tuple[Placement, ...]:
    """Operations by the first explanation of each group, then those that were placed among them."""
    found = [
        Placement(use.operation, use, (), True)
        for group in resources.groups
        for use in (group.explanations[0].uses if group.explanations else ())
        if use.resources
    ]
    found += [
        Placement(one.operation, one.places[0], one.places[1:], False)
        for one in resources.placed
        if one.places and one.places[0].resources
    ]
    return tuple(found)


def record(report: Report) -> ResourceGraph | None:
    """What the figure shows; nothing where no operation has resources."""
    resources = report.architecture.resources
    found = placements(resources) if resources is not None else ()
    nodes: dict[frozenset[str], list[str]] = {}
    for one in found:
        nodes.setdefault(frozenset(one.use.resources), []).append(one.operation)
    if not nodes:
        return None
    names = sorted(frozenset[str]().union(*nodes), key=by_number)
    made = (Operations(tuple(some), tuple(sorted(used, key=by_number))) for used, some in nodes.items())
    return ResourceGraph(tuple(made), tuple(names))


Kinds = tuple[str, ...]


def served(explanation: Explanation) -> Counter[Kinds]:
    """How many resources serve which operations: what an explanation says, without names."""
    kinds: dict[str, list[str]] = {name: [] for name in explanation.resources}
    for use in explanation.uses:
        for name in use.resources:
            kinds[name].append(use.operation)
    return Counter(tuple(sorted(some)) for some in kinds.values())


def difference(first: Explanation, other: Explanation) -> tuple[tuple[Kinds, ...], tuple[Kinds, ...]]:
    """Resources of the first explanation that another lacks, and those that it has instead."""
    one, two = served(first), served(other)
    return tuple(sorted((one - two).elements())), tuple(sorted((two - one).elements()))
