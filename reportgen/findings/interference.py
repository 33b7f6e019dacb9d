"""How an interference index is read: shared, separate, partly shared, or not to be told.

The index is (T_AB - max(T_A, T_B)) / min(T_A, T_B), with all times in cycles of the clock measured
beside each sample: 0 when two kinds of instructions run side by side, 1 when one waits for the other.

An index of 0 shows separate resources only where a shared one would have shown.  With s_A and s_B
resources of each kind, one of them shared, a mix takes (T_A s_A + T_B s_B) / (s_A + s_B - 1) at best.  Where
T_B is r times T_A the index would then be

    (s_A (1 - r) + r) / (s_A + s_B - 1)

which is nothing once r is large: the kind that takes longer leaves the other room beside it.  So kinds are
read as separate only by a mix in which even one shared resource would show; s follows from the rates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.analysis.gpu_window import QUARTERS
from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.metric import MetricId, parse

SHARED = "shared"
SEPARATE = "separate"
PARTLY = "partly shared"
CANNOT_TELL = "cannot tell"

INDEPENDENT_BELOW = 0.15
"""An index whose whole interval is below is read as separate."""

SERIALISED_FROM = 0.85
"""An index whose interval reaches it, and stays above the independent range, is read as shared."""

BEYOND_SERIAL = 1.15
"""One after the other is always possible; an index whose interval lies above this is not of sharing alone."""

FRONT_END_ROOM = 1.05
"""A mix that takes less than this times the front end's own time may be bound by the front end."""

LEAST_VISIBLE = 0.05
"""A mix shows nothing of a resource that would lift its index by less."""

SCATTER = 0.03
"""An index of a mix in another proportion is known to this."""

PIPES = 2
"""Resources of a quarter of a GPU's multiprocessor that starts an instruction every cycle, at most: a pipe of
16 lanes takes a warp's in two (since Volta).  The other three quarters have the same ones, so that what one
of them shares, all do."""

ARRANGEMENT_MATTERS = 1.03
"""From this ratio between the slowest and the fastest arrangement of a pair on, the difference is said."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One of the four words, and why it cannot be told when it cannot."""

    name: str
    why: str = ""


def read(evidence: Evidence, quantity: Quantity) -> Reading:
    """Read the index of a pair; the whole interval must lie on one side of a border."""
    name = parse(quantity.metric)
    low, high = interval(quantity)
    if high < INDEPENDENT_BELOW:
        return _of_low_index(evidence, quantity, name)
    room = front_end_room(evidence, quantity)
    if room is not None and room < FRONT_END_ROOM and name.subject != name.part:
        issuing = "four schedulers of a multiprocessor" if evidence.gpu else "front end"
        return Reading(CANNOT_TELL, f"the mix runs as fast as the {issuing} can issue it")
    if low > BEYOND_SERIAL:
        beside = ", which reads of registers may cost" if low <= BEYOND_SERIAL + _by_reads(quantity) else ""
        return Reading(CANNOT_TELL, f"the mix takes longer than one kind after the other would{beside}")
    if low < INDEPENDENT_BELOW:
        return Reading(CANNOT_TELL, "its interval reaches from independent into partly shared")
    return Reading(SHARED if central(quantity) >= SERIALISED_FROM else PARTLY)


def beyond_serial(quantity: Quantity) -> bool:
    """Whether a mix takes longer than one kind after the other, and than its reads of registers explain."""
    return interval(quantity)[0] > BEYOND_SERIAL + _by_reads(quantity)


def _by_reads(quantity: Quantity) -> float:
    return register_index(quantity) or 0.0


def _of_low_index(evidence: Evidence, quantity: Quantity, name: MetricId) -> Reading:
    """Separate, unless nothing would have shown, or another proportion shows otherwise."""
    weak = [one for one in dict.fromkeys((name.subject, name.part)) if _control_fails(evidence, one)]
    if weak:
        return Reading(CANNOT_TELL, f"two copies of “{evidence.title(weak[0])}” do not serialise either")
    mixes = _mixes(evidence, quantity)
    if not mixes:
        return Reading(SEPARATE)
    rising = [mix for mix in mixes if mix.index >= INDEPENDENT_BELOW + SCATTER and not mix.at_front_end]
    if rising:
        most = max(rising, key=lambda mix: mix.index)
        few = min(most.counts)
        parts = " to ".join(f"{count / few:g}" for count in most.counts)
        return Reading(PARTLY, f"it rises to {most.index:.2f} where their instructions stand {parts}")
    clearest = max(mixes, key=lambda mix: mix.visible)
    if clearest.visible >= LEAST_VISIBLE and clearest.index < clearest.visible / 2:
        return Reading(SEPARATE)
    longer = max(mix.ratio for mix in mixes if mix.visible == clearest.visible)
    return Reading(
        CANNOT_TELL,
        f"in the clearest mix one kind alone takes {longer:.1f} times as long as the other, which leaves "
        "room beside it on what they may share",
    )


@dataclass(frozen=True, slots=True)
class _Mix:
    """A pair in one proportion."""

    index: float
    ratio: float
    """Time of the slower kind alone over that of the other."""
    visible: float
    """Index that a single shared resource would give."""
    at_front_end: bool
    counts: tuple[float, float]
    """Instructions of either kind in a group."""


def _mixes(evidence: Evidence, quantity: Quantity) -> list[_Mix]:
    """The pair in every proportion that the run has; empty where the counts are not recorded."""
    every = (quantity, *(one for one in _same(evidence, quantity.metric) if one is not quantity))
    own = quantity.details
    counts = [float(own.get(name) or 0) for name in ("first_count", "second_count")]
    times = [float(own.get(name) or 0) for name in ("cycles_first", "cycles_second")]
    if min(*counts, *times) <= 0:
        return []
    each = [time / count for time, count in zip(times, counts, strict=True)]
    rows = [{"first": counts[0], "second": counts[1], "cycles": own["cycles_together"]} | _front(own)]
    for one in every:
        rows += one.details.get("proportions", ())
    return [_mix(row, each, PIPES / QUARTERS if evidence.gpu else 1.0) for row in rows]


def _front(details: Mapping[str, Any]) -> dict[str, float]:
    bound = details.get("front_end_cycles")
    return {} if bound is None else {"front_end_cycles": float(bound)}


def _same(evidence: Evidence, metric: str) -> tuple[Quantity, ...]:
    leading = evidence.by_metric.get(metric)
    return (() if leading is None else (leading,)) + evidence.repeated.get(metric, ())


def _mix(row: Mapping[str, float], each: list[float], alike: float) -> _Mix:
    """What one proportion shows.

    Args:
        row: instructions of either kind, and cycles of both.
        each: cycles an instruction of either kind alone.
        alike: resources behind a rate of one instruction a cycle, those counted once that are there alike
            beside others.
    """
    alone = [row["first"] * each[0], row["second"] * each[1]]
    short, long = (0, 1) if alone[0] <= alone[1] else (1, 0)
    ratio = alone[long] / alone[short]
    resources = [max(1, math.ceil(alike / time - SCATTER)) for time in each]
    shared = (resources[short] * (1 - ratio) + ratio) / (sum(resources) - 1)
    front_end = row.get("front_end_cycles", 0.0)
    return _Mix(
        index=(row["cycles"] - alone[long]) / alone[short],
        ratio=ratio,
        visible=shared,
        at_front_end=row["cycles"] < FRONT_END_ROOM * front_end,
        counts=(row["first"], row["second"]),
    )


def _control_fails(evidence: Evidence, operation: str) -> bool:
    control = evidence.usable(f"interference.{operation}.{operation}")
    return control is not None and interval(control)[1] < SERIALISED_FROM


def front_end_room(evidence: Evidence, quantity: Quantity) -> float | None:
    """Time of the mix over the time in which the front end could issue it; None when not recorded."""
    mixed = quantity.details.get("cycles_together")
    bound = quantity.details.get("front_end_cycles")
    if isinstance(mixed, (int, float)) and isinstance(bound, (int, float)) and bound > 0:
        return float(mixed) / float(bound)
    return None


def register_index(quantity: Quantity) -> float | None:
    """Interference index that reads of registers of a mix account for at most; None where nobody read it."""
    details = quantity.details
    shorter = min(float(details.get(name, 0.0)) for name in ("cycles_first", "cycles_second"))
    stalled = details.get("register_cycles")
    return None if stalled is None or shorter <= 0 else float(stalled) / shorter


def arrangements(quantity: Quantity) -> dict[str, float]:
    """Cycles a group by arrangement of the instructions, fastest first; empty where it does not matter."""
    found = quantity.details.get("arrangements")
    if not isinstance(found, dict) or not found:
        return {}
    ordered = sorted(found.items(), key=lambda one: float(one[1]))
    slow, fast = float(ordered[-1][1]), float(ordered[0][1])
    return dict(ordered) if slow >= ARRANGEMENT_MATTERS * fast > 0 else {}
