"""Ridges: the intensity from which arithmetic, no longer memory, is the roof.

    I* = peak / bandwidth

The relative half widths of both roofs add in quadrature; they come from different probes, so their
errors are independent but for the clock, which moves both the same way and so does not move the ratio
as much as this allows for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.roofline.ceilings import bandwidths, peaks
from reportgen.status import Status

METHOD = "roofline"


def ridges(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """`ridge.<precision>.<level>` for every peak and level of a run."""
    given = tuple(quantities)
    levels = bandwidths(given)
    return tuple(_ridge(peak, level, roof) for peak in peaks(given) for level, roof in levels.items())


def _ridge(peak: Quantity, level: str, bandwidth: Quantity) -> Quantity:
    precision = peak.metric.partition(".")[2]
    unit = "OP/byte" if peak.unit.startswith("OP") else "FLOP/byte"
    ridge = Quantity(
        metric=f"ridge.{precision}.{level}",
        unit=unit,
        status=Status.OK,
        probe=peak.probe,
        method=METHOD,
        n=min(peak.n, bandwidth.n),
        taken=min(peak.taken, bandwidth.taken),
        points=(*peak.points, *bandwidth.points),
        details={
            "peak": peak.metric,
            "bandwidth": bandwidth.metric,
            "kernel": bandwidth.metric.rpartition(".")[2],
        },
    )
    for roof in (peak, bandwidth):
        if roof.value is None or roof.low is None or roof.high is None or roof.value <= 0:
            bound = roof.status is Status.CENSORED
            return msgspec.structs.replace(
                ridge,
                status=Status.UNSTABLE if bound else roof.status,
                reason=f"{roof.metric} is only a bound: {roof.reason}" if bound else roof.reason,
            )
    values = [roof.value for roof in (peak, bandwidth) if roof.value is not None]
    relative = math.hypot(_relative_half_width(peak), _relative_half_width(bandwidth))
    value = values[0] / values[1]
    weakest = next((roof for roof in (peak, bandwidth) if roof.status is not Status.OK), peak)
    return msgspec.structs.replace(
        ridge,
        status=weakest.status,
        reason=weakest.reason,
        value=value,
        low=value * max(0.0, 1 - relative),
        high=value * (1 + relative),
        inputs=_inputs(peak, bandwidth) | {"precision": relative},
    )


def _relative_half_width(roof: Quantity) -> float:
    if roof.value is None or roof.low is None or roof.high is None:
        return 0.0
    return (roof.high - roof.low) / 2 / roof.value


def _inputs(peak: Quantity, bandwidth: Quantity) -> dict[str, float]:
    """Of each input the weaker roof's: the least share or count, the largest drift."""
    both = peak.inputs.keys() & bandwidth.inputs.keys()
    worst = {"disturbed": max, "drift": max, "linearity": max}
    return {key: worst.get(key, min)(peak.inputs[key], bandwidth.inputs[key]) for key in sorted(both)}
