"""How to cite a report: text and BibTeX, with date, digest and licence of the data."""

from __future__ import annotations

from reportgen import __version__
from reportgen.model.exports import bibtex, heading
from reportgen.site import address
from reportgen.site.markup import element, preformatted
from reportgen.site.view import Section, View


def section(view: View, site_url: str) -> Section:
    """Block to copy; the address is the one that this version keeps."""
    run = view.report.run
    url = ""
    if site_url:
        page = view.links.url(address.run_page(run.device.id, run.run))
        url = f"{site_url.rstrip('/')}/{page}"
    text = (
        f"{heading.title(view.report.architecture)}. Run {run.run} of {run.created[:10]}, "
        f"suite version {run.suite.get('version', '?')}, reportgen {__version__}. "
        f"{url + '. ' if url else ''}"
        f"sha256 of run.json: {view.report.digest}. Data licence: {heading.DATA_LICENCE}."
    )
    entry = bibtex.encode(view.report.architecture, url, view.report.digest).decode()
    return Section(
        "cite",
        "Cite this page",
        (
            element("p", text, class_="rg-cite"),
            preformatted(entry.rstrip()),
        ),
    )
