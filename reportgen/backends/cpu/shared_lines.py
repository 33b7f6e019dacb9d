"""Bodies of threads that share lines: what is asked of an ISA, and what it makes of it."""

from __future__ import annotations

from dataclasses import dataclass

BUDGET = 1 << 28
"""Turns that a thread waits in one call, all its waits together: a tenth of a second or more.  A partner
that the system took off its core comes back sooner; one that does not come back must not hang the run."""
ADDITIONS = 32
"""Additions, or readings, in a body."""


@dataclass(frozen=True)
class Shared:
    """One unit of a body, which stands there any number of times, and what stands around it.

    A unit that waits begins each wait with a count that falls, and leaves where it is used up, so that no
    wait is without end.  Lines that end in a colon are labels; `{n}` in them is the number of the unit.
    """

    unit: tuple[str, ...]
    init: tuple[str, ...]
    """Before the first time stamp of a round: place, value and budget are taken from the scratch page."""
    save: tuple[str, ...]
    """After the last time stamp: value and budget are put back."""
    place: str
    """Register that holds the address of the shared line."""
    other: str
    """Register that holds the address of the line that is written, where that is another one; else empty."""
    budget: str
    """Register that counts the turns that are left."""
    atomic: bool
    """Whether the unit writes the shared line by one indivisible read and write."""

    def body(self, units: int) -> tuple[str, ...]:
        """The unit, so many times."""
        return tuple(line.format(n=number) for number in range(units) for line in self.unit)


def expectation(made: Shared, units: int) -> dict[str, int | str]:
    """What the inspector shall prove beside opcodes."""
    return {
        "units": units,
        "place": made.place,
        "other": made.other,
        "budget": made.budget,
        "atomic": int(made.atomic),
    }


EXPECTED = frozenset({"units", "place", "other", "budget", "atomic"})
"""Keys of an expectation that `expectation` adds."""
