"""Branches on a core of known costs: mispredictions, taken ones at several distances, nested calls."""

from __future__ import annotations

import math

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.taken_branches import LEAST_RISE, ORDER
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

MISPREDICTION, TAKEN, ROUNDS, CALLS = (
    f"front_end/{name}" for name in ("branch_misprediction", "taken_branches", "loop_rounds", "call_return")
)
SITES, BETWEEN = 8, 16.0
"""Branches of a body, and cycles of what stands before each."""
OUTCOMES = (
    *((random, others) for random in (0, 2, 4) for others in ("taken", "not_taken")),
    (0, "alternating"),
    (8, "taken"),
)
DISTANCES = (16, 32, 64)
COUNTS = tuple(sorted({round(2 ** (4 + step / 5)) for step in range(51)}))
LENGTHS = range(2, 20)
DEPTHS = (4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 24, 28, 30, 31, 32, 33, 34, 36, 40, 48, 64, 65, 66, 80, 96)


def misprediction_probe(truth: CpuTruth, curved: float = 0.0) -> Asked:
    """Every share of random outcomes; `curved` makes each misprediction dearer the more there are."""
    timed = []
    for random, others in OUTCOMES:
        wrong = random / 2
        work = {"branches": float(SITES), "mispredictions": wrong}
        cycles = SITES * BETWEEN + wrong * truth.misprediction * (1 + curved * wrong)
        if others == "alternating":
            cycles += SITES * truth.alternating
        timed.append(
            Timed(ok_point(MISPREDICTION, {"random": random, "others": others}, work=work), cycles=cycles)
        )
    return probe_info(
        MISPREDICTION, "misprediction", "branch.misprediction", "cycle", "What does a misprediction cost?",
        hypothesis="Time grows in proportion to the share of outcomes that nothing can predict.",
        variable="random", title="branch misprediction",
    ), timed  # fmt: skip


def taken_probe(truth: CpuTruth) -> Asked:
    """Every distance and number of branches."""
    timed = []
    for distance in DISTANCES:
        for count in COUNTS:
            settings: dict[str, int | float | str] = {"spacing": distance, "branches": count}
            point = ok_point(
                TAKEN, settings, work={"branches": count + 1.0, "bytes": float(count * distance)}
            )
            timed.append(Timed(point, cycles=(count + 1) * taken(truth, count, distance)))
    return probe_info(
        TAKEN, "taken_branches", "branch.taken", "cycle", "How fast do taken branches follow each other?",
        hypothesis="Taken branches follow each other at one rate until there are too many.",
        variable="branches", title="taken branches",
    ), timed  # fmt: skip


def taken(truth: CpuTruth, count: float, distance: int) -> float:
    """Cycles of a branch among `count`, `distance` bytes apart."""
    cycles = truth.taken_interval
    cycles += sum(more for entries, more in truth.branch_targets if count > entries)
    return cycles + sum(more for size, more in truth.code_levels if count * distance > size)


def ends(truth: CpuTruth, distance: int) -> list[float]:
    """Numbers of branches up to which nothing changes, ascending, as far as the probe reaches."""
    found = [float(entries) for entries, _ in truth.branch_targets]
    found += [size / distance for size, _ in truth.code_levels]
    return sorted(end for end in found if end < COUNTS[-1])


def end_of(truth: CpuTruth, distance: int, quantity: Quantity) -> float:
    """Branches before the first rise that is told of; infinite where there is none.

    Of a second or later end the nearest one: two that lie close to each other may count as one.
    """
    rises = sorted(
        [(float(entries), more) for entries, more in truth.branch_targets]
        + [(size / distance, more) for size, more in truth.code_levels]
    )
    found, cycles = [], truth.taken_interval
    for end, more in rises:
        if more >= LEAST_RISE * cycles:
            found.append(end)
        cycles += more
    middle = quantity.value
    if not found or middle is None or quantity.metric.endswith(ORDER[0]):
        return min(found, default=math.inf)
    return min(found, key=lambda end: abs(math.log(end / middle)))


def rounds_probe(truth: CpuTruth, closing: int = 1) -> Asked:
    """Every length of a round; `closing` slots of the counter and the branch."""
    timed = [
        Timed(
            ok_point(ROUNDS, {"length": length}, work={"instructions": float(length)}),
            cycles=round_of(truth, length + closing, closing),
        )
        for length in LENGTHS
    ]
    return probe_info(
        ROUNDS, "loop_rounds", "branch.loop.group", "count", "How many instructions come in at once?",
        hypothesis="A round of a short loop takes whole cycles.", variable="length", title="short loops",
    ), timed  # fmt: skip


def round_of(truth: CpuTruth, slots: int, closing: int = 1) -> float:
    """Cycles of a round; groups count the counter and branch as the slots do."""
    groups = math.ceil(slots / truth.loop_group) if truth.loop_group else 0
    return max(truth.taken_interval, slots / truth.loop_width, float(groups))


def calls_probe(truth: CpuTruth) -> Asked:
    """Every depth: beyond the end each further call costs a misprediction."""
    timed = []
    for depth in DEPTHS:
        beyond = max(0, depth - truth.return_stack)
        cycles = 5.0 + truth.call * depth + beyond * truth.misprediction
        timed.append(Timed(ok_point(CALLS, {"depth": depth}, work={"calls": float(depth)}), cycles=cycles))
    return probe_info(
        CALLS, "call_return", "branch.return", "count", "How deep may calls be nested?",
        hypothesis="A call and its return cost one time each until they are nested too deep.",
        variable="depth", title="nested calls",
    ), timed  # fmt: skip
