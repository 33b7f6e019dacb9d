"""Shared memory: how many banks there are, and what it costs when lanes meet in one.

Lanes of a warp lie `stride` words apart, so that some meet in a bank (with 32 banks gcd(stride, 32)), and
time grows by the same amount for each that has to wait.  The number of banks is the one for which that
explains all strides; stride 0 is one word for all, which costs no more than one lane.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.gpu_bank_widths import wide
from reportgen.analysis.gpu_further import BENT
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    NORMAL_95,
    Array,
    Interval,
    pooled_interval,
    pooled_scatter,
    student_t,
    symmetric,
    visit_interval,
)
from reportgen.analysis.slope import fit_line
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
LANES = 32
CANDIDATES = (8, 16, 32, 64)
"""Numbers of banks that are tried."""
WORD = 4
"""Bytes of a bank's word; wider loads are read with the number of banks that these give."""
LINEAR = 0.05
"""Largest residual, relative, of time over the number of lanes that meet."""
LEAST = 4
ALIKE = 0.1
"""Relative half width of what each further lane adds, up to which all are said to add the same."""


def degree(stride: int, banks: int) -> int:
    """Lanes of a warp that meet in one bank."""
    return 1 if not stride else max(1, math.gcd(stride, banks) * LANES // banks)


def banks(evidence: Evidence) -> list[Quantity]:
    """`<metric>.banks`, `.conflict` and `.latency`, then those of wider loads.

    Points have settings `stride` and `width`.
    """
    stem = evidence.probe.metric
    usable = [
        point for point in evidence.usable()
        if int(point.settings.get("width", WORD)) == WORD and point.work.get("steps", 0) > 0
    ]  # fmt: skip
    strides = sorted({int(point.settings["stride"]) for point in usable})
    if len(strides) < LEAST:
        return [evidence.without_value(f"{stem}.banks", "count", METHOD)]
    usable.sort(key=lambda point: int(point.settings["stride"]))
    taken = [evidence.cycles_per_step(point) for point in usable]
    cycles = np.array([one.value for one in taken])
    fits = {number: _fit(strides_of(usable), cycles, number) for number in CANDIDATES}
    best = min(fits, key=lambda number: fits[number][2])
    base, each, residual = fits[best]
    details: dict[str, object] = {
        "stride": strides_of(usable),
        "cycles": numbers(cycles),
        "degree": [degree(stride, best) for stride in strides_of(usable)],
    }
    if (
        residual <= LINEAR
        and each * (max(degree(stride, best) for stride in strides_of(usable)) - 1) <= LINEAR * base
    ):
        return [
            evidence.without_value(
                f"{stem}.banks", "count", METHOD, status=Status.UNSUPPORTED, details=details,
                reason="All strides take the same time: lanes that meet in one bank cost nothing that shows.",
            )
        ]  # fmt: skip
    if residual > LINEAR or each <= 0:
        bent = each <= 0 or _surely_off(evidence, usable, best) > LINEAR
        told = "" if bent else ", within the scatter of the times"
        return [
            evidence.without_value(
                f"{stem}.banks", "count", METHOD, status=Status.UNSTABLE, details=details | {BENT: bent},
                reason=f"No number of banks explains all strides; {best} is off by {residual:.1%}{told}.",
            )
        ]  # fmt: skip
    meeting = [degree(stride, best) for stride in strides_of(usable)]
    single = [point for point, lanes in zip(usable, meeting, strict=True) if lanes == min(meeting)]
    alone = [one for one, lanes in zip(taken, meeting, strict=True) if lanes == min(meeting)]
    latency = pooled_interval(alone, taken, evidence.systematic)
    count = Interval(float(best), float(best), float(best))
    passes = passes_that_agree(by_pass(alone), latency)
    line = fit_line(np.array(meeting, dtype=float), cycles)
    spread = student_t(line.freedom) * line.error if line.freedom > 0 else residual * base
    slope = symmetric(each, math.hypot(spread, NORMAL_95 * evidence.systematic * each))
    found = [("banks", "count", count, usable), ("latency", "cycle", latency, single)]
    refused = []
    if slope.half <= ALIKE * each:
        found.insert(1, ("conflict", "cycle", slope, usable))
    else:
        refused.append(
            evidence.without_value(
                f"{stem}.conflict", "cycle", METHOD, status=Status.UNSTABLE, details=details | {BENT: False},
                reason=f"Further lanes add {slope.low:.2g} to {slope.high:.2g} cycles, not all the same.",
            )
        )  # fmt: skip
    stated = [
        evidence.quantity(
            f"{stem}.{name}", unit, METHOD, interval, points,
            linearity=residual, passes=passes, details=details,
        )
        for name, unit, interval, points in found
    ]  # fmt: skip
    return stated + refused + wide(evidence, best)


def _surely_off(evidence: Evidence, points: list[Point], number: int) -> float:
    """The largest residual of a number of banks, once the half interval of each time is taken off."""
    taken = [evidence.cycles_per_step(point) for point in points]
    scatter = pooled_scatter(taken)
    half = np.array([visit_interval(one, scatter, evidence.systematic).half for one in taken])
    cycles = np.array([one.value for one in taken])
    base, each, _ = _fit(strides_of(points), cycles, number)
    line = base + each * (np.array([degree(stride, number) for stride in strides_of(points)]) - 1)
    return float(np.max(np.maximum(0.0, np.abs(cycles - line) - half) / line))


def strides_of(points: list[Point]) -> list[int]:
    """Words from lane to lane, point by point."""
    return [int(point.settings["stride"]) for point in points]


def _fit(strides: list[int], cycles: Array, number: int) -> tuple[float, float, float]:
    """(time of one lane, of each further one, largest relative residual) for a number of banks."""
    meeting = np.array([degree(stride, number) for stride in strides], dtype=float) - 1
    if not meeting.any():
        return float(cycles.mean()), 0.0, float(np.max(np.abs(cycles / cycles.mean() - 1)))
    each, base = np.polyfit(meeting, cycles, 1)
    return float(base), float(each), float(np.max(np.abs(cycles / (base + each * meeting) - 1)))
