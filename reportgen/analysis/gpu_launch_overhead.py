"""What a launch costs: the time of an empty kernel of one block, and what a further block adds.

In a row of launches the device works them off one after the other; with a wait after each, the way to the
device and back is in the time as well.
"""

from __future__ import annotations

import math

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, Visits, pooled_scatter, symmetric, visit_interval
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "gpu"
UNIT = "second"
MODES = {"queued": "fixed", "waited": "waited"}
"""Setting `mode` -> end of the metric."""


def launch_overhead(evidence: Evidence) -> list[Quantity]:
    """`<metric>.fixed` and `.waited` of one block, `.block` of a further one, in seconds a launch.

    Points have settings `mode` (`queued`, `waited`) and `blocks`, work `launches`.
    """
    result = []
    for mode, name in MODES.items():
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("mode") == mode)
        result += _of_mode(own, evidence.probe.metric, name) if own.points else []
    return result or [evidence.without_value(f"{evidence.probe.metric}.fixed", UNIT, METHOD)]


def _of_mode(evidence: Evidence, stem: str, name: str) -> list[Quantity]:
    points = sorted(evidence.usable(), key=lambda point: int(point.settings["blocks"]))
    if not points or int(points[0].settings["blocks"]) != 1:
        return [evidence.without_value(f"{stem}.{name}", UNIT, METHOD)]
    taken = [_per_launch(evidence, point) for point in points]
    details: dict[str, object] = {
        "blocks": [int(point.settings["blocks"]) for point in points],
        "seconds": numbers([one.value for one in taken]),
    }
    pooled = pooled_scatter(taken)
    interval = visit_interval(taken[0], pooled)
    found = [
        evidence.quantity(
            f"{stem}.{name}", UNIT, METHOD, interval, points[:1],
            passes=passes_that_agree(by_pass(taken[:1]), interval), details=details,
        )
    ]  # fmt: skip
    if name == "fixed" and len(points) > 1:
        most = visit_interval(taken[-1], pooled)
        found.append(_further(evidence, f"{stem}.block", [points[0], points[-1]], (interval, most), details))
    return found


def _further(
    evidence: Evidence,
    metric: str,
    points: list[Point],
    ends: tuple[Interval, Interval],
    details: dict[str, object],
) -> Quantity:
    """What a block adds, between the smallest and the largest launch."""
    few, many = ends
    more = int(points[1].settings["blocks"]) - int(points[0].settings["blocks"])
    each = symmetric((many.value - few.value) / more, math.hypot(few.half, many.half) / more)
    if each.low <= 0:
        return evidence.without_value(
            metric, UNIT, METHOD, status=Status.UNSTABLE, details=details,
            reason=f"What {more} more blocks add is not apart from the scatter of a launch.",
        )  # fmt: skip
    return evidence.quantity(metric, UNIT, METHOD, each, points, details=details)


def _per_launch(evidence: Evidence, point: Point) -> Visits:
    seconds = evidence.seconds(point)
    return Visits(seconds.centres / point.work.get("launches", 1.0), seconds.counts, seconds.ids)
