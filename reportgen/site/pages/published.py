"""Figures that others have published: every one with its conditions and its citation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from reportgen.findings.published.library import Figure, Library, library
from reportgen.findings.published.weighing import decides
from reportgen.site import address, templating
from reportgen.site.address import Links
from reportgen.site.markup import Html, anchor, code, element, join
from reportgen.site.pages import Page
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.units import format_interval, format_value

COLUMNS = (
    Column("device"),
    Column("quantity"),
    Column("value", number=True, note="below it, as the source prints it where that differs"),
    Column("kind"),
    Column("tier", note="A may support or contradict a finding, B is only shown"),
    Column("conditions"),
    Column("source"),
)


def page(links: Links) -> Page:
    """All figures, then all sources."""
    shelf = library()
    here = address.PUBLISHED
    markdown = templating.page(
        "published.md.j2",
        count=len(shelf.figures),
        deciding=sum(map(decides, shelf.figures)),
        figures=figures("figures", "Published figures.", shelf.figures, here, links),
        sources=_sources(shelf),
        method=links.method(here, "cross-checks"),
        formats=links.written(here, "data-formats.md"),
    )
    return Page(here, "Published figures", markdown)


def figures(identity: str, caption: str, some: Iterable[Figure], here: str, links: Links) -> Html:
    """Some figures as a table on page `here`; each links to its source on the page of all of them."""
    shelf = library()
    rows = (_row(figure, shelf, here, links) for figure in some)
    return table(identity, caption, COLUMNS, rows, filtered=True)


def _row(figure: Figure, shelf: Library, here: str, links: Links) -> Row:
    core = shelf.cores[figure.architecture]
    low, high = figure.ends
    shown = format_value(figure.value, figure.unit)
    if low < high:
        shown = format_interval(low, high, figure.unit)
    cited = anchor(
        shelf.sources[figure.source].short, links.to(here, address.PUBLISHED, source_anchor(figure.source))
    )
    place = _place(figure.address)
    printed = "" if figure.printed == shown else figure.printed
    return Row(
        (
            Cell(join((figure.device, _below(core.title))), note=core.architecture),
            Cell(anchor(figure.quantity, links.term(here, figure.metric)), note=figure.metric),
            Cell(join((shown, _below(_quoted(printed)))), sort=figure.value),
            Cell(figure.kind.value),
            Cell(figure.tier.value, note="" if decides(figure) else "decides nothing"),
            Cell(_quoted(figure.conditions)),
            Cell(join((cited, place), ", ") if place else cited),
        )
    )


def _below(text: object) -> Html:
    return element("span", text, class_="rg-note") if text else Html("")


def _quoted(text: str) -> Html:
    """Words and units of others, as they printed them."""
    return element("q", text, class_="rg-quoted") if text else Html("")


def _place(where: str) -> Html:
    """A link to the place in the source, as far as its address is one of the web."""
    if not where:
        return Html("")
    github = re.fullmatch(r"(github\.com/[^/@]+/[^/@:]+)(?:@(\w+))?:(.+)", where)
    if github is not None:
        repository, commit, path = github.groups()
        path, mark, lines = path.partition("#")
        url = f"https://{repository}/blob/{commit or 'HEAD'}/{quote(path)}{mark}{lines}"
        return anchor("file", url)
    if re.fullmatch(r"[a-z0-9.-]+\.[a-z]+/\S+", where):
        return anchor("page", f"https://{where}")
    return code(where)


def source_anchor(source: str) -> str:
    """Anchor of a source on the page of published figures."""
    return f"source-{re.sub(r'[^a-z0-9-]', '-', source)}"


def _sources(shelf: Library) -> Html:
    counts = {source: sum(figure.source == source for figure in shelf.figures) for source in shelf.sources}
    rows = (
        Row((Cell(source.short), Cell(source.citation), Cell(str(counts[key]), sort=float(counts[key]))),
            id=source_anchor(key))
        for key, source in shelf.sources.items()
    )  # fmt: skip
    columns = (Column("short"), Column("source"), Column("figures", number=True))
    return table("sources", "Sources of the published figures.", columns, rows)
