"""How to cite a report: text and BibTeX, with date, digest and licence of the data."""

from __future__ import annotations

from reportgen import __version__
from reportgen.site import address
from reportgen.site.markup import Html, element, preformatted
from reportgen.site.view import Section, View

LICENCE = "CC-BY-4.0"


def section(view: View, site_url: str) -> Section:
    """Block to copy; the address is the one that this version keeps."""
    run = view.report.run
    day = run.created[:10]
    url = ""
    if site_url:
        page = view.links.url(address.run_page(run.device.id, run.run))
        url = f"{site_url.rstrip('/')}/{page}"
    kind = "Toolchain reference" if run.toolchain_only else "Measured architecture report"
    title = f"{kind}: {run.device.name}"
    text = (
        f"{title}. Run {run.run} of {day}, suite version {run.suite.get('version', '?')}, "
        f"reportgen {__version__}. {url + '. ' if url else ''}"
        f"sha256 of run.json: {view.report.digest}. Data licence: {LICENCE}."
    )
    lines = [
        f"@misc{{reportgen-{run.device.id}-{run.run},",
        f"  title        = {{{title}}},",
        f"  year         = {{{day[:4]}}},",
        f"  month        = {{{day[5:7]}}},",
        f"  version      = {{{run.run}}},",
        f"  howpublished = {{reportgen {__version__}, suite {run.suite.get('version', '?')}}},",
        *([f"  url          = {{{url}}},"] if url else []),
        f"  note         = {{sha256 of run.json: {view.report.digest}; data licence {LICENCE}}}",
        "}",
    ]
    return Section(
        "cite",
        "Cite this page",
        (
            element("p", text, class_="rg-cite"),
            _copyable(preformatted("\n".join(lines))),
        ),
    )


def _copyable(block: Html) -> Html:
    """A listing with a place for the copy button that the script adds."""
    return element("div", block, class_="rg-copy")
