"""Hardware counters beside a run: asked once, after all visits, where the backend can and time is left."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from reportgen.backends.base import Order
from reportgen.collect.messages import Made
from reportgen.runs.schema import Device, Run
from reportgen.status import USABLE

PREFIX = "counter."
"""Of facts of a point that counters gave."""
SECONDS = 60.0
"""That counting may take, the tool's own start not included."""
LEAST_SECONDS = 150.0
"""Time left below which a limited run does not begin to count."""


@runtime_checkable
class Counting(Protocol):
    """A backend that can read counters of programs by launching each once more."""

    def count(
        self, selector: str, device: Device, orders: Sequence[Order], seconds: float
    ) -> tuple[str, dict[str, dict[str, float]]]:
        """What is to be said of the counters, and name -> number of each point; never raises."""


def permitted(said: str) -> bool:
    """Whether what a backend says of its counters means that they may be read."""
    return bool(said) and not said.startswith(("unsupported", "not_permitted"))


def counted(backend: object, selector: str, run: Run, made: Mapping[str, Made], left: float | None) -> Run:
    """The run with what the counters say; the same run where nobody can be asked.

    Args:
        backend: of the run; one that is no `Counting` is not asked.
        selector: of the device.
        run: as it would be sealed.
        made: programs by point.
        left: seconds until the run's time is over; None: no limit.
    """
    if not isinstance(backend, Counting) or not permitted(run.counters):
        return run
    if left is not None and left < LEAST_SECONDS:
        return msgspec.structs.replace(run, counters=f"{run.counters}: not read, time was nearly over")
    good = [point.id for point in run.points if point.status in USABLE and point.id in made]
    said, found = backend.count(selector, run.device, [_order(name, made[name]) for name in good], SECONDS)
    points = tuple(
        msgspec.structs.replace(point, facts=point.facts | _facts(found[point.id]))
        if point.id in found
        else point
        for point in run.points
    )
    return msgspec.structs.replace(run, counters=said, points=points)


def _facts(values: Mapping[str, float]) -> dict[str, int | float | str]:
    return {f"{PREFIX}{name}": value for name, value in values.items()}


def _order(point: str, made: Made) -> Order:
    program = made.build.program
    return Order(
        point=point,
        code=made.build.code,
        sha256=program.sha256 if program is not None else "",
        setup=made.setup,
        seconds=0.0,
        canary_best=0.0,
        seed=1,
        visit=0,
        unit=hashlib.sha256(made.build.code).hexdigest() if made.build.code else "",
    )
