"""What stands out: contradictions first, then what rules say, then what is inferred."""

from __future__ import annotations

from reportgen.findings.finding import Finding
from reportgen.site.markup import Html, element, fold, join
from reportgen.site.sections import standing
from reportgen.site.view import Section, View, present

ELSEWHERE = (
    *("sharing:", "scaling:", "hypothesis:", "resource:", "holds:"),
    *("groups:", "pairs:"),
    *("store_to_load:", "access.alias:", "replacement:", "prefetch:"),
)
"""Rules about pairs, about cores and about what fills one, and hypotheses, stand in sections of their own."""

FIRST = ("drift", "acceptance", "transients", "reported", "probes", "pages", "operands")
"""Rules in the order in which a reader needs them."""

CONTRADICTIONS, RULES = 6, 12
"""So many are shown; further ones are folded."""


def section(view: View) -> Section:
    """The findings that no table row carries, and every contradiction."""
    chosen = select(view.report.findings)
    failed = [item for item in chosen if item.contradictions]
    rules = [item for item in chosen if not item.contradictions]
    verdicts = sum(item.id.startswith("hypothesis:") for item in view.report.findings)
    numbers = len(standing.about_numbers(view.report.findings))
    intro = view.intro("findings", numbers=numbers, verdicts=verdicts)
    others = standing.channels(view)
    children = (Section("cross-checks", "Cross-checks", (others,)),) if others else ()
    if not chosen:
        nothing = element("p", "No contradiction was found, and no rule speaks of several metrics.")
        return Section("findings", "Findings", (intro, nothing), children)
    parts = _contradictions(view, failed)
    parts += [*view.findings(rules[:RULES]), _rest(view, rules[RULES:])]
    return Section("findings", "Findings", present((intro, *parts)), children)


def _contradictions(view: View, failed: list[Finding]) -> list[Html]:
    """Each gate that was not passed, once, with the findings that it makes doubtful under it."""
    concerned: dict[str, list[Finding]] = {}
    for item in failed:
        for text in item.contradictions:
            concerned.setdefault(text, []).append(item)
    boxes = []
    for text, items in concerned.items():
        which = fold(f"Concerns {len(items)} of the findings", view.stated(item.id for item in items))
        content = join((element("b", "Contradiction."), text), " ")
        boxes.append(
            element("div", join((element("p", content), which)), class_="rg-finding rg-contradicted")
        )
    rest = join(boxes[CONTRADICTIONS:])
    more = fold(f"{len(boxes) - CONTRADICTIONS} further contradictions", rest) if rest else Html("")
    return [*boxes[:CONTRADICTIONS], more]


def _rest(view: View, items: list[Finding]) -> Html:
    """What would drown the page, in short and folded."""
    if not items:
        return Html("")
    return fold(f"{len(items)} further findings", view.stated(item.id for item in items))


def select(findings: tuple[Finding, ...]) -> list[Finding]:
    """Contradictions, then rules in the order of `FIRST`, then the others; surest first."""

    def rank(item: Finding) -> tuple[bool, int, float, str]:
        rule = item.id.partition(":")[0]
        place = FIRST.index(rule) if rule in FIRST else len(FIRST)
        return not item.contradictions, place, -item.confidence, item.id

    several = [
        item
        for item in findings
        if item.contradictions or (":" in item.id and not item.id.startswith(ELSEWHERE))
    ]
    return sorted(several, key=rank)
