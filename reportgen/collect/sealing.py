"""From the journal of a finished run to the records of its bundle."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from reportgen.backends.base import ClockConstants
from reportgen.collect import builds, tally, ticks
from reportgen.collect.journal import Entry, Header
from reportgen.collect.messages import Made
from reportgen.collect.plan import Plan
from reportgen.collect.tally import Tally
from reportgen.runs.schema import SCHEMA_VERSION, ClockRecord, Device, Point, Program, Run

SPLIT = ("build", "verify", "calibrate", "measure", "setup", "write", "other", "total")
"""Keys of `Run.timing`.  `write` is the time the run waited for its journal; sealing comes after."""


def assemble(
    plan: Plan,
    made: builds.Results,
    header: Header,
    entries: Sequence[Entry],
    device: Device,
    waited: float,
    elapsed: float,
    unreached: str = "",
) -> tuple[Run, dict[str, list[Any]], list[Program]]:
    """Manifest, sample columns and programs of a run whose visits are all made.

    Args:
        plan: what was asked.
        made: every point's program, or why there is none.
        header: the run's identity.
        entries: all visits, in order.
        device: what was measured.
        waited: seconds that the run waited for the journal.
        elapsed: seconds since the run began, all sittings.
        unreached: why points without a visit have none, where that was meant.
    """
    ordered = sorted(entries, key=lambda entry: entry.order)
    best = tally.best_canary(entries, header.clock)
    verdicts = tally.judge(plan, ordered, header.clock, best)
    tallies = tally.count(ordered, verdicts)
    clock = _clock(plan, header, ordered, best)
    run = Run(
        schema=SCHEMA_VERSION,
        run=header.run,
        created=header.created,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        device=device,
        environment=header.environment,
        toolchain=header.toolchain,
        suite=header.suite,
        plan=_asked(plan, header),
        clock=clock,
        probes=plan.probes,
        points=_points(plan, made, tallies, unreached, header.clock, clock.canary_best),
        drift=tally.drift(plan, ordered, verdicts, header.clock, clock.tick_hz),
        timing=timing(header, ordered, waited, elapsed),
        counters=header.counters,
        supersedes=header.supersedes,
    )
    programs = [
        one.build.program for one in made.values() if isinstance(one, Made) and one.build.program is not None
    ]
    return run, tally.columns(ordered, verdicts), programs


def _points(
    plan: Plan,
    made: builds.Results,
    tallies: dict[str, Tally],
    unreached: str,
    constants: ClockConstants,
    best: float,
) -> tuple[Point, ...]:
    asked = {entry.point.id: entry for entry in plan.entries}
    # A replay keeps what the recorded run made of its clock.
    judging = constants if plan.recording is None else None
    return tuple(
        plan.settled[name]
        if name in plan.settled
        else tally.settle(
            asked[name], made[name], tallies.get(name, Tally()), plan.passes, unreached, judging, best
        )
        for name in plan.sequence
    )


def _asked(plan: Plan, header: Header) -> dict[str, Any]:
    if plan.recording is not None:
        recorded = plan.recording.run
        # A replay is no second measurement; whoever reads the bundle must be able to tell.
        return recorded.plan | {"replayed": recorded.plan.get("replayed", recorded.run)}
    return {
        "seed": header.seed,
        "passes": plan.passes,
        "quick": plan.quick,
        "probes": plan.glob,
        "order": "random within each pass",
    }


def _clock(plan: Plan, header: Header, entries: Sequence[Entry], best: float) -> ClockRecord:
    if plan.recording is not None:
        return plan.recording.run.sample_clock
    if header.clock.calibration_cycles:
        sittings: dict[int, list[ticks.Pair]] = {}
        for entry in entries:
            sittings.setdefault(entry.session, []).append(entry.batch.clock)
        found = ticks.frequency(list(sittings.values()))
    else:
        batches = [entry.batch for entry in entries if entry.batch.gates]
        found = ticks.paced(
            [pace for one in batches for pace in ticks.paces(one.columns, range(len(one.gates)))]
        )
    return ClockRecord(
        tick_hz=found.hz,
        tick_hz_low=found.low,
        tick_hz_high=found.high,
        canary_best=best,
        **msgspec.structs.asdict(header.clock),
    )


def timing(header: Header, entries: Sequence[Entry], waited: float, elapsed: float) -> dict[str, float]:
    """Where the seconds of a run went; what no part claims is `other`."""
    spent = dict.fromkeys(SPLIT, 0.0) | header.seconds
    for entry in entries:
        for name in ("calibrate", "measure", "setup"):
            spent[name] += entry.batch.seconds.get(name, 0.0)
    spent["write"] = waited
    claimed = sum(spent[name] for name in SPLIT[:-2])
    spent["total"] = max(elapsed, claimed)
    spent["other"] = spent["total"] - claimed
    return {name: round(spent[name], 4) for name in SPLIT}
