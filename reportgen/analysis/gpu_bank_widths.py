"""Shared memory by loads of 8 and 16 bytes a lane: what they take, and what a pass over the banks adds.

A pass takes one word from each bank.  Wider loads go by halves or quarters of a warp, 128 bytes at a time
(Mei and Chu 2017, section 6), so that the passes of a load follow from the stride and the number of banks.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import NORMAL_95, Interval, pooled_interval, student_t, symmetric
from reportgen.analysis.slope import fit_line
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
WIDTHS = (8, 16)
"""Bytes of a lane."""
LANES, WORD = 32, 4
AT_ONCE = 128
"""Bytes of the lanes that are served together."""
LINEAR = 0.05
"""Largest residual, relative, of time over the number of passes."""
LEAST = 4


def passes(stride: int, width: int, banks: int) -> int:
    """Passes over the banks of one load of a warp whose lanes lie `stride` vectors of `width` bytes apart."""
    words, group = width // WORD, AT_ONCE // width
    total = 0
    for first in range(0, LANES, group):
        starts = (lane * stride * words for lane in range(first, first + group))
        touched = {start + word for start in starts for word in range(words)}
        total += max(Counter(word % banks for word in touched).values())
    return total


def wide(evidence: Evidence, banks: int) -> list[Quantity]:
    """`<metric>.latency_<width>` and `.conflict_<width>`, of the widths that were asked for.

    Args:
        evidence: points with settings `stride` and `width`, work `steps`.
        banks: their number, as loads of one word found it.
    """
    found: list[Quantity] = []
    for width in WIDTHS:
        # one vector for all lanes is handed to them by other rules
        asked = [p for p in evidence.points if p.settings.get("width") == width and p.settings["stride"]]
        if asked:
            found += _of_width(evidence.narrowed(asked), width, banks)
    return found


def _of_width(evidence: Evidence, width: int, banks: int) -> list[Quantity]:
    stem = evidence.probe.metric
    names = (f"{stem}.latency_{width}", f"{stem}.conflict_{width}")
    usable = [point for point in evidence.usable() if point.work.get("steps", 0) > 0]
    usable.sort(key=lambda point: int(point.settings["stride"]))
    needed = np.array([passes(int(point.settings["stride"]), width, banks) for point in usable], dtype=float)
    if len(usable) < LEAST or len(set(needed)) < 2:
        return [evidence.without_value(names[0], "cycle", METHOD)]
    taken = [evidence.cycles_per_step(point) for point in usable]
    cycles = np.array([one.value for one in taken])
    further = needed - needed.min()
    line = fit_line(further, cycles)
    each, base = line.slope, line.intercept
    residual = float(np.max(np.abs(cycles / (base + each * further) - 1)))
    details: dict[str, object] = {
        "stride": [int(point.settings["stride"]) for point in usable],
        "cycles": numbers(cycles),
        "passes": [int(one) for one in needed],
        "width": width,
    }
    if residual > LINEAR or each <= 0:
        reason = f"The passes over {banks} banks do not explain all strides; they are off by {residual:.1%}."
        return [
            evidence.without_value(
                name, "cycle", METHOD, status=Status.UNSTABLE, reason=reason, details=details
            )
            for name in names
        ]
    alone = [one for one, more in zip(taken, further, strict=True) if not more]
    single = [point for point, more in zip(usable, further, strict=True) if not more]
    latency = pooled_interval(alone, taken, evidence.systematic)
    spread = student_t(line.freedom) * line.error if line.freedom > 0 else residual * base
    slope = symmetric(each, math.hypot(spread, NORMAL_95 * evidence.systematic * each))
    agreed = passes_that_agree(by_pass(alone), latency)
    stated: tuple[tuple[str, Interval, list[Point]], ...] = (
        (names[0], latency, single), (names[1], slope, usable),
    )  # fmt: skip
    return [
        evidence.quantity(
            name, "cycle", METHOD, interval, points, linearity=residual, passes=agreed, details=details
        )
        for name, interval, points in stated
    ]
