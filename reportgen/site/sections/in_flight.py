"""How many instructions the core holds at once, and which of its resources ends that."""

from __future__ import annotations

from reportgen.findings.finding import Finding
from reportgen.findings.metric import Kind, parse
from reportgen.site import blocks, practice
from reportgen.site.markup import Html, fold, join
from reportgen.site.sections import rows
from reportgen.site.tables import Column, table
from reportgen.site.view import Section, View, present, sentence

COLUMNS = (
    Column("in flight at once"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
STATED = 1
"""Findings that open the section, of all kinds together first; the others are rows of the table."""


def section(view: View) -> Section | None:
    """Counts of every kind of filling, and the resources that they are consistent with."""
    found = [fact for fact in view.report.of("window.") if parse(fact.metric).kind is Kind.WINDOW]
    if not found:
        return None
    known = view.report.finding
    findings = [known.get(fact.metric) for fact in found]
    inferred = [item for fact in found if (item := known.get(f"resource:{fact.metric}")) is not None]
    drawn = view.figure(
        "in_flight",
        sentence(findings, "Time of a round against the instructions between two loads that miss."),
        "Below the step both loads wait for memory together, above it one after the other. Bands are the "
        "intervals of the table.",
    )
    body = table(
        "in_flight",
        "Instructions in flight behind a load that waits for memory.",
        COLUMNS,
        (rows.row(view, fact) for fact in found),
    )
    parts = (
        view.intro("in_flight"),
        view.stated((fact.metric for fact in found), STATED),
        practice.block(view, "in_flight"),
        drawn,
        body,
        blocks.stated(inferred),
        _evidence(view, inferred),
    )
    return Section("in_flight", "Instructions in flight", present(parts))


def _evidence(view: View, inferred: list[Finding]) -> Html:
    """What else the inferences allow, in one fold: most name the same alternatives."""
    if not inferred:
        return Html("")
    count = f"{len(inferred)} inference{'s' if len(inferred) != 1 else ''}"
    return fold(f"Evidence of {count}, and what is not excluded", join(view.findings(inferred)))
