"""How the hypotheses of the suite ended, in short: counts, and those that were not supported."""

from __future__ import annotations

from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import Conclusion
from reportgen.site import address, verdicts
from reportgen.site.markup import Html, anchor, element, fold, join
from reportgen.site.view import Section, View, present

FEW = 6
"""So many that were not supported are listed openly; more are folded."""


def section(view: View) -> Section | None:
    """Counts, what was not supported and why, and the way to the whole table."""
    ended = view.report.conclusions
    if not ended:
        return None
    run = view.report.run
    whole = anchor(
        "All of them, with rule and reason", view.page(address.hypotheses_page(run.device.id, run.run))
    )
    across = anchor("beside other devices", view.page(address.HYPOTHESES))
    intro = element("p", join((verdicts.counted(ended.values()), " ", whole, ", ", across, ".")))
    against = [one for one in ended.values() if one.verdict is Verdict.NOT_SUPPORTED]
    groups: dict[str, list[Conclusion]] = {}
    for one in against:
        groups.setdefault(one.hypothesis, []).append(one)
    lines = join(_group(view, hypothesis, some) for hypothesis, some in groups.items())
    listed = element("ul", lines, class_="rg-stated") if lines else Html("")
    title = f"Not supported by this run ({len(against)})"
    if len(against) > FEW:
        listed = fold(title, listed)
    elif against:
        listed = join((element("p", element("b", title)), listed))
    return Section("hypotheses", "Hypotheses", present((intro, listed)))


def _group(view: View, hypothesis: str, some: list[Conclusion]) -> Html:
    """One sentence with every probe that speaks against it, and why."""
    probes = join(
        (join((anchor(one.probe, view.probe(one.probe)), ": ", verdicts.reason(one))) for one in some), "; "
    )
    return element("li", join((f"“{hypothesis.rstrip('.')}”. ", probes)))
