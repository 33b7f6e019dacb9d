"""What branches cost: wrong predictions, taken ones and where their rate ends, nested calls."""

from __future__ import annotations

from reportgen.findings.metric import parse
from reportgen.findings.wording.branches import KINDS
from reportgen.site import blocks, practice
from reportgen.site.sections import rows
from reportgen.site.tables import Column, table
from reportgen.site.view import Section, View, present, sentence

COLUMNS = (
    Column("branches"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
LEADING = (
    "branch.misprediction",
    "branch.taken.interval",
    "branch.not_taken.interval",
    "branch.loop.group",
    "branch.return.depth",
)
"""Metrics whose findings open the section; ends of the rate are in the table."""


def section(view: View) -> Section | None:
    """Costs, ends, and what the ends are consistent with."""
    found = [fact for fact in view.report.of("branch.") if parse(fact.metric).kind in KINDS]
    if not found:
        return None
    known = view.report.finding
    inferred = [item for fact in found if (item := known.get(f"holds:{fact.metric}")) is not None]
    drawn = view.figure(
        "branches",
        sentence(
            [known.get(metric) for metric in LEADING], "Time of branches against what is asked of them."
        ),
        "Bands are the intervals of the table: where a rate ends. Ends at the same number of branches, "
        "whatever their distance, tell of branches; ends at the same number times distance of bytes of code. "
        "Single numbers that are slower than larger ones end nothing.",
    )
    body = table(
        "branches",
        "Costs of branches, and where their rate ends.",
        COLUMNS,
        (rows.row(view, f) for f in found),
    )
    parts = (
        view.intro("branches"),
        view.stated(metric for metric in LEADING if any(fact.metric == metric for fact in found)),
        practice.block(view, "branches"),
        drawn,
        body,
        *view.findings(inferred),
    )
    return Section("branches", "Branches", present(parts))
