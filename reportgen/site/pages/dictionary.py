"""The data dictionary: every kind of metric with its unit, definition, method and caveat."""

from __future__ import annotations

from reportgen.model.exports.dictionary import ENTRIES
from reportgen.site import address, templating
from reportgen.site.address import Links
from reportgen.site.markup import anchor
from reportgen.site.pages import Page


def page(links: Links) -> Page:
    """One entry a kind of metric; reports link here from every table."""
    here = address.DICTIONARY
    markdown = templating.page(
        "dictionary.md.j2",
        entries=[
            (
                entry,
                address.metric_anchor(entry.pattern),
                anchor(entry.method.replace("-", " "), links.method(here, entry.method)),
            )
            for entry in ENTRIES
        ],
        formats=links.written(here, "data-formats.md"),
        glossary=links.written(here, "glossary.md"),
    )
    return Page(here, "Data dictionary", markdown)
