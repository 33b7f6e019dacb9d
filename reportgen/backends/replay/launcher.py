"""A visit -> the samples that were recorded in it."""

from __future__ import annotations

from typing import Any

from reportgen.backends.base import Batch, Order
from reportgen.errors import LaunchError
from reportgen.runs.read import Bundle
from reportgen.status import USABLE, Status

_FROM_RUNNER = frozenset({"point", "pass", "order", "gate"})


class ReplayLauncher:
    """Serves visits by their number, which is the recorded column `order`."""

    def __init__(self, bundle: Bundle) -> None:
        self._points = {point.id: point for point in bundle.run.points}
        self._canary_best = bundle.run.sample_clock.canary_best
        self._columns: dict[str, list[Any]] = bundle.columns()
        self._rows: dict[int, list[int]] = {}
        for row, order in enumerate(self._columns["order"]):
            self._rows.setdefault(order, []).append(row)

    def measure(self, order: Order) -> Batch:
        """The samples of visit `order.visit`, with their recorded gates.

        Raises:
            LaunchError: the bundle has no such visit of this point.
        """
        rows = self._rows.get(order.visit, [])
        if not rows or self._columns["point"][rows[0]] != order.point:
            raise LaunchError(f"the recorded run has no visit {order.visit} of {order.point}")
        point = self._points[order.point]
        measured = point.status in USABLE
        return Batch(
            point=order.point,
            columns={
                name: [values[row] for row in rows]
                for name, values in self._columns.items()
                if name not in _FROM_RUNNER
            },
            gates=[self._columns["gate"][row] for row in rows],
            status=Status.OK if measured else point.status,
            reason="" if point.status == Status.UNVERIFIED else point.reason,
            stop=point.stop,
            facts=point.facts,
            canary_best=self._canary_best,
        )
