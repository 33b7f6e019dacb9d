"""The measuring loop: visit after visit through one worker, each journaled before it counts."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from reportgen.backends.base import Batch, Order
from reportgen.collect import agreement, messages, own_cores, tally
from reportgen.collect.journal import Entry, Header, Journal
from reportgen.collect.messages import Fault, Made
from reportgen.collect.plan import (
    EXTRA_ROUNDS,
    ROUNDS_TO_AGREE,
    Plan,
    Visit,
    extra_visits,
    last_visit,
    lasting,
    main_visits,
    visit_seed,
)
from reportgen.collect.progress import Progress
from reportgen.collect.supervisor import Supervisor
from reportgen.collect.tally import Tally
from reportgen.errors import RunRefused
from reportgen.status import Status

SPOILT_MOST, HUNG_WEIGHT = 6, 3
"""Points of one probe that may end their worker before the rest of the probe is left alone, and for how many
of them one counts that hung: it costs the whole patience."""
LEFT_ALONE = "left alone"
"""How the reason of points begins whose probe had too many of those."""


@dataclass
class Tour:
    """Everything that the visits of one run share."""

    plan: Plan
    header: Header
    made: dict[str, Made]
    """Points that can be measured, with their programs."""
    worker: Supervisor
    journal: Journal
    entries: list[Entry]
    """What has been measured so far, earlier sittings included; grows."""
    progress: Progress
    patience: float
    """Seconds that a visit may take beyond its sampling time, before the worker counts as hung."""
    elapsed: Callable[[], float]
    session: int = 0
    best: float = 0.0
    states: dict[str, Tally] = field(default_factory=dict)
    late: Callable[[], bool] = lambda: False
    """Whether the time that the user gave is over."""
    cut: bool = False
    """Set when it was over before all was visited."""
    lost: str = ""
    """Why no worker starts any more, after some samples were taken; `cut` is set too."""
    spoilt: dict[str, dict[str, str]] = field(default_factory=dict)
    """Probe -> points that ended their worker in this sitting -> status."""
    probes: dict[str, str] = field(default_factory=dict)
    """Point -> probe."""
    behind: frozenset[str] = frozenset()
    """Points that have a worker process of their own."""
    apart: bool = False
    """Whether the worker that runs is theirs."""
    units: dict[int, str] = field(default_factory=dict)
    """Digests of code by its identity in this process: many points may share one large unit."""

    def run(self) -> None:
        """Main passes, extra rounds for points that lack accepted samples, and the last drift mark.

        Visits that the journal already holds are not repeated.

        Raises:
            OSError: the journal cannot be written; what it holds is whole.
            RunRefused: the worker does not start, and there is no sample.
        """
        self.best = tally.best_canary(self.entries, self.header.clock)
        self.probes = {entry.point.id: entry.probe.id for entry in self.plan.entries}
        self.behind = lasting(self.plan)
        for entry in self.entries:
            self._state(entry.batch.point).batches.append(entry.batch)
        names = list(self.made)
        together = {
            name: str(made.setup["together"]) for name, made in self.made.items() if "together" in made.setup
        }
        main = main_visits(self.plan, names, together)
        after = main[-1].order + 1 if main else 0
        self.progress.stage("measuring", len(main) + (0 if self.plan.recording else 1))
        self._visit_all(main)
        if self.plan.recording is None and not self.cut:
            wanting = names
            for round_ in range(EXTRA_ROUNDS):
                wanting = self._wanting(wanting, after, agreeing=round_ >= ROUNDS_TO_AGREE)
                if not wanting:
                    break
                extra = extra_visits(self.plan, after, round_, wanting, together)
                self.progress.more(len(extra))
                self._visit_all(extra)
                after += len(extra)
        if not self.cut:
            self._visit_all(last_visit(self.plan, after, names))

    def _visit_all(self, visits: Iterable[Visit]) -> None:
        done = {entry.order for entry in self.entries}
        for visit in visits:
            # A point that was left alone keeps its place in the order, so a resumed run counts alike.
            hopeless = self.plan.recording is None and self._state(visit.point).hopeless()
            if visit.order not in done and not hopeless:
                if self.late():
                    self.cut = True
                    return
                try:
                    if why := self._given_up(visit.point):
                        self._leave(visit, why)
                    else:
                        self._visit(visit)
                except RunRefused as error:
                    if not any(entry.batch.gates for entry in self.entries):
                        raise
                    self.cut, self.lost = True, error.message
                    return
            self.progress.step(visit.point)

    def _visit(self, visit: Visit) -> None:
        made = self.made[visit.point]
        seconds = float(made.setup.get("seconds", 0.0))
        program = made.build.program
        order = Order(
            point=visit.point,
            code=made.build.code,
            sha256=program.sha256 if program is not None else "",
            setup=made.setup,
            seconds=seconds,
            canary_best=self.best,
            seed=visit_seed(self.plan, visit.order),
            visit=visit.order,
            unit=self._unit(made.build.code),
        )
        if (visit.point in self.behind) is not self.apart:
            self.worker.leave()
            self.apart = not self.apart
        answer = self.worker.visit(messages.Visit(order), self.patience + 10 * seconds)
        if isinstance(answer, Fault) and answer.last:
            self.spoilt.setdefault(self.probes[visit.point], {})[visit.point] = answer.status
        batch = _batch(visit.point, answer)
        self.best = batch.canary_best or self.best
        self._keep(visit, batch)

    def _given_up(self, point: str) -> str:
        """Why a point is not tried: most of what its probe has tried ended the worker; empty where it is."""
        if self.plan.recording is not None:
            return ""
        spoilt = self.spoilt.get(self.probes[point], {})
        hung = sum(status == Status.TIMED_OUT for status in spoilt.values())
        if len(spoilt) + (HUNG_WEIGHT - 1) * hung < SPOILT_MOST:
            return ""
        ended = f"{len(spoilt)} other points of this probe ended the worker process"
        return f"{LEFT_ALONE}: {ended}{f', {hung} of them because it hung' if hung else ''}"

    def _leave(self, visit: Visit, why: str) -> None:
        """A point that never had a visit gets its reason; else what its visits gave stands."""
        if not self._state(visit.point).batches:
            self._keep(visit, Batch(visit.point, {}, [], Status.SKIPPED, why))

    def _keep(self, visit: Visit, batch: Batch) -> None:
        entry = Entry(visit.order, visit.number, batch, self.session, self.elapsed())
        self.journal.append(entry)
        self.entries.append(entry)
        self._state(visit.point).batches.append(batch)

    def _unit(self, code: bytes) -> str:
        if not code:
            return ""
        if id(code) not in self.units:
            self.units[id(code)] = hashlib.sha256(code).hexdigest()
        return self.units[id(code)]

    def _wanting(self, names: Sequence[str], before: int, *, agreeing: bool) -> list[str]:
        """Points with too few samples in visits before `before`; unless `agreeing`, those that disagree too.

        Later visits do not count, so a run resumed within an extra round finds the same points.  What was
        enough once is not judged again here, where a device would wait for it; sealing judges all.
        """
        clock, passes = self.header.clock, self.plan.passes
        earlier = [entry for entry in self.entries if entry.order < before]
        best, asked = tally.best_canary(earlier, clock), set(names)
        entries = [entry for entry in earlier if entry.batch.point in asked]
        verdicts = tally.judge(self.plan, entries, clock, best)
        tallies = tally.count(entries, verdicts)
        undecided = own_cores.undecided(entries, verdicts, clock, best, passes)
        if not agreeing:
            undecided |= agreement.disagreeing(
                entries, verdicts, clock, [name for name in names if name not in self.behind], len(self.made)
            )
        wanting = []
        for name in names:
            found = tallies.get(name, Tally())
            if not found.hopeless() and (name in undecided or not found.enough(passes)):
                wanting.append(name)
        return wanting

    def _state(self, point: str) -> Tally:
        return self.states.setdefault(point, Tally())


def _batch(point: str, answer: messages.Visited | Fault) -> Batch:
    """The samples of a visit, or a batch without any that says why."""
    if isinstance(answer, Fault):
        return Batch(point, {}, [], answer.status, answer.reason)
    wrong = tally.complaint(answer.batch)
    return Batch(point, {}, [], "failed", wrong) if wrong else answer.batch


class Stopwatch:
    """Seconds since it was made, on top of what earlier sittings took."""

    def __init__(self, earlier: float = 0.0) -> None:
        self._earlier = earlier
        self._begun = time.monotonic()

    def __call__(self) -> float:
        """Seconds so far."""
        return self._earlier + time.monotonic() - self._begun
