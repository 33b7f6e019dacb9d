"""HTML that is already safe, told apart from text that is not.

Templates escape every string but `Html`; whatever comes from a run (names, reasons, questions) is
escaped on its way in.  Blocks hold no blank line and start with a block element, so that Markdown
passes them on untouched.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import cache

_SPECIAL = re.compile(r"[&<>\"'\n]")
"""What a text may not hold as it is."""
_JOINT = re.compile(r"[/_]|(?<=\w)\.(?=\w)")
"""Where a name may be broken."""


class Html(str):
    """Markup that needs no more escaping; Jinja2 knows it by `__html__`."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def escape(text: object) -> Html:
    """`text` as HTML; `Html` stays as it is."""
    return text if isinstance(text, Html) else Html(escaped(text))


def escaped(text: object) -> str:
    """The same as a plain string, for what goes into a larger piece at once: a site has millions of them."""
    if isinstance(text, Html):
        return text
    plain = text if isinstance(text, str) else str(text)
    # Most texts hold nothing to replace: one look is quicker than a replacement for each character.
    return html.escape(plain).replace("\n", " ") if _SPECIAL.search(plain) else plain


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after the other, each escaped unless it is markup."""
    return Html(between.join([part if type(part) is Html else escaped(part) for part in parts]))


def element(tag: str, content: object, **attributes: object) -> Html:
    """`<tag a="...">content</tag>`; `class_` is written `class`, `_` becomes `-`, None is left out."""
    inner = content if type(content) is Html else escaped(content)
    return Html(f"<{tag}{_attributes(attributes) if attributes else ''}>{inner}</{tag}>")


def void(tag: str, **attributes: object) -> Html:
    """An element without content."""
    return Html(f"<{tag}{_attributes(attributes)}>")


def _attributes(attributes: dict[str, object]) -> str:
    return "".join(
        [
            f" {_key(name)}" if value is True else f' {_key(name)}="{escaped(value)}"'
            for name, value in attributes.items()
            if value is not None
        ]
    )


@cache
def _key(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


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


def breakable(text: str) -> Html:
    """A path or a name of many words, which a narrow column may break after each of them."""
    return Html(_JOINT.sub(r"\g<0><wbr>", escaped(text)))


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
