"""Reach of the translation buffers of a GPU, one distance of the addresses after the other.

How large a page is, the device does not say; so the addresses are a small distance apart in one series and
as far as the driver's allocations are aligned in the other.  Loads pass the first level by, and their
lines are few against the second: what the caches cost is the same at every count.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from reportgen.analysis.evidence import Evidence
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.tlb import LINE, tlb

KIB = 1024
FAR_APART = 2 << 20
"""Distance of addresses that share no page, where the driver's allocations are aligned to so much."""
BEYOND = 4.0
"""Of so many times the reach three of four loads and more miss."""
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
            replace(one, metric=f"{one.metric}_{suffix(stride)}", details=one.details | {"stride": stride})
            for one in tlb(own, None, None, float(LINE), LEAST_RISE)
        ]
    return found


def walked(found: Sequence[Quantity]) -> list[Quantity]:
    """The same quantities; latencies of memory say where they were taken beyond the reach of translations.

    A random cycle through so much meets another page with nearly every load.
    """
    reach = next((one for one in found if one.metric == f"memory.dtlb1.reach_{suffix(FAR_APART)}"), None)
    if reach is None or reach.high is None or "penalty" not in reach.details:
        return list(found)
    end, cost = reach.high * FAR_APART, float(reach.details["penalty"])
    text = f"Translations are part of it: the first buffer misses, which costs about {cost:.0f} cycles."
    return [
        replace(one, reason=f"{one.reason} {text}".strip())
        if one.value is not None
        and one.metric.split(".")[0] in ("memory", "chase")
        and ".dram." in one.metric
        and one.metric.endswith(".latency")
        and _least(one) >= BEYOND * end
        else one
        for one in found
    ]


def _least(quantity: Quantity) -> float:
    """Bytes of the smallest working set behind a latency."""
    return float(quantity.details.get("from_bytes", quantity.details.get("bytes", 0.0)))


def suffix(stride: int) -> str:
    """65536 -> `64k`, 2097152 -> `2m`."""
    kib = stride // KIB
    return f"{kib // KIB}m" if kib and kib % KIB == 0 else f"{kib}k"
