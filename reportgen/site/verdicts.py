"""How hypotheses ended, as pages show it: a word in a box, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import Conclusion
from reportgen.site.markup import Html, element, join


def mark(verdict: Verdict) -> Html:
    """The verdict as a word in a box."""
    return element("span", verdict.value, class_=f"rg-verdict rg-verdict-{verdict.value.replace(' ', '-')}")


def reason(conclusion: Conclusion) -> Html:
    """Why it ended so, where the rule alone does not say."""
    return element("span", conclusion.reason, class_="rg-reason") if conclusion.reason else Html("")


def counted(conclusions: Iterable[Conclusion]) -> Html:
    """How many ended how, as words in a row."""
    counts = Counter(one.verdict for one in conclusions)
    return join((join((element("b", counts[one]), mark(one)), " ") for one in Verdict if counts[one]), " ")
