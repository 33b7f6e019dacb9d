"""After how many cycles a load brings what a store before it wrote, by widths and by its place in the store.

A chain of stores, each of what the load before it brought, and of loads that read it back: `length` such
pairs in a loop, so that the chain goes on from one repetition to the next and takes `length` times the
latency of a pair, with no overhead.  The latency is the slope over two lengths; that the line goes through
the origin shows that all pairs cost the same.

Latencies of the cases fall into groups where neighbours lie apart.  Agner Fog describes such cases ("The
microarchitecture of Intel, AMD, and VIA CPUs", on store forwarding); the numbers here are the device's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, median
from reportgen.analysis.slope import slope
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "access"
NOT_PROPORTIONAL = 0.02
"""Intercept over the cycles of the shorter chain up to which all pairs cost the same."""
APART = 3.0
"""Cycles between two neighbouring latencies from which on they belong to two groups: less than any load from
the first level takes, more than what a wider register or another place in a vector adds."""
MOST_GROUPS = 3
MOST_APART = 1.5
"""Ratio of the slowest visit to the fastest up to which all of them are told as one number."""


def store_to_load(evidence: Evidence) -> list[Quantity]:
    """`store_to_load.<case>` of every case, in the order of its points.

    Points have settings `case` and `length`, work `steps`, `store_bytes`, `load_bytes` and `offset` (bytes
    from the first byte of the store to that of the load).
    """
    by_case: dict[str, list[Point]] = {}
    for point in evidence.points:
        by_case.setdefault(str(point.settings.get("case", "")), []).append(point)
    return [_of_case(evidence, case, points) for case, points in by_case.items()]


def _of_case(evidence: Evidence, case: str, points: list[Point]) -> Quantity:
    found = chain(evidence, f"{evidence.probe.metric}.{case}", points)
    work = points[0].work
    if not {"store_bytes", "load_bytes", "offset"} <= work.keys():
        return found
    sizes = {name: int(work[name]) for name in ("store_bytes", "load_bytes", "offset")}
    return msgspec.structs.replace(found, details=found.details | sizes | {"place": place(**sizes)})


def chain(evidence: Evidence, metric: str, points: Sequence[Point]) -> Quantity:
    """Cycles of a step of bodies that repeat without a break: a slope through two lengths and the origin."""
    probe = msgspec.structs.replace(evidence.probe, metric=metric)
    found = msgspec.structs.replace(slope(replace(evidence.narrowed(points), probe=probe), {}), method=METHOD)
    if found.value is None or "intercept" not in found.details:
        return found
    off = abs(float(found.details["intercept"])) / min(found.details["cycles"])
    inputs = found.inputs | {"linearity": max(off, found.inputs.get("linearity", 0.0))}
    # what the slope says of two lengths, the origin answers; why nothing inspected the program stays
    unverified = next((point.reason for point in points if point.status is Status.UNVERIFIED), "")
    if off > NOT_PROPORTIONAL:
        if every := _of_all_visits(evidence, points, off):
            told = (
                f"Visits of one loop took {every.low:.3g} to {every.high:.3g} cycles a step; "
                "the interval has room for all of them."
            )
            return msgspec.structs.replace(
                found, value=every.value, low=every.low, high=every.high, inputs=inputs,
                reason=f"{unverified} {told}".strip(),
            )  # fmt: skip
        return msgspec.structs.replace(
            found, status=Status.UNSTABLE, value=None, low=None, high=None,
            reason=f"Time is not proportional to the number of steps (off by {off:.1%}, "
            f"{NOT_PROPORTIONAL:.0%} is allowed); the steps do not all cost the same.",
        )  # fmt: skip
    return msgspec.structs.replace(found, reason=unverified, inputs=inputs)


def _of_all_visits(evidence: Evidence, points: Sequence[Point], off: float) -> Interval | None:
    """Cycles of a step of all visits, where those of one length differ by what the two lengths do."""
    asked = {point.id for point in points}
    usable = [point for point in evidence.usable() if point.id in asked]
    each = [evidence.cycles(point).centres / point.work["steps"] for point in usable]
    every = np.concatenate(each)
    if max(one.max() / one.min() - 1 for one in each) < off / 2 or every.max() > MOST_APART * every.min():
        return None
    return Interval(median(every), float(every.min()), float(every.max()))


def place(store_bytes: int, load_bytes: int, offset: int) -> str:
    """Where the load lies against the store, all in bytes.

    Returns:
        the `same` bytes, `within` it, `beyond` its end from its beginning on, or `across` its end.
    """
    if offset + load_bytes <= store_bytes:
        return "within" if load_bytes < store_bytes else "same"
    return "across" if offset else "beyond"


def grouped(quantities: Iterable[Quantity]) -> tuple[tuple[Quantity, ...], ...]:
    """Groups of latencies, the shortest first, cut where neighbours lie furthest apart.

    Neighbours of two groups are at least `APART` cycles apart and their intervals do not touch; there are no
    more than `MOST_GROUPS`.  One group where nothing is so far apart; none without a latency.
    """
    some = sorted((q for q in quantities if q.value is not None), key=lambda q: q.value or 0.0)
    gaps = []
    for at in range(1, len(some)):
        below, above = some[at - 1], some[at]
        distance = (above.value or 0.0) - (below.value or 0.0)
        room = (above.low or 0.0) - max(q.high or q.value or 0.0 for q in some[:at])
        if distance >= APART and room > 0:
            gaps.append((distance, at))
    cuts = sorted(at for _, at in sorted(gaps, reverse=True)[: MOST_GROUPS - 1])
    ends = [0, *cuts, len(some)]
    return tuple(tuple(some[start:end]) for start, end in itertools.pairwise(ends) if end > start)
