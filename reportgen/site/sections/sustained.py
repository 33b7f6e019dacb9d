"""What the device holds for seconds: rate against time, and the numbers at both ends."""

from __future__ import annotations

from reportgen.findings.metric import UNDER_LOAD, parse
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.sections import rows
from reportgen.site.tables import Column, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.status import Status

COLUMNS = (
    Column("under load"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="windows that passed the gates"),
    blocks.STANDING,
)


def facts(view: View) -> list[Fact]:
    """What is known of rates under load for seconds."""
    kinds = set(UNDER_LOAD.values())
    return [fact for fact in view.report.of("peak.") if parse(fact.metric).kind in kinds]


def section(view: View) -> Section | None:
    """Burst and sustained rates of every precision that was held under load."""
    found = facts(view)
    if not found:
        return None
    findings = [view.report.finding.get(fact.metric) for fact in found]
    slowing = [
        item for fact in found if (item := view.report.finding.get(f"slowing:{fact.metric}")) is not None
    ]
    drawn = view.figure(
        "sustained",
        sentence(findings, "Rate of all cores against time under load."),
        "Each mark is a window, each shape a visit. Lines: the rate at first and in the end; dotted: when "
        "it settled, where it changed.",
    )
    body = table(
        "sustained",
        "Rates under load for seconds.",
        COLUMNS,
        (rows.row(view, fact) for fact in found if fact.status is not Status.UNSUPPORTED),
    )
    parts = (
        view.intro("sustained"),
        view.stated(fact.metric for fact in found),
        drawn,
        body,
        rows.lacking(view, found),
        *view.findings(slowing),
    )
    return Section("sustained", "Burst and sustained", present(parts))
