"""HTML that a Markdown parser made of generated pages, kept while a page and its settings stay as they are.

A server builds the whole site again for one new run.  Most of its pages are those of runs that nothing
changes, and parsing them anew takes longer than all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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


class Conversions:
    """Pages by their source path; of each the last conversion."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, str, Converted]] = {}

    def recall(self, uri: str, settings: str, markdown: str) -> Converted | None:
        """The conversion of the same text under the same settings; None where either changed."""
        before = self._kept.get(uri)
        return before[2] if before is not None and before[:2] == (settings, markdown) else None

    def keep(self, uri: str, settings: str, markdown: str, converted: Converted) -> None:
        """Remember a conversion; the one before is forgotten."""
        self._kept[uri] = (settings, markdown, converted)
