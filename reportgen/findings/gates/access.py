"""Rules that the times of accesses obey."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

ROOM = 0.98
"""Two times of one clock may differ by so much without meaning."""


def _not_below_aligned(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.SPLIT):
        aligned = evidence.usable(f"access.split.aligned.{name.part}")
        if aligned is None or name.subject == "aligned":
            continue
        limit = interval(aligned)[0] * ROOM
        if interval(quantity)[1] < limit:
            yield Breach(
                (name.text, aligned.metric),
                contradictions.below_limit(
                    noun(name.text, evidence.title), interval(quantity)[1], limit, quantity.unit,
                    "what the aligned access takes",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="split_not_faster",
        severity=Severity.RELATION,
        statement="No access across a boundary takes less than the aligned one, but for 2 %.",
        source="it touches at least as many lines",
        causes=(
            "the aligned access meets another in a bank of the cache",
            "a neighbour held the core while the aligned access was measured",
        ),
        check=_not_below_aligned,
    ),
)
