"""Physical gates: what a number must obey before it is published.

One file a group of rules, each rule a named `Gate` with its statement, its source and the likely
causes of a failure.  `check` runs them all; `withhold` takes back what breaks a limit, so that
nothing later (ridges, tables, exports) can build on it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence
from reportgen.findings.gates import (
    access,
    bandwidth,
    branches,
    ceilings,
    code,
    communication,
    hierarchy,
    host_link,
    instructions,
    numbers,
    paths,
    prefetch,
    sharing,
    streams,
    waiting,
    window,
)
from reportgen.findings.gates.record import Contradiction, Gate, Severity
from reportgen.status import Status

GATES: tuple[Gate, ...] = (
    *numbers.GATES,
    *instructions.GATES,
    *hierarchy.GATES,
    *paths.GATES,
    *code.GATES,
    *bandwidth.GATES,
    *ceilings.GATES,
    *sharing.GATES,
    *streams.GATES,
    *window.GATES,
    *host_link.GATES,
    *branches.GATES,
    *access.GATES,
    *prefetch.GATES,
    *waiting.GATES,
    *communication.GATES,
)


def check(evidence: Evidence) -> tuple[Contradiction, ...]:
    """Every failure of every gate, in gate order."""
    return tuple(
        Contradiction(gate.name, gate.severity, breach.metrics, breach.text, gate.causes)
        for gate in GATES
        for breach in gate.check(evidence)
    )


def by_metric(contradictions: Iterable[Contradiction]) -> dict[str, tuple[Contradiction, ...]]:
    """Metric -> the contradictions that name it."""
    found: dict[str, tuple[Contradiction, ...]] = {}
    for one in contradictions:
        for metric in one.metrics:
            found[metric] = (*found.get(metric, ()), one)
    return found


def withhold(quantities: Iterable[Quantity], contradictions: Iterable[Contradiction]) -> tuple[Quantity, ...]:
    """The quantities, without the numbers that break a limit: status `invalid`, with the reason.

    Curves in `details` and the points stay: they are evidence.
    """
    reasons = {
        metric: one.sentence()
        for one in contradictions
        if one.severity is Severity.LIMIT
        for metric in one.metrics
    }
    return tuple(
        msgspec.structs.replace(
            q, status=Status.INVALID, reason=reasons[q.metric], value=None, low=None, high=None, modes=()
        )
        if q.metric in reasons
        else q
        for q in quantities
    )
