"""Reach of the translation buffers of a GPU, one distance of the addresses after the other.

How large a page is, the device does not say; so the addresses are a small distance apart in one series and
as far as the driver's allocations are aligned in the other.  Loads pass the first level by, and their
lines are few against the second: what the caches cost is the same at every count.
"""

from __future__ import annotations

import msgspec

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.tlb import LINE, tlb

KIB = 1024
LEAST_RISE = 0.05
"""A second buffer answers in some ten cycles, beside the 200 to 300 of the cache that serves every load."""


def has_distance(evidence: Evidence) -> bool:
    """Whether a TLB probe sets the distance of its addresses, not the kind of page."""
    return any("stride" in point.settings for point in evidence.points)


def tlb_by_distance(evidence: Evidence) -> list[Quantity]:
    """`memory.dtlb1.reach_<distance>` and `memory.dtlb2.reach_<distance>`: `64k`, `2m`."""
    strides = dict.fromkeys(int(point.settings.get("stride", 0)) for point in evidence.points)
    found: list[Quantity] = []
    for stride in strides:
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("stride") == stride)
        found += [
            msgspec.structs.replace(
                one, metric=f"{one.metric}_{suffix(stride)}", details=one.details | {"stride": stride}
            )
            for one in tlb(own, None, None, float(LINE), LEAST_RISE)
        ]
    return found


def suffix(stride: int) -> str:
    """65536 -> `64k`, 2097152 -> `2m`."""
    kib = stride // KIB
    return f"{kib // KIB}m" if kib and kib % KIB == 0 else f"{kib}k"
