"""A number derived from samples, as every later stage sees it."""

from __future__ import annotations

from typing import Any

import msgspec

from reportgen.status import Status


class Quantity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One metric of one device.

    `value`, `low`, `high` are in base units and absent unless `status` allows a value.  A
    boundary is an interval: `low` the largest size that fits, `high` the smallest that does
    not.  For `censored`, `low` is the bound and `high` is absent.
    """

    metric: str
    """`memory.l1.latency`: JSON key, CSV column, page anchor and glossary link."""
    unit: str
    status: Status
    probe: str
    method: str
    """One of the pages of docs/method: `slope`, `plateau`, `interference`, `boundary`, ..."""
    reason: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    """Coverage that [low, high] claims."""
    n: int = 0
    """Accepted samples behind the value."""
    taken: int = 0
    """Samples taken, accepted or not."""
    modes: tuple[float, ...] = ()
    """Two or more where the samples fall into separate groups; then no mean is given."""
    inputs: dict[str, float] = {}
    """What the confidence function reads: `precision` (half width / value), `linearity` (largest relative
    residual), `acceptance` (share), `passes` (that agree), `drift`, `disturbed` (share of the run's visits
    that something unseen held), `transient` (samples at the start of each visit that were left out because
    they were still settling).  Beside them `freedom`, degrees of freedom of the interval, where intervals of
    other quantities are made from it."""
    points: tuple[str, ...] = ()
    """Ids of the points it was computed from."""
    details: dict[str, Any] = {}
    """Curves for figures, JSON-ready: lists of numbers by name, knees, envelopes."""
