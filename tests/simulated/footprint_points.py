"""Straight code of many sizes on a core whose levels of instruction supply are known."""

from __future__ import annotations

import math

from reportgen.analysis.footprint import LEAST_STEP
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.rises import APART
from reportgen.findings.metric import Kind, MetricId
from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth, TrueSupply

PROBE = "front_end/code_footprint"
LOWEST, HIGHEST, PER_OCTAVE = 1 << 10, 4 << 20, 4
LENGTHS = {"nop4": 4, "nop8": 8, "move2": 2, "move4": 4}


def footprint_probe(truth: CpuTruth) -> Asked:
    """Every kind of code in every size."""
    count = round(math.log2(HIGHEST / LOWEST) * PER_OCTAVE)
    sizes = [round(LOWEST * 2 ** (step / PER_OCTAVE) / 64) * 64 for step in range(count + 1)]
    timed = []
    for name, length in LENGTHS.items():
        for size in sizes:
            total = size // length
            point = ok_point(PROBE, {"instruction": name, "bytes": size}, work={"steps": float(total)})
            cycles = total / delivered(holding(truth, size, length), length)
            timed.append(Timed(point, cycles=cycles, visit=truth.noise.visit))
    return probe_info(
        PROBE, "footprint", "fetch", "byte", "Where does instruction supply end?",
        hypothesis="Code that outgrows a level takes longer.", variable="bytes", title="code footprint",
    ), timed  # fmt: skip


def holding(truth: CpuTruth, size: float, length: int) -> TrueSupply:
    """The innermost level that holds code of a size."""
    return next(level for level in truth.supply if size <= level.size and size / length <= level.instructions)


def delivered(level: TrueSupply, length: int) -> float:
    """Instructions of a length a cycle."""
    return min(level.rate, level.per_cycle / length)


def seen(truth: CpuTruth, name: str, apart: float = 1.0) -> list[tuple[float, float]]:
    """What code of a kind shows: (end in bytes, instructions a cycle), from the core outwards.

    Levels that differ by less than is told of are one.  One that ends within `apart` times the level before
    it has no plateau: what comes before and behind it is seen.
    """
    length, found = LENGTHS[name], list[tuple[float, float]]()
    for level in truth.supply:
        end = min(level.size, level.instructions * length)
        if found and end <= apart * found[-1][0]:
            continue
        rate = delivered(level, length)
        if found and found[-1][1] < rate * LEAST_STEP:
            found[-1] = end, found[-1][1]
        else:
            found.append((end, rate))
    return found


def supplied(truth: CpuTruth, name: MetricId, quantity: Quantity) -> float:
    """The true end or rate of a level; of what two lengths agree on, the limit; 0 where there is none.

    A rate is that of the sizes that the quantity names.  A second or later end is the nearest one: levels
    that end close to each other may count as one.
    """
    if not name.part:
        limits = (
            (level.instructions for level in truth.supply)
            if name.subject == "op_cache"
            else (level.size for level in truth.supply)
        )
        return next((end for end in limits if math.isfinite(end)), 0.0)
    if name.kind is Kind.FETCH_RATE:
        length = LENGTHS[name.subject]
        size = math.sqrt(float(quantity.details["from_bytes"]) * float(quantity.details["to_bytes"]))
        return delivered(holding(truth, size, length), length)
    number = int(name.part.removeprefix("level")) - 1
    if quantity.high is None or quantity.value is None:
        levels = seen(truth, name.subject, APART)
        return levels[number][0] if number < len(levels) else math.inf
    ends = [end for end, _ in seen(truth, name.subject) if math.isfinite(end)]
    if number == 0 or not ends:
        return ends[0] if ends else 0.0
    middle = quantity.value
    return min(ends, key=lambda end: abs(math.log(end / middle)))
