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
    found = shares(count, lambda row: row.op.kind)
    return dict(sorted(found.items(), key=lambda item: (-item[1].work.weighted(), -item[1].bytes_unfused)))


def by_module(count: Count, depth: int = 1) -> dict[str, Share]:
    """Module path cut at `depth` -> share, in the order of the graph.

    A module that is called twice has the work of both calls.
    """
    names: dict[tuple[str, ...], str] = {}

    def module(row: Row) -> str:
        scope = row.op.scope
        name = names.get(scope)
        if name is None:
            name = names[scope] = ".".join(scope[:depth]) or TOP
        return name

    return shares(count, module)


def shares(count: Count, key: Callable[[Row], str]) -> dict[str, Share]:
    """Rows added up under `key`."""
    groups: dict[str, list[Row]] = {}
    for row in count.rows:
        groups.setdefault(key(row), []).append(row)
    moved = count.traffic.by_op
    return {
        name: Share(
            operations=sum([row.times for row in rows]),
            work=add_up(rows),
            bytes_unfused=sum([moved[row.op] * row.times for row in rows]),
            uncounted=sum([bool(row.reason) for row in rows]),
        )
        for name, rows in groups.items()
    }


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
