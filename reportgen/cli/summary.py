"""What became of the points of a run: by family, and why not `ok`."""

from __future__ import annotations

import re
from collections import Counter

from reportgen.cli import output
from reportgen.cli.output import Row
from reportgen.collect.progress import duration
from reportgen.collect.visits import LEFT_ALONE
from reportgen.runs.schema import EMULATED, Point, Run
from reportgen.status import Status

MOST_REASONS = 20
"""Rows of the table of reasons; the rest is counted in one line."""
MOST_NAMES = 3
_NUMBER = re.compile(r"\b\d+(\.\d+)?\b")
NOT_MEASURING = ("build", "verify", "calibrate", "write")


BUILT = ("verified", "emulated")
"""What a program is that is only built, where a point that is measured is `ok`."""
CELLS = (*BUILT, "unsupported", "unverified", "invalid", "failed", "skipped")
"""What can become of a program that is only built, the best first."""


def cell(point: Point) -> str:
    """What became of a point of a toolchain run."""
    if point.status == Status.OK:
        return "verified"
    if point.status == Status.UNSUPPORTED and point.reason.startswith(EMULATED):
        return "emulated"
    return str(point.status)


def cells(run: Run) -> dict[str, int]:
    """Points of a toolchain run by what became of them."""
    counts = Counter(cell(point) for point in run.points)
    return {name: counts[name] for name in CELLS}


def outcomes(run: Run) -> dict[str, int]:
    """Points of a run by what became of them; of one that was measured, the statuses that occur."""
    if run.toolchain_only:
        return cells(run)
    counts = Counter(point.status for point in run.points)
    return {str(status): counts[status] for status in Status if counts[status]}


def families(run: Run) -> list[Row]:
    """One row a family: number of points by status, statuses that do not occur left out."""
    family = {info.id: info.family for info in run.probes}
    if run.toolchain_only:
        return _families_built(run, family)
    counts: dict[str, Counter[str]] = {}
    for point in run.points:
        counts.setdefault(family.get(point.probe, point.probe), Counter())[point.status] += 1
    used = [status for status in Status if any(count[status] for count in counts.values())]
    return [
        {"family": name, **{str(status): count[status] for status in used}} for name, count in counts.items()
    ]


def _families_built(run: Run, family: dict[str, str]) -> list[Row]:
    counts: dict[str, Counter[str]] = {}
    for point in run.points:
        counts.setdefault(family.get(point.probe, point.probe), Counter())[cell(point)] += 1
    used = [name for name in CELLS if any(count[name] for count in counts.values())]
    return [{"family": name, **{one: count[one] for one in used}} for name, count in counts.items()]


def reasons(run: Run) -> list[Row]:
    """One row a status and reason, most frequent first; `ok` is left out, and what was meant to be skipped.

    Reasons that differ in their numbers alone meet under the first of them; of an unstable point the numbers
    in brackets are left out.
    """
    quiet = (Status.OK, Status.SKIPPED)
    probes: dict[tuple[str, str], list[str]] = {}
    shown: dict[tuple[str, str], str] = {}
    for point in run.points:
        if point.status not in quiet or point.reason.startswith(LEFT_ALONE):
            unstable = point.status == Status.UNSTABLE
            reason = point.reason.partition(" (")[0] if unstable else point.reason
            key = str(point.status), _NUMBER.sub("#", reason)
            probes.setdefault(key, []).append(point.probe)
            shown.setdefault(key, reason)
    return [
        {"status": key[0], "points": len(names), "reason": shown[key], "probes": _names(names)}
        for key, names in sorted(probes.items(), key=lambda item: -len(item[1]))
    ]


def _names(probes: list[str]) -> str:
    names = list(dict.fromkeys(probes))
    return ", ".join(names[:MOST_NAMES]) + (
        f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    )


def show(run: Run) -> None:
    """Both tables."""
    rows = families(run)
    if not rows:
        return
    columns = [str(key) for key in rows[0]]
    output.show(rows, columns, as_json=False)
    why = reasons(run)
    if why:
        output.show(why[:MOST_REASONS], ["status", "points", "reason", "probes"], as_json=False)
    if len(why) > MOST_REASONS:
        left = len(why) - MOST_REASONS
        print(f"and {left} more reasons: reportgen runs show {run.device.id}/{run.run} --json")


def time_line(run: Run) -> str:
    """`12 s: measure 8.1, build 2.0, ... (not measuring: 25 %)`."""
    total = run.timing.get("total", 0.0)
    parts = [f"{name} {seconds:.1f}" for name, seconds in run.timing.items() if name != "total"]
    if run.toolchain_only:
        return f"Took {duration(total)}: {', '.join(parts)} s (nothing was timed on a device)"
    overhead = sum(run.timing.get(name, 0.0) for name in NOT_MEASURING)
    share = f" (not measuring: {overhead / total:.0%})" if total > 0 else ""
    return f"Took {duration(total)}: {', '.join(parts)} s{share}"
