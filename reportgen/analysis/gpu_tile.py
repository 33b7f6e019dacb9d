"""Copies of tiles in one way over the same in another: swizzled over plain, promoted over not.

Both ways are visited in every pass, so every pass gives a ratio; what moves a whole pass drops out.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Visits, pooled_scatter, visit_interval
from reportgen.runs.schema import Point

METHOD = "gpu"
UNIT = "ratio"
PLAIN = ("no", 0)
"""Settings of the way that another is compared with."""


def tile(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<bytes>` for each row with and without `swizzle`, or for each `promotion` beside none."""
    variable = evidence.probe.variable
    way = "swizzle" if any("swizzle" in point.settings for point in evidence.points) else variable
    pairs = [
        (point, next((other for other in evidence.points if _beside(other, point, way)), None))
        for point in evidence.points
        if point.settings.get(way) not in PLAIN
    ]
    usable = {point.id for point in evidence.usable()}
    ratios = {
        point.id: found
        for point, plain in pairs
        if plain is not None
        and {point.id, plain.id} <= usable
        and (found := _ratio(evidence.cycles(point), evidence.cycles(plain))) is not None
    }
    pooled = pooled_scatter(list(ratios.values()))
    result = []
    for point, plain in pairs:
        metric = f"{evidence.probe.metric}.{point.settings.get(variable)}"
        own = evidence.narrowed([one for one in (point, plain) if one is not None])
        if point.id not in ratios or plain is None:
            result.append(own.without_value(metric, UNIT, METHOD))
            continue
        ratio = ratios[point.id]
        interval = visit_interval(ratio, pooled)
        details: dict[str, object] = {
            "cycles": evidence.cycles(point).value,
            "plain_cycles": evidence.cycles(plain).value,
        }
        passes = passes_that_agree(by_pass([ratio]), interval)
        result.append(
            own.quantity(metric, UNIT, METHOD, interval, [point, plain], passes=passes, details=details)
        )
    return result


def _beside(other: Point, point: Point, way: str) -> bool:
    """Whether it is the same point in the plain way."""
    plain = other.settings.get(way)
    return plain in PLAIN and {**point.settings, way: plain} == other.settings


def _ratio(changed: Visits, plain: Visits) -> Visits | None:
    """Pass by pass; nothing where no pass visited both."""
    both = np.intersect1d(changed.ids, plain.ids)
    if not len(both):
        return None
    at, beside = (np.isin(one.ids, both) for one in (changed, plain))
    ratios = changed.centres[at] / plain.centres[beside]
    return Visits(ratios, np.minimum(changed.counts[at], plain.counts[beside]), both)
