"""One file a kind of page; each gives a `Page` and knows nothing of the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page to be written: its source path below the docs folder, its title, its Markdown."""

    uri: str
    title: str
    markdown: str
