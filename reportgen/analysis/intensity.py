"""At how many FLOP a byte a kernel that loads and computes at once leaves the roof of its memory level.

A stream from one level has so many multiply-adds between its loads that its intensity goes from far left of
every ridge to far right.  Left the rate rises in proportion to it, right it stays.  The ridge is where both
asymptotes meet.  How well transfer and arithmetic overlap shows in how far the curve stays below them there:
not at all where both times add up, which is half of either roof at the ridge.

The sweep is that of mixbench (Konstantinidis and Cotronis, JPDC 107, 2017).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis.evidence import Evidence, numbers, passes_that_agree
from reportgen.analysis.hierarchy import Hierarchy
from reportgen.analysis.knee import FITTED, LEAST_POINTS, Knee, knee
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import NORMAL_95, Array, Interval, Visits, pooled_scatter, visit_variance
from reportgen.analysis.working_set import size_of
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "roofline"
OVERLAP = "overlap"
ASIDE = math.sqrt(2)
"""A point counts to one side of the ridge from this factor away from it."""
LEAST_ASIDE = 2
"""Points that show an asymptote."""
NEAR = 2.0
"""Points up to this factor from the ridge say how far the curve is above or below its fit there."""
MISSED = 0.1
"""Scatter of the points about the curve from which on they show no such curve."""


@dataclass(frozen=True)
class _Sweep:
    """The points of one level by intensity."""

    points: list[Point]
    intensity: Array
    rates: list[Visits]
    values: Array
    errors: Array
    """Relative standard deviation of each value."""


def _sweep(evidence: Evidence, points: list[Point]) -> _Sweep:
    ordered = sorted(points, key=_intensity)
    rates = [_rate(evidence, point) for point in ordered]
    pooled = pooled_scatter(rates)
    return _Sweep(
        ordered,
        np.array([_intensity(point) for point in ordered]),
        rates,
        np.array([rate.value for rate in rates]),
        np.array([math.sqrt(visit_variance(rate, pooled)[0] * rate.loss) for rate in rates]),
    )


def _intensity(point: Point) -> float:
    return point.work["flop"] / point.work["bytes"]


def intensity(evidence: Evidence, hierarchy: Hierarchy) -> list[Quantity]:
    """`ridge.observed.<precision>.<level>` and `overlap.<precision>.<level>`.

    Points have settings `level`, the one their data should lie in, and `multiply_adds`, and work `flop` and
    `bytes`.  The level that is named is the one in which their data lie by what was measured.
    """
    asked: dict[str, list[Point]] = {}
    for point in evidence.points:
        asked.setdefault(str(point.settings.get("level", "")), []).append(point)
    result: dict[str, list[Quantity]] = {}
    for planned, points in asked.items():
        own = evidence.narrowed(points)
        usable = [one for one in own.usable() if one.work.get("flop", 0) > 0 and one.work.get("bytes", 0) > 0]
        level, why = _level(usable, hierarchy)
        if level and level in result and level != planned:
            continue  # asked for by its own name as well
        if level:
            result[level] = _of_level(own, level, usable, hierarchy)
        elif usable:
            result[planned] = _without(own, planned, {"status": Status.INVALID, "reason": why})
        else:
            result[planned] = _without(own, planned, {})
    return [quantity for several in result.values() for quantity in several]


def _level(points: list[Point], hierarchy: Hierarchy) -> tuple[str, str]:
    """The level in which the data of all points lie, or why none can be named."""
    found = [hierarchy.level_of(size_of(point)) for point in points]
    names = {level for level, _ in found}
    if len(names) == 1 and "" not in names:
        return names.pop(), ""
    return "", next((why for _, why in found if why), "Working sets of one sweep lie in several levels.")


def _names(evidence: Evidence, level: str) -> tuple[str, str]:
    """The metrics of a level: ridge and overlap."""
    stem = evidence.probe.metric
    return f"{stem}.{level}", f"{OVERLAP}.{stem.rpartition('.')[2]}.{level}"


def _without(evidence: Evidence, level: str, why: Mapping[str, Any]) -> list[Quantity]:
    ridge, overlap = _names(evidence, level)
    return [
        evidence.without_value(ridge, evidence.probe.unit, METHOD, **why),
        evidence.without_value(overlap, "ratio", METHOD, **why),
    ]


def _of_level(evidence: Evidence, level: str, usable: list[Point], hierarchy: Hierarchy) -> list[Quantity]:
    if len(usable) < LEAST_POINTS:
        return _without(evidence, level, {})
    sweep = _sweep(evidence, usable)
    found = knee(sweep.intensity, sweep.values, sweep.errors)
    details = {
        "level": level,
        "bytes": int(size_of(sweep.points[0])),
        "intensity": numbers(sweep.intensity),
        "rate": numbers(sweep.values),
        "slope": float(f"{found.slope:.6g}"),
        "height": float(f"{found.height:.6g}"),
    }
    if np.count_nonzero(sweep.intensity >= found.at.value * ASIDE) < LEAST_ASIDE:
        return _not_reached(evidence, level, sweep, found, details)
    why = _no_ridge(sweep, found)
    if why is not None:
        return _without(evidence, level, {"status": why[0], "reason": why[1], "details": details})
    return _stated(evidence, level, sweep, found, hierarchy, details)


def _no_ridge(sweep: _Sweep, found: Knee) -> tuple[Status, str] | None:
    """Why a curve shows no ridge although its right side was reached."""
    if np.count_nonzero(sweep.intensity <= found.at.value / ASIDE) < LEAST_ASIDE:
        return Status.SKIPPED, (
            f"Already at {sweep.intensity[0]:.3g} FLOP a byte the rate hardly rises any more: the ridge lies "
            "below what was tried, or memory bounds this sweep nowhere."
        )
    if found.scatter > MISSED:
        return Status.UNSTABLE, (
            f"The rates lie {found.scatter:.0%} about any curve with one ridge; run again while the machine "
            "is quiet."
        )
    return None


def _stated(
    evidence: Evidence,
    level: str,
    sweep: _Sweep,
    found: Knee,
    hierarchy: Hierarchy,
    details: dict[str, Any],
) -> list[Quantity]:
    ridge, overlap = _names(evidence, level)
    common: dict[str, Any] = {"freedom": float(len(sweep.points) - FITTED)}
    if not hierarchy.measured:
        common["status"] = Status.UNVERIFIED
        common["reason"] = "The level follows from sizes that the system reports; the run measured none."
    alone = {
        one: knee(sweep.intensity, values, sweep.errors) for one, values in _by_pass(sweep.rates).items()
    }
    ridges = {one: each.at.value for one, each in alone.items()}
    overlaps = {one: _overlap(sweep, each).value for one, each in alone.items()}
    reached = _overlap(sweep, found)
    near = [point for point, is_near in zip(sweep.points, _near(sweep, found), strict=True) if is_near]
    return [
        evidence.quantity(
            ridge, evidence.probe.unit, METHOD, found.at, sweep.points,
            passes=passes_that_agree(ridges, found.at), details=details, **common,
        ),
        evidence.quantity(
            overlap, "ratio", METHOD, reached, near or sweep.points,
            passes=passes_that_agree(overlaps, reached),
            details={
                "level": level,
                "ridge": found.at.value,
                "over_no_overlap": numbers([2 * end for end in reached]),
            },
            **common,
        ),
    ]  # fmt: skip


def _rate(evidence: Evidence, point: Point) -> Visits:
    seconds = evidence.seconds(point)
    return Visits(point.work["flop"] / seconds.centres, seconds.counts, seconds.ids)


def _by_pass(rates: Iterable[Visits]) -> dict[float, Array]:
    """What each pass alone says of all points, of passes that visited all of them."""
    each = [dict(zip(rate.ids.tolist(), rate.centres.tolist(), strict=True)) for rate in rates]
    whole = set.intersection(*(set(one) for one in each))
    return {one: np.array([centres[one] for centres in each]) for one in sorted(whole)}


def _near(sweep: _Sweep, found: Knee) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which points are next to the ridge, on either side."""
    return np.asarray(np.abs(np.log(sweep.intensity / found.at.value)) <= math.log(NEAR))


def _overlap(sweep: _Sweep, found: Knee) -> Interval:
    """The rate at the ridge over both asymptotes, where the points next to it put it."""
    near = found.residuals[_near(sweep, found)]
    above = float(np.median(near)) if len(near) else 0.0
    half = NORMAL_95 * found.scatter * math.sqrt(math.pi / 2 / max(1, len(near)))  # of a median
    value, low, high = (end * math.exp(above) for end in found.depth)
    return Interval(value, low * math.exp(-half), high * math.exp(half))


def _not_reached(
    evidence: Evidence, level: str, sweep: _Sweep, found: Knee, details: dict[str, Any]
) -> list[Quantity]:
    """Rates that rise up to the end of the sweep, or nearly.

    A wide bend of which the sweep shows the beginning only may have its middle before the last points.
    """
    ridge, overlap = _names(evidence, level)
    last = float(sweep.intensity[-1])
    least = min(last / ASIDE, found.at.low)
    reason = f"The rate still rises at {last:.3g} FLOP a byte, the most that was tried."
    return [
        evidence.bound(
            ridge, evidence.probe.unit, METHOD, least, sweep.points, reason=reason, details=details
        ),
        evidence.without_value(overlap, "ratio", METHOD, status=Status.SKIPPED, reason=reason),
    ]
