"""Samples of several threads: which were taken while each thread had a core of its own.

Two virtual CPUs may be two threads of one core, now and not a minute later: the host places them.  A visit
then reads half of what the next one reads, and neither is noise.  The canaries tell: threads on cores of
their own issue at the best rate of the run, threads that share one do not.

Threads of one sample are each other's neighbours, so one sample alone is not judged by its canaries.  But
where a point has been seen with every thread at full rate, often enough to be claimed, its other samples
were taken under another condition and do not count.  On a machine whose cores are always shared no sample
is at full rate, and all count as before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from reportgen.backends import gates
from reportgen.backends.base import ClockConstants
from reportgen.collect.journal import Entry
from reportgen.runs.schema import ACCEPTED


def judge(
    entries: Sequence[Entry],
    verdicts: Sequence[list[str]],
    clock: ClockConstants,
    best: float,
    passes: int,
) -> list[list[str]]:
    """Verdicts of all visits, with samples that shared a core `issue rate low` beside others that did not.

    Args:
        entries: visits, any number a point.
        verdicts: what the gates said of their rows.
        clock: constants of the sample frame.
        best: best canary rate of the run, instructions per cycle; without one (0) nothing changes.
        passes: of the plan; full rate must have been seen in two of them, where there are two.
    """
    judged = list(verdicts)
    for seen in _by_point(entries, verdicts, clock, best).values():
        if not _enough(entries, seen, passes):
            continue
        for index, found in seen.items():
            samples = entries[index].batch.columns["sample"]
            judged[index] = [
                gates.SLOW if verdict == ACCEPTED and sample not in found else verdict
                for sample, verdict in zip(samples, judged[index], strict=True)
            ]
    return judged


def undecided(
    entries: Sequence[Entry],
    verdicts: Sequence[list[str]],
    clock: ClockConstants,
    best: float,
    passes: int,
) -> set[str]:
    """Points with some samples at full rate and too few to tell by: another visit may decide.

    Args:
        entries: as of `judge`, and so are the others.
        verdicts: what the gates said of their rows.
        clock: constants of the sample frame.
        best: best canary rate of the run.
        passes: of the plan.
    """
    points = _by_point(entries, verdicts, clock, best)
    return {
        point for point, seen in points.items() if any(seen.values()) and not _enough(entries, seen, passes)
    }


def _by_point(
    entries: Sequence[Entry], verdicts: Sequence[list[str]], clock: ClockConstants, best: float
) -> dict[str, dict[int, set[int]]]:
    """Point of several threads -> index of a visit -> accepted samples whose threads all had full rate."""
    points: dict[str, dict[int, set[int]]] = defaultdict(dict)
    if best <= 0:
        return points
    for index, entry in enumerate(entries):
        columns = entry.batch.columns
        if not any(columns.get("thread", ())) or entry.batch.held:
            continue
        rates = gates.canary_rates(columns, clock)
        if not any(rates):
            continue
        rows = list(zip(columns["sample"], verdicts[index], rates, strict=True))
        shared = {sample for sample, _, rate in rows if rate < clock.canary_share * best}
        full = {sample for sample, verdict, _ in rows if verdict == ACCEPTED and sample not in shared}
        points[entry.batch.point][index] = full
    return points


def _enough(entries: Sequence[Entry], seen: dict[int, set[int]], passes: int) -> bool:
    """Whether a point was seen at full rate as often as a claim needs."""
    numbers = {entries[index].number for index, found in seen.items() if found}
    return sum(map(len, seen.values())) >= gates.MIN_ACCEPTED and len(numbers) >= min(2, passes)
