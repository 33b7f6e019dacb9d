"""The final judgement: which samples count, how many each point has, what becomes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from reportgen.backends import gates
from reportgen.backends.base import Batch, ClockConstants
from reportgen.collect import builds, own_cores, ticks
from reportgen.collect.journal import Entry
from reportgen.collect.messages import Fault, Made
from reportgen.collect.plan import MARKS, Plan
from reportgen.collect.plan import Entry as Asked
from reportgen.runs.schema import ACCEPTED, FROM_RUNNER, SAMPLE_COLUMNS, DriftMark, Point
from reportgen.status import Status

FINAL = frozenset({Status.FAILED, Status.TIMED_OUT, Status.UNSUPPORTED, Status.NOT_PERMITTED})
"""Outcomes of a visit that another visit will hardly change."""
FAILURES = 2
"""Visits that may fail before a point is left alone; one may have been bad luck (memory, a kill)."""

OF_VISITS = "visit."
"""Facts whose names begin so are kept of every visit, one behind the other."""

FALLING = 0.8
"""Share of a point's samples during which the clock fell, from which on it is called throttled."""

TOO_FEW = "too few samples passed the gates"
"""Reason of `unstable`, before the numbers."""
CUT = "visited too seldom"
"""The same of a point whose further visits were not reached."""


@dataclass
class Tally:
    """Samples of one point; a sample of several threads counts once."""

    accepted: int = 0
    total: int = 0
    passes: set[int] = field(default_factory=set)
    """Passes with accepted samples."""
    rejected: Counter[str] = field(default_factory=Counter)
    batches: list[Batch] = field(default_factory=list)

    def enough(self, passes: int) -> bool:
        """Whether a value may be claimed: samples enough, and from two passes where there are two."""
        return self.accepted >= gates.MIN_ACCEPTED and len(self.passes) >= min(2, passes)

    def hopeless(self) -> bool:
        """Whether further visits are a waste of time."""
        failed = [batch.status for batch in self.batches if batch.status in FINAL]
        return Status.TIMED_OUT in failed or len(failed) >= FAILURES


def best_canary(entries: Iterable[Entry], clock: ClockConstants) -> float:
    """Best canary rate of the run, instructions per cycle; 0 when none was taken."""
    rates = gates.BestRate()
    for entry in entries:
        if entry.batch.columns:
            rates.add(entry.batch.columns, clock)
    return rates.best()


def judge(
    plan: Plan, entries: Sequence[Entry], clock: ClockConstants, best: float | None = None
) -> list[list[str]]:
    """Gates of every entry's rows.

    A replay keeps the recorded verdicts.

    Args:
        plan: of the run.
        entries: visits, any number a point.
        clock: constants of the sample frame.
        best: best canary rate of the whole run; by default that of these entries.
    """
    if plan.recording is not None:
        return [entry.batch.gates for entry in entries]
    best = best_canary(entries, clock) if best is None else best
    verdicts = [
        gates.judge(entry.batch.columns, clock, best, entry.batch.gates)
        if entry.batch.gates and not entry.batch.held
        else entry.batch.gates
        for entry in entries
    ]
    return own_cores.judge(entries, verdicts, clock, best, plan.passes)


def count(entries: Sequence[Entry], verdicts: Sequence[Sequence[str]]) -> dict[str, Tally]:
    """Tallies by point."""
    tallies: dict[str, Tally] = {}
    for entry, verdict in zip(entries, verdicts, strict=True):
        tally = tallies.setdefault(entry.batch.point, Tally())
        tally.batches.append(entry.batch)
        for gate, thread in zip(verdict, entry.batch.columns.get("thread", ()), strict=True):
            if thread:
                continue
            tally.total += 1
            if gate == ACCEPTED:
                tally.accepted += 1
                tally.passes.add(entry.number)
            else:
                tally.rejected[gate] += 1
    return tallies


def settle(
    asked: Asked,
    made: Made | Fault,
    tally: Tally,
    passes: int,
    unreached: str = "",
    clock: ClockConstants | None = None,
    best: float = 0.0,
) -> Point:
    """What became of a point.

    Args:
        asked: the point.
        made: its program, or why there is none.
        tally: its samples.
        passes: of the plan.
        unreached: why it was not visited, where that was meant.
        clock: constants of the sample frame; without them no sample tells whether the clock fell.
        best: best canary rate of the run.
    """
    program = made.build.program if isinstance(made, Made) else None
    verdict = builds.refused(made)
    if verdict is None and unreached and not tally.batches:
        verdict = Status.SKIPPED, unreached
    verdict = verdict or _measured(made, tally, passes, unreached)
    if verdict[0] is Status.UNSTABLE and clock is not None:
        verdict = _throttled(tally, passes, clock, best) or verdict
    facts: dict[str, int | float | str] = {}
    for batch in tally.batches:
        facts |= batch.facts | {
            name: f"{facts[name]}; {value}"
            for name, value in batch.facts.items()
            if name.startswith(OF_VISITS) and name in facts
        }
    stops = [batch.stop for batch in tally.batches if batch.stop]
    return Point(
        id=asked.point.id,
        probe=asked.point.probe,
        settings=asked.point.settings,
        status=verdict[0],
        reason=verdict[1],
        stop=stops[-1] if stops else "",
        program=program.sha256 if program is not None else "",
        work=made.work if isinstance(made, Made) else {},
        facts=facts,
        accepted=tally.accepted,
        total=tally.total,
    )


def _measured(made: Made | Fault, tally: Tally, passes: int, unreached: str = "") -> tuple[Status, str]:
    failed = [batch for batch in tally.batches if batch.status != Status.OK]
    if not tally.batches:
        return Status.FAILED, "never visited"
    wrong = [batch for batch in failed if batch.status == Status.INVALID]
    if wrong:
        return Status.INVALID, wrong[-1].reason
    if len(failed) == len(tally.batches):
        return Status(failed[-1].status), failed[-1].reason
    notes = [batch.reason for batch in tally.batches if batch.status == Status.OK and batch.reason][-1:]
    if failed:
        notes.append(f"{len(failed)} of {len(tally.batches)} visits failed: {failed[-1].reason}")
    if not tally.enough(passes):
        why = ", ".join(f"{number} {gate}" for gate, number in tally.rejected.most_common(3))
        seen = f"{tally.accepted} of {tally.total}, from {len(tally.passes)} passes"
        need = f"{gates.MIN_ACCEPTED} from {min(2, passes)} passes are needed"
        notes.insert(0, f"{TOO_FEW} ({seen}; {need}{f'; {why}' if why else ''})")
        if unreached and not failed and len(tally.batches) < passes and tally.accepted:
            notes[0] = f"{CUT} ({seen}; {need}): further visits were {unreached}"
        if tally.rejected[gates.THROTTLED] * 2 > tally.total:
            return Status.THROTTLED, "; ".join(notes)
        return Status.UNSTABLE, "; ".join(notes)
    unverified = builds.unverified(made) if isinstance(made, Made) else ""
    if unverified:
        return Status.UNVERIFIED, "; ".join([unverified, *notes])
    return Status.OK, "; ".join(notes)


def _throttled(tally: Tally, passes: int, clock: ClockConstants, best: float) -> tuple[Status, str] | None:
    """Whether nearly all samples of a point were set aside since the clock fell while they ran.

    One visit may meet a clock that falls for a reason of its own; one that falls whenever the program runs
    is the program's.
    """
    each = [
        gates.falls(batch.columns, batch.gates, clock, best) if batch.gates else [] for batch in tally.batches
    ]
    found = [fall for some in each for fall in some]
    judged = tally.total - tally.rejected[gates.FIRST]
    visits = sum(bool(some) for some in each)
    if len(found) < max(gates.MIN_ACCEPTED, FALLING * judged) or visits < min(2, passes):
        return None
    return Status.THROTTLED, (
        f"the clock fell while {len(found)} of {judged} samples ran, by {100 * median(found):.1f} % in the "
        "median, and the issue rate beside them shows no neighbour: this program makes the core lower its "
        "clock; run again with a fixed clock or better cooling"
    )


def columns(entries: Sequence[Entry], verdicts: Sequence[Sequence[str]]) -> dict[str, list[int] | list[str]]:
    """All samples of the run, the columns of `SAMPLE_COLUMNS`, in order of the visits."""
    point: list[str] = []
    gate: list[str] = []
    numbers: dict[str, list[int]] = {name: [] for name in SAMPLE_COLUMNS if name not in ("point", "gate")}
    for entry, verdict in zip(entries, verdicts, strict=True):
        rows = len(verdict)
        point += [entry.batch.point] * rows
        gate += verdict
        numbers["pass"] += [entry.number] * rows
        numbers["order"] += [entry.order] * rows
        for name, values in entry.batch.columns.items():
            numbers[name] += values
    return {"point": point, "gate": gate, **numbers}


def drift(
    plan: Plan,
    entries: Sequence[Entry],
    verdicts: Sequence[Sequence[str]],
    clock: ClockConstants,
    tick_hz: float,
) -> tuple[DriftMark, ...]:
    """Core clock and issue rate at start, middle and end, from the accepted samples of the mark."""
    if plan.recording is not None:
        return plan.recording.run.drift
    marks = []
    for entry, verdict in zip(entries, verdicts, strict=True):
        which = entry.number - plan.passes
        if not 0 <= which < len(MARKS):
            continue
        taken = entry.batch.columns
        rates = gates.canary_rates(taken, clock) if verdict else []
        accepted = [row for row, gate in enumerate(verdict) if gate == ACCEPTED]
        if not clock.calibration_cycles:
            paces = ticks.paces(taken, accepted)
            if paces:
                marks.append(DriftMark(MARKS[which], entry.order, median(paces), 0.0))
            continue
        good = [row for row in accepted if rates[row] > 0]
        if not good:
            continue
        per_cycle = median(
            gates.ticks_per_cycle(
                taken["calibration_before"][row],
                taken["calibration_after"][row],
                taken["empty"][row],
                clock.calibration_cycles,
            )
            for row in good
        )
        rate = median(rates[row] for row in good)
        marks.append(DriftMark(MARKS[which], entry.order, tick_hz / per_cycle, rate))
    return tuple(marks)


def complaint(batch: Batch) -> str:
    """What is wrong with a launcher's columns; empty when nothing is."""
    wanted = set(SAMPLE_COLUMNS) - FROM_RUNNER
    if batch.gates and set(batch.columns) != wanted:
        odd = ", ".join(sorted(set(batch.columns) ^ wanted))
        return f"the launcher's columns are not those of a sample: {odd}"
    ragged = [name for name, values in batch.columns.items() if len(values) != len(batch.gates)]
    return f"the launcher's columns differ in length: {', '.join(ragged)}" if ragged else ""
