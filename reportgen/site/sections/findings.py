"""What stands out: contradictions first, then what rules say, then what is inferred."""

from __future__ import annotations

from reportgen.findings.finding import Claim, Finding
from reportgen.site.markup import Html, element, fold
from reportgen.site.view import Section, View, present

ELSEWHERE = ("sharing:", "scaling:")
"""Rules about pairs and about cores stand in the sections of interference and bandwidth."""

CONTRADICTIONS, RULES = 6, 12
"""Findings shown with their evidence; further ones are folded, in short."""


def section(view: View) -> Section:
    """The findings that no table row carries, and every contradiction."""
    chosen = select(view.report.findings)
    failed = [item for item in chosen if item.contradictions]
    rules = [item for item in chosen if not item.contradictions]
    intro = view.intro("findings")
    if not chosen:
        nothing = element("p", "No contradiction was found, and no rule speaks of several metrics.")
        return Section("findings", "Findings", (intro, nothing))
    parts = [*view.findings(failed[:CONTRADICTIONS]), _rest(view, failed[CONTRADICTIONS:])]
    parts += [*view.findings(rules[:RULES]), _rest(view, rules[RULES:])]
    return Section("findings", "Findings", present((intro, *parts)))


def _rest(view: View, items: list[Finding]) -> Html:
    """What would drown the page, in short and folded."""
    if not items:
        return Html("")
    noun = "contradictions" if items[0].contradictions else "findings"
    return fold(f"{len(items)} further {noun}", view.stated(item.id for item in items))


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
