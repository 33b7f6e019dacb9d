"""Vocabulary that no sentence of a report may use, and a reader that looks for it.

A measurement shows what happened, not which unit did it.  Units have one spelling each: FLOP, FLOP/s,
FLOP/byte, OP, OP/s, OP/byte, byte and B/s; decimal prefixes for what is moved and for rates, binary ones for
what a memory holds.  `offences` reads plain text,
`offences_in_html` what a reader sees of a rendered page; words inside `<code>`, `<pre>`, `<script>`,
`<style>` and `<svg>` are machine text and are passed over.  What others have printed stands in `<q>` with
their units, and may claim no more than we do.
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
    needs: tuple[str, ...] = ()
    """The phrase holds one of these, in small letters where its case is free; most pages hold none."""

    def may_be_in(self, text: str, small: str) -> bool:
        """Whether the phrase is worth looking for: much quicker than to look."""
        where = small if self.pattern.flags & re.IGNORECASE else text
        return not self.needs or any(word in where for word in self.needs)


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

CLAIMS: tuple[Ban, ...] = (
    Ban(
        "same unit",
        _words(
            r"(?:use|uses|using|share|shares|sharing|occupy|occupies)\s+(?:the\s+same|one|a\s+single)\s+"
            r"(?:\w+\s+)?(?:unit|port|pipe|pipeline|alu|resource)s?"
        ),
        _SHARES,
    ),
    Ban(
        "same execution unit",
        _words(r"same\s+execution\s+(?:unit|port|pipe|pipeline)s?"),
        _SHARES,
        ("execution",),
    ),
    Ban("executed by", _words(r"(?:is|are|was|were)\s+executed\s+(?:by|on)"), _SHARES, ("executed",)),
    Ban("runs on a port", _words(r"(?:run|runs|execute|executes)\s+on\s+port\s+\w+"), _SHARES),
    Ban("proves", _words(r"proves?|proved|proven|proof\s+that"), _SURE, ("prove", "proof")),
    Ban(
        "caused by",
        _words(r"(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:caused\s+by|due\s+to)"),
        _SURE,
        ("caused", "due"),
    ),
    Ban("because of the", _words(r"because\s+of\s+(?:the|its|their)"), _SURE, ("because",)),
    Ban(
        "certainty",
        _words(r"definitely|certainly|undoubtedly|obviously|must\s+be\s+because"),
        _SURE,
        ("definitely", "certainly", "undoubtedly", "obviously", "because"),
    ),
)

_DECIMAL = "decimal prefixes for rates: kB/s, MB/s, GB/s, TB/s"
_BINARY = "binary prefixes for what a memory holds: KiB, MiB, GiB"
_HOLDS = r"(?:capacity|capacities|working\s+set|footprint|cache\s+size|size\s+of\s+the\s+cache|fits\s+in)"
_PLACE = r"(?:caches?|L[1-3]|shared\s+memory|register\s+file|of\s+(?:cache|shared\s+memory|registers))"
_NUMBER = r"(?<![\w.])\d[\d.,]*\s?"

UNITS: tuple[Ban, ...] = (
    Ban(
        "spelling of FLOP/s",
        re.compile(r"\b[kMGTPE]?(?:FLOP[Ss]|Flop[Ss]?|flops)(?!\w)|\b[kKMGTPEgmt]flop(?!\w)"),
        "FLOP for a count, FLOP/s for a rate, OP/s for integers",
        ("FLOPS", "FLOPs", "Flop", "flop"),
    ),
    Ban(
        "spelling of OP/s",
        re.compile(r"\b[kMGTPE]?OP[Ss](?!\w)|" + _NUMBER + r"[kMGTPE]ops(?!\w)"),
        "OP for a count of integer work, OP/s for a rate",
    ),
    Ban(
        "spelling of FLOP/byte",
        re.compile(r"(?:FLOP|\bOP)/(?:B|Bytes?|bytes)(?!\w)"),
        "FLOP/byte, OP/byte",
        ("OP/B", "OP/bytes"),
    ),
    Ban(
        "second written out",
        # `FLOP/second`, without a prefix, is the unit that data are in.
        re.compile(
            r"(?:FLOP|\bOP|\b[kMGTPE]?B)/sec(?!\w)|\b[kMGTPE](?:FLOP|OP|B)/second|\b[kMGTPE]?Bps(?!\w)"
        ),
        "FLOP/s, OP/s, B/s",
        ("/sec", "Bps"),
    ),
    Ban(
        "binary prefix of a rate",
        re.compile(r"\b[KMGTP]i(?:B|bytes?)(?:ps(?!\w)|/s|\s+(?:per|a)\s+second)"),
        _DECIMAL,
    ),
    Ban(
        "binary prefix of work",
        re.compile(r"\b[KMGTP]i(?:FLOP|OP)(?!\w)"),
        "kFLOP, MFLOP, GFLOP, TFLOP",
        ("iFLOP", "iOP"),
    ),
    Ban(
        "bits",
        re.compile(_NUMBER + r"[kKMGTP]b(?:/s|ps)?(?!\w)"),
        "bytes: kB, MB, GB; B is a byte",
        tuple(f"{prefix}b" for prefix in "kKMGTP"),
    ),
    Ban(
        "large K",
        re.compile(r"(?<!\w)\d*\s?KB(?!\w)"),
        "KiB for a capacity, kB for bytes that move",
        ("KB",),
    ),
    Ban(
        "decimal prefix of a capacity",
        re.compile(
            rf"\b{_HOLDS}\b[^.;:\n]{{0,24}}?{_NUMBER}[kMGT]B(?![\w/])|{_NUMBER}[kMGT]B\s+{_PLACE}\b",
            re.IGNORECASE,
        ),
        _BINARY,
    ),
)

BANS = (*CLAIMS, *UNITS)


def offences(text: str, bans: tuple[Ban, ...] = BANS) -> tuple[Offence, ...]:
    """Every phrase in `text` that no sentence may use, in reading order."""
    found = []
    small = text.lower()
    for ban in bans:
        for match in ban.pattern.finditer(text) if ban.may_be_in(text, small) else ():
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
    text = visible_text(page)
    # Nearly every page quotes nothing, and is read once.
    own = visible_text(page, quotations=False) if "<q" in page.lower() else text
    found = (*offences(text, CLAIMS), *offences(own, UNITS))
    return tuple(sorted(found, key=lambda offence: offence.position))


def visible_text(page: str, *, quotations: bool = True) -> str:
    """Text of a page without tags, scripts, styles, drawings and code; blocks become lines.

    Quoted words are left blank without `quotations`, so that a position is the same with and without.
    """
    reader = _Reader(quotations)
    reader.feed(page)
    reader.close()
    return "".join(reader.parts)


_SILENT = frozenset({"script", "style", "code", "pre", "svg", "template", "noscript"})
_INLINE = frozenset({"a", "abbr", "b", "em", "i", "mark", "q", "small", "span", "strong", "sub", "sup"})
_SPOKEN_ATTRIBUTES = frozenset({"alt", "title", "aria-label"})


class _Reader(HTMLParser):
    """Collects visible text; `depth` counts the silent elements that are open, `quoted` the quotations."""

    def __init__(self, quotations: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.depth = 0
        self.quoted = 0
        self.quotations = quotations

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.quoted += tag == "q"
        if tag in _SILENT:
            self.depth += 1
        elif not self.depth:
            self._open(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.depth and tag not in _SILENT:
            self._open(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.quoted = max(0, self.quoted - (tag == "q"))
        if tag in _SILENT:
            self.depth = max(0, self.depth - 1)
        elif not self.depth and tag not in _INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.depth:
            seen = self.quotations or not self.quoted
            self.parts.append(data if seen else " " * len(data))

    def _open(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self.parts.append("\n")
        self.parts.extend(f"\n{text}\n" for name, text in attrs if text and name in _SPOKEN_ATTRIBUTES)
