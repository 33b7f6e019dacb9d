"""Where an operation belongs among resources that are known: from its mixes with operations that are.

The matrix of all pairs is for a few operations.  Every other one is paired with some of those, and of all
sets of known resources (and further ones of its own) the sets that explain its mixes best are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.model.mapping import AT_FRONT_END, LATE, TOLERANCE, Mix, least_resources

OWN = 0.02
KNOWN = 0.005
"""Cost of a resource: one that is known explains more than one that is invented."""
TOO_FAST, FAR, LATER = 1.0, 0.6, 0.2
"""Cost of a mix that is faster than the resources allow, far too late, late; as in `assignment`."""
MOST = 4
"""Equally good places that are listed."""

Resource = frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """The resources of an operation, and for how long an instruction keeps one of them."""

    resources: Resource
    cycles: float

    @property
    def interval(self) -> float:
        """Cycles an instruction takes alone."""
        return self.cycles / len(self.resources)


def place(
    operation: str, interval: float, mixes: Iterable[Mix], known: Mapping[str, Known]
) -> tuple[Known, ...]:
    """The resources that explain the mixes of an operation, several where they do so equally well.

    Args:
        operation: what is to be placed.
        interval: cycles an instruction takes alone.
        mixes: of it and operations that are in `known`.
        known: operation -> its resources.

    Returns:
        The best places, cheapest first; none where no mix is of use.
    """
    told = [(known[_other(mix, operation)], *_counts(mix, operation), mix) for mix in mixes
            if _other(mix, operation) in known]  # fmt: skip
    if not told:
        return ()
    candidates: list[tuple[float, Known]] = []
    for chosen in _subsets(
        [one.resources for one in known.values()], [partner.resources for partner, *_ in told]
    ):
        own = max(0, least_resources(interval) - len(chosen))  # as its rate asks for at least
        resources = chosen | {f"{operation} {number}" for number in range(1, own + 1)}
        place = Known(resources, len(resources) * interval)
        cost = KNOWN * len(chosen) + OWN * own + sum(_cost(place, *one) for one in told)
        candidates.append((cost, place))
    best = min(cost for cost, _ in candidates)
    return tuple(place for cost, place in candidates if cost < best + KNOWN / 2)[:MOST]


def _other(mix: Mix, operation: str) -> str:
    return mix.second if mix.first == operation else mix.first


def _counts(mix: Mix, operation: str) -> tuple[float, float]:
    """(of the operation to be placed, of its partner)."""
    pair = (mix.first_count, mix.second_count)
    return pair if mix.first == operation else (pair[1], pair[0])


def _subsets(everything: Sequence[Resource], partners: Sequence[Resource]) -> Iterator[Resource]:
    """Sets of the partners' resources; of those that serve the same operations, the first ones."""
    names = sorted(frozenset[str]().union(*partners))
    alike: dict[tuple[bool, ...], list[str]] = {}
    for name in names:
        alike.setdefault(tuple(name in one for one in everything), []).append(name)
    groups = list(alike.values())
    for counts in itertools.product(*(range(len(group) + 1) for group in groups)):
        yield frozenset(name for group, count in zip(groups, counts, strict=True) for name in group[:count])


def _cost(place: Known, partner: Known, count: float, partners: float, mix: Mix) -> float:
    alone = count * place.interval, partners * partner.interval
    union = len(place.resources | partner.resources)
    together = (count * place.cycles + partners * partner.cycles) / union
    bound = max(*alone, together, mix.front_end)
    if mix.cycles < bound * (1 - TOLERANCE):
        return TOO_FAST
    if mix.front_end > 0 and mix.cycles < AT_FRONT_END * mix.front_end:
        return 0.0
    late = mix.cycles / bound - 1
    return 0.0 if late <= TOLERANCE else LATER if late <= LATE else FAR
