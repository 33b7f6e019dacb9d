"""What straight code of any size is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Filler:
    """What straight code of any size is made of: a few independent instructions, over and over."""

    unit: bytes
    """Whole instructions, 4 bytes; or 8, of which the last four are zero."""
    opcode: str
    """Of each of its instructions."""
    instructions: int
    """In a unit."""
    init: str
    """Code before the first time stamp of a round."""

    @property
    def length(self) -> int:
        """Bytes of an instruction."""
        return len(self.unit) // self.instructions


@dataclass(frozen=True)
class Branches:
    """A body with branches, and what stands around it.  Lines that end in a colon are labels."""

    body: tuple[str, ...]
    init: tuple[str, ...] = ()
    """Before the first time stamp of a round."""
    save: tuple[str, ...] = ()
    """After the last time stamp."""
