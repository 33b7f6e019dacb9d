"""Ridges: the intensity from which arithmetic, no longer memory, is the roof.

    I* = peak / bandwidth

The relative standard errors of both roofs add in quadrature: they come from different probes, so their
errors are independent.  Each is the half width of the roof's interval over Student's t of its degrees of
freedom; those of the sum follow from both (Welch, Biometrika 29, 1938; Satterthwaite 1946).  The drift of
the clock over the run, which moves both the same way, was taken out before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import satterthwaite, student_t
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
    values, variances = [], []
    for roof in (peak, bandwidth):
        if roof.value is None or roof.low is None or roof.high is None or roof.value <= 0:
            bound = roof.status is Status.CENSORED
            return msgspec.structs.replace(
                ridge,
                status=Status.UNSTABLE if bound else roof.status,
                reason=f"{roof.metric} is only a bound: {roof.reason}" if bound else roof.reason,
            )
        values.append(roof.value)
        freedom = roof.inputs.get("freedom", math.inf)
        variances.append(_variance(roof.value, roof.low, roof.high, freedom))
    error = math.sqrt(sum(variance for variance, _ in variances))
    relative = student_t(satterthwaite(variances)) * error
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


def _variance(value: float, low: float, high: float, freedom: float) -> tuple[float, float]:
    """Relative variance of a roof, and its degrees of freedom; infinite where the roof gives none."""
    return ((high - low) / 2 / value / student_t(freedom)) ** 2, freedom


def _inputs(peak: Quantity, bandwidth: Quantity) -> dict[str, float]:
    """Of each input the weaker roof's: the least share or count, the largest drift."""
    both = (peak.inputs.keys() & bandwidth.inputs.keys()) - {"freedom"}
    worst = {"disturbed": max, "drift": max, "linearity": max}
    return {key: worst.get(key, min)(peak.inputs[key], bandwidth.inputs[key]) for key in sorted(both)}
