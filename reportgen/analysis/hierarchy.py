"""Which level serves a working set: by what was measured, never by a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.analysis.robust import Interval
from reportgen.runs.schema import Device
from reportgen.units import format_bytes

CACHES = ("l1", "l2", "l3")
SHARED = frozenset({"l3"})
"""Levels that all cores fill together; the others are each core's own."""
FITS = 0.75
"""A working set up to this share of the largest size that fits is well inside a level ..."""
HALF = 0.5
"""... and so is one up to this share of the size at which half of the accesses miss: the largest size
that fits is cautious where an edge is smeared."""
BEYOND = 1.25
"""... and one from this multiple of the inner level's end is well outside of that."""
DRAM_MULTIPLE = 4.0
"""Memory is measured with at least this multiple of the last-level cache, so that no more than a
quarter can come from it."""
ROUNDED = 0.98
"""Sizes are rounded to pages and lines."""


@dataclass(frozen=True)
class Hierarchy:
    """Ends of the cache levels, from the core outwards."""

    ends: Mapping[str, Interval]
    """Level -> its end, bytes: largest size that fits, smallest that does not, and between them where
    half of the accesses miss."""
    last: float
    """Last-level cache, bytes: as the system reports it, else as measured; 0 when unknown."""
    measured: bool
    """False when `ends` is what the system reports."""

    def level_of(self, size: float, cores: int = 1) -> tuple[str, str]:
        """Level that serves `size` bytes on each of `cores`, or '' and why none can be named."""
        total = size * cores
        if self.last and total >= ROUNDED * DRAM_MULTIPLE * self.last:
            return "dram", ""
        outside = 0.0
        for name, end in self.ends.items():
            used = total if name in SHARED else size
            if used <= max(FITS * end.low, HALF * end.value):
                if size >= BEYOND * outside:
                    return name, ""
                return "", f"{format_bytes(size)} are too near the end of the level inside {name}."
            outside = end.high
        if not self.last:
            return "", "No cache level is known, so no working set can be given to one."
        if total < outside:
            return "", f"{format_bytes(size)} on {cores} core(s) are too near the end of a level."
        return "", (
            f"cache-resident: {format_bytes(total)} in all are less than {DRAM_MULTIPLE:.0f} times "
            f"the last-level cache ({format_bytes(self.last)})."
        )


def reported(device: Device) -> Hierarchy:
    """The levels that the system reports; to be used when the run measured none."""
    ends = {}
    for name, key in zip(CACHES, ("l1d_bytes", "l2_bytes", "l3_bytes"), strict=True):
        size = device.reported.get(key, 0)
        if isinstance(size, (int, float)) and size > 0:
            ends[name] = Interval(float(size), float(size), float(size))
    return Hierarchy(ends, last_level(device), measured=False)


def last_level(device: Device) -> float:
    """The last-level cache that the system reports, bytes; 0 when it reports none."""
    for key in ("l3_bytes", "l2_bytes"):
        size = device.reported.get(key, 0)
        if isinstance(size, (int, float)) and size > 0:
            return float(size)
    return 0.0
