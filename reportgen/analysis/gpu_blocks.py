"""Blocks of one launch: up to how many each runs as if it were alone, and what sharing costs.

Times are those of the slowest block, by the clock of the multiprocessor it runs on: what it waited before
it began is not in them.  As long as every block has a multiprocessor to itself its time is that of one alone;
with one block more two share, which a block in the middle would not tell.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, Visits, pooled_interval

METHOD = "gpu"
ALONE = 0.05
"""A block that takes longer by less than this share of the time alone runs as if alone."""
LEAST = 3


def blocks(evidence: Evidence) -> list[Quantity]:
    """`<metric>.alone` (a count, between two settings) and `<metric>.crowded` (time at the most blocks)."""
    stem = evidence.probe.metric
    usable = sorted(evidence.usable(), key=lambda point: int(point.settings["blocks"]))
    if len(usable) < LEAST or int(usable[0].settings["blocks"]) != 1:
        return [evidence.without_value(f"{stem}.alone", "count", METHOD)]
    counts = [int(point.settings["blocks"]) for point in usable]
    taken = [evidence.cycles(point) for point in usable]
    times = np.array([one.value for one in taken])
    relative = times / times[0]
    details: dict[str, object] = {
        "blocks": counts,
        "relative": numbers(relative),
        "most": counts[-1],
        "multiprocessors": max(int(point.facts.get("multiprocessors", 0)) for point in usable),
    }
    slower = np.flatnonzero(relative > 1 + ALONE)
    if not len(slower):
        return [
            evidence.bound(
                f"{stem}.alone", "count", METHOD, float(counts[-1]), usable, details=details,
                reason=f"Up to {counts[-1]} blocks, the most that were launched, none is slower.",
            )
        ]  # fmt: skip
    first = int(slower[0])
    low, high = float(counts[first - 1]), float(counts[first])
    ends = Interval((low * high) ** 0.5, low, high)
    crowd = Visits(taken[-1].centres / taken[0].value, taken[-1].counts, taken[-1].ids)
    interval = pooled_interval([crowd], taken)
    return [
        evidence.quantity(
            f"{stem}.alone", "count", METHOD, ends, usable, details=details
        ),
        evidence.quantity(
            f"{stem}.crowded", "ratio", METHOD, interval, [usable[0], usable[-1]],
            passes=passes_that_agree(by_pass([crowd]), interval), details=details,
        ),
    ]  # fmt: skip
