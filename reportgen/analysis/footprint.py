"""Where the levels of instruction supply end, from straight code of many sizes, and how fast each delivers.

The time of an instruction against the size of the code rises where the code outgrows a level.  It is taken
apart as a curve of latencies is (`boundary`).  One curve shows bytes and instructions at once; which of the
two a level is limited in shows where code of two encoded lengths ends: at the same bytes, or at the same
count of instructions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from reportgen.analysis.boundary import Edge, Levels, levels
from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.level_latency import stretch
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, pooled_interval
from reportgen.analysis.working_set import Curve, curve_of
from reportgen.runs.schema import Point
from reportgen.status import USABLE, Status
from reportgen.units import format_bytes

METHOD = "code-footprint"
LEAST_STEP = 1.1
"""Time of an instruction beyond a boundary over that before it.  Levels of supply lie nearer to each other
than levels of data: decoders and a micro-operation cache may differ by a third."""
WITHIN = 3.0
"""Ratio of sizes within which two edges may be fitted as one."""
MOST = 4
"""Boundaries of a curve; the largest steps where there are more."""
SHARE_OF_L2 = 0.5
"""A limit in bytes above this share of the reported second level is not named a first-level cache."""


def footprint(evidence: Evidence) -> list[Quantity]:
    """`fetch.<code>.level<n>.capacity` and `.rate` of each kind of code, then what two lengths agree on.

    Points have settings `instruction`, `bytes` and, of a GPU, `warps`; work `steps`, instructions of a pass.
    """
    kinds: dict[str, list[Point]] = {}
    for point in evidence.points:
        kinds.setdefault(code_of(point), []).append(point)
    found: list[Quantity] = []
    for code, points in kinds.items():
        found += _of_code(evidence.narrowed(points), code)
    return [*found, *_agreements(evidence, found)]


def code_of(point: Point) -> str:
    """What straight code is made of, and of a GPU by how many warps it is run where it is not one."""
    warps = int(point.settings.get("warps", 1))
    name = str(point.settings.get("instruction", ""))
    return name if warps == 1 else f"{name}_{warps}_warps"


def _of_code(evidence: Evidence, code: str) -> list[Quantity]:
    curve = curve_of(evidence)
    stem = f"{evidence.probe.metric}.{code}"
    if curve is None:
        metric = f"{stem}.level1.capacity"
        if not evidence.usable():
            return [evidence.without_value(metric, "byte", METHOD)]
        return [
            evidence.without_value(
                metric, "byte", METHOD, status=Status.UNSTABLE, reason="Too few sizes gave a time."
            )
        ]
    found = levels(curve.size, curve.latency, curve.noise, MOST, LEAST_STEP)
    first = curve.points[0]
    details = {name: values for name, values in curve.details.items() if name != "pages"} | {
        "instruction": str(first.settings.get("instruction", "")),
        "length": float(curve.size[0] / first.work["steps"]),
    }
    result: list[Quantity] = []
    for level in range(found.count):
        edge = found.edges[level] if level < len(found.edges) else None
        result.append(_capacity(evidence, curve, found, edge, f"{stem}.level{level + 1}.capacity", details))
        result.append(_rate(evidence, curve, found, level, f"{stem}.level{level + 1}.rate"))
    return result


def _capacity(
    evidence: Evidence, curve: Curve, found: Levels, edge: Edge | None, metric: str, details: dict[str, Any]
) -> Quantity:
    """[largest code that a level still supplies, smallest that it does not], in bytes."""
    largest = float(curve.size[-1])
    if edge is None or not edge.closed:
        low = largest if edge is None else edge.interval.low
        what = "had not risen again" if edge is None else "was still rising"
        return evidence.bound(
            metric, "byte", METHOD, low, curve.points, details=details,
            reason=f"The time of an instruction {what} at {format_bytes(largest)}, where the sweep ended.",
        )  # fmt: skip
    interval = _from_the_first(curve, found, edge)
    near = [
        point
        for point, size in zip(curve.points, curve.size, strict=True)
        if interval.low / 2 <= size <= interval.high * 2
    ]
    return evidence.quantity(
        metric, "byte", METHOD, interval, near, passes=len(by_pass(curve.cycles)),
        details=details | {
            "shape": edge.shape, "hit": edge.rise.hit, "top": edge.rise.top,
            "instructions": numbers(end / details["length"] for end in interval[1:]),
        },
    )  # fmt: skip


def _from_the_first(curve: Curve, found: Levels, edge: Edge) -> Interval:
    """The interval of an edge, or of what begins before it.

    Two levels that end close to each other are fitted as one edge, near the larger step; code is slower from
    the first of them on.
    """
    value, low, _ = edge.interval
    risen = np.flatnonzero((curve.size > value / WITHIN) & (found.envelope >= LEAST_STEP * edge.rise.hit))
    if not len(risen) or not risen[0] or curve.size[risen[0]] > low:
        return edge.interval
    before, after = float(curve.size[risen[0] - 1]), float(curve.size[risen[0]])
    return Interval(math.sqrt(before * after), before, after)


def _rate(evidence: Evidence, curve: Curve, found: Levels, level: int, metric: str) -> Quantity:
    """Instructions a cycle over the sizes that show a level best."""
    chosen = _of_level(curve, found, level)
    points = [curve.points[at] for at in chosen]
    one = evidence.narrowed(points)
    members = [curve.cycles[at] for at in chosen]
    cycles = pooled_interval(members, list(curve.cycles), evidence.systematic)
    details = {
        "from_bytes": int(curve.size[chosen[0]]),
        "to_bytes": int(curve.size[chosen[-1]]),
        "length": float(curve.size[0] / curve.points[0].work["steps"]),
    }
    if groups := one.modes(points):
        steps = points[0].work["steps"]
        return one.without_value(
            metric, "instruction/cycle", METHOD, status=Status.UNSTABLE, details=details,
            groups=tuple(steps / group for group in groups),
            reason="The samples fall into two groups; no single rate describes them.",
        )  # fmt: skip
    return one.quantity(
        metric, "instruction/cycle", METHOD, Interval(1 / cycles.value, 1 / cycles.high, 1 / cycles.low),
        points, details=details, passes=passes_that_agree(by_pass(members), cycles),
    )  # fmt: skip


def _of_level(curve: Curve, found: Levels, level: int) -> list[int]:
    """Which sizes show a level: of those that the fit names, the ones past the edge before and up to its own.

    A level of few sizes, as the last one of a sweep may be, is otherwise filled up with those of another.
    """
    chosen = [int(at) for at in stretch(curve.size, curve.latency, found, level).chosen]
    least = found.edges[level - 1].ends if level else 0.0
    most = found.edges[level].begins if level < len(found.edges) else math.inf
    return [at for at in chosen if least <= curve.size[at] <= most] or chosen


def _agreements(evidence: Evidence, found: list[Quantity]) -> Iterator[Quantity]:
    """The first boundary at one count of one operation in two lengths, and the first at the same bytes."""
    closed = [one for one in found if one.status in USABLE and "instructions" in one.details]
    pairs = [
        (first, second)
        for first, second in combinations(closed, 2)
        if first.details["length"] != second.details["length"]
    ]
    counted = [pair for pair in pairs if limited_in(*pair) == "instructions"]
    sized = [pair for pair in pairs if limited_in(*pair) == "bytes"]
    by_count = {one.metric for pair in counted for one in pair}
    sized = [pair for pair in sized if not by_count & {one.metric for one in pair}]
    if counted:
        pair = min(counted, key=lambda pair: pair[0].details["instructions"])
        yield _shared(evidence, "op_cache", "count", pair, [one.details["instructions"] for one in pair])
    if sized:
        pair = min(sized, key=lambda pair: _ends(pair[0]))
        second_level = float(evidence.run.device.reported.get("l2_bytes", math.inf))
        if max(_ends(one)[1] for one in pair) <= SHARE_OF_L2 * second_level:
            yield _shared(evidence, "l1i", "byte", pair, [list(_ends(one)) for one in pair])


def limited_in(first: Quantity, second: Quantity) -> str:
    """`bytes`, `instructions` or, where the ends decide neither, nothing: of two boundaries of two lengths.

    At the same count only code of one operation is compared: a core may keep two no-operations in one place.
    """
    in_bytes = _meet(_ends(first), _ends(second))
    in_count = _meet(tuple(first.details["instructions"]), tuple(second.details["instructions"]))
    if in_bytes == in_count:
        return ""
    if in_bytes:
        return "bytes"
    same = operation(first) == operation(second)
    return "instructions" if same else ""


def operation(quantity: Quantity) -> str:
    """`move4` -> `move`: the name of the code without its length."""
    return str(quantity.details["instruction"]).rstrip("0123456789")


def _ends(quantity: Quantity) -> tuple[float, float]:
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low, quantity.high


def _meet(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


def _shared(
    evidence: Evidence, name: str, unit: str, pair: tuple[Quantity, Quantity], ends: list[list[float]]
) -> Quantity:
    """What both boundaries of a pair allow."""
    low, high = max(one[0] for one in ends), min(one[1] for one in ends)
    used = {name for one in pair for name in one.points}
    return evidence.quantity(
        f"{evidence.probe.metric}.{name}.capacity", unit, METHOD, Interval(math.sqrt(low * high), low, high),
        [point for point in evidence.points if point.id in used],
        details={"of": [one.metric for one in pair]},
    )  # fmt: skip
