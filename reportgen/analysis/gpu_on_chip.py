"""Memory on the chip: latency of shared, constant and local memory, and the sizes at which it rises.

Each path is a sweep of its own, and its edges are found like those of the caches (`boundary`).  The sizes
are few, so a latency is that of the sizes which surely lie between two edges.  Where the sweep ends because a
block or a kernel may have no more of that memory, the end is a bound and no size of anything.
"""

from __future__ import annotations

import msgspec

from reportgen.analysis.evidence import Evidence, by_pass, passes_that_agree
from reportgen.analysis.gpu_launch import of_path
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import pooled_interval
from reportgen.analysis.working_set import size_of, working_set
from reportgen.status import Status

METHOD = "boundary"
SHOWN = (Status.OK, Status.UNVERIFIED, Status.CENSORED)


def on_chip(evidence: Evidence) -> list[Quantity]:
    """`memory.<path>.<level>.capacity` and `.latency`; points have settings `path` and `bytes`.

    A level is the first, second or third that loads by this path meet; a level that did not show is left out,
    for nothing says that there should be one.
    """
    paths = dict.fromkeys(str(point.settings.get("path", "")) for point in evidence.points)
    found: list[Quantity] = []
    for path in paths:
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("path") == path)
        several, _, _ = working_set(own)
        ends = [one for one in several if one.status in SHOWN and one.metric.endswith(".capacity")]
        if ends:
            found += of_path(path, [*ends, *_latencies(own, ends)])
        else:
            found.append(msgspec.structs.replace(several[0], metric=f"memory.{path}.l1.capacity"))
    return found


def _latencies(evidence: Evidence, ends: list[Quantity]) -> list[Quantity]:
    """Of each level, over the sizes from where the one before has ended to where it still holds all."""
    usable = [point for point in evidence.usable() if point.work.get("steps", 0) > 0]
    taken = {point.id: evidence.cycles_per_step(point) for point in usable}
    result, least = [], 0.0
    for end in ends:
        most = float(end.details.get("begins", end.low or 0.0))
        own = [point for point in usable if least <= size_of(point) <= most]
        least = float(end.details.get("ends", most))
        if not own:
            continue
        members = [taken[point.id] for point in own]
        interval = pooled_interval(members, list(taken.values()), evidence.systematic)
        sizes = [size_of(point) for point in own]
        result.append(
            evidence.quantity(
                end.metric.replace("capacity", "latency"), "cycle", METHOD, interval, own,
                passes=passes_that_agree(by_pass(members), interval),
                details={"from_bytes": int(min(sizes)), "to_bytes": int(max(sizes))},
            )
        )  # fmt: skip
    return result
