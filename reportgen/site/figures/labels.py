"""Short labels beside points, none on top of another: a greedy choice among places around each point.

Points whose neighbourhood is full get no label; the table and the pointer name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

SIZE = 7.5
"""Font size, points."""
ADVANCE = 0.62
"""Mean width of a capital or digit, relative to the font size."""
GAP = 4.5
"""From the middle of a marker to the edge of its label, points."""
MARKER = 3.5
"""Half of a marker."""
AROUND = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Directions, the usual ones first; y upwards."""


class Box(NamedTuple):
    """A rectangle in points."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Whether the two overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def inside(self, frame: Box) -> bool:
        """Whether all of it lies in `frame`."""
        return (
            frame.left <= self.left
            and self.right <= frame.right
            and frame.bottom <= self.bottom
            and self.top <= frame.top
        )


class Placed(NamedTuple):
    """Lower left corner of a label, points from the point's own middle."""

    dx: float
    dy: float


def place(
    points: Sequence[tuple[float, float, str]], frame: Box, taken: Iterable[Box] = ()
) -> list[Placed | None]:
    """Where the label of each point goes, None where there is no room.

    Args:
        points: x and y in points, and the text.
        frame: labels stay inside.
        taken: what else must stay legible.
    """
    boxes = [
        *taken,
        *(Box(x - MARKER, y - MARKER, x + MARKER, y + MARKER) for x, y, _ in points),
    ]
    found: list[Placed | None] = []
    for x, y, text in points:
        width, height = ADVANCE * SIZE * len(text), SIZE
        chosen = None
        for reach in (1.0, 2.2):
            for right, up in AROUND:
                gap = GAP * reach
                left = x + (gap if right > 0 else -gap - width if right < 0 else -width / 2)
                bottom = y + (gap - 2 if up > 0 else 2 - gap - height if up < 0 else -height / 2)
                box = Box(left, bottom, left + width, bottom + height)
                if box.inside(frame) and not any(box.meets(other) for other in boxes):
                    chosen = Placed(left - x, bottom - y)
                    boxes.append(box)
                    break
            if chosen is not None:
                break
        found.append(chosen)
    return found
