"""The resource model: which kinds of instructions compete for what, as far as their times tell.

An inference, and abstract: a resource is whatever kinds compete for that serves one of them at a time.  That
may be a pipeline, an issue port, or anything else in `reportgen.findings.alternatives`.  `infer` collects
what the run's interference probes measured, `reportgen.model.mapping` finds the smallest explanation of the
probe that pairs all of its operations, and `reportgen.model.placement` adds those that are paired with a few.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives
from reportgen.findings.evidence import Evidence, central
from reportgen.findings.finding import Claim
from reportgen.findings.metric import Kind, MetricId
from reportgen.model import mapping
from reportgen.model.assignment import Alternative
from reportgen.model.mapping import Group, Mix
from reportgen.model.placement import Known, place

MOST_PAIRS = 0.9
"""Share of all pairs of its operations from which on a probe counts as a matrix; some may have failed."""


class Use(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an operation needs: any one of some resources, for so long."""

    operation: str
    resources: tuple[str, ...]
    cycles: float
    """For which an instruction keeps the resource that it gets."""


class Explanation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to explain the times of a group of operations."""

    resources: tuple[str, ...]
    uses: tuple[Use, ...]


class ResourceGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Operations that are linked by competition, and what explains it."""

    operations: tuple[str, ...]
    explanations: tuple[Explanation, ...]
    """With equally many resources, and as many mixes explained; the first has no rank above the others."""
    complete: bool
    """Whether these are all of that kind."""


def by_number(resource: str) -> tuple[int, int, str]:
    """Key to sort resources by: r1, r2, ... r10, then those of one operation alone."""
    number = re.fullmatch(r"r(\d+)", resource)
    return (0, int(number.group(1)), "") if number else (1, 0, resource)


class Placed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation that was paired with some of those in the groups only."""

    operation: str
    places: tuple[Use, ...]
    """Equally good ones, by the first explanations of the groups."""


class Deviation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mix that takes another time than the first explanation says."""

    first: str
    second: str
    first_count: float
    second_count: float
    measured: float
    """Cycles a group."""
    predicted: float


class Resources(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The resource model of one run."""

    claim: Claim
    sentence: str
    alternatives: tuple[str, ...]
    """What a resource may be that the evidence does not tell apart."""
    front_end: float
    """Instructions a cycle that the canary reached; 0 where the run has none."""
    cycle_hz: float
    """Core clock while the run was taken, hertz; 0 where not known."""
    mixes: int
    """Mixes of two operations that were looked at."""
    groups: tuple[ResourceGroup, ...]
    deviations: tuple[Deviation, ...]
    undecided: tuple[tuple[str, str], ...]
    """Pairs that showed no competition in mixes that need not have shown it."""
    placed: tuple[Placed, ...] = ()

    def use(self, operation: str) -> Use | None:
        """What an operation needs in the first explanation; None where it was in no mix."""
        for group in self.groups:
            for use in group.explanations[0].uses if group.explanations else ():
                if use.operation == operation:
                    return use
        return next((one.places[0] for one in self.placed if one.operation == operation), None)


def infer(evidence: Evidence) -> Resources | None:
    """The resource model of a run, or None where no pair of operations was measured.

    Args:
        evidence: quantities that may be used; those that a gate withheld are left out.
    """
    pairs = [pair for pair in evidence.of_kind(Kind.INTERFERENCE) if pair[0].subject != pair[0].part]
    intervals: dict[str, float] = {}
    mixes: list[Mix] = []
    for name, quantity in pairs:
        for operation, key in ((name.subject, "first"), (name.part, "second")):
            alone = _alone(evidence, quantity, key)
            if alone > 0:
                intervals.setdefault(operation, alone)
        mixes += _mixes(evidence, name, quantity)
    mixes = [mix for mix in mixes if mix.first in intervals and mix.second in intervals]
    if not mixes:
        return None
    matrix = _matrix(pairs)
    inner = [mix for mix in mixes if {mix.first, mix.second} <= matrix]
    groups = mapping.explain({name: time for name, time in intervals.items() if name in matrix}, inner)
    clocks = [mark.cycle_hz for mark in evidence.run.drift if mark.cycle_hz > 0]
    named = tuple(_named(groups))
    deviations = tuple(_deviations(groups, inner))
    return Resources(
        claim=Claim.INFERRED,
        sentence=sentence(named, len(inner), len(deviations)),
        alternatives=alternatives.ALL[:-1],
        front_end=evidence.run.sample_clock.canary_best,
        cycle_hz=statistics.median(clocks) if clocks else 0.0,
        mixes=len(mixes),
        groups=named,
        deviations=deviations,
        undecided=mapping.undecided(intervals, inner),
        placed=tuple(_placed(named, intervals, matrix, mixes)),
    )


def _matrix(pairs: list[tuple[MetricId, Quantity]]) -> set[str]:
    """Operations of the probe that pairs all of its operations, the largest such; else all."""
    probes: dict[str, set[frozenset[str]]] = {}
    for name, quantity in pairs:
        probes.setdefault(quantity.probe, set()).add(frozenset((name.subject, name.part)))
    complete = []
    for found in probes.values():
        names = set[str]().union(*found)
        if 2 * len(found) >= MOST_PAIRS * len(names) * (len(names) - 1):
            complete.append(names)
    return max(complete, key=len, default={one for name, _ in pairs for one in (name.subject, name.part)})


def _placed(
    groups: Iterable[ResourceGroup], intervals: Mapping[str, float], matrix: set[str], mixes: list[Mix]
) -> Iterator[Placed]:
    known = {
        use.operation: Known(frozenset(use.resources), use.cycles)
        for group in groups if group.explanations for use in group.explanations[0].uses
    }  # fmt: skip
    for operation, interval in intervals.items():
        if operation in matrix:
            continue
        own = [mix for mix in mixes if operation in (mix.first, mix.second)]
        places = place(operation, interval, own, known)
        if places:
            uses = tuple(Use(operation, tuple(sorted(one.resources)), one.cycles) for one in places)
            yield Placed(operation, uses)


def sentence(groups: Iterable[ResourceGroup], mixes: int, deviations: int) -> str:
    """The model in words that go no further than the evidence."""
    some = [group for group in groups if group.explanations]
    count = sum(len(group.explanations[0].resources) for group in some)
    text = (
        f"The times of {mixes} mixes of two operations are consistent with {count} abstract "
        f"resource{'s' if count != 1 else ''}, the fewest that explain them"
    )
    if deviations:
        text += f"; {deviations} of the mixes take another time than these resources say"
    open_ones = sum(len(group.explanations) > 1 for group in some)
    if open_ones:
        text += f"; for {open_ones} group{'s' if open_ones != 1 else ''} other explanations fit equally well"
    return f"{text}."


def _point_counts(evidence: Evidence, quantity: Quantity) -> tuple[float, float]:
    """Instructions of each kind in a group of the pair."""
    for name in quantity.points:
        point = evidence.points.get(name)
        if point is not None and point.settings.get("second"):
            return point.work.get("first_count", 0.0), point.work.get("second_count", 0.0)
    return 0.0, 0.0


def _alone(evidence: Evidence, quantity: Quantity, which: str) -> float:
    """Cycles an instruction of one kind takes alone, from the groups of the pair."""
    counts = dict(zip(("first", "second"), _point_counts(evidence, quantity), strict=True))
    cycles = quantity.details.get(f"cycles_{which}")
    return float(cycles) / counts[which] if isinstance(cycles, (int, float)) and counts[which] > 0 else 0.0


def _mixes(evidence: Evidence, name: MetricId, quantity: Quantity) -> Iterator[Mix]:
    """The mix behind the index, and those of other proportions."""
    central(quantity)
    first, second = _point_counts(evidence, quantity)
    together = quantity.details.get("cycles_together")
    front_end = quantity.details.get("front_end_cycles", 0.0)
    if isinstance(together, (int, float)) and first > 0 and second > 0:
        yield Mix(name.subject, name.part, first, second, float(together), float(front_end))
    proportions: list[Mapping[str, Any]] = quantity.details.get("proportions", [])
    for one in proportions:
        yield Mix(
            name.subject, name.part, float(one["first"]), float(one["second"]), float(one["cycles"]),
            float(one.get("front_end_cycles", 0.0)),
        )  # fmt: skip


def _named(groups: Iterable[Group]) -> Iterator[ResourceGroup]:
    """Resources get names that are theirs in the whole model, the same in every explanation of a group."""
    numbers = itertools.count(1)
    for group in groups:
        if not group.kinds:
            continue
        most = max((len(one.resources) for one in group.alternatives), default=0)
        names = [f"r{next(numbers)}" for _ in range(most)]
        yield ResourceGroup(
            operations=group.kinds,
            explanations=tuple(_explanation(one, names) for one in group.alternatives),
            complete=group.complete,
        )


def _explanation(one: Alternative, names: list[str]) -> Explanation:
    served = list(zip(names, one.resources, strict=False))
    return Explanation(
        resources=tuple(name for name, _ in served),
        uses=tuple(
            Use(kind, tuple(name for name, kinds in served if kind in kinds), cycles)
            for kind, cycles in one.busy.items()
        ),
    )


def _deviations(groups: Iterable[Group], mixes: Iterable[Mix]) -> Iterator[Deviation]:
    """Mixes whose time is not that of the first explanation of their groups."""
    first: dict[str, Alternative] = {
        kind: group.alternatives[0] for group in groups if group.alternatives for kind in group.kinds
    }
    for mix in mixes:
        if mix.first not in first or mix.second not in first:
            continue
        counts = {mix.first: mix.first_count, mix.second: mix.second_count}
        bound = max(mapping.predicted(first[kind], counts) for kind in counts)
        bound = max(bound, mix.front_end)
        if abs(mix.cycles / bound - 1) > mapping.TOLERANCE:
            yield Deviation(mix.first, mix.second, mix.first_count, mix.second_count, mix.cycles, bound)
