"""How far a report is to be trusted, in numbers: confidence, contradictions, other channels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from reportgen.findings.crosschecks import ABSENT, AGREES, DISAGREES
from reportgen.findings.finding import Claim, CrossCheck, Finding
from reportgen.site import blocks
from reportgen.site.markup import Html, anchor, element, fold, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View

SURE = 0.9
"""A finding of this confidence or more counts as one to build on."""
SHOWN = 5
"""Disagreements that are shown; further ones are folded."""
MEASURED = (Claim.MEASURED, Claim.INFERRED)
COLUMNS = (
    Column("channel", note="another way to the same quantity"),
    Column("agrees", number=True),
    Column("disagrees", number=True),
    Column(
        "absent", number=True, note="nothing was asked, nothing answered, or what answered decides nothing"
    ),
)


def about_numbers(findings: Iterable[Finding]) -> list[Finding]:
    """Findings about what was measured; a hypothesis repeats the checks of the metrics that it rests on."""
    return [item for item in findings if item.claim in MEASURED and not item.id.startswith("hypothesis:")]


def rows(view: View) -> list[tuple[str, object]]:
    """Lines of the header card: each leads to where it is told in full."""
    items = about_numbers(view.report.findings)
    if not items:
        return []
    sure = sum(item.confidence >= SURE for item in items)
    share = f"{sure / len(items):.0%}".replace("%", " %")
    texts = {text for item in view.report.findings for text in item.contradictions}
    counts = Counter(outcome for _, outcome in _checks(items))
    told: list[tuple[str, object]] = [
        ("confidence", f"{SURE} or more for {share} of {len(items)} findings"),
        ("contradictions", anchor(len(texts), "#findings") if texts else "none found"),
    ]
    if counts[AGREES] or counts[DISAGREES]:
        text = f"{counts[AGREES]} agree, {counts[DISAGREES]} disagree"
        told.append(("cross-checks", anchor(text, "#cross-checks")))
    return told


def channels(view: View) -> Html:
    """What other channels say, counted, and every disagreement in its words."""
    items = about_numbers(view.report.findings)
    counts = Counter(_checks(items))
    names = dict.fromkeys(check.channel for item in items for check in item.checks)
    if not any(counts[name, outcome] for name in names for outcome in (AGREES, DISAGREES)):
        return Html("")
    shown = (
        Row((Cell(name), *(_count(counts[name, outcome]) for outcome in (AGREES, DISAGREES, ABSENT))))
        for name in names
    )
    body = table("channels", "The same quantities by other channels.", COLUMNS, shown, sortable=False)
    against = list(_disagreements(view, items))
    if not against:
        return body
    first, rest = element("ul", join(against[:SHOWN])), element("ul", join(against[SHOWN:]))
    lead = element("p", element("b", "What disagrees:"))
    more = fold(f"{len(against) - SHOWN} further disagreements", rest) if against[SHOWN:] else Html("")
    return join((body, lead, first, more))


def _checks(items: Iterable[Finding]) -> list[tuple[str, str]]:
    """Channel and outcome of every check; one that two findings of the same metrics carry counts once."""
    found = dict.fromkeys(
        (item.metrics or item.id, check.channel, check.outcome, check.explanation)
        for item in items
        for check in item.checks
    )
    return [(channel, outcome) for _, channel, outcome, _ in found]


def _count(number: int) -> Cell:
    return Cell(str(number), sort=float(number))


def _disagreements(view: View, items: Iterable[Finding]) -> Iterator[Html]:
    """Each once: a rule about a metric carries the checks of the metric's own finding."""
    told = dict.fromkeys(
        _said(view, item, check) for item in items for check in item.checks if check.outcome == DISAGREES
    )
    return (element("li", text) for text in told)


def _said(view: View, item: Finding, check: CrossCheck) -> Html:
    name = item.metrics[0] if len(item.metrics) == 1 else item.id
    fact = view.report.fact(name)
    if fact is None:
        return join((name, "; ", check.channel, ": ", check.explanation))
    where, value = anchor(name, f"#{name}"), blocks.number(fact)
    return join((where, ", measured ", value, "; ", check.channel, ": ", check.explanation))
