"""The page of a run that could not be read: it says which, why, and what to do."""

from __future__ import annotations

from reportgen.site import address, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Entry, Shelf
from reportgen.site.pages import Page


def page(here: str, shelf: Shelf, entry: Entry, links: Links) -> Page:
    """The error page of one run, at the run's address or at its device's."""
    title = f"{shelf.name}: result could not be read"
    markdown = templating.page(
        "broken.md.j2",
        title=title,
        entry=entry,
        versions=links.to(here, address.versions_page(shelf.device)),
    )
    return Page(here, title, markdown)
