"""What an access costs by where it lies.

Behind a store of the same bytes, across lines and pages, and behind a store whose address looks alike.
"""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording import access as words
from reportgen.model.architecture import Fact
from reportgen.site import blocks, practice
from reportgen.site.markup import Html, fold, join
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import significant

_NUMBERS = (
    Column("cycles", number=True),
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
CASES = (
    Column("store and load"),
    Column("the load reads", note="of what the store wrote"),
    *_NUMBERS,
)
BESIDE = (
    Column("access"),
    Column("added", number=True, note="cycles more than what it is compared with; none seen: below 1 %"),
    Column("times", number=True, note="over what it is compared with"),
    *_NUMBERS,
)
_READS = {
    "same": "all of it",
    "within": "a part",
    "beyond": "all of it and more",
    "across": "its end and what follows",
}


def section(view: View) -> Section | None:
    """Three parts, those that the run has."""
    children = present_sections(_forwarded(view), _split(view), _alias(view))
    if not children:
        return None
    told = view.stated(["store_to_load:groups", "store_to_load:learnt", "access.alias:low_bits"])
    parts = (told, view.intro("access"), practice.block(view, "access"))
    return Section("access", "Stores, loads and where they lie", present(parts), children)


def present_sections(*parts: Section | None) -> tuple[Section, ...]:
    """Those that are there."""
    return tuple(part for part in parts if part is not None)


def _of(view: View, kind: Kind, stem: str) -> list[Fact]:
    return [fact for fact in view.report.of(stem) if parse(fact.metric).kind is kind]


def _forwarded(view: View) -> Section | None:
    facts = _of(view, Kind.STORE_TO_LOAD, "store_to_load.")
    if not facts:
        return None
    groups = view.report.finding.get("store_to_load:groups")
    drawn = view.figure(
        "store_to_load",
        f"Heat map of {len(facts)} cases. {groups.sentence if groups else ''} The numbers are in the table.",
        "Cycles from one store to the next, by the width of the store (rows) and of the load (columns): from "
        "the first byte of the store on, its last bytes, or across its end. Deeper is longer; hatched: no "
        "such case.",
    )
    body = table("store_to_load", "From a store to a load of what it wrote.", CASES,
                 (_case(view, fact) for fact in facts), filtered=True)  # fmt: skip
    rules = ("store_to_load:groups", "store_to_load:learnt")
    return Section(
        "access.store_to_load", "From a store to a load", present((drawn, body, _evidence(view, rules)))
    )


def _evidence(view: View, rules: Iterable[str]) -> Html:
    """Inferences, which stand at the head of the section in short, with their alternatives."""
    found = [item for rule in rules if (item := view.report.finding.get(rule)) is not None]
    count = f"{len(found)} inference{'s' if len(found) != 1 else ''}"
    return fold(f"Evidence of {count}", join(view.findings(found, anchored=True))) if found else Html("")


def _case(view: View, fact: Fact) -> Row:
    name, details = parse(fact.metric), view.report.details(fact.metric)
    reads = _READS.get(str(details.get("place", "")), "–")
    title = Cell(view.term(fact.metric, words.case(name)), note=fact.metric)
    return Row((title, reads, *_cells(fact)), id=fact.metric, kind=rows.kind(fact))


def _cells(fact: Fact) -> tuple[Cell, ...]:
    return (
        blocks.bare_cell(fact),
        blocks.bare_interval_cell(fact),
        blocks.count_cell(fact.n),
        blocks.standing_cell(fact),
    )


def _beside(view: View, facts: Iterable[Fact]) -> Iterable[Row]:
    for fact in facts:
        name, details = parse(fact.metric), view.report.details(fact.metric)
        title = Cell(view.term(fact.metric, words.row(name)), note=fact.metric)
        added, factor = Cell("–"), Cell("–")
        if fact.value is not None and details.get("added"):
            value = details["added"][0]
            added = Cell(f"{value:+.3g}" if details["differs"] else "none seen", sort=value)
            factor = Cell(significant(details["factor"][0], 3), sort=details["factor"][0])
        yield Row((title, added, factor, *_cells(fact)), id=fact.metric, kind=rows.kind(fact))


def _split(view: View) -> Section | None:
    facts = _of(view, Kind.SPLIT, "access.split.")
    if not facts:
        return None
    body = table("split", "Accesses by their place; added: to the aligned one.", BESIDE, _beside(view, facts))
    longer = [fact.metric for fact in facts if view.report.details(fact.metric).get("differs")]
    longer.sort(key=lambda metric: -view.report.details(metric)["factor"][0])
    return Section("access.split", "Across lines and pages", present((view.stated(longer, 4), body)))


def _alias(view: View) -> Section | None:
    facts = _of(view, Kind.ALIAS, "access.alias.")
    if not facts:
        return None
    reference = next((view.report.details(f.metric).get("reference", "") for f in facts), "")
    caption = f"A load behind a store elsewhere; added: to a store {reference} bytes further on."
    body = table("alias", caption, BESIDE, _beside(view, facts))
    longer = [fact.metric for fact in facts if view.report.details(fact.metric).get("differs")]
    told = view.stated(longer or [fact.metric for fact in facts], 1)
    return Section(
        "access.alias",
        "Behind a store elsewhere",
        present((told, body, _evidence(view, ("access.alias:low_bits",)))),
    )
