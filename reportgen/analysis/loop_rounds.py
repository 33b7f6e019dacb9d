"""How many instructions come in at once in front of a branch that is taken.

A round of a loop ends with a branch that is taken.  Where what comes in with it cannot hold the beginning of
the next round, a round takes whole cycles: one for every group of so many.

    cycles(n) = max(f, s / w, ceil(s / g)),   s = n + c

f: what a taken branch takes, the shortest round of all; s: slots of a round of n instructions and its counter
and branch (c: one where they are fused, else two); w: slots that are issued in a cycle; g: slots of a group.
With every g and c the w is taken that describes most rounds.  A g fits where it describes all of them but a
few, and shows where some take longer with it than without.  Groups so large that they never show are told by
the least of them, as a bound: a round takes s / w then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval
from reportgen.status import Status

METHOD = "branches"
WITHIN = 0.04
"""A round may differ by so much from what a group says: rhythms of a loop, and its first and last round."""
LEAST_LENGTHS = 8
SLACK = 3
"""Rounds of a run that may come out otherwise: a loop of a cycle a round finds a branch late now and then."""
LEAST_SHOWN = 2
"""Rounds that a group must explain and no group does not: one may be luck."""
WIDTHS = np.arange(2.0, 12.01, 0.05)
GROUPS = range(2, 22)
"""Slots of a group that are tried; the largest show in no round of the probe."""


@dataclass(frozen=True)
class Fit:
    """How well groups describe the rounds."""

    group: int
    width: float
    closing: int
    misses: int
    """Rounds that are off by more than `WITHIN`."""
    error: float
    """Sum of the squared errors of all others."""
    shows: bool
    """Whether some round takes longer than its slots alone, by more than `WITHIN`."""


def loop_rounds(evidence: Evidence) -> list[Quantity]:
    """`branch.loop.group`: slots.

    Args:
        evidence: points with the setting `length`, instructions of a round without its counter and branch.
    """
    metric = evidence.probe.metric
    usable = sorted(evidence.usable(), key=lambda point: int(point.settings["length"]))
    if len(usable) < LEAST_LENGTHS:
        status = None if len(usable) < len(evidence.points) else Status.SKIPPED
        reason = f"{len(usable)} lengths of a round gave a time; {LEAST_LENGTHS} are needed."
        return [evidence.without_value(metric, "count", METHOD, status=status, reason=reason)]
    lengths = np.array([float(point.settings["length"]) for point in usable])
    cycles = np.array([evidence.cycles(point).value for point in usable])
    details: dict[str, Any] = {"length": numbers(lengths), "cycles": numbers(cycles)}
    found = fits(lengths, cycles)
    refusal = _refused(lengths, cycles, found)
    if refusal:
        return [
            evidence.without_value(
                metric, "count", METHOD, status=Status.UNSTABLE, reason=refusal, details=details
            )
        ]
    best, groups = found[0], [float(one.group) for one in found]
    details |= {"width": best.width, "closing": best.closing}
    if not best.shows:
        reason = "Rounds take as long as their instructions need at that rate, whole cycles or not."
        return [evidence.bound(metric, "count", METHOD, min(groups), usable, details=details, reason=reason)]
    interval = Interval(float(best.group), min(groups), max(groups))
    return [evidence.quantity(metric, "count", METHOD, interval, usable, details=details)]


def _refused(lengths: Array, cycles: Array, found: list[Fit]) -> str:
    """Why rounds tell no group, where they do not."""
    if not found:
        return "No size of a group describes how long rounds take."
    best = found[0]
    without = min(one.misses for one in _all(lengths, cycles) if not one.shows)
    if best.shows and without - best.misses < LEAST_SHOWN:
        return f"Groups of {best.group} describe one round more than none do; {LEAST_SHOWN} are needed."
    return ""


def fits(lengths: Array, cycles: Array) -> list[Fit]:
    """What describes all rounds but a few, the best one first; nothing where nothing does.

    Those with as few misses as the best, and its way of closing a round.
    """
    good = sorted(
        (one for one in _all(lengths, cycles) if one.misses <= SLACK),
        key=lambda one: (one.misses, one.error, one.group),
    )
    return [one for one in good if (one.misses, one.closing) == (good[0].misses, good[0].closing)]


def _all(lengths: Array, cycles: Array) -> list[Fit]:
    """Every group with either way of closing a round."""
    return [_fit(lengths, cycles, group, closing) for group in GROUPS for closing in (1, 2)]


def _fit(lengths: Array, cycles: Array, group: int, closing: int) -> Fit:
    slots = lengths + closing
    whole = np.ceil(slots / group)
    alone = np.maximum(slots / WIDTHS[:, None], cycles.min())  # a row for every width
    off = cycles / np.maximum(alone, whole) - 1
    wrong = np.abs(off) > WITHIN
    misses, errors = wrong.sum(axis=1), np.where(wrong, 0.0, off**2).sum(axis=1)
    best = int(np.lexsort((errors, misses))[0])
    return Fit(
        group=group,
        width=round(float(WIDTHS[best]), 2),
        closing=closing,
        misses=int(misses[best]),
        error=float(errors[best]),
        shows=bool((whole > alone[best] * (1 + WITHIN)).any()),
    )
