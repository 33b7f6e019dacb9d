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
from reportgen.analysis.robust import Array, Interval, Visits, student_t, symmetric
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
LEAST = 3
"""Sizes that a line needs."""
ON_LINE = 0.03
"""Largest distance of a size from the line, relative to its time."""
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
    first = next(
        (at for at in range(len(sizes) - LEAST + 1) if _miss(sizes[at:], cycles[at:]) <= ON_LINE), None
    )
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
    return _stated(evidence, metric, usable[first:], taken[first:], details)


def _stated(
    evidence: Evidence, metric: str, points: list[Point], taken: list[Visits], details: dict[str, object]
) -> list[Quantity]:
    sizes = np.array([float(point.settings["bytes"]) for point in points])
    cycles = np.array([one.value for one in taken])
    fixed, each = _line(sizes, cycles)
    miss = _miss(sizes, cycles)
    passes = by_pass(taken).keys()
    alone = [_line(sizes, _in_pass(taken, number)) for number in passes]
    spread = [_half(np.array(some)) for some in zip(*alone, strict=True)]
    fixed_half = float(np.hypot(spread[0], miss * cycles[0]))
    rate_half = float(np.hypot(spread[1] / each, miss)) / each
    found: dict[str, Interval] = {
        "fixed": symmetric(fixed, fixed_half),
        "rate": symmetric(1 / each, rate_half),
    }
    return [
        evidence.quantity(
            f"{metric}.{what}", unit, METHOD, found[what], points, linearity=miss, passes=len(passes),
            details=details,
        )
        for what, unit in UNITS.items()
    ]  # fmt: skip


def _in_pass(taken: list[Visits], number: float) -> Array:
    """Times of one pass; of a size that it did not visit, that of all."""
    return np.array([one.centres[one.ids == number][0] if number in one.ids else one.value for one in taken])


def _line(sizes: Array, cycles: Array) -> tuple[float, float]:
    """(fixed, cycles a byte); distances count relative to the time, so that every size has a say."""
    each, fixed = np.polyfit(sizes, cycles, 1, w=1 / cycles)
    return float(fixed), float(each)


def _miss(sizes: Array, cycles: Array) -> float:
    fixed, each = _line(sizes, cycles)
    return float(np.max(np.abs((fixed + each * sizes) / cycles - 1)))


def _half(values: Array) -> float:
    """Half the 95 % interval of a mean of passes."""
    if len(values) < 2:
        return 0.0
    return student_t(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
