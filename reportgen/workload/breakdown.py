"""The work by module and by kind of operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from reportgen.workload.work import NOTHING, Work

if TYPE_CHECKING:
    from reportgen.workload.count import Count, Row

TOP = "(top)"
"""Module of operations that belong to none."""


Cell = tuple[str, tuple[str, ...]]
"""Kind and module path."""


class Share(msgspec.Struct, frozen=True):
    """Part of a count."""

    operations: int
    """As often as they run."""
    work: Work
    bytes_unfused: int
    uncounted: int = 0
    """Operations among them that could not be counted."""


def by_kind(count: Count) -> dict[str, Share]:
    """Kind -> share, the largest work first."""
    found = _regrouped(count, lambda kind, _: kind)
    return dict(sorted(found.items(), key=lambda item: (-item[1].work.weighted(), -item[1].bytes_unfused)))


def by_module(count: Count, depth: int = 1) -> dict[str, Share]:
    """Module path cut at `depth` -> share, in the order of the graph.

    A module that is called twice has the work of both calls.
    """
    return _regrouped(count, lambda _, scope: ".".join(scope[:depth]) or TOP)


def cells(count: Count) -> dict[Cell, list[int]]:
    """Kind and module -> operations, bytes, how many were not counted, and the five columns of work.

    One pass over the rows, in whose order the cells stand; all breakdowns are made of these sums.
    """
    found: dict[Cell, list[int]] = {}
    moved = count.traffic.by_op
    for row in count.rows:
        op, work, times = row.op, row.work, row.times
        key = (op.kind, op.scope)
        sums = found.get(key)
        if sums is None:
            sums = found[key] = [0] * 8
        sums[0] += times
        sums[1] += moved[op] * times
        if row.reason:
            sums[2] += 1
        if work is not NOTHING:
            sums[3] += work.mac * times
            sums[4] += work.flop * times
            sums[5] += work.transcendental * times
            sums[6] += work.integer * times
            sums[7] += work.comparison * times
    return found


def _regrouped(count: Count, key: Callable[[str, tuple[str, ...]], str]) -> dict[str, Share]:
    groups: dict[str, list[list[int]]] = {}
    for (kind, scope), sums in count.cells.items():
        groups.setdefault(key(kind, scope), []).append(sums)
    return {name: _share(map(sum, zip(*some, strict=True))) for name, some in groups.items()}


def _share(sums: Iterable[int]) -> Share:
    operations, moved, uncounted, *work = sums
    return Share(operations, Work(*work), moved, uncounted)


def add_up(rows: Iterable[Row]) -> Work:
    """The work of all rows, each as often as it runs."""
    sums = [0, 0, 0, 0, 0]
    for row in rows:
        work, times = row.work, row.times
        if work is not NOTHING:
            sums[0] += work.mac * times
            sums[1] += work.flop * times
            sums[2] += work.transcendental * times
            sums[3] += work.integer * times
            sums[4] += work.comparison * times
    return Work(*sums)
