"""Where a kernel stands, in two stages, and what follows from it.

First: is it near a roof at all?  The share is its rate over the lowest roof above it, as an interval.
From `NEAR` it is near, from `PARTIAL` partial, below that no roof explains its time.  Only a kernel that
is near is bound by a roof, and then the second stage says by which.  Where the interval crosses a
limit, or the intervals of two roofs overlap, the answer is "cannot tell".

The thresholds: 0.8 as in Huawei's profiler (over 80 % of a roof: bound by it, else by latency) and in
Nsight Compute's rules (60/80 % of the speed of light); 0.5 because at the ridge a kernel that does not
overlap transfer and arithmetic reaches exactly half.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from reportgen.roofline import advice, causes
from reportgen.roofline.bounds import Bound, bound
from reportgen.roofline.causes import Cause
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import Roofs, called
from reportgen.units import format_bytes, format_moved, format_value, significant

NEAR = 0.8
PARTIAL = 0.5
ROOM = 0.02
"""A kernel and its roof are timed minutes apart, each at the clock that the core had then: within this it
is at the roof and not above it."""


class Standing(StrEnum):
    """The answer of the first stage."""

    NEAR = "near a roof"
    PARTIAL = "partial"
    NEITHER = "neither roof"
    ABOVE = "above a roof"
    CANNOT_TELL = "cannot tell"
    PREDICTED = "predicted"
    """Work that was counted and not timed."""


class Verdict(msgspec.Struct, frozen=True):
    """What can be said of one point."""

    standing: Standing
    share: float | None = None
    """Rate over the lowest roof, with its interval."""
    low: float | None = None
    high: float | None = None
    level: str = ""
    """Level in which its data were taken to lie."""
    bound: Bound | None = None
    limiter: str = ""
    """Name of the roof that binds it; empty unless the second stage could say so."""
    under: str = ""
    """The lowest roof above it, in words."""
    reasons: tuple[str, ...] = ()
    """What else decided the answer."""
    advice: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    """Of a point above a roof: what may be wrong, the best fit first."""


def judge(point: Point, roofs: Roofs) -> Verdict:
    """The verdict on one point: over every level in which its data may lie."""
    options = point.levels or (point.home,)
    found = [_in_level(point, level, roofs) for level in options]
    # Faster than a level allows: then the data did not come from there.
    possible = [one for one in found if one.standing is not Standing.ABOVE]
    if not possible:  # above the roofs of all: then the least wrong
        possible = [min(found, key=lambda one: one.share or 0.0)]
    chosen = possible[-1]
    if len(options) > 1:
        chosen = _together(point, possible, options)
    return chosen


def _together(point: Point, possible: list[Verdict], options: tuple[str, ...]) -> Verdict:
    """One answer where the data may lie in several levels."""
    chosen = possible[-1]
    *first, last = (level.upper() for level in options)
    size = f"{format_bytes(point.footprint)} of " if point.footprint else ""
    near_an_end = f"its {size}data may lie in {', '.join(first)} or {last}"
    ruled_out = [level.upper() for level in options if all(level != one.level for one in possible)]
    if chosen.standing is Standing.ABOVE:
        near_an_end += "; it is faster than the roofs of any of them allow"
    elif ruled_out:
        near_an_end += f"; it is faster than the {' and '.join(ruled_out)} roof allows"
    reasons = (*chosen.reasons, near_an_end)
    answers = {(one.standing, one.limiter) for one in possible}
    if len(answers) == 1:
        return msgspec.structs.replace(chosen, reasons=reasons)
    told = "; ".join(f"{one.standing} if in {one.level.upper()}" for one in possible)
    return msgspec.structs.replace(
        chosen, standing=Standing.CANNOT_TELL, limiter="", reasons=(near_an_end, told), advice=advice.UNCLEAR
    )


def _in_level(point: Point, level: str, roofs: Roofs) -> Verdict:
    crossed = roofs.up_to(level) if point.levels else (level,)
    moved = {name: one for name, one in point.moved.items() if name in crossed or name == level}
    lowest = bound(point.work, moved, point.precision, roofs)
    if lowest is None:
        reason = f"neither the {called(point.precision)} nor the {level.upper()} roof was measured"
        return Verdict(Standing.CANNOT_TELL, level=level, reasons=(reason,), advice=advice.NO_ROOF)
    if point.rate is None:
        return Verdict(
            Standing.PREDICTED, level=level, bound=lowest, limiter="" if lowest.rivals else lowest.limiter,
            under=_under(point, lowest), advice=advice.bound_by(lowest, point, roofs),
        )  # fmt: skip
    low = (point.low if point.low is not None else point.rate) / lowest.high
    high = (point.high if point.high is not None else point.rate) / lowest.low
    verdict = Verdict(
        Standing.CANNOT_TELL, point.rate / lowest.value, low, high, level, lowest,
        under=_under(point, lowest),
    )  # fmt: skip
    return _stages(point, verdict, lowest, roofs)


def _stages(point: Point, verdict: Verdict, lowest: Bound, roofs: Roofs) -> Verdict:
    """Both stages for a point that has a share."""
    assert verdict.share is not None
    assert verdict.low is not None
    assert verdict.high is not None
    if verdict.low > 1 + ROOM:
        ranked = causes.rank(point, verdict.share, verdict.low, verdict.high, lowest, roofs)
        return msgspec.structs.replace(
            verdict, standing=Standing.ABOVE, causes=ranked, advice=tuple(one.check for one in ranked[:1])
        )
    first, last = _class(verdict.low), _class(verdict.high)
    missing = [level.upper() for level in lowest.unknown]
    if point.precision not in roofs.compute:
        missing.append(called(point.precision) or "compute")
    if missing and (first, last) != (Standing.NEAR, Standing.NEAR):
        names = " and ".join(missing)
        why = f"no {names} roof was measured, and that may be the lower one"
        return msgspec.structs.replace(verdict, reasons=(why,), advice=advice.NO_ROOF)
    if first is not last:
        why = f"the share lies between {percent(verdict.low)} and {percent(verdict.high)}: {first} to {last}"
        return msgspec.structs.replace(verdict, reasons=(why,), advice=advice.UNCLEAR)
    if first is Standing.NEAR:
        return _which(point, verdict, lowest, roofs)
    told = advice.PARTIAL if first is Standing.PARTIAL else advice.NEITHER
    reasons = _overlap(point, lowest) if first is Standing.PARTIAL else ()
    return msgspec.structs.replace(verdict, standing=first, reasons=reasons, advice=told)


def percent(share: float) -> str:
    """0.7964 -> "79.6 %"."""
    return f"{share * 100:.1f} %"


def _class(share: float) -> Standing:
    if share >= NEAR:
        return Standing.NEAR
    return Standing.PARTIAL if share >= PARTIAL else Standing.NEITHER


def _which(point: Point, verdict: Verdict, lowest: Bound, roofs: Roofs) -> Verdict:
    """The second stage: which roof."""
    if lowest.rivals:
        names = " and ".join(called(name) for name in (lowest.limiter, *lowest.rivals))
        why = f"cannot tell which roof: the intervals of {names} overlap at this intensity"
        return msgspec.structs.replace(
            verdict, standing=Standing.NEAR, reasons=(why,),
            advice=advice.bound_by(lowest, point, roofs),
        )  # fmt: skip
    return msgspec.structs.replace(
        verdict,
        standing=Standing.NEAR,
        limiter=lowest.limiter,
        advice=advice.bound_by(lowest, point, roofs),
    )


def _under(point: Point, lowest: Bound) -> str:
    """The roof above the point, in words."""
    rate = format_value(lowest.value, f"{point.unit}/second", 3)
    if lowest.kind == "compute":
        return f"the {called(lowest.limiter)} peak of {rate} is the lowest roof above it"
    intensity = point.intensity(lowest.limiter)
    told = significant(intensity, 3) if intensity is not None else "–"
    size = format_moved(point.moved[lowest.limiter].least)
    return (
        f"at {told} {point.unit}/byte in {called(lowest.limiter)} ({size} a call) the lowest roof above it "
        f"is {rate}"
    )


def _overlap(point: Point, lowest: Bound) -> tuple[str, ...]:
    """Where a partial point lies relative to the bound without overlap."""
    if lowest.without_overlap is None or point.rate is None:
        return ()
    rate = format_value(lowest.without_overlap, f"{point.unit}/second", 3)
    low, high = (point.rate if end is None else end for end in (point.low, point.high))
    if low > lowest.without_overlap:
        where = "above"
    else:
        where = "below even" if high < lowest.without_overlap else "at about"
    return (f"it lies {where} {rate}, the bound without overlap of transfer and arithmetic",)
