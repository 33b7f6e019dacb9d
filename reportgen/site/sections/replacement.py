"""Which line a set gives up to make room: shares of misses, and which simulated policies fit them."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.replacement import Reading
from reportgen.findings.finding import Finding
from reportgen.findings.metric import Kind, parse
from reportgen.findings.replacement import by_level
from reportgen.findings.wording import replacement as words
from reportgen.model.architecture import Fact
from reportgen.site import blocks, replacement_shares
from reportgen.site.markup import Html
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import format_statistic

SEQUENCES = (
    Column("access sequence", note="one period; letters are lines of one set"),
    Column("visits that miss", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
POLICIES = (
    Column("policy"),
    Column("fits", note="no sequence excludes it"),
    Column("sequence", number=True, note="that excludes it by most"),
    Column("measured", number=True, note="share of misses"),
    Column("predicted", number=True, note="over the states that a set can begin in"),
)


def section(view: View) -> Section | None:
    """The sentence, a figure of shares and predictions, both tables; outer levels under it."""
    levels = by_level(view.report.evidence)
    first = levels.pop(replacement_shares.FIRST_LEVEL, None)
    outer = tuple(
        Section(
            f"replacement.{level}",
            f"Replacement in a set of {level.upper()}",
            present((*view.findings([_item(view, level)]), _shares(view, level), _fitting(found, level))),
        )
        for level, found in levels.items()
    )
    if first is None and not outer:
        return None
    parts = [view.intro("replacement")]
    if first is not None:
        level = replacement_shares.FIRST_LEVEL
        item = _item(view, level)
        drawn = view.figure(
            "replacement",
            f"Table of the shares of misses of {len(first.metrics)} access sequences, measured and as "
            f"replacement policies predict them. {item.sentence if item else ''}",
            "Share of the visits that miss, by access sequence (columns): measured, and as each policy "
            "predicts it. Coloured cells do not fit the measured share, the deeper the further off; a row "
            "without any fits.",
        )
        parts += [drawn, *view.findings([item]), _shares(view, level), _fitting(first, level)]
    return Section("replacement", "Replacement in a set", present(parts), outer)


def _item(view: View, level: str) -> Finding | None:
    return view.report.finding.get(f"replacement:{level}")


def _shares(view: View, level: str) -> Html:
    facts = [
        fact
        for fact in view.report.of(f"memory.{level}.misses.")
        if parse(fact.metric).kind is Kind.MISS_SHARE
    ]
    return table(
        _named("replacement", level),
        "Access sequences in one set, and the share of their visits that miss.",
        SEQUENCES,
        (_sequence(view, fact) for fact in facts),
    )


def _fitting(found: Reading, level: str) -> Html:
    return table(
        _named("replacement-policies", level), _caption(found), POLICIES, _policies(found), filtered=True
    )


def _named(name: str, level: str) -> str:
    return name if level == replacement_shares.FIRST_LEVEL else f"{name}-{level}"


def _sequence(view: View, fact: Fact) -> Row:
    name = parse(fact.metric)
    lines = words.sequence(str(view.report.details(fact.metric).get("sequence", "")))
    title = Cell(view.term(fact.metric, f"{words.number(name)}: {lines}"), note=fact.metric)
    share = interval = Cell("–")
    if fact.value is not None and fact.low is not None and fact.high is not None:
        share = Cell(format_statistic(fact.value, None, None, share=True), sort=fact.value)
        interval = Cell(f"{100 * fact.low:.1f} … {100 * fact.high:.1f} %")
    standing = (blocks.count_cell(fact.n), blocks.standing_cell(fact))
    return Row((title, share, interval, *standing), id=fact.metric, kind=rows.kind(fact))


def _caption(found: Reading) -> str:
    shown = len(replacement_shares.rows(found))
    rest = found.simulated - shown
    further = f" The other {rest} are excluded too." if rest else ""
    return f"Simulated policies of a set of {found.ways} ways, {shown} of {found.simulated}.{further}"


def _policies(found: Reading) -> Iterator[Row]:
    excluded = {one.policy: one for one in found.excluded}
    for name in replacement_shares.rows(found):
        title = Cell(words.policy(name), note=name)
        one = excluded.get(name)
        if one is None:
            yield Row((title, "yes", "–", "–", "–"))
            continue
        low, high = one.predicted
        predicted = f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} … {high:.2f}"
        which = words.number(parse(one.metric))
        yield Row((title, "no", which, f"{one.measured:.2f}", predicted))
