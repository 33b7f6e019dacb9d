"""Rules that counts of instructions in flight obey."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

ROOM = 1.05
"""The mixed filling may itself be held back a little by one of the resources that it spares."""


def _within_buffer(evidence: Evidence) -> Iterator[Breach]:
    whole = evidence.usable("window.mixed")
    if whole is None or whole.high is None:
        return
    limit = interval(whole)[1] * ROOM
    for name, quantity in evidence.of_kind(Kind.WINDOW):
        if interval(quantity)[0] > limit:
            yield Breach(
                (name.text, whole.metric),
                contradictions.above_limit(
                    noun(name.text, evidence.title), interval(quantity)[0], limit, quantity.unit,
                    "what was seen of all kinds in turn",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="window_holds_all",
        severity=Severity.RELATION,
        statement="No kind of instruction has more in flight than all kinds in turn, but for 5 %.",
        source="every instruction takes an entry of the reorder buffer, and those of one kind take other "
        "resources beside",
        causes=(
            "the core keeps two instructions of this kind in one entry",
            "the mixed filling fills another resource first",
            "memory was disturbed while one of the two was measured",
        ),
        check=_within_buffer,
    ),
)
