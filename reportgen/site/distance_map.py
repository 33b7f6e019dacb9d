"""Near and far lines of a GPU's second-level cache, as the heat map and the table under it show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reportgen.site.figures.distance import DistanceMap
from reportgen.site.report import Report

METRIC = "memory.l2.distance.near"


def record(report: Report) -> DistanceMap | None:
    """What is drawn, where several multiprocessors were asked and lines differ."""
    kept = report.details(METRIC).get("map")
    if not kept or not groups(report):
        return None
    return DistanceMap(
        tuple(kept["group"]),
        tuple(kept["lines"]),
        tuple(kept["line_group"]),
        tuple(tuple(row) for row in kept["cycles"]),
    )


def groups(report: Report) -> list[dict[str, Any]]:
    """Groups of multiprocessors, where some lines are near and others far."""
    fact = report.fact(METRIC)
    known: list[dict[str, Any]] = report.details(METRIC).get("groups", [])
    if fact is None or fact.value is None:
        return []
    return known if any(one["far"] is not None for one in known) else []


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in words: `0-3, 8, 12-15`; in steps of two `0, 2, ... 130`."""
    ordered = sorted(numbers)
    step = ordered[1] - ordered[0] if len(ordered) > 1 else 1
    if len(ordered) > 3 and step > 1 and ordered == list(range(ordered[0], ordered[-1] + 1, step)):
        return f"{ordered[0]}, {ordered[1]}, … {ordered[-1]}"
    found: list[Sequence[int]] = []
    start = 0
    for at in range(1, len(ordered) + 1):
        if at == len(ordered) or ordered[at] != ordered[at - 1] + 1:
            found.append(ordered[start:at])
            start = at
    return ", ".join(
        f"{some[0]}–{some[-1]}" if len(some) > 2 else ", ".join(map(str, some)) for some in found
    )
