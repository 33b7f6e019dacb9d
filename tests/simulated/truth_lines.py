"""What is true of the lines of a simulated core: shared between cores, fetched ahead of loads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrueSharing:
    """What it costs that cores share lines and words.  Cycles of accesses, seconds between cores."""

    group: int = 0
    """Cores of a group that are near each other; 0: all are."""
    near: float = 26e-9
    far: float = 95e-9
    """One way, inside and outside of a group."""
    atomic: float = 3e-9
    """Added where a line is handed over by an indivisible access."""
    visit: float = 0.01
    """Standard deviation from visit to visit: other lines, other ways."""
    granule: int = 64
    """Bytes that are kept coherent as one."""
    plain: float = 1.0
    apart: float = 7.0
    """Of an addition, plain and indivisible, that shares nothing."""
    shared: float = 4.8
    """Times as long within one granule."""
    beside: float = 1.0
    """Times as long in the granule next to it."""
    handed: float = 2.4
    """Times as long, for each core, on one word."""
    polled: float = 2.3
    """Times as long a load of a line that another core keeps writing."""


@dataclass(frozen=True)
class TruePrefetch:
    """What is fetched before it is asked for; times in cycles of a dependent load."""

    near: float = 14.0
    """A line that has been brought."""
    far: float = 60.0
    """One beyond the second level that has not."""
    steps: frozenset[int] = frozenset({1, 2, 3, 4, 8, 16, 32, 64, -1, -4})
    """Steps that are followed where one instruction asks, in lines."""
    unrolled: frozenset[int] = frozenset({1, -1})
    """The same where many do."""
    patterns: bool = False
    """Whether two steps in turn are followed."""
    training: int = 3
    """Lines of a run before the first that is there."""
    along: int = 2
    """Lines on either side that come with a miss."""
    pairs: bool = False
    """Whether the other line of an aligned pair does."""
    ahead: int = 12
    """Lines behind a run that have been brought."""
    crosses: bool = True
    """Whether they are where a page ends, too."""
    streams: int = 40
    """Followed at once."""
