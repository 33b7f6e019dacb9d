"""Barriers and fences: cycles of one, as the slope over how many follow each other, and how they grow.

All threads that wait for each other begin together, so the time of a window is that of its block.  With two
numbers of waits the slope is their difference; with what takes part (warps, blocks of a cluster) it may grow.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.gpu_further import BENT, LEAST, growth
from reportgen.analysis.gpu_rounding import rounding_error
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval
from reportgen.analysis.slope import slope
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "synchronisation"
UNIT = "cycle"
FURTHER = "further"


def waits(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<settings>` for each of them but the length, and `.further` where the probe names what grows.

    Points have the settings `length` and those that tell waits apart, work `steps`.
    """
    probe = evidence.probe
    found: dict[str, Quantity] = {}
    for key in dict.fromkeys(_key(point) for point in evidence.points):
        points = tuple(point for point in evidence.points if _key(point) == key)
        named = msgspec.structs.replace(probe, metric=f"{probe.metric}.{key}")
        rounded = rounding_error(evidence.timings[one.id] for one in points if one.id in evidence.timings)
        one = slope(replace(evidence, probe=named, points=points, systematic=rounded), {})
        found[key] = msgspec.structs.replace(one, method=METHOD)
    grows = str(probe.constants.get(FURTHER, ""))
    return [*found.values(), *([_further(evidence, grows, found)] if grows else [])]


def _key(point: Point) -> str:
    """What tells a wait from others, in the order of the settings."""
    return ".".join(str(value) for name, value in point.settings.items() if name != "length")


def _further(evidence: Evidence, grows: str, found: dict[str, Quantity]) -> Quantity:
    """What each further warp, or block, adds to a wait."""
    metric = f"{evidence.probe.metric}.{FURTHER}"
    usable = {
        int(key): Interval(one.value, one.low, one.high)
        for key, one in found.items()
        if one.value is not None and one.low is not None and one.high is not None
    }
    if len(usable) < LEAST:
        refused = [one for one in found.values() if one.value is None]
        status = refused[0].status if refused else Status.SKIPPED
        reason = refused[0].reason if refused else f"Fewer than {LEAST} numbers of {grows} were asked for."
        return evidence.without_value(metric, UNIT, METHOD, status=status, reason=reason)
    counts = sorted(usable)
    line = growth(counts, [usable[count] for count in counts], evidence.systematic)
    details: dict[str, object] = {
        grows: counts,
        "cycles": [usable[count].value for count in counts],
        "of": grows,
        "base": line.base,
    }
    refusal = line.refusal(
        "Further ones do not all add the same",
        f"A wait takes the same time with {counts[0]} and with {counts[-1]}: nothing is added.",
    )
    if refusal is not None:
        status, reason = refusal
        return evidence.without_value(
            metric, UNIT, METHOD, status=status, reason=reason, details=details | {BENT: line.bent}
        )
    points = [point for point in evidence.usable() if _key(point) in found]
    return evidence.quantity(
        metric, UNIT, METHOD, line.each, points, linearity=line.residual, details=details
    )
