"""Access sequences in one set of a first level whose replacement policy is known."""

from __future__ import annotations

from functools import cache

from reportgen.analysis.replacement import MISSES, simulated
from reportgen.status import Status
from reportgen.suite.definition import Definition
from reportgen.suite.load import load_suite
from tests.simulated.asked import Asked, ok_point, probe_info, refused
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

REPLACEMENT = "memory_hierarchy/replacement_policy"
STEPS = 64.0
UNEVEN = 0.04
"""A miss takes so much more or less (relative to what it adds) from sequence to sequence."""


@cache
def definition() -> Definition:
    """The suite is read once: many devices are asked."""
    return load_suite().definitions[REPLACEMENT]


def replacement_probe(truth: CpuTruth, shares: dict[str, float] | None = None) -> Asked:
    """Every sequence for the ways of the first level.

    Args:
        truth: the device; its policy is one of those that are simulated.
        shares: sequence -> share of misses, of a policy that is not.
    """
    asked = definition()
    ways, names = truth.caches[0].ways, asked.settings["sequence"]
    timed = []
    for at, name in enumerate(names):
        settings = {"sequence": name}
        if str(ways) not in asked.constants["sequences"]:
            reason = f"there are no sequences for {ways} ways"
            timed.append(refused(REPLACEMENT, settings, Status.UNSUPPORTED, reason))
            continue
        share = (shares or {}).get(name, true_share(truth, name))
        uneven = 1 + UNEVEN * (at % 3 - 1) * (name != MISSES)
        adds = truth.caches[1].latency - truth.caches[0].latency
        cycles = STEPS * (truth.caches[0].latency + share * adds * uneven)
        point = ok_point(REPLACEMENT, settings, work={"steps": STEPS, "ways": float(ways)})
        timed.append(Timed(point, cycles=cycles))
    return probe_info(
        REPLACEMENT, "replacement", asked.metric, "ratio", asked.question, variable="sequence",
        hypothesis=asked.hypothesis, title=asked.title, constants=dict(asked.constants),
    ), timed  # fmt: skip


def true_share(truth: CpuTruth, name: str) -> float:
    """Share of the visits that miss; where a set's first state decides, the middle of what it may be."""
    ways = truth.caches[0].ways
    text = definition().constants["sequences"][str(ways)][name]
    return sum(simulated(ways, text, truth.replacement)) / 2
