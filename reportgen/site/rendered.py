"""Files of a rendered site, and runs that could not be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Rendered:
    """A file of the site: its source path below the docs folder and where its bytes lie."""

    uri: str
    path: Path
    title: str = ""
    """Of a page; empty for an asset."""


@dataclass(frozen=True)
class Warned:
    """A run that could not be read; its page says so too."""

    device: str
    run: str
    message: str
