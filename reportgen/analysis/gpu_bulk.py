"""Copies by the copy unit: a fixed time, and a rate beyond it.

    cycles(bytes) = fixed + bytes / rate

A copy is ordered by one thread and waited for before the next one.  Small copies may all take the same
time; so the line is laid through the largest sizes, as many of them as lie on one.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, Visits, median, pooled_scatter, student_t, symmetric
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
LEAST = 3
"""Sizes that a line needs."""
ON_LINE, SCATTERS = 0.002, 3.0
"""Largest distance of a size from the line, relative to its time, or so many standard deviations of visits.
Copies that all take the same time lie a few percent off, and would bend the line."""
ROUGHLY, MANY = 0.03, 5
"""Where not even so many of the largest sizes lie so exactly on a line, those count if they lie on one
roughly: a wait asks in turns, and what is copied lies nearer or farther.  The interval then follows from how
far sizes lie off, one by one, as every visit sees the same."""
UNITS = {"fixed": "cycle", "rate": "byte/cycle"}


def bulk(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<copy>.fixed` and `.rate`; points have settings `copy` and `bytes`."""
    copies = dict.fromkeys(str(point.settings.get("copy", "")) for point in evidence.points)
    found: list[Quantity] = []
    for copy in copies:
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("copy") == copy)
        found += _of_copy(own, f"{evidence.probe.metric}.{copy}")
    return found


def _of_copy(evidence: Evidence, metric: str) -> list[Quantity]:
    usable = sorted(evidence.usable(), key=lambda point: int(point.settings["bytes"]))
    if len(usable) < LEAST:
        return [evidence.without_value(f"{metric}.{what}", unit, METHOD) for what, unit in UNITS.items()]
    sizes = np.array([float(point.settings["bytes"]) for point in usable])
    taken = [evidence.cycles(point) for point in usable]
    cycles = np.array([one.value for one in taken])
    details: dict[str, object] = {"bytes": sizes.astype(int).tolist(), "cycles": numbers(cycles)}
    limit = max(ON_LINE, _scatter(taken))
    first = next(
        (at for at in range(len(sizes) - LEAST + 1) if _miss(sizes[at:], cycles[at:]) <= limit), None
    )
    many = len(sizes) - MANY
    if many >= 0 and (first is None or many < first) and _miss(sizes[many:], cycles[many:]) <= ROUGHLY:
        first = many
    if first is None or _line(sizes[first:], cycles[first:])[1] <= 0:
        return [
            evidence.without_value(
                f"{metric}.{what}", unit, METHOD, status=Status.UNSTABLE, details=details,
                reason=f"The time of the {LEAST} largest sizes does not lie on one rising line.",
            )
            for what, unit in UNITS.items()
        ]  # fmt: skip
    if first:
        details["linear_from"] = int(sizes[first])
    return _stated(evidence, metric, usable[first:], taken[first:], details, limit)


def _stated(
    evidence: Evidence,
    metric: str,
    points: list[Point],
    taken: list[Visits],
    details: dict[str, object],
    limit: float,
) -> list[Quantity]:
    sizes = np.array([float(point.settings["bytes"]) for point in points])
    cycles = np.array([one.value for one in taken])
    fixed, each = _line(sizes, cycles)
    if _miss(sizes, cycles) > limit:
        fixed_half, each_half = _halves(sizes, cycles, 1.0)
    else:
        fixed_half, each_half = _halves(
            np.concatenate([np.full(len(one.centres), size) for one, size in zip(taken, sizes, strict=True)]),
            np.concatenate([one.centres for one in taken]),
            float(np.mean([one.loss * len(one.centres) for one in taken])),
        )
    uneven = max(0.0, _miss(sizes, cycles) - _scatter(taken))  # beyond chance
    rate_half = each_half / each**2
    found: dict[str, Interval] = {
        "fixed": symmetric(fixed, fixed_half),
        "rate": symmetric(1 / each, rate_half),
    }
    return [
        evidence.quantity(
            f"{metric}.{what}", unit, METHOD, found[what], points, linearity=uneven,
            passes=len(by_pass(taken)),
            details=details,
        )
        for what, unit in UNITS.items()
    ]  # fmt: skip


def _scatter(taken: list[Visits]) -> float:
    """What a size may lie off the line by chance, relative to its time."""
    return (
        SCATTERS * pooled_scatter(taken).deviation * math.sqrt(median(np.array([one.loss for one in taken])))
    )


def _line(sizes: Array, cycles: Array) -> tuple[float, float]:
    """(fixed, cycles a byte); distances count relative to the time, so that every size has a say."""
    each, fixed = np.polyfit(sizes, cycles, 1, w=1 / cycles)
    return float(fixed), float(each)


def _miss(sizes: Array, cycles: Array) -> float:
    fixed, each = _line(sizes, cycles)
    return float(np.max(np.abs((fixed + each * sizes) / cycles - 1)))


def _halves(sizes: Array, cycles: Array, loss: float) -> tuple[float, float]:
    """Half the 95 % intervals of (fixed, cycles a byte), from the residuals of every visit.

    Standard errors of weighted least squares; what all sizes of a pass share is small beside them.

    Args:
        sizes: bytes of every visit.
        cycles: its time.
        loss: variance of the medians through which the line is laid over that of means.
    """
    fixed, each = _line(sizes, cycles)
    freedom = len(sizes) - 2
    if freedom < 1:
        return 0.0, 0.0
    weight = 1 / cycles**2
    total = float(weight.sum())
    centre = float((weight * sizes).sum()) / total
    spread = float((weight * (sizes - centre) ** 2).sum())
    variance = loss * float((((fixed + each * sizes) / cycles - 1) ** 2).sum()) / freedom
    reach = student_t(freedom) * math.sqrt(variance)
    return reach * math.sqrt(1 / total + centre**2 / spread), reach / math.sqrt(spread)
