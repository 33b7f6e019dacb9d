"""What stands out: contradictions first, then what rules say, then what is inferred."""

from __future__ import annotations

from reportgen.findings.finding import Claim, Finding
from reportgen.site.markup import element
from reportgen.site.view import Section, View, present

ELSEWHERE = ("sharing:", "scaling:")
"""Rules about pairs and about cores stand in the sections of interference and bandwidth."""

SHOWN = 12
"""Findings with their evidence; the others stand in the sections of their metrics."""


def section(view: View) -> Section:
    """The findings that no table row carries, and every contradiction."""
    chosen = select(view.report.findings)
    shown = chosen[:SHOWN]
    intro = view.intro("findings")
    if not shown:
        nothing = element("p", "No contradiction was found, and no rule speaks of several metrics.")
        return Section("findings", "Findings", (intro, nothing))
    blocks = view.findings(shown, anchored=False)
    rest = view.stated(item.id for item in chosen[SHOWN:])
    return Section("findings", "Findings", present((intro, *blocks, rest)))


def select(findings: tuple[Finding, ...]) -> list[Finding]:
    """Contradictions, then rules (`rule:metric`), then other inferences; surest first."""

    def rank(item: Finding) -> tuple[int, float, str]:
        place = 0 if item.contradictions else 1 if ":" in item.id else 2
        return place, -item.confidence, item.id

    several = [
        item
        for item in findings
        if item.contradictions
        or (":" in item.id and not item.id.startswith(ELSEWHERE))
        or item.claim not in (Claim.MEASURED, Claim.INFERRED)
    ]
    return sorted(several, key=rank)
