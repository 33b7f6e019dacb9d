"""What will be asked, and in which order.

The suite gives probes and points; a glob or `--quick` leaves some out, which are recorded as
`skipped`.  Visits are ordered by a seeded shuffle, pass by pass, with one point (the drift mark)
visited again at start, middle and end.
"""

from __future__ import annotations

import difflib
import fnmatch
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from reportgen.backends.recording import Recording
from reportgen.errors import Unsupported, UserError
from reportgen.runs.schema import Device, Point, ProbeInfo
from reportgen.status import Status
from reportgen.suite import expand
from reportgen.suite.definition import Operation, PlannedPoint, Probe
from reportgen.suite.isa import table_of
from reportgen.suite.load import Suite

PASSES = 3
QUICK_PASSES = 2
"""Fewer passes give no agreement between passes, which every interval needs."""
EXTRA_ROUNDS = 4
"""Further visits of points that still lack accepted samples: a neighbour may have gone meanwhile."""
ROUNDS_TO_AGREE = 2
"""Those of them in which points whose visits disagree are visited again too."""
MARK_PROBE = "instruction_latency/integer_add"
"""Its longest chain is the drift mark: one cycle a step on every core known, and no memory."""


@dataclass(frozen=True)
class Entry:
    """A point to build."""

    probe: Probe
    point: PlannedPoint


@dataclass(frozen=True)
class Visit:
    """One stop on the way through the plan; `order` counts from 0, `number` is the pass."""

    order: int
    number: int
    point: str


@dataclass(frozen=True)
class Plan:
    """The questions of one run."""

    seed: int
    passes: int
    quick: bool
    glob: str
    suite: dict[str, str]
    probes: tuple[ProbeInfo, ...]
    entries: tuple[Entry, ...]
    settled: dict[str, Point]
    """Points whose status is known without building them: skipped, or without any setting."""
    sequence: tuple[str, ...]
    """Ids of all points, settled or not, in suite order."""
    operations: dict[str, Operation]
    recording: Recording | None = None
    """Set when the backend replays a run: its visits and verdicts are kept as recorded."""


@runtime_checkable
class Recorded(Protocol):
    """A backend that brings its own questions, because it answers from a recorded run."""

    def recording(self) -> Recording:
        """The run it replays."""


def make(suite: Suite, device: Device, glob: str, quick: bool, seed: int, passes: int | None) -> Plan:
    """The plan for one device.

    Args:
        suite: all definitions.
        device: where they will run.
        glob: probes asked for: patterns of ids (`instruction_latency/*`) or families, separated by
            commas.
        quick: leave out long probes and use the short settings of the others.
        seed: of the random order.
        passes: visits of every point; by default `PASSES`, with `quick` `QUICK_PASSES`.

    Raises:
        UserError: the glob matches nothing.
    """
    operations = suite.tables.get(table_of(device.isa), {})
    known = expand.probes(suite, device.isa)
    chosen = {probe.id for probe in asked_for(known, glob)}
    entries: list[Entry] = []
    settled: dict[str, Point] = {}
    sequence: list[str] = []
    for probe in known:
        skip = ""
        if probe.id not in chosen:
            skip = f"not asked for: --probes '{glob}'"
        elif quick and not probe.definition.in_quick:
            skip = "left out by --quick"
        for point in _points(probe, device, operations, quick and not skip, settled):
            if skip:
                settled[point.id] = Point(point.id, probe.id, point.settings, Status.SKIPPED, skip)
            else:
                entries.append(Entry(probe, point))
            sequence.append(point.id)
    return Plan(
        seed=seed,
        passes=passes or (QUICK_PASSES if quick else PASSES),
        quick=quick,
        glob=glob,
        suite={"version": suite.version, "digest": suite.digest},
        probes=tuple(expand.info(probe, operations) for probe in known),
        entries=tuple(entries),
        settled=settled,
        sequence=tuple(sequence),
        operations=operations,
    )


def replay(recording: Recording) -> Plan:
    """The plan of a recorded run: its own questions, its own order."""
    run, probes = recording.run, recording.probes()
    return Plan(
        seed=int(run.plan.get("seed", 0)),
        passes=int(run.plan.get("passes", PASSES)),
        quick=bool(run.plan.get("quick", False)),
        glob=str(run.plan.get("probes", "*")),
        suite=run.suite,
        probes=run.probes,
        entries=tuple(Entry(probes[point.probe], recording.planned(point)) for point in run.points),
        settled={},
        sequence=tuple(point.id for point in run.points),
        operations={},
        recording=recording,
    )


def asked_for(known: Sequence[Probe], glob: str) -> list[Probe]:
    """The probes that a pattern names.

    Raises:
        UserError: it names none; those of like name are told.
    """
    chosen = [probe for probe in known if matches(probe, glob)]
    if not chosen:
        raise UserError(f"no probe matches '{glob}'.", _nearest(glob, known))
    return chosen


def matches(probe: Probe, glob: str) -> bool:
    """Whether one of the comma-separated patterns names the probe or its family."""
    patterns = [part.strip() for part in glob.split(",")]
    return any(fnmatch.fnmatchcase(name, part) for part in patterns for name in (probe.id, probe.family))


def _points(
    probe: Probe, device: Device, operations: dict[str, Operation], quick: bool, settled: dict[str, Point]
) -> list[PlannedPoint]:
    try:
        return expand.points(probe, device, operations, quick)
    except Unsupported as error:
        point = PlannedPoint(probe.id, probe.id, {})
        settled[point.id] = Point(point.id, probe.id, {}, Status.UNSUPPORTED, str(error))
        return [point]


def _nearest(glob: str, known: Sequence[Probe]) -> str:
    names = sorted({probe.id for probe in known} | {probe.family for probe in known})
    near = difflib.get_close_matches(glob.replace("*", ""), names, n=3, cutoff=0.4)
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{meant}'reportgen probes' lists all; quote a glob, as in --probes 'instruction_latency/*'."


def mark(plan: Plan, measurable: Sequence[str]) -> str:
    """The point that marks drift: the longest chain of `MARK_PROBE`, else the shortest visit."""
    order = {entry.point.id: entry for entry in plan.entries}
    chains = [name for name in measurable if order[name].point.probe == MARK_PROBE]
    if chains:
        return max(chains, key=lambda name: float(order[name].point.settings.get("length", 0)))
    before = [name for name in measurable if not order[name].probe.definition.last] or measurable
    return min(before, key=lambda name: order[name].probe.definition.seconds, default="")


def main_visits(
    plan: Plan, measurable: Sequence[str], together: Mapping[str, str] = MappingProxyType({})
) -> list[Visit]:
    """Visits of all passes, and of the drift mark at start and middle.

    The mark's last visit comes after the extra rounds (`last_visit`).  All of it follows from seed and
    points, so a resumed run has the same visits.

    Args:
        plan: the questions.
        measurable: points that have a program.
        together: points that are sampled in turn, each with what names its company: they follow each other.
    """
    if plan.recording is not None:
        return [Visit(*visit) for visit in plan.recording.visits]
    marked = mark(plan, measurable)
    if not marked:
        return []
    stops: list[tuple[int, str]] = []
    for number in range(plan.passes):
        names = _shuffled(f"{plan.seed}/{number}", measurable, together)
        stops += [(number, name) for name in names]
    stops = _last_behind(plan, stops)
    middle = len(stops) // 2
    while middle < len(stops) and _company(stops[middle][1], together) == _company(
        stops[middle - 1][1], together
    ):
        middle += 1
    stops = [(plan.passes, marked), *stops[:middle], (plan.passes + 1, marked), *stops[middle:]]
    return [Visit(order, number, name) for order, (number, name) in enumerate(stops)]


def _company(name: str, together: Mapping[str, str]) -> str:
    return together.get(name, name)


def _shuffled(seed: str, names: Sequence[str], together: Mapping[str, str]) -> list[str]:
    """In random order, but for those that are sampled in turn, which stay beside each other."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_company(name, together), []).append(name)
    order = list(groups.values())
    random.Random(seed).shuffle(order)
    return [name for group in order for name in group]


def extra_visits(
    plan: Plan,
    first: int,
    round_: int,
    wanting: Sequence[str],
    together: Mapping[str, str] = MappingProxyType({}),
) -> list[Visit]:
    """One more visit of each point in `wanting` and of its company, numbered after the drift marks."""
    companies = {_company(name, together) for name in wanting}
    asked = [*(name for name in wanting if name not in together)]
    asked += [name for name, company in together.items() if company in companies]
    names = _shuffled(f"{plan.seed}/extra/{round_}", asked, together)
    number = plan.passes + len(MARKS) + round_
    stops = _last_behind(plan, [(number, name) for name in names])
    return [Visit(first + i, number, name) for i, (_, name) in enumerate(stops)]


def lasting(plan: Plan) -> frozenset[str]:
    """Points of probes that are asked behind all others."""
    return frozenset(entry.point.id for entry in plan.entries if entry.probe.definition.last)


def _last_behind(plan: Plan, stops: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """The same in the same order, but for those points."""
    behind = lasting(plan)
    return sorted(stops, key=lambda stop: stop[1] in behind)


def last_visit(plan: Plan, order: int, measurable: Sequence[str]) -> list[Visit]:
    """The drift mark at the end."""
    marked = mark(plan, measurable)
    return [Visit(order, plan.passes + 2, marked)] if marked and plan.recording is None else []


MARKS = ("start", "middle", "end")
"""Visits of the drift mark have pass numbers of their own: `passes`, `passes + 1`, `passes + 2`."""


def visit_seed(plan: Plan, order: int) -> int:
    """Seed of one visit (page placement, random cycles); another in every visit."""
    return random.Random(f"{plan.seed}:{order}").getrandbits(31)
