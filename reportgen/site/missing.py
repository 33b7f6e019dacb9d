"""What a reader finds at an address where there is no page: why that may be, and ways out.

The page is served for any address, so nothing on it may be relative to where it lies.
"""

from __future__ import annotations

from reportgen.site import address
from reportgen.site.address import Links
from reportgen.site.markup import Html, anchor, element, join

HEAD = "<h1>404 - Not found</h1>"
"""What the theme's page holds, and all of it."""


def page(html: str, base: str, links: Links) -> str:
    """The theme's page with a reason and links.

    Args:
        html: the page as the theme makes it; one without `HEAD` stays as it is.
        base: path of the site on its host, with a slash at both ends.
        links: addresses of pages, from the top of the site.
    """
    return html.replace(HEAD, _content(base, links), 1)


def _content(base: str, links: Links) -> Html:
    ways = [("Devices and their newest reports", address.DEVICES), ("Devices side by side", address.COMPARE)]
    if address.HOW_TO_READ in links.known:
        ways.append(("How to read a report", address.HOW_TO_READ))
    if address.GLOSSARY in links.known:
        ways.append(("Glossary", address.GLOSSARY))
    listed = join(element("li", anchor(text, base + links.url(uri))) for text, uri in ways)
    why = (
        "A report keeps its address as long as its run is in the data of this site. A run taken out, or one "
        "that only another copy of the site has, is not here. The search finds pages by their headings."
    )
    return join(
        (
            element("h1", "There is no page at this address"),
            element("p", why),
            element("ul", join((element("li", anchor("Home", base)), listed))),
        )
    )
