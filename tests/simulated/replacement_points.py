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
OUTER = f"{REPLACEMENT}_l2"
STEPS = 64.0
UNEVEN = 0.04
"""A miss takes so much more or less (relative to what it adds) from sequence to sequence."""


@cache
def definition(probe: str = REPLACEMENT) -> Definition:
    """The suite is read once: many devices are asked."""
    return load_suite().definitions[probe]


def replacement_probe(
    truth: CpuTruth, shares: dict[str, float] | None = None, probe: str = REPLACEMENT
) -> Asked:
    """Every sequence for the ways of the level.

    Args:
        truth: the device; its policy is one of those that are simulated.
        shares: sequence -> share of misses, of a policy that is not.
        probe: of the first level, or of the second.
    """
    asked = definition(probe)
    inner, outer = truth.caches[:2] if probe == REPLACEMENT else truth.caches[1:3]
    timed = []
    for at, name in enumerate(asked.settings["sequence"]):
        settings = {"sequence": name}
        if str(inner.ways) not in asked.constants["sequences"]:
            reason = f"there are no sequences for {inner.ways} ways"
            timed.append(refused(probe, settings, Status.UNSUPPORTED, reason))
            continue
        share = (shares or {}).get(name, true_share(truth, name, inner.ways))
        uneven = 1 + UNEVEN * (at % 3 - 1) * (name != MISSES)
        cycles = STEPS * (inner.latency + share * (outer.latency - inner.latency) * uneven)
        point = ok_point(probe, settings, work={"steps": STEPS, "ways": float(inner.ways)})
        timed.append(Timed(point, cycles=cycles))
    return probe_info(
        probe, "replacement", asked.metric, "ratio", asked.question, variable="sequence",
        hypothesis=asked.hypothesis, title=asked.title, constants=dict(asked.constants),
    ), timed  # fmt: skip


def true_share(truth: CpuTruth, name: str, ways: int = 0) -> float:
    """Share of the visits that miss; where a set's first state decides, the middle of what it may be."""
    some = ways or truth.caches[0].ways
    text = definition(OUTER).constants["sequences"][str(some)][name]
    return sum(simulated(some, text, truth.replacement)) / 2
