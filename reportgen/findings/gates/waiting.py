"""Rules that fences and atomic adds obey."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

ROOM = 1.02
"""Two fences that cost the same may come out so far apart."""
SCOPES = ("block", "device", "system")
CASES = ("alone", "behind_store")


def _wider_not_quicker(evidence: Evidence) -> Iterator[Breach]:
    for case in CASES:
        found = [evidence.usable(f"fence.{scope}.{case}") for scope in SCOPES]
        for narrow, wide in pairwise([one for one in found if one is not None]):
            least = interval(narrow)[0] / ROOM
            if interval(wide)[1] < least:
                yield Breach(
                    (wide.metric, narrow.metric),
                    contradictions.below_limit(
                        noun(wide.metric, evidence.title), interval(wide)[1], least, wide.unit,
                        "what a fence for fewer takes",
                    ),
                )  # fmt: skip


GATES = (
    Gate(
        name="wider_fence_not_quicker",
        severity=Severity.RELATION,
        statement="A fence for the device takes no less than one for the block, and one for the system no "
        "less than one for the device, but for 2 %.",
        source="what is seen by more is seen by fewer: the wider fence waits for all that the narrower one "
        "does",
        causes=(
            "the narrower fence waited for accesses of another kernel",
            "the clock moved while one of the two was measured",
        ),
        check=_wider_not_quicker,
    ),
)
