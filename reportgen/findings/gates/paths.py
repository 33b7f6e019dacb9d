"""One cache that is read through several paths: what each path measures must fit the others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import LEVELS, Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import level, noun

TOLERANCE = {"l1": 0.25, "shared": 0.25, "l2": 0.25}
"""Relative.  Paths differ by a few cycles of address arithmetic or tag look-up, not by half the latency."""

SECOND = "l2"

THROUGH_ALL = ("plain", "nc")
"""Paths of a GPU that meet every level, so that the first one they meet is the first of the device."""

LONGER = "texture"
"""Path through a unit of its own, which takes longer to every level: no measure of the cache behind it."""

FAR = 0.5
"""For levels outside the core, which also differ by placement, translation and neighbours."""


def _paths(evidence: Evidence, name: str) -> list[Quantity]:
    """Every latency of one level: sweep, chases by each path, and the load as an instruction."""
    found = [
        quantity
        for metric, quantity in evidence.of_kind(Kind.LEVEL_LATENCY, Kind.CHASE)
        if metric.subject == name and not metric.pages and metric.part != LONGER
    ]
    found += [
        quantity
        for metric, quantity in evidence.of_kind(Kind.PATH_LATENCY)
        if metric.subject == name and metric.part in THROUGH_ALL
    ]
    load = evidence.usable("latency.l1_load") if name == LEVELS[0] else None
    return [*found, load] if load is not None else found


def _room(evidence: Evidence, subject: str) -> float:
    """By what share of the slower latency paths into one cache may differ.

    Where the second level has near and far lines, a path that must see what others write may go to the part
    a line belongs to, while another path is answered by a copy nearby.
    """
    room = TOLERANCE.get(subject, FAR)
    near, far = (evidence.usable(f"memory.{SECOND}.distance.{which}") for which in ("near", "far"))
    if subject != SECOND or near is None or far is None:
        return room
    return 1 - (1 - room) * min(1.0, central(near) / central(far))


def _disagree(evidence: Evidence) -> Iterator[Breach]:
    subjects = [name.subject for name, _ in evidence.of_kind(Kind.LEVEL_LATENCY, Kind.CHASE)]
    for subject in dict.fromkeys(subjects):
        room = _room(evidence, subject)
        for one, other in combinations(_paths(evidence, subject), 2):
            slow, fast = sorted((one, other), key=central, reverse=True)
            if interval(fast)[1] < interval(slow)[0] and central(fast) < central(slow) * (1 - room):
                yield Breach(
                    (slow.metric, fast.metric),
                    contradictions.wrong_order(
                        noun(slow.metric, evidence.title), central(slow),
                        noun(fast.metric, evidence.title), central(fast), slow.unit,
                        f"both are loads served by {level(subject)}, and paths into one cache differ by less "
                        f"than {room:.0%}",
                    ),
                )  # fmt: skip


GATES = (
    Gate(
        name="paths_into_one_cache_agree",
        severity=Severity.RELATION,
        statement="Latencies of one level by several load paths lie within 25 % of each other (50 % outside "
        "the core; of a second level with near and far lines by as much more as these differ), or their "
        "intervals overlap; a GPU's textures excepted.",
        source="one cache has one access time; published differences between the paths of a GPU's L1 are a "
        "few cycles in thirty",
        causes=(
            "one of the two misses the cache it is named for",
            "one of the timed regions holds more than the loads",
            "the clocks of the two differ, or ticks were taken for cycles",
        ),
        check=_disagree,
    ),
)
