"""A run of kind `toolchain`: every program of the suite built and inspected for a target, none of them run.

There is nothing to journal and nothing to resume: what was built is cached by content, so a run that was
interrupted begins anew and is quick where it was before.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from reportgen.backends import registry
from reportgen.backends.base import Backend, Build, Generator, Source
from reportgen.collect import builds, identity, plan
from reportgen.collect.messages import Fault, Made
from reportgen.collect.plan import Entry, Plan
from reportgen.collect.progress import Progress
from reportgen.errors import Unsupported
from reportgen.runs import write
from reportgen.runs.schema import SAMPLE_COLUMNS, SCHEMA_VERSION, TOOLCHAIN, Device, Point, Program, Run
from reportgen.status import Status
from reportgen.suite.load import Suite

JOBS = max(2, min(16, (os.cpu_count() or 2) - 1))
"""Build processes at once: all cores but one, at least two and at most sixteen."""
FILLING = "gpu_execution"
"""The family that asks how many blocks of a kernel fit at a time."""


class BatchBuilder(Protocol):
    """A builder that is quicker with many sources at once than with one after the other."""

    def build_many(
        self, sources: Sequence[Source], jobs: int, built: Callable[[str], None]
    ) -> Sequence[Build]:
        """Builds in the order of the sources; `built` is called with the id of each point that is done."""


@runtime_checkable
class Targets(Protocol):
    """A backend some of whose devices are targets: programs are made for them, none is run."""

    def is_target(self, device: Device) -> bool:
        """Whether the device is one."""

    def members(self, selector: str) -> tuple[str, ...]:
        """The targets that a selector of several (`sm_all`) stands for; else the selector alone."""

    def batch_builder(self, device: Device) -> BatchBuilder:
        """Compiler and inspector for a target."""

    def sweep_faults(self, sweep: Sequence[tuple[Source, Build]]) -> dict[str, str]:
        """Points of one sweep whose program holds other instructions than those of most points, and which."""

    def point_facts(self, device: Device, source: Source, build: Build) -> dict[str, int | float | str]:
        """What a launch of the program would ask for and get: threads, blocks that fit at a time, ..."""


def members(selector: str) -> tuple[str, ...]:
    """The selectors that one of several stands for: `sm_all` -> `sm_75`, `sm_80`, ...; else itself alone.

    Raises:
        UserError: there is no such backend.
        BackendUnavailable: a package that it needs is missing.
    """
    if not selector:
        return (selector,)
    backend = registry.get(selector)
    return backend.members(selector) if isinstance(backend, Targets) else (selector,)


@dataclass(frozen=True)
class Question:
    """What shall be built."""

    data: Path
    glob: str
    quick: bool
    supersedes: str = ""


def collect(
    asked: Question, progress: Progress, backend: Backend, device: Device, suite: Suite
) -> tuple[Path, Run]:
    """Build and inspect everything, and seal it; the folder of the bundle, and its manifest.

    Args:
        asked: what shall be built.
        progress: who shows it.
        backend: one that has targets.
        device: the target, whose lock is held.
        suite: all definitions.

    Raises:
        UserError: the glob matches nothing, or the toolchain lacks the target.
        BackendUnavailable: the toolchain is missing or half installed.
        RunRefused: the folder is full or cannot be written.
    """
    assert isinstance(backend, Targets)
    begun, now = time.monotonic(), datetime.now(UTC)
    planned = plan.make(suite, device, asked.glob, asked.quick, seed=0, passes=None)
    progress.stage("building", len(planned.entries))
    sources, made = _generate(backend.generator(device, planned.operations), planned.entries, progress)
    building = time.monotonic()
    results = backend.batch_builder(device).build_many(list(sources.values()), JOBS, progress.step)
    for source, build in zip(sources.values(), results, strict=True):
        made[source.point] = Made(build, source.work, source.setup)
    spent = builds.seconds(made, time.monotonic() - building)
    progress.stage("sealing", 1)
    _compare_sweeps(backend, planned.entries, sources, made)
    facts = {
        entry.point.id: backend.point_facts(device, sources[entry.point.id], one.build)
        for entry in planned.entries
        if entry.probe.family == FILLING
        and isinstance(one := made[entry.point.id], Made)
        and one.build.program is not None
    }
    run = Run(
        schema=SCHEMA_VERSION,
        run=identity.name(now),
        created=identity.stamp(now),
        finished=identity.stamp(datetime.now(UTC)),
        device=device,
        environment=backend.environment(device),
        toolchain=identity.tools(backend, device),
        suite=planned.suite,
        plan={"kind": TOOLCHAIN, "quick": asked.quick, "probes": asked.glob},
        clock=None,
        probes=planned.probes,
        points=_points(planned, made, facts),
        timing=_timing(spent, time.monotonic() - begun),
        counters=backend.counters(device),
        supersedes=asked.supersedes,
    )
    columns: dict[str, list[int]] = {name: [] for name in SAMPLE_COLUMNS}
    path = write.seal(asked.data / device.id / run.run, run, columns, _programs(made))
    return path, run


def build_all(backend: Backend, device: Device, planned: Plan, progress: Progress) -> builds.Results:
    """Every point's program, many at a time, for a device of such a backend.

    Raises:
        UserError: the toolchain does not build for the device.
    """
    assert isinstance(backend, Targets)
    sources, made = _generate(backend.generator(device, planned.operations), planned.entries, progress)
    results = backend.batch_builder(device).build_many(list(sources.values()), JOBS, progress.step)
    for source, build in zip(sources.values(), results, strict=True):
        made[source.point] = Made(build, source.work, source.setup)
    _compare_sweeps(backend, planned.entries, sources, made)
    return made


def _generate(
    generator: Generator, entries: Sequence[Entry], progress: Progress
) -> tuple[dict[str, Source], builds.Results]:
    """Sources by point, and faults of the points that have none."""
    sources: dict[str, Source] = {}
    faults: builds.Results = {}
    for entry in entries:
        try:
            sources[entry.point.id] = generator.generate(entry.probe, entry.point)
            continue
        except Unsupported as error:
            fault = Fault(Status.UNSUPPORTED, str(error))
        except Exception as error:  # noqa: BLE001 - one point's fault is a row, the run goes on
            traceback.print_exc()
            fault = Fault(Status.FAILED, f"{type(error).__name__}: {error}")
        faults[entry.point.id] = fault
        progress.step(entry.point.id)
    return sources, faults


def _compare_sweeps(
    backend: Targets, entries: Sequence[Entry], sources: Mapping[str, Source], made: builds.Results
) -> None:
    """Reject programs that are sound by themselves and not of the kind that the rest of their sweep is.

    A sweep is a probe's points that differ in its variable alone, where that is a number.
    """
    sweeps: dict[tuple[object, ...], list[tuple[Source, Build]]] = {}
    for entry in entries:
        one, variable = made[entry.point.id], entry.probe.definition.variable
        if builds.refused(one) is not None or not isinstance(one, Made):
            continue
        if isinstance(entry.point.settings.get(variable), int | float):
            rest = tuple(item for item in entry.point.settings.items() if item[0] != variable)
            sweeps.setdefault((entry.probe.id, rest), []).append((sources[entry.point.id], one.build))
    for sweep in sweeps.values():
        for point, fault in backend.sweep_faults(sweep).items():
            one = made[point]
            assert isinstance(one, Made)
            build = msgspec.structs.replace(one.build, status=Status.INVALID, reason=fault)
            made[point] = msgspec.structs.replace(one, build=build)


def _points(
    planned: Plan, made: builds.Results, facts: Mapping[str, dict[str, int | float | str]]
) -> tuple[Point, ...]:
    asked = {entry.point.id: entry for entry in planned.entries}
    return once(
        planned.settled[name]
        if name in planned.settled
        else settle(asked[name], made[name], facts.get(name, {}))
        for name in planned.sequence
    )


def once(points: Iterable[Point]) -> tuple[Point, ...]:
    """Of a probe all of whose points lack a program for one reason, the first: one is enough to say so."""
    by_probe: dict[str, list[Point]] = {}
    for point in points:
        by_probe.setdefault(point.probe, []).append(point)
    kept: list[Point] = []
    for some in by_probe.values():
        reasons = {(point.status, point.reason, point.program) for point in some}
        alike = len(reasons) == 1 and not some[0].program
        kept += some[:1] if alike else some
    return tuple(kept)


def settle(asked: Entry, made: Made | Fault, facts: dict[str, int | float | str]) -> Point:
    """What became of a point: `ok` means that its machine code is the program that was meant."""
    program = made.build.program if isinstance(made, Made) else None
    verdict = builds.refused(made)
    if verdict is None and isinstance(made, Made):
        doubt = builds.unverified(made)
        verdict = (Status.UNVERIFIED, doubt) if doubt else (Status.OK, "")
    assert verdict is not None
    return Point(
        id=asked.point.id,
        probe=asked.point.probe,
        settings=asked.point.settings,
        status=verdict[0],
        reason=verdict[1],
        program=program.sha256 if program is not None else "",
        work=made.work if isinstance(made, Made) else {},
        facts=facts,
    )


def _programs(made: builds.Results) -> list[Program]:
    return [
        one.build.program for one in made.values() if isinstance(one, Made) and one.build.program is not None
    ]


def _timing(spent: Mapping[str, float], total: float) -> dict[str, float]:
    """Seconds by part; a part that such a run does not have is left out."""
    other = max(0.0, total - sum(spent.values()))
    return {name: round(value, 4) for name, value in {**spent, "other": other, "total": total}.items()}
