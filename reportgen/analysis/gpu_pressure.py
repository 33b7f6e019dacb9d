"""Registers of a thread, shared memory of a block: where the rate falls, beside the table of limits.

The table (CUDA Programming Guide, "Technical Specifications") says how many warps fit; the launcher notes it
with every point.  A measured step is kept between the two settings it lies between, and says whether the
table has one there.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval
from reportgen.runs.schema import Point
from reportgen.units import format_bytes

METHOD = "gpu"
FALLS = 0.03
"""A rate that falls by more from one setting to the next has a step there."""
LEAST = 3
BYTES = "dynamic_bytes"
FITS = "warps_fit"


def pressure(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<n>`: between which two settings of the variable the rate falls, for the n-th time.

    Points have work `instructions` and, where the limits of the device are known, the fact `warps_fit`.
    """
    probe = evidence.probe
    unit = "byte" if probe.variable == BYTES else "count"
    usable = sorted(
        (point for point in evidence.usable() if point.work.get("instructions", 0) > 0),
        key=lambda point: float(point.settings[probe.variable]),
    )
    if len(usable) < LEAST:
        return [evidence.without_value(f"{probe.metric}.1", unit, METHOD)]
    settings = [float(point.settings[probe.variable]) for point in usable]
    rates = np.array([point.work["instructions"] / evidence.cycles(point).value for point in usable])
    fits = [point.facts.get(FITS) for point in usable]
    details: dict[str, object] = {"setting": settings, "variable": probe.variable, "rate": numbers(rates)}
    if all(isinstance(one, int) for one in fits):
        details[FITS] = fits
    falls = np.flatnonzero(rates[1:] < rates[:-1] * (1 - FALLS))
    if not len(falls):
        ends = (format_bytes(one) if unit == "byte" else f"{one:.0f}" for one in (settings[0], settings[-1]))
        reason = f"The rate falls nowhere between {' and '.join(ends)}."
        if _alone(usable):
            reason += " One block ran at a time, so how many would fit beside it does not show."
        return [
            evidence.bound(
                f"{probe.metric}.1", unit, METHOD, settings[-1], usable, reason=reason, details=details
            )
        ]
    return [
        evidence.quantity(
            f"{probe.metric}.{number}", unit, METHOD,
            Interval((settings[at] + settings[at + 1]) / 2, settings[at], settings[at + 1]), usable,
            details=details
            | {"falls_to": float(rates[at + 1] / rates[at]), "table": _table(fits[at], fits[at + 1])},
        )
        for number, at in enumerate(falls, 1)
    ]  # fmt: skip


def _alone(points: list[Point]) -> bool:
    return all(point.facts.get("blocks") == 1 for point in points)


def _table(before: object, after: object) -> str:
    """`agrees` where fewer warps fit behind a step, `elsewhere` where as many do, '' where nobody knows."""
    if not isinstance(before, int) or not isinstance(after, int):
        return ""
    return "agrees" if after < before else "elsewhere"
