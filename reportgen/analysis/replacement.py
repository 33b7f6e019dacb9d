"""Shares of misses of access sequences in one set, and which simulated replacement policies they exclude.

A pointer chase visits lines of one set in a fixed order again and again.  Each load waits for the one before
it, so the time of a load lies between that of a hit and that of a miss as the share of misses does:

    share = (cycles - cycles of a hit) / (cycles of a miss - cycles of a hit)

A hit is what a sequence of lines takes that all fit; a miss what round after round through three times as
many lines takes.  A policy may keep some of those, or not all of the others; each prediction is scaled by the
shares that the policy predicts for these two sequences.

The steady state of some policies depends on what the set held before, so a prediction is an interval; what a
measurement may miss it by is `replacement_policies.tolerance`.  (Abel & Reineke tell policies apart in this
way with performance counters: "nanoBench", ISPASS 2020; here it is by time alone.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.replacement_policies import candidates, share, tolerance
from reportgen.analysis.robust import Interval, Visits, pooled_scatter, visit_interval
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "replacement"
HITS, MISSES, FEW = "hits", "misses", "few"
"""Sequences that the others are compared with; the last, of outer levels, has two lines, which always fit."""
COMPARED = (HITS, MISSES, FEW)
LONGER = 1.1
"""Cycles of lines that should fill a set, over those of a few, up to which they are taken to fit."""
LEAST_STEP = 1.3
"""Cycles of a miss over those of a hit from which on a share of misses can be told."""
RECORD = Path(__file__).with_name("replacement_predicted.json")

Share = tuple[float, float]
"""Least and largest share of misses."""


def replacement(evidence: Evidence) -> list[Quantity]:
    """`memory.<level>.misses.<sequence>`: shares of misses, of each sequence but those for comparison.

    One quantity with a reason, `memory.<level>.misses`, where hits and misses cannot be told.

    Points have setting `sequence` and work `steps` and `ways`; the constant `sequences` holds the lines of
    each, by ways and name.
    """
    stem = evidence.probe.metric
    usable = {str(point.settings["sequence"]): point for point in evidence.usable()}
    every = {str(point.settings["sequence"]): point for point in evidence.points}
    missing = next((name for name in COMPARED if name in every and name not in usable), None)
    if missing is not None:
        status, why = evidence.narrowed([every[missing]]).refusal()
        reason = f"The sequence '{missing}', which all are compared with, has no time. {why}"
        return [evidence.without_value(stem, "ratio", METHOD, status=status, reason=reason)]
    times = {name: evidence.cycles_per_step(point) for name, point in usable.items()}
    apart = _not_in_one_set({name: times[name].value for name in COMPARED if name in times})
    if apart:
        return [evidence.without_value(stem, "ratio", METHOD, status=Status.UNSUPPORTED, reason=apart)]
    found = []
    for name, point in every.items():
        if name in COMPARED:
            continue
        if name in times:
            found.append(_share(evidence, point, times))
        else:
            found.append(evidence.narrowed([point]).without_value(f"{stem}.{name}", "ratio", METHOD))
    return found


def _not_in_one_set(cycles: Mapping[str, float]) -> str:
    """Why no share can be told: lines do not share a set, or some that should fit do not."""
    hit, miss = cycles[HITS], cycles[MISSES]
    if miss < LEAST_STEP * hit:
        return (
            f"Lines that should drive each other out take {miss:.2f} cycles, lines that fit {hit:.2f}: a "
            "hash of the address spreads them over several sets, their pages do not lie beside each other in "
            "memory, or a miss is hardly slower."
        )
    if FEW in cycles and hit > LONGER * cycles[FEW]:
        return (
            f"Lines that should fit take {hit:.2f} cycles, a few of them {cycles[FEW]:.2f}: some sets hold "
            "more of them than others, as where the pages of a guest do not lie beside each other in the "
            "host's memory."
        )
    return ""


def _share(evidence: Evidence, point: Point, times: Mapping[str, Visits]) -> Quantity:
    """Errors of all three times are added in quadrature; what all times share cancels."""
    name, ways = str(point.settings["sequence"]), int(point.work["ways"])
    scatter = pooled_scatter(list(times.values()))
    time, hit, miss = (visit_interval(times[one], scatter) for one in (name, HITS, MISSES))
    room = miss.value - hit.value
    # Both times it lies between scatter, so it may come out beyond them: a share is none, or all, then.
    value = min(1.0, max(0.0, (time.value - hit.value) / room))
    half = math.hypot(time.half, (1 - value) * hit.half, value * miss.half) / room
    interval = Interval(value, min(value, max(0.0, value - half)), min(1.0, value + half))
    seen = times[name]
    each = Visits((seen.centres - hit.value) / room, seen.counts, seen.ids)
    sequences = evidence.probe.constants["sequences"][str(ways)]
    points = [one for one in evidence.usable() if one.settings["sequence"] in (name, *COMPARED)]
    return evidence.quantity(
        f"{evidence.probe.metric}.{name}", "ratio", METHOD, interval, points,
        passes=passes_that_agree(by_pass([each]), interval),
        details={
            "ways": ways,
            "sequence": sequences[name],
            "compared_with": [sequences[HITS], sequences[MISSES]],
            "cycles": [round(one, 4) for one in (hit.value, time.value, miss.value)],
        },
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Excluded:
    """A policy that a sequence excludes."""

    policy: str
    metric: str
    """The sequence that excludes it by most."""
    measured: float
    predicted: Share
    beyond: float
    """How far the measured share lies from the prediction, in tolerances; more than 1."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Which simulated policies the shares of one level leave."""

    ways: int
    metrics: tuple[str, ...]
    left: tuple[str, ...]
    """Policies that no sequence excludes."""
    excluded: tuple[Excluded, ...]
    """The others, the one that came nearest first."""

    @property
    def simulated(self) -> int:
        """How many policies there are in all."""
        return len(self.left) + len(self.excluded)


def read(shares: list[Quantity]) -> Reading | None:
    """Which policies are left by shares of misses that have a value; None without any.

    Args:
        shares: quantities that `replacement` made of one level.
    """
    known = [one for one in shares if one.value is not None and one.details.get("sequence")]
    if not known:
        return None
    ways = int(known[0].details["ways"])
    left, excluded = [], []
    for policy in candidates(ways):
        worst = max((against(policy, one) for one in known), key=lambda found: found.beyond)
        if worst.beyond > 1:
            excluded.append(worst)
        else:
            left.append(policy)
    excluded.sort(key=lambda one: one.beyond)
    return Reading(ways, tuple(one.metric for one in known), tuple(left), tuple(excluded))


def against(policy: str, quantity: Quantity) -> Excluded:
    """How far a share lies from what a policy predicts; its own interval is part of what is allowed."""
    measured = float(quantity.value or 0.0)
    half = max(0.0, (quantity.high or measured) - (quantity.low or measured)) / 2
    low, high = predicted(policy, quantity)
    distance = max(low - measured, measured - high, 0.0)
    allowed = math.hypot(tolerance(low if measured < low else high), half)
    return Excluded(policy, quantity.metric, measured, (low, high), distance / allowed)


def predicted(policy: str, quantity: Quantity) -> Share:
    """What a policy predicts for a share that is relative to lines that fit and to lines that miss."""
    ways = int(quantity.details["ways"])
    low, high = simulated(ways, quantity.details["sequence"], policy)
    (none, some), (least, most) = (
        simulated(ways, text, policy) for text in quantity.details["compared_with"]
    )
    if least <= some:  # lines that fit may miss as often as lines that do not: nothing to compare with
        return 0.0, 1.0
    return max(0.0, (low - some) / (most - some)), (high - none) / (least - none)


def simulated(ways: int, sequence: str, policy: str) -> Share:
    """Share of misses of a sequence, from the record where it is there."""
    known = _recorded().get(str(ways), {}).get(sequence)
    if known is not None:
        return known[policy]
    return _simulated(ways, sequence, policy)


@cache
def _simulated(ways: int, sequence: str, policy: str) -> Share:
    return share(policy, ways, tuple(map(int, sequence.split())))


@cache
def _recorded() -> dict[str, dict[str, dict[str, Share]]]:
    """Ways -> sequence -> policy -> share: simulating them all takes a minute, and gives the same."""
    held = json.loads(RECORD.read_text(encoding="utf-8"))
    return {
        ways: {
            sequence: {
                policy: (float(low), float(high))
                for policy, (low, high) in zip(candidates(int(ways)), shares, strict=True)
            }
            for sequence, shares in by_sequence.items()
        }
        for ways, by_sequence in held.items()
    }
