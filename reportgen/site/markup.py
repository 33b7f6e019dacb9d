"""HTML that is already safe, told apart from text that is not.

Templates escape every string but `Html`; whatever comes from a run (names, reasons, questions) is
escaped on its way in.  Blocks hold no blank line and start with a block element, so that Markdown
passes them on untouched.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable


class Html(str):
    """Markup that needs no more escaping; Jinja2 knows it by `__html__`."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def escape(text: object) -> Html:
    """`text` as HTML; `Html` stays as it is."""
    if isinstance(text, Html):
        return text
    return Html(html.escape(str(text)).replace("\n", " "))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after the other, each escaped unless it is markup."""
    return Html(between.join(escape(part) for part in parts))


def element(tag: str, content: object, **attributes: object) -> Html:
    """`<tag a="...">content</tag>`; `class_` is written `class`, `_` becomes `-`, None is left out."""
    return Html(f"<{tag}{_attributes(attributes)}>{escape(content)}</{tag}>")


def void(tag: str, **attributes: object) -> Html:
    """An element without content."""
    return Html(f"<{tag}{_attributes(attributes)}>")


def _attributes(attributes: dict[str, object]) -> str:
    parts = []
    for name, value in attributes.items():
        if value is None:
            continue
        key = name.rstrip("_").replace("_", "-")
        parts.append(f" {key}" if value is True else f' {key}="{escape(value)}"')
    return "".join(parts)


def anchor(text: object, url: str) -> Html:
    """A link, or the bare text where there is nothing to link to."""
    return element("a", text, href=url) if url else escape(text)


def fold(summary: object, content: object, *, opened: bool = False) -> Html:
    """A part that opens on demand; print shows what is open."""
    return element(
        "details",
        join((element("summary", summary), content)),
        class_="rg-fold",
        open=True if opened else None,
        data_search_exclude=True,
    )


def code(text: object) -> Html:
    """A machine word in running text."""
    return element("code", text)


def preformatted(text: str) -> Html:
    """A listing: line ends kept, blank lines given a space so that Markdown sees one block."""
    body = re.sub(r"\n(?=\n)", "\n ", html.escape(text).rstrip())
    return Html(f'<pre class="rg-listing" tabindex="0"><code>{body}</code></pre>')


def facts(pairs: Iterable[tuple[object, object]]) -> Html:
    """Term and value, pair by pair, as a definition list."""
    body = join(join((element("dt", term), element("dd", value))) for term, value in pairs)
    return element("dl", body, class_="rg-facts")
