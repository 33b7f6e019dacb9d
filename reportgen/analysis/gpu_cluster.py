"""Distributed shared memory: a dependent load from the shared memory of a block of the same cluster.

The loads all go through the cluster's address window, also those to the block's own memory, so that what
differs from peer to peer is the way and not the instruction.
"""

from __future__ import annotations

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import pooled_scatter, visit_interval

METHOD = "gpu"


def cluster(evidence: Evidence) -> list[Quantity]:
    """`<metric>.<blocks>.<peer>` in cycles; points have settings `cluster` and `peer`, work `steps`."""
    usable = {point.id for point in evidence.usable() if point.work.get("steps", 0) > 0}
    taken = {point.id: evidence.cycles_per_step(point) for point in evidence.points if point.id in usable}
    pooled = pooled_scatter(list(taken.values()))
    result = []
    for point in evidence.points:
        size, peer = int(point.settings.get("cluster", 0)), str(point.settings.get("peer", ""))
        metric = f"{evidence.probe.metric}.{size}.{peer}"
        one = evidence.narrowed([point])
        if point.id not in taken:
            result.append(one.without_value(metric, "cycle", METHOD))
            continue
        interval = visit_interval(taken[point.id], pooled, evidence.systematic)
        passes = passes_that_agree(by_pass([taken[point.id]]), interval)
        details = {"cluster": size, "peer": peer}
        result.append(
            one.quantity(metric, "cycle", METHOD, interval, [point], passes=passes, details=details)
        )
    return result
