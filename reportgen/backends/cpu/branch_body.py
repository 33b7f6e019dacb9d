"""Bodies made for the front end: branches, and rounds of short loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Branches:
    """A body with branches, and what stands around it.  Lines that end in a colon are labels."""

    body: tuple[str, ...]
    init: tuple[str, ...] = ()
    """Before the first time stamp of a round."""
    save: tuple[str, ...] = ()
    """After the last time stamp."""


def in_turn(count: int, *kinds: Sequence[str]) -> tuple[str, ...]:
    """`count` lines, of each kind in turn; each kind's own lines follow each other in a circle."""
    return tuple(
        kinds[at % len(kinds)][at // len(kinds) % len(kinds[at % len(kinds)])] for at in range(count)
    )
