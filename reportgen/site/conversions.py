"""HTML that a Markdown parser made of pages, kept while a page and what it is converted by stay as they are.

A server builds the whole site again for one new run.  Most of its pages are hand-written or those of runs
that nothing changes, and parsing them anew takes longer than all the rest.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

_TARGETS = re.compile(r"""(?:\]\(|\]:|(?:href|src)=["']?)\s*(?:<([^>]*)>|([^\s)>"']+))""")
"""Where links and images lead to: inline, by reference, in HTML."""


@dataclass(frozen=True)
class Converted:
    """What a parser gave for one page."""

    html: str
    """With marks in place of the blocks that no search shall read."""
    blocks: tuple[str, ...]
    """What the marks stand for."""
    toc: Any
    """Table of contents, as the site generator has it."""
    anchors: frozenset[str]
    title: str = ""
    """What the page is called, where the parser decided it."""
    links: tuple[tuple[str, dict[str, str]], ...] = ()
    """Anchors of other pages that it leads to, by source path: which anchor, and how it is written."""


class Conversions:
    """Pages by their source path; of each the last conversion."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[tuple[object, ...], Converted]] = {}

    def recall(self, uri: str, parts: tuple[object, ...]) -> Converted | None:
        """The conversion of the same parts (text, settings, ...); None where one of them changed."""
        before = self._kept.get(uri)
        return before[1] if before is not None and before[0] == parts else None

    def keep(self, uri: str, parts: tuple[object, ...], converted: Converted) -> None:
        """Remember a conversion; the one before is forgotten."""
        self._kept[uri] = parts, converted


def linked(uri: str, markdown: str, files: Container[str]) -> frozenset[str]:
    """The files that the page at `uri` leads to: how a link is converted depends on whether it is there."""
    folder = posixpath.dirname(uri)
    targets = (unquote((one or other).partition("#")[0]) for one, other in _TARGETS.findall(markdown))
    paths = {posixpath.normpath(posixpath.join(folder, target)) for target in targets if target}
    return frozenset(path for path in paths if path in files)
