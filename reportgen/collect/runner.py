"""One run from end to end: discover, plan, build, measure, judge, seal.

Whatever happens on the way - a crash of a worker, a full disk, Ctrl-C, a power cut - either the
bundle is sealed whole or the journal is there to go on from.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from reportgen.backends import registry
from reportgen.backends.base import Backend
from reportgen.collect import (
    builds,
    counting,
    ending,
    filling,
    identity,
    interruption,
    journal,
    lock,
    plan,
    rescue,
    sealing,
    supervisor,
    toolchain,
    visits,
)
from reportgen.collect.choosing import choose
from reportgen.collect.interruption import Interruption, resume_command
from reportgen.collect.journal import Entry, Header, Journal
from reportgen.collect.messages import Hello, Made
from reportgen.collect.plan import Plan
from reportgen.collect.progress import Progress, Silent
from reportgen.collect.supervisor import Supervisor
from reportgen.errors import RunRefused, UserError
from reportgen.runs import disk, read, store, write
from reportgen.runs.schema import TOOLCHAIN, Device, Run
from reportgen.suite.load import Suite, load_suite

PATIENCE = 30.0
"""Seconds for setting up a point (filling a large buffer) before its worker counts as hung."""


class Interrupted(UserError):
    """Ctrl-C: the journal is kept, and the message says how to go on."""

    exit_code = 130


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    data: Path
    selector: str = ""
    """`cpu`, `replay:PATH`; empty: `cpu`, or that of the run to resume."""
    glob: str = "*"
    quick: bool = False
    seed: int | None = None
    passes: int | None = None
    resume: str = ""
    """A run that was interrupted, or `latest`."""
    supersedes: str = ""
    """The run that this one corrects, as `store.run_to_correct` takes it."""
    patience: float = PATIENCE
    max_seconds: float = 0.0
    """Time for this sitting, building included; what is not reached is `skipped`, and can be gone on with.
    0: no limit."""
    command: Callable[[str, str], list[str]] = supervisor.command
    """Selector and role -> command line of a worker."""
    verb: str = "collect"
    """Command of `reportgen` that goes on with such a run."""
    seal: bool = False
    """Seal what the run of `resume` measured, and no more: its device need not be here."""
    remarks: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the run's `plan`: its kind, and what belongs to that."""


@dataclass(frozen=True)
class Outcome:
    """A sealed run, and the time that sealing took on top of what it says."""

    path: Path
    run: Run
    resume: str = ""
    """The command that goes on with what was not reached."""


def collect(
    options: Options,
    progress: Progress | None = None,
    backend: Backend | None = None,
    suite: Suite | None = None,
) -> Outcome:
    """Collect one run, or go on with one.

    Args:
        options: what the user asked for.
        progress: who shows it.
        backend: instead of the one the selector names.
        suite: instead of the one that came with the package.

    Raises:
        UserError: unknown device, a glob that matches nothing, a superseded run of another kind, ...
        BackendUnavailable: the device is there but cannot be used.
        RunRefused: another run holds the device, the disk refuses, or the run to resume began elsewhere.
        Interrupted: Ctrl-C.
    """
    shown = progress or Silent()
    sitting = visits.Stopwatch()  # looking for the device, which may take seconds, is part of it
    try:
        if options.seal:
            return Outcome(*rescue.seal(options.data, options.resume, options.verb, shown, backend, suite))
        before = interruption.find(options.data, options.resume, options.verb) if options.resume else None
        selector = options.selector or (before.header.selector if before else "cpu")
        backend = backend or registry.get(selector)
        device = choose(backend, selector).device
        builds_only = isinstance(backend, toolchain.Targets) and backend.is_target(device)
        kind = TOOLCHAIN if builds_only else str(options.remarks.get("kind", ""))
        options = correcting(options, device, kind)
        with lock.hold(options.data / device.id, device.id):
            if builds_only:
                return _build_only(options, shown, backend, device, suite)
            collector = _Collector(options, shown, backend, selector, device, before, sitting)
            with ending.heard() as asked_to_end:
                return collector.run(suite, asked_to_end)
    finally:
        shown.close()


def correcting(options: Options, device: Device, kind: str) -> Options:
    """The options with the whole id of the run that is superseded; BundleError where it is another kind."""
    if not options.supersedes:
        return options
    named = store.run_to_correct(options.data, options.supersedes, device.id, kind)
    return replace(options, supersedes=named)


def _build_only(
    options: Options, progress: Progress, backend: Backend, device: Device, suite: Suite | None
) -> Outcome:
    """A run for a target, on which nothing is timed.

    Raises:
        UserError: an option of timing was given.
        Interrupted: Ctrl-C.
    """
    if options.passes is not None or options.seed is not None:
        raise UserError(
            f"nothing is timed for {device.isa}, so --passes and --seed have no meaning.", "Leave them out."
        )
    asked = toolchain.Question(options.data, options.glob, options.quick, options.supersedes)
    try:
        path, _ = toolchain.collect(asked, progress, backend, device, suite or load_suite())
    except KeyboardInterrupt:
        remedy = "Start again: what was built is kept, and is not built twice."
        raise Interrupted("interrupted while building.", remedy) from None
    return Outcome(path, read.load(path).run)


class _Collector:
    """One sitting of one run, under the device's lock."""

    def __init__(
        self,
        options: Options,
        progress: Progress,
        backend: Backend,
        selector: str,
        device: Device,
        before: Interruption | None,
        sitting: visits.Stopwatch,
    ) -> None:
        self._options = options
        self._progress = progress
        self._backend = backend
        self._selector = selector
        self._device = device
        self._before = before
        earlier = before.entries[-1].elapsed if before and before.entries else 0.0
        self._elapsed = visits.Stopwatch(earlier)
        self._building = 0.0
        self._sitting = sitting
        self._asked_to_end: Callable[[], bool] = lambda: False

    def run(self, suite: Suite | None, asked_to_end: Callable[[], bool] = lambda: False) -> Outcome:
        """All stages; `asked_to_end` tells whether somebody wants them cut short."""
        self._asked_to_end = asked_to_end
        before = self._before
        header = self._header()
        if warning := header.environment.get("warning"):
            self._progress.say(f"warning: {warning}")
        asked = self._plan(suite, before.header if before else header)
        header = msgspec.structs.replace(
            header,
            seed=asked.seed,
            passes=asked.passes,
            quick=asked.quick,
            probes=asked.glob,
            suite=asked.suite,
        )
        if before is not None:
            # What can be compared before building is: the answer comes at once.
            journal.same(before.header, msgspec.structs.replace(header, programs=before.header.programs))
        hello = Hello(self._selector, self._device)
        with Supervisor(self._options.command(self._selector, "measure"), hello, self._late) as worker:
            if isinstance(self._backend, toolchain.Targets):
                worker.start()  # a device that refuses is known before minutes of building
            made = self._built(asked)
            header = msgspec.structs.replace(
                header,
                programs={name: builds.identity(one) for name, one in made.items()},
                seconds=builds.seconds(made, self._building),
            )
            if before is not None:
                journal.same(before.header, header)
                spent = before.header.seconds
                again = {name: spent.get(name, 0.0) + seconds for name, seconds in header.seconds.items()}
                header = msgspec.structs.replace(before.header, seconds=again)
            directory = self._options.data / self._device.id / header.run
            folder = before.folder if before else write.partial(directory)
            entries, waited, unreached = self._measure(asked, made, header, folder, worker)
        return self._seal(asked, made, header, folder, entries, waited, unreached)

    def _header(self) -> Header:
        """The identity of a run that begins here and now."""
        now = datetime.now(UTC)
        options, device, backend = self._options, self._device, self._backend
        return Header(
            version=journal.JOURNAL_VERSION,
            run=identity.name(now),
            created=identity.stamp(now),
            selector=self._selector,
            device=device.id,
            environment=backend.environment(device),
            toolchain=identity.tools(backend, device),
            counters=backend.counters(device),
            suite={},
            seed=options.seed if options.seed is not None else secrets.randbits(31),
            passes=options.passes or 0,
            quick=options.quick,
            probes=options.glob,
            clock=backend.clock(),
            programs={},
            seconds={},
            supersedes=options.supersedes,
        )

    def _plan(self, suite: Suite | None, header: Header) -> Plan:
        if isinstance(self._backend, plan.Recorded):
            return plan.replay(self._backend.recording())
        return plan.make(
            suite or load_suite(),
            self._device,
            header.probes,
            header.quick,
            header.seed,
            header.passes or None,
        )

    def _built(self, asked: Plan) -> builds.Results:
        """Every program; Ctrl-C meanwhile says how to go on."""
        before = self._before
        try:
            return self._build(asked)
        except KeyboardInterrupt:
            remedy = (
                self._how_to_go_on(before.header, len(before.entries))
                if before
                else "Nothing was measured yet."
            )
            raise Interrupted("interrupted while building.", remedy) from None

    def _build(self, asked: Plan) -> builds.Results:
        self._progress.stage("building", len(asked.entries))
        hello = Hello(self._selector, self._device, asked.operations)
        arguments = self._options.command(self._selector, "build")
        self._building = time.monotonic()
        if isinstance(self._backend, toolchain.Targets):
            made = toolchain.build_all(self._backend, self._device, asked, self._progress)
        else:
            made = builds.build_all(asked.entries, arguments, hello, self._progress.step)
        self._building = time.monotonic() - self._building
        # In the order of the plan, whichever worker was faster.
        return {entry.point.id: made[entry.point.id] for entry in asked.entries}

    def _measure(
        self, asked: Plan, made: builds.Results, header: Header, folder: Path, worker: Supervisor
    ) -> tuple[list[Entry], float, str]:
        """All visits; their entries, the seconds waited for the disk, and why not all was visited."""
        before = self._before
        entries = list(before.entries) if before else []
        measurable = {
            name: one for name, one in made.items() if isinstance(one, Made) and builds.refused(one) is None
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            kept = Journal(
                folder / journal.JOURNAL, None if before else header, before.length if before else 0
            )
            rescue.keep(folder, self._device, made)
        except OSError as error:
            if before is None:
                shutil.rmtree(folder, ignore_errors=True)
            raise disk.refusal(error, self._options.data) from error
        session = entries[-1].session + 1 if entries else 0
        with self._kept(header, entries), closing(kept):
            tour = visits.Tour(
                plan=asked,
                header=header,
                made=measurable,
                worker=worker,
                journal=kept,
                entries=entries,
                progress=self._progress,
                patience=self._options.patience,
                elapsed=self._elapsed,
                session=session,
                late=self._late,
            )
            tour.run()
        unreached = ""
        if tour.cut:
            late = f"not reached within --max-seconds {self._options.max_seconds:g}"
            if self._asked_to_end():
                late = f"not reached: {ending.REASON}"
            unreached = f"not reached: {tour.lost}" if tour.lost else late
            self._progress.say(f"{unreached}; what was measured is sealed")
        return entries, kept.waited, unreached

    def _seal(
        self,
        asked: Plan,
        made: builds.Results,
        header: Header,
        folder: Path,
        entries: list[Entry],
        waited: float,
        unreached: str,
    ) -> Outcome:
        self._progress.stage("sealing", 1)
        directory = folder.with_name(header.run)
        following, resume = "", ""
        if unreached:
            following = identity.name(datetime.now(UTC))
            resume = resume_command(following, self._options.data, self._options.verb)
        with self._kept(header, entries):
            run, samples, programs = sealing.assemble(
                asked, made, header, entries, self._device, waited, self._elapsed(), unreached
            )
            run = msgspec.structs.replace(run, plan={**run.plan, **self._options.remarks})
            programs_of = {name: one for name, one in made.items() if isinstance(one, Made)}
            run = filling.filled(self._backend, run, programs_of)
            run = counting.counted(self._backend, self._selector, run, programs_of, self._left())
            write.seal(directory, run, samples, programs, self._how_to_go_on(header, len(entries)))
            if unreached:
                rescue.carry_on(folder, write.partial(directory.with_name(following)), following)
        shutil.rmtree(folder, ignore_errors=True)
        return Outcome(directory, read.load(directory).run, resume)

    def _left(self) -> float | None:
        if self._asked_to_end():
            return 0.0
        limit = self._options.max_seconds
        return limit - self._sitting() if limit > 0 else None

    def _late(self) -> bool:
        return self._asked_to_end() or 0 < self._options.max_seconds <= self._sitting()

    @contextmanager
    def _kept(self, header: Header, entries: Sequence[Entry]) -> Iterator[None]:
        """Say, whatever ends the run early, what is kept and how to go on."""
        try:
            yield
        except KeyboardInterrupt:
            raise Interrupted("interrupted.", self._how_to_go_on(header, len(entries))) from None
        except OSError as error:
            raise disk.refusal(error, self._options.data, self._how_to_go_on(header, len(entries))) from error
        except RunRefused as error:
            going_on = self._how_to_go_on(header, 0)
            remedy = error.remedy if going_on in error.remedy else f"{error.remedy} {going_on}".strip()
            raise RunRefused(error.message, remedy) from error

    def _how_to_go_on(self, header: Header, visited: int) -> str:
        kept = f"{visited} visits are kept. " if visited else ""
        return f"{kept}Go on with: {resume_command(header.run, self._options.data, self._options.verb)}"
