"""Vocabulary that no sentence of a report may use, and a reader that looks for it.

A measurement shows what happened, not which unit did it.  `offences` reads plain text,
`offences_in_html` what a reader sees of a rendered page; words inside `<code>`, `<pre>`, `<script>`,
`<style>` and `<svg>` are quotations or machine text and are passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

CONTEXT = 60
"""Characters shown on either side of an offence."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A phrase that claims more than the evidence, and what to say instead."""

    name: str
    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True, slots=True)
class Offence:
    """Where a ban was met."""

    ban: str
    phrase: str
    context: str
    position: int
    """Character offset in the text that a reader sees."""
    instead: str


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


_SHARES = "say: consistent with competition for a shared internal resource"
_SURE = "state the claim level, the interval and the alternatives"

BANS: tuple[Ban, ...] = (
    Ban(
        "same unit",
        _words(
            r"(?:use|uses|using|share|shares|sharing|occupy|occupies)\s+(?:the\s+same|one|a\s+single)\s+"
            r"(?:\w+\s+)?(?:unit|port|pipe|pipeline|alu|resource)s?"
        ),
        _SHARES,
    ),
    Ban("same execution unit", _words(r"same\s+execution\s+(?:unit|port|pipe|pipeline)s?"), _SHARES),
    Ban("executed by", _words(r"(?:is|are|was|were)\s+executed\s+(?:by|on)"), _SHARES),
    Ban("runs on a port", _words(r"(?:run|runs|execute|executes)\s+on\s+port\s+\w+"), _SHARES),
    Ban("proves", _words(r"proves?|proved|proven|proof\s+that"), _SURE),
    Ban("caused by", _words(r"(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:caused\s+by|due\s+to)"), _SURE),
    Ban("because of the", _words(r"because\s+of\s+(?:the|its|their)"), _SURE),
    Ban("certainty", _words(r"definitely|certainly|undoubtedly|obviously|must\s+be\s+because"), _SURE),
    Ban(
        "spelling of FLOP/s",
        re.compile(r"\b[kMGTPE]?FLOP[Ss](?!\w)|\b[kMGTPE]?flops/s(?!\w)"),
        "FLOP for a count, FLOP/s for a rate, OP/s for integers",
    ),
)


def offences(text: str) -> tuple[Offence, ...]:
    """Every phrase in `text` that no sentence may use, in reading order."""
    found = []
    for ban in BANS:
        for match in ban.pattern.finditer(text):
            start, end = match.span()
            context = text[max(0, start - CONTEXT) : end + CONTEXT]
            found.append(
                Offence(
                    ban=ban.name,
                    phrase=" ".join(match.group().split()),
                    context=" ".join(context.split()),
                    position=start,
                    instead=ban.instead,
                )
            )
    return tuple(sorted(found, key=lambda offence: offence.position))


def offences_in_html(page: str) -> tuple[Offence, ...]:
    """The offences in what a reader sees of a page, alternative texts and titles included."""
    return offences(visible_text(page))


def visible_text(page: str) -> str:
    """Text of a page without tags, scripts, styles, drawings and quoted code; blocks become lines."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return "".join(reader.parts)


_SILENT = frozenset({"script", "style", "code", "pre", "svg", "template", "noscript"})
_INLINE = frozenset({"a", "abbr", "b", "em", "i", "mark", "small", "span", "strong", "sub", "sup"})
_SPOKEN_ATTRIBUTES = frozenset({"alt", "title", "aria-label"})


class _Reader(HTMLParser):
    """Collects visible text; `depth` counts the silent elements that are open."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self.depth += 1
        elif not self.depth:
            self._open(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.depth and tag not in _SILENT:
            self._open(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self.depth = max(0, self.depth - 1)
        elif not self.depth and tag not in _INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.depth:
            self.parts.append(data)

    def _open(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self.parts.append("\n")
        self.parts.extend(f"\n{text}\n" for name, text in attrs if text and name in _SPOKEN_ATTRIBUTES)
