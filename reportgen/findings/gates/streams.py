"""A stream that computes against the ceilings that other probes give."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, central
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun
from reportgen.roofline.ceilings import bandwidths

PEAK_ROOM = 1.05
"""The peak and the sweep are timed minutes apart."""
FLOW_ROOM = 1.15
"""Levels outside the core are shared with neighbours."""


def _above_both_roofs(evidence: Evidence) -> Iterator[Breach]:
    flows = bandwidths(evidence.quantities)
    for name, seen in evidence.of_kind(Kind.RIDGE_SEEN):
        ceilings = (
            (seen.details.get("height"), evidence.usable(f"peak.{name.subject}"), PEAK_ROOM),
            (seen.details.get("slope"), flows.get(name.part), FLOW_ROOM),
        )
        for reached, roof, room in ceilings:
            if reached and roof is not None and roof.value and reached > central(roof) * room:
                yield Breach(
                    (name.text, roof.metric),
                    contradictions.wrong_order(
                        f"the rate of the stream behind {noun(name.text, evidence.title)}", float(reached),
                        noun(roof.metric, evidence.title), central(roof), roof.unit,
                        "no kernel that loads and computes does either faster than one that only does this",
                    ),
                )  # fmt: skip


GATES = (
    Gate(
        name="stream_within_roofs",
        severity=Severity.RELATION,
        statement="A stream that computes is not above the measured peak by more than 5 % in the flat part "
        "of its sweep, nor above the best bandwidth of its level by more than 15 % in the rising one.",
        source="the peak and the bandwidth are the best rates of the same device in the same run",
        causes=(
            "the ceiling was measured beside a busy neighbour or at a lower clock",
            "the data of the stream lie in a level further in",
            "loads or multiply-adds are counted that no instruction does",
        ),
        check=_above_both_roofs,
    ),
)
