"""Blocks of HTML that need not go through a Markdown parser.

A generated page is mostly tables that are HTML already; parsing them costs more than all the rest of
a build.  `stash` puts a short mark in place of each long block, `restore` puts
the blocks back into what the parser made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONG = 300
"""Characters from which a block is worth a detour."""

HEAD = 600
"""Characters within which a table says whether it may be searched."""

_MARK = '<div data-reportgen="{}"></div>'
_MARKS = re.compile(r'<div data-reportgen="(\d+)"></div>')
_IDS = re.compile(r' id="([^"]+)"')


def stash(markdown: str) -> tuple[str, list[str]]:
    """Markdown with marks, and the blocks that they stand for."""
    blocks: list[str] = []
    parts = markdown.split("\n\n")
    for place, part in enumerate(parts):
        if len(part) > LONG and part.startswith("<"):
            block = part.rstrip("\n")
            parts[place] = _MARK.format(len(blocks)) + part[len(block) :]
            blocks.append(block)
    return "\n\n".join(parts), blocks


def restore(html: str, blocks: Sequence[str], *, silent: bool = True) -> str:
    """The page with its blocks back in place; without `silent`, tables of data stay out."""

    def put(match: re.Match[str]) -> str:
        block = blocks[int(match.group(1))]
        return block if silent or not is_silent(block) else match.group()

    return _MARKS.sub(put, html)


def is_silent(block: str) -> bool:
    """Whether a block is a table of data: it says of itself that no search shall read it."""
    return block.startswith('<div class="rg-table"') and "data-search-exclude" in block[:HEAD]


def anchors(blocks: list[str]) -> set[str]:
    """Ids in the blocks: what links may lead to, and the parser did not see."""
    return {name for block in blocks for name in _IDS.findall(block)}
