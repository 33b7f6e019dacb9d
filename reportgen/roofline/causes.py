"""Why a point may stand above a roof: what is usually wrong, ranked by how well the ratio fits.

Each cause says what ratio of rate to roof it would give: one value (a multiply-add counted once too often: 2)
or a range (another clock: 1 to 1.5).  Its score is the density of the observed ratio under it, on a
logarithmic scale: a normal around a value, whose width is that of the interval but at least `WIDTH`; uniform
over a range, with the same normal at its ends.  So a cause that predicts the ratio exactly stands before one
that would allow it and much else besides.

The suite's own kernels (those with a metric) run on one thread, many calls to a sample, and are counted by
definition, so what a user may have mistaken there is not among their causes.

A ratio to a memory roof is Q/(T beta): it does not depend on the work, so that causes in the count of work
are looked for only where the roof is a peak, and causes in the bytes only where it is a bandwidth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from reportgen.roofline.bounds import Bound
from reportgen.roofline.points import Point
from reportgen.roofline.roofs import COMPUTE, Roof, Roofs, called
from reportgen.units import format_value, significant

WIDTH = 0.04
"""Least relative width of a value that a cause predicts: a kernel does a little else besides."""
LEAST = 0.02
"""A cause with less than this share of the best one's score is not named."""
MOST = 5
BOOST = 1.5
"""Turbo over base clock of processors as sold: between 1.1 and 1.5 as a rule."""
SHORT = 1e-5
"""Seconds: a shorter time is near what a call and a clock cost."""
MASKED = ("attention", "attn", "causal", "prefill", "sdpa")
"""Words in a name that make half a score matrix likely."""
REAL = 0.7
"""A kernel that was wrongly placed reaches at least this share of the roof it belongs under."""
ELEMENT = (2.0, 4.0)
"""An element counted twice or four times as wide as it is."""
GIBI = 2**30 / 1e9
ANY = 1e12
"""A ratio that a wrong prefix may give, at most."""


class Cause(msgspec.Struct, frozen=True):
    """A likely cause."""

    name: str
    least: float
    """Ratio of rate to roof that it would give: from here ..."""
    most: float
    """... to here; the same where it predicts one value."""
    fit: float
    """Score relative to the best one's: 1 for the first."""
    what: str
    check: str
    """How to find out, or what to do."""


def rank(
    point: Point, ratio: float, low: float, high: float, lowest: Bound, roofs: Roofs
) -> tuple[Cause, ...]:
    """Causes by how well they fit a ratio above 1, the best first.

    Args:
        point: the kernel.
        ratio: its rate over the roof.
        low: lower end of its interval.
        high: upper end.
        lowest: the roof.
        roofs: all roofs of the run.
    """
    width = max(WIDTH, math.log(high / low) / 4)  # an interval of 95 % is four standard deviations wide
    kinds = _of_work if lowest.kind == COMPUTE else _of_bytes
    scored = [
        (
            cause,
            math.log(weight) + _density(math.log(ratio), math.log(cause.least), math.log(cause.most), width),
        )
        for cause, weight in (*kinds(point, lowest, roofs), *_of_time(point, lowest, roofs))
    ]
    best = max(score for _, score in scored)
    # in logarithms: of a ratio far beyond every cause all densities are 0
    kept = [(cause, math.exp(score - best)) for cause, score in scored if score >= best + math.log(LEAST)]
    kept.sort(key=lambda item: -item[1])
    return tuple(msgspec.structs.replace(cause, fit=fit) for cause, fit in kept[:MOST])


def _density(at: float, low: float, high: float, width: float) -> float:
    """Logarithm of a density that is flat from `low` to `high` and falls off beyond."""
    outside = max(low - at, at - high, 0.0)
    return -0.5 * (outside / width) ** 2 - math.log(max(high - low, width * math.sqrt(2 * math.pi)))


def _exact(name: str, ratio: float, what: str, check: str) -> Cause:
    return Cause(name, ratio, ratio, 0.0, what, check)


def _of_work(point: Point, lowest: Bound, roofs: Roofs) -> Iterator[tuple[Cause, float]]:
    """Causes in the count of work, and in the choice of the peak; each with its prior weight."""
    masked = any(word in point.name.lower() for word in MASKED)
    yield (
        _exact(
            "multiply-add counted twice",
            2.0,
            "the work may be counted as FLOP already and then doubled again as if it were multiply-adds",
            "count a fused multiply-add as two FLOP, once",
        ),
        1.0,
    )
    yield (
        _exact(
            "causal mask",
            2.0,
            "the full score matrix is counted, and a causal kernel computes half of it",
            "count the masked half only: S(S+1)/2 of S x S scores",
        ),
        2.0 if masked else 0.25,
    )
    if roofs.gpu:
        yield (
            _exact(
                "structured sparsity",
                2.0,
                "dense work is counted, and 2:4 sparse units skip half of it",
                "compare with the sparse peak, or count the products that are done",
            ),
            0.5,
        )
    own = roofs.compute.get(point.precision)
    for roof in roofs.compute.values():
        if own is not None and roof.name != own.name and roof.work == own.work and roof.value > own.value:
            yield _wrong_roof(own, roof), 1.0


def _wrong_roof(own: Roof, other: Roof) -> Cause:
    step = other.value / own.value
    return Cause(
        "wrong precision or unit",
        max(1.0, REAL * step),
        step,
        0.0,
        f"it may run in {called(other.name)}, whose peak is {significant(step, 3)} times as high",
        f"look which type its inner loop has; place it under {called(other.name)}",
    )


def _of_bytes(point: Point, lowest: Bound, roofs: Roofs) -> Iterator[tuple[Cause, float]]:
    """Causes in the bytes, and in the choice of the level."""
    own = roofs.memory[lowest.limiter]
    names = list(roofs.memory)
    for level in names[: names.index(own.name)]:
        step = roofs.memory[level].value / own.value
        if step > 1:
            yield (
                Cause(
                    "wrong level",
                    max(1.0, REAL * step),
                    step,
                    0.0,
                    f"its data may come from {level.upper()}, which is {significant(step, 3)} times as fast "
                    f"as {called(own.name)}, or from a cache between the two that has no roof here",
                    f"compare the size of its data with the capacity of {level.upper()}; give the bytes that "
                    f"cross {called(own.name)}",
                ),
                0.2 if point.levels else 1.0,  # the level was chosen by the size of the data
            )
    yield (
        Cause(
            "another mix of loads and stores",
            1.0,
            1.5,
            0.0,
            f"the roof is that of the {own.kernel or 'fastest'} kernel; one that writes what it has just "
            "read needs no line fetched for its stores, and loads and write-backs may travel at once",
            "compare with a kernel of its own mix of loads and stores",
        ),
        1.0,
    )
    if point.metric:  # counted by definition, in bytes
        return
    for factor in ELEMENT:
        yield (
            _exact(
                "wider elements counted",
                factor,
                f"its elements may be {significant(factor)} times narrower than counted",
                "count bytes by the type that is stored, not by the one that is computed with",
            ),
            0.5,
        )
    yield (
        _exact(
            "GB for GiB",
            GIBI,
            "binary and decimal prefixes may be mixed: 1 GiB is 1.074 GB",
            "give bytes without a prefix",
        ),
        0.5,
    )


def _of_time(point: Point, lowest: Bound, roofs: Roofs) -> Iterator[tuple[Cause, float]]:
    """Causes that make a rate too high whatever the roof."""
    yield (
        Cause(
            "another clock",
            1.0,
            BOOST,
            0.0,
            "the roof may belong to a lower clock than the kernel had: nominal against boost, or a busy "
            "machine",
            "measure roof and kernel one after the other, and compare the clocks",
        ),
        0.5,
    )
    cores = roofs.all_cores.get(lowest.limiter, float(roofs.cores)) if lowest.kind != COMPUTE else roofs.cores
    if point.metric:  # one thread, many calls to a sample
        return
    if cores > 1 and not roofs.gpu:
        yield (
            Cause(
                "more than one core",
                max(1.0, REAL * cores),
                float(cores),
                0.0,
                f"the roof is that of one core; {roofs.cores} cores together reach {significant(cores, 3)} "
                "times as much",
                "run it with one thread, or compare with the roof of all cores",
            ),
            1.0,
        )
    yield (
        Cause(
            "a unit, or the number of calls",
            1.0,
            ANY,
            0.0,
            "work, bytes and time may not belong to the same number of calls, or a prefix may be off by 1000",
            "give all three of one call, in FLOP, bytes and seconds",
        ),
        0.5,
    )
    seconds = point.seconds
    if seconds is not None and seconds < SHORT:
        yield (
            Cause(
                "timed too briefly",
                1.0,
                100.0,
                0.0,
                f"{format_value(seconds, 'second', 3)} is near what a call and a clock cost, and may have "
                "ended before the work did",
                "time many calls at once, and wait for the result",
            ),
            1.0,
        )
