"""Line size: the distance from which a second access no longer hits the line that the first brought.

Nodes are far apart and in random order; each is visited by two dependent loads `offset` bytes
apart.  Over a working set that the first level does not hold, the second load is cheap while it is in
the same line.  The line is the smallest offset whose second access is not.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.isotonic import envelope
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, pooled_scatter
from reportgen.status import Status
from reportgen.units import format_bytes

METHOD = "boundary"
LEAST_STEP = 1.1
"""Latency after the step / before it; smaller rises are no line."""
STANDS_OUT = 4.0
"""Standard errors of a latency that a rise has at least."""
SHARE = 0.3
"""Share of the whole rise from which the second access counts as outside.  Below the half, because a
prefetcher that fetches lines in pairs takes away part of the step at the first line."""
MARGIN = 2.0
"""Standard errors of a latency about that share within which an offset is neither inside nor outside."""


def line(evidence: Evidence) -> Quantity:
    """`memory.line` from points with setting `offset` (bytes)."""
    metric = evidence.probe.metric
    usable = sorted(
        (point for point in evidence.usable() if "offset" in point.settings),
        key=lambda point: float(point.settings["offset"]),
    )
    if len(usable) < 3:
        if len(usable) == len(evidence.points) or not evidence.points:
            return evidence.without_value(
                metric,
                "byte",
                METHOD,
                status=Status.SKIPPED,
                reason="Fewer than three offsets were asked for.",
            )
        return evidence.without_value(metric, "byte", METHOD)
    offsets = [int(point.settings["offset"]) for point in usable]
    times = [evidence.cycles(point) for point in usable]
    latency = np.array(
        [time.value / point.work.get("steps", 1.0) for time, point in zip(times, usable, strict=True)]
    )
    smooth = envelope(latency)
    details = {"offset": offsets, "cycles": numbers(latency)}
    error = pooled_scatter(times).deviation * float(np.median([time.loss for time in times])) ** 0.5
    certain = 1 + STANDS_OUT * error
    if smooth[-1] < smooth[0] * max(LEAST_STEP, certain):
        if certain > LEAST_STEP:
            return evidence.without_value(
                metric, "byte", METHOD, status=Status.UNSTABLE, details=details,
                reason=f"One distance differs by {error:.0%} from visit to visit, and no rise stands out "
                "from that; run again while the machine is quiet.",
            )  # fmt: skip
        return evidence.bound(
            metric, "byte", METHOD, float(offsets[-1]), usable,
            reason=f"The second access stays cheap up to {format_bytes(offsets[-1])}, the most that was "
            "measured.",
            details=details,
        )  # fmt: skip
    rise = smooth[-1] - smooth[0]
    height, doubt = (smooth - smooth[0]) / rise, MARGIN * error * smooth / rise
    at = int(np.flatnonzero(height >= SHARE)[0])
    # the first offset is inside by definition, and the last outside
    within = max([0, *np.flatnonzero(height[:at] + doubt[:at] < SHARE)])
    outside = min([*np.flatnonzero(height - doubt >= SHARE), len(offsets) - 1])
    return evidence.quantity(
        metric, "byte", METHOD,
        Interval(float(offsets[at]), float(offsets[within]), float(offsets[outside])), usable,
        details=details | {"step": float(latency[at] - latency[at - 1])},
    )  # fmt: skip
