"""How fast work can be at most, and how long it takes at least.

For one level, with I the work over the bytes that cross it:

    P <= min(pi, beta I)                  transfer and arithmetic overlap entirely
    P  = 1 / (1/pi + 1/(beta I))          they do not overlap at all: half of that at the ridge

Williams, Waterman and Patterson, CACM 52 (2009); the second form is the sum of the two times.  With several
levels the first bound is the least over all of them, each at its own I.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from reportgen.roofline.ceilings import LEVELS
from reportgen.roofline.roofs import Roof, Roofs


class Moved(msgspec.Struct, frozen=True):
    """Bytes that cross a level while the work is done."""

    least: float
    most: float | None = None
    """Where the count is an interval, such as compulsory to unfused; else the same."""

    @property
    def upper(self) -> float:
        """The larger end."""
        return self.least if self.most is None else self.most


class Bound(msgspec.Struct, frozen=True):
    """The lowest roof above a kernel."""

    value: float
    """Work a second."""
    low: float
    high: float
    limiter: str
    """Name of the roof that gives it: a precision or a level."""
    kind: str
    """`compute` or `memory`."""
    rivals: tuple[str, ...] = ()
    """Other roofs that may be the lower one, as far as their intervals go."""
    unknown: tuple[str, ...] = ()
    """Levels that the data cross, that have no measured roof, and whose roof may be the lower one."""
    without_overlap: float | None = None
    """The bound without overlap of arithmetic and the slowest transfer."""


def attainable(peak: float, bandwidth: float, intensity: float) -> float:
    """min(pi, beta I)."""
    return min(peak, bandwidth * intensity)


def without_overlap(peak: float, bandwidth: float, intensity: float) -> float:
    """1 / (1/pi + 1/(beta I))."""
    return 1 / (1 / peak + 1 / (bandwidth * intensity))


def bound(work: float, moved: Mapping[str, Moved], precision: str, roofs: Roofs) -> Bound | None:
    """The lowest of the roofs that apply; None when none of them was measured.

    Args:
        work: FLOP or OP, positive.
        moved: level -> bytes that cross it.  A level that need not be crossed at all bounds nothing.
        precision: whose compute roof it is under.
        roofs: of the run.
    """
    applied = [_at_level(roofs.memory[level], work, one) for level, one in moved.items()
               if level in roofs.memory and one.least > 0]  # fmt: skip
    transfer = min(applied, key=lambda roof: roof.value, default=None)
    compute = roofs.compute.get(precision)
    if compute is not None:
        applied.append(compute)
    if not applied:
        return None
    lowest = min(applied, key=lambda roof: roof.value)
    high = min(roof.high for roof in applied)
    return Bound(
        value=lowest.value,
        low=min(roof.low for roof in applied),
        high=high,
        limiter=lowest.name,
        kind=lowest.kind,
        rivals=tuple(roof.name for roof in applied if roof is not lowest and roof.low < lowest.high),
        unknown=tuple(level for level in moved if _may_bind(level, work, moved, lowest, roofs)),
        without_overlap=1 / (1 / compute.value + 1 / transfer.value)
        if compute is not None and transfer is not None
        else None,
    )


def _may_bind(level: str, work: float, moved: Mapping[str, Moved], lowest: Roof, roofs: Roofs) -> bool:
    """Whether a level without a roof of its own may be slower than the lowest one.

    It is no slower than the next level outwards that was measured.
    """
    if level in roofs.memory or moved[level].least <= 0:
        return False
    outer = [name for name in LEVELS[LEVELS.index(level) + 1 :] if name in roofs.memory]
    return not outer or roofs.memory[outer[0]].value * work / moved[level].upper < lowest.value


def _at_level(roof: Roof, work: float, moved: Moved) -> Roof:
    """A level's roof in work a second, at the intensity that the bytes give."""
    return msgspec.structs.replace(
        roof,
        value=roof.value * work / moved.least,
        low=roof.low * work / moved.upper,
        high=roof.high * work / moved.least,
    )


class Times(msgspec.Struct, frozen=True):
    """Predicted duration, second: a range from all overlapping to nothing overlapping."""

    at_least: float
    """The largest of the times that arithmetic and each level take."""
    at_most: float
    """Their sum."""
    limiter: str
    parts: dict[str, float]
    """Seconds of arithmetic, under the precision's name, and of each level."""
    unknown: tuple[str, ...] = ()
    """What has no measured roof; both times are then too short by what it takes."""


def predict(work: float, moved: Mapping[str, Moved], precision: str, roofs: Roofs) -> Times | None:
    """How long the work takes by the roofs; None when none of those that it needs was measured.

    The sum counts every level: it is what a machine takes that does one thing at a time, and no bound on
    a kernel that waits for other reasons.
    """
    shortest: dict[str, float] = {}
    longest: dict[str, float] = {}
    unknown = [level for level in moved if level not in roofs.memory]
    compute = roofs.compute.get(precision)
    if compute is not None:
        shortest[precision] = longest[precision] = work / compute.value
    elif work > 0:
        unknown.insert(0, precision)
    for level, one in moved.items():
        if level in roofs.memory:
            shortest[level] = one.least / roofs.memory[level].value
            longest[level] = one.upper / roofs.memory[level].value
    if not shortest:
        return None
    limiter = max(shortest, key=lambda name: shortest[name])
    return Times(shortest[limiter], sum(longest.values()), limiter, shortest, tuple(unknown))
