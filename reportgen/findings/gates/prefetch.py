"""A rule that the times of runs obey."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

ROOM = 0.98
"""Two times of one clock may differ by so much without meaning."""


def _not_below_the_first_level(evidence: Evidence) -> Iterator[Breach]:
    first = evidence.usable("memory.l1.latency")
    if first is None:
        return
    limit = interval(first)[0] * ROOM
    for name, quantity in evidence.of_kind(Kind.PREFETCH_STRIDE):
        if interval(quantity)[1] < limit:
            yield Breach(
                (name.text, first.metric),
                contradictions.below_limit(
                    noun(name.text, evidence.title), interval(quantity)[1], limit, quantity.unit,
                    "what a load from the first level takes",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="run_not_below_l1",
        severity=Severity.RELATION,
        statement="No load of a run takes less than a dependent one from the first level, but for 2 %.",
        source="each waits for the one before it, wherever its line has been brought",
        causes=(
            "an address that is predicted, so that a load need not wait for the one before it",
            "a neighbour held the core while the first level was measured",
        ),
        check=_not_below_the_first_level,
    ),
)
