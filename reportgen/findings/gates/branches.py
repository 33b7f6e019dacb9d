"""Rules that the times of branches obey."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

MISPREDICTION, INTERVAL = "branch.misprediction", "branch.taken.interval"


def _costs_more(evidence: Evidence) -> Iterator[Breach]:
    wrong, taken = evidence.usable(MISPREDICTION), evidence.usable(INTERVAL)
    if wrong is None or taken is None:
        return
    least, most = interval(taken)[0], interval(wrong)[1]
    if most < least:
        yield Breach(
            (MISPREDICTION, INTERVAL),
            contradictions.below_limit(
                noun(MISPREDICTION, evidence.title), most, least, wrong.unit,
                "what a taken branch takes that is predicted",
            ),
        )  # fmt: skip


GATES = (
    Gate(
        name="misprediction_costs",
        severity=Severity.RELATION,
        statement="A branch that is predicted wrongly costs at least what a taken branch takes.",
        source="what was fetched behind a wrong prediction is given up, and fetching begins anew as behind a "
        "taken branch",
        causes=(
            "the outcomes that should be random were predicted",
            "taken branches were measured beside a busy thread",
            "other work hides what the misprediction costs",
        ),
        check=_costs_more,
    ),
)
