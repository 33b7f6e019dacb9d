"""A body of the timed frame that is made of the user's own code, and how its instructions are spelled."""

from __future__ import annotations

import re
from dataclasses import dataclass

DATA = "[values]"
ABSOLUTE = re.compile(r"\[(?:rel )?[0-9][0-9A-Fa-f]*h?\]")
"""An address as the decoder writes it where a label named it."""


@dataclass(frozen=True)
class OwnBody:
    """Lines about and in the timed region."""

    start: tuple[str, ...]
    """Registers get what they start with, then what the user sets, then what returns is put aside."""
    before: tuple[str, ...]
    """What returns to its start before the rounds, and the counter of jumps."""
    round: tuple[str, ...]
    after: tuple[str, ...]
    """Counter and jump."""
    constants: tuple[str, ...]
    expected: tuple[str, ...]
    """Every instruction of the timed region as the decoder spells it, see `plain`."""


def plain(text: str, flow: str, jump: int, named: bool) -> str:
    """The decoder's text without what depends on where the instruction lies.

    Args:
        text: of the decoder.
        flow: `conditional` or `jump` where it is a direct branch.
        jump: bytes from its beginning to where the branch leads.
        named: whether it names data by their distance from the code.
    """
    if flow in ("conditional", "jump"):
        return f"{text.split()[0]} {jump:+d}"
    return ABSOLUTE.sub(DATA, text) if named else text
