"""Figures kept by what they show: a record that has been drawn before is not drawn again.

The key is a digest of the record and of the source of the drawing code, so a change of either
draws anew.  Files are written with `os.replace`: a killed render leaves no half a figure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from reportgen import caches
from reportgen.site.figures import style
from reportgen.site.files import write_if_changed

Record = TypeVar("Record", bound=msgspec.Struct)


class Drawn(msgspec.Struct, frozen=True):
    """One figure in both palettes, as text, with its size in CSS pixels."""

    light: str
    dark: str
    width: int
    height: int


@cache
def _code() -> bytes:
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def drawn(store: Path, name: str, record: Record, draw: Callable[[Record], str]) -> Drawn:
    """The figure of `record`, from `store` when it is there."""
    key = hashlib.sha256(_code() + name.encode() + msgspec.json.encode(record)).hexdigest()
    path = store / f"{name}-{key[:32]}.svg"
    try:
        light = path.read_text(encoding="utf-8")
        caches.touch(path)
    except FileNotFoundError:
        light = draw(record)
        write_if_changed(path, light.encode())
    width, height = style.viewbox(light)
    return Drawn(light=light, dark=style.recolour(light), width=width, height=height)
