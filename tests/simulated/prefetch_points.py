"""Runs, streams and neighbouring lines, on a core whose prefetchers are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from reportgen.backends.trails import BEFORE, case_of, compared
from reportgen.suite.definition import Definition
from reportgen.suite.load import Suite, load_suite
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

STRIDE, UNROLLED, FROM_MEMORY = (
    f"memory_hierarchy/prefetch_{name}" for name in ("stride", "stride_unrolled", "stride_dram")
)
RUN, NEAR, STREAMS = (f"memory_hierarchy/prefetch_{name}" for name in ("run", "near", "streams"))
LENGTH = 16
MANY = 4
"""Times as many samples a visit as of others: nearly all such visits go on until their time is over."""
PUSHED_OUT = 0.8
"""Of what a load from far costs more, what it costs again where streams are too many."""
HALF_FAR = 0.5
"""Where several lines come at once, what those in random order cost of the way from near to far."""


@cache
def _suite() -> Suite:
    """The suite is read once: many devices are asked."""
    return load_suite()


def _info(definition: Definition, probe: str) -> Asked:
    return probe_info(
        probe, definition.analysis, definition.metric, definition.unit, definition.question,
        variable=definition.variable, hypothesis=definition.hypothesis, title=definition.title,
        constants=dict(definition.constants),
    ), []  # fmt: skip


def _timed(
    truth: CpuTruth, probe: str, settings: dict[str, int | str], cycles: float, **work: float
) -> Timed:
    definition = _suite().definitions[probe]
    name = str(definition.constants["in_turn"])
    turns = " ".join(compared(name, settings[name], definition.settings[name]))
    point = ok_point(probe, settings, work={"steps": 1.0, **work}, facts={"turns": turns})
    company = f"{probe} {settings | {name: turns}}"
    samples = MANY * truth.samples
    return Timed(point, cycles=cycles, visit=truth.noise.memory_visit, company=company, samples=samples)


def stride_probe(truth: CpuTruth, probe: str = STRIDE) -> Asked:
    """Every step in and out of order."""
    definition = _suite().definitions[probe]
    info, _ = _info(definition, probe)
    return info, [
        _timed(truth, probe, {"step": step, "order": order}, stride_time(truth, probe, step, order))
        for step in definition.settings["step"]
        for order in definition.settings["order"]
    ]


def unrolled_probe(truth: CpuTruth) -> Asked:
    """The same of many instructions."""
    return stride_probe(truth, UNROLLED)


def memory_probe(truth: CpuTruth) -> Asked:
    """The same from memory."""
    return stride_probe(truth, FROM_MEMORY)


def run_probe(truth: CpuTruth) -> Asked:
    """Every length of runs, the shuffled ones that the suite has."""
    definition = _suite().definitions[RUN]
    info, _ = _info(definition, RUN)
    return info, [
        _timed(
            truth, RUN, {"length": length, "order": order},
            run_time(truth, length) / length if order == "in_order" else shuffled_time(truth, 1),
        )
        for length in definition.settings["length"]
        for order in definition.settings["order"]
        if {"length": length, "order": order} not in definition.left_out
    ]  # fmt: skip


def near_probe(truth: CpuTruth) -> Asked:
    """Every case."""
    definition = _suite().definitions[NEAR]
    info, _ = _info(definition, NEAR)
    timed = []
    for case in definition.settings["case"]:
        _, length, _ = case_of(case)
        cycles = near_time(truth, case) / (length + 1)
        timed.append(_timed(truth, NEAR, {"case": case}, cycles, before=float(length)))
    return info, timed


def streams_probe(truth: CpuTruth) -> Asked:
    """Every number of streams in and out of order."""
    definition = _suite().definitions[STREAMS]
    info, _ = _info(definition, STREAMS)
    return info, [
        _timed(truth, STREAMS, {"count": count, "order": order}, streams_time(truth, count, order))
        for count in definition.settings["count"]
        for order in definition.settings["order"]
    ]


def probes(truth: CpuTruth) -> list[Asked]:
    """All six."""
    return [
        stride_probe(truth), unrolled_probe(truth), memory_probe(truth), run_probe(truth), near_probe(truth),
        streams_probe(truth),
    ]  # fmt: skip


def follows(truth: CpuTruth, probe: str, step: str) -> bool:
    """Whether runs of a step are followed."""
    known = truth.prefetch
    if "_" in step:
        return known.patterns and probe != UNROLLED
    return int(step) in (known.unrolled if probe == UNROLLED else known.steps)


def stride_time(truth: CpuTruth, probe: str, step: str, order: str) -> float:
    """Cycles of a load."""
    if probe == FROM_MEMORY:
        dearer = replace(truth.prefetch, far=truth.dram_latency)
        truth = replace(truth, prefetch=dearer)
    known, widest = truth.prefetch, max(abs(int(part)) for part in step.split("_"))
    if order == "in_order" and follows(truth, probe, step):
        seen = min(known.training, LENGTH)
        return (seen * known.far + (LENGTH - seen) * known.near) / LENGTH
    return shuffled_time(truth, widest)


def shuffled_time(truth: CpuTruth, step: int) -> float:
    """Cycles of a load of lines in random order within a run."""
    known = truth.prefetch
    near_by = step <= known.along
    return known.near + (known.far - known.near) * (HALF_FAR if near_by else 1.0)


def line_time(truth: CpuTruth, place: int) -> float:
    """Cycles of the line at a place (from 1) of a run of following lines."""
    known = truth.prefetch
    if place == 1:
        return known.far
    if place <= 1 + known.along or (place > known.training and 1 in known.steps):
        return known.near
    return known.far


def run_time(truth: CpuTruth, length: int) -> float:
    """Cycles of a whole run."""
    return sum(line_time(truth, place) for place in range(1, length + 1))


def comes(truth: CpuTruth, case: str) -> bool:
    """Whether the line of a case is there when it is asked for."""
    known = truth.prefetch
    before, _, distance = case_of(case)
    if before in ("even", "odd"):
        paired = known.pairs and distance == (1 if before == "even" else -1)
        return paired or abs(distance) <= known.along
    ahead = known.ahead if 1 in known.steps and known.training < BEFORE[before] else known.along
    return 0 < distance <= ahead and (before == "run" or known.crosses)


def near_time(truth: CpuTruth, case: str) -> float:
    """Cycles of what went before and the line."""
    known = truth.prefetch
    _, length, _ = case_of(case)
    return run_time(truth, length) + (known.near if comes(truth, case) else known.far)


def streams_time(truth: CpuTruth, count: int, order: str) -> float:
    """Cycles of a load of streams in turn."""
    known = truth.prefetch
    if order == "shuffled" or 1 not in known.unrolled:
        return known.far
    return known.near + (known.far - known.near) * (0.0 if count <= known.streams else PUSHED_OUT)
