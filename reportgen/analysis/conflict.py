"""Associativity: how many lines that compete for one set are held together.

Lines one conflict stride apart fall into the same set (or into way size / stride sets); latency is flat
up to the ways and rises beyond.  The fewest lines over all strides are the ways: a stride smaller
than the way size spreads the lines over several sets and shows a multiple.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.isotonic import envelope
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, pooled_scatter
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "boundary"
LEAST_STEP = 1.3
"""Latency of a count / of the smallest count, from which lines have been driven out."""


def conflict(evidence: Evidence) -> Quantity:
    """`memory.l1.associativity` from points with settings `count` and `stride`."""
    metric = evidence.probe.metric
    usable = [point for point in evidence.usable() if {"count", "stride"} <= point.settings.keys()]
    strides = sorted({int(point.settings["stride"]) for point in usable})
    curves: list[dict[str, Any]] = []
    found: list[tuple[int, int, int]] = []
    noise = pooled_scatter([evidence.cycles(point) for point in usable]).deviation if usable else 0.0
    for stride in strides:
        points = sorted(
            (point for point in usable if point.settings["stride"] == stride),
            key=lambda point: int(point.settings["count"]),
        )
        if len(points) < 3:
            continue
        counts = [int(point.settings["count"]) for point in points]
        latency = np.array([_latency(evidence, point) for point in points])
        curves.append({"stride": stride, "count": counts, "cycles": numbers(latency)})
        smooth = envelope(latency)
        above = np.flatnonzero(smooth > smooth[0] * max(LEAST_STEP, 1 + 6 * noise))
        if len(above) and above[0] > 0:
            still = smooth <= smooth[0] * (1 + max(0.03, 4 * noise))
            fits = int(np.flatnonzero(still)[-1])
            found.append((counts[fits], counts[int(above[0])], stride))
    if not curves:
        if evidence.usable():
            return evidence.without_value(
                metric,
                "count",
                METHOD,
                status=Status.UNSTABLE,
                reason="No stride has three counts with a time.",
            )
        return evidence.without_value(metric, "count", METHOD)
    details: dict[str, Any] = {"curves": curves}
    hashed = evidence.run.device.gpu  # known of their second level; of the first nothing is published
    if not found:
        most = float(max(curve["count"][-1] for curve in curves))
        if hashed:
            return evidence.without_value(
                metric, "count", METHOD, status=Status.UNSUPPORTED, details=details,
                reason=f"Up to {most:.0f} lines at distances of powers of two no load was slower: a set "
                "holds more, or a hash of the address spreads them over several sets.",
            )  # fmt: skip
        return evidence.bound(
            metric, "count", METHOD, most, usable,
            reason=f"Up to {most:.0f} lines at a conflict stride no load was slower.", details=details,
        )  # fmt: skip
    fits, driven_out, stride = min(found)
    agreeing = [one for one in found if one[0] == fits]
    return evidence.quantity(
        metric, "count", METHOD, Interval(float(fits), float(fits), float(driven_out)),
        [point for point in usable if point.settings["stride"] in {one[2] for one in agreeing}],
        details=details | {"stride": stride, "strides_that_agree": len(agreeing)},
        reason="Where a hash of the address chooses the set, such lines do not all share one, and a set "
        "holds fewer." if hashed else "",
    )  # fmt: skip


def _latency(evidence: Evidence, point: Point) -> float:
    return evidence.cycles(point).value / point.work.get("steps", 1.0)
