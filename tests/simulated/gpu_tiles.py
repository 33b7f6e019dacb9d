"""Questions of tile copies on a simulated GPU: a miss brings what it is promoted to."""

from __future__ import annotations

from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked

BYTES = 8192
COPIES = 15
"""Of a launch that count."""


def swizzled(truth: GpuTruth) -> Question:
    """Plain and swizzled tiles."""
    name = "memory_hierarchy/tile_swizzle"
    found = []
    for row in (32, 64, 128):
        for way, factor in (("no", 1.0), ("yes", truth.swizzled)):
            each = (truth.copy_fixed + BYTES / truth.copy_rate) * factor
            settings = {"row": row, "swizzle": way, "bytes": BYTES}
            point = ok_point(name, settings, work={"bytes": float(BYTES)})
            found.append(Simulated(point, (COPIES * (each + EMPTY),), COPIES))
    return asked(name), found


def misses(promotion: int) -> int:
    """Copies, of those that count, whose rows nobody brought before."""
    return sum(32 * number % max(32, promotion) == 0 for number in range(1, COPIES + 1))


def promoted(truth: GpuTruth) -> Question:
    """A walk through tiles of 32 bytes across."""
    name = "memory_hierarchy/tile_promotion"
    found = []
    for promotion in (0, 64, 128, 256):
        each = truth.copy_fixed + BYTES / truth.copy_rate + EMPTY
        cycles = COPIES * each + misses(promotion) * truth.tile_miss
        settings = {"promotion": promotion, "row": 32, "bytes": BYTES}
        point = ok_point(name, settings, work={"bytes": float(BYTES)})
        found.append(Simulated(point, (cycles,), COPIES))
    return asked(name), found


QUESTIONS = (swizzled, promoted)
