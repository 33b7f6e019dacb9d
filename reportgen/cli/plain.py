"""Output whose encoding lacks a character: a plain spelling stands in, and nothing fails."""

from __future__ import annotations

import codecs
import io
import sys

NAME = "reportgen.plain"
"""Of the error handler, as `codecs` knows it."""
SPELT = {
    "…": "...",
    "–": "-",
    "−": "-",
    "─": "-",
    "×": "x",
    "·": "*",
    "µ": "u",
    "±": "+-",
    "≥": ">=",
    "≤": "<=",
    "→": "->",
    "’": "'",
}
"""What stands in for a character; `?` for any other."""


def spell(error: UnicodeError) -> tuple[str, int]:
    """Handler for `codecs`: the plain spelling of what cannot be encoded, and where to go on.

    Raises:
        UnicodeError: it was not encoding that failed.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(SPELT.get(one, "?") for one in error.object[error.start : error.end]), error.end


def settle() -> None:
    """Let standard output and error fall back to plain spellings; in UTF-8 nothing changes.

    ASCII is taken for UTF-8 that was not set up, as click does in what it prints.
    """
    codecs.register_error(NAME, spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if ascii_only else stream.encoding, errors=NAME)
