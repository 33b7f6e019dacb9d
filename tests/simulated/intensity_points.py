"""A stream with multiply-adds between its loads, on a core of known roofs and known overlap."""

from __future__ import annotations

import math

from tests.simulated.asked import Asked, ok_point, probe_info
from tests.simulated.roofline_points import PEAK_ACCUMULATORS, PEAK_OPERATIONS, peak_rate
from tests.simulated.sampler import Timed
from tests.simulated.truth import KIB, CpuTruth

PROBE = "roofline/intensity_sweep"
PRECISION = "fp32"
MULTIPLY_ADDS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 512, 1024)
"""Of eight vectors: sixteen of them are one FLOP a byte."""
WORK = 256 * KIB
"""Bytes of a repetition."""


def peak(truth: CpuTruth) -> float:
    """FLOP a second of the stream's multiply-adds where no load is in their way."""
    best = max(
        peak_rate(truth, name, count) for name in PEAK_OPERATIONS[PRECISION] for count in PEAK_ACCUMULATORS
    )
    return best * truth.cycle_hz


def ridge(truth: CpuTruth, level: str) -> float:
    """Where loads and multiply-adds take equally long."""
    return peak(truth) / truth.bandwidth[level]["read"]


def together(first: float, second: float, overlap: float) -> float:
    """Time of two things at once, of which both alone take known times.

    Args:
        first: time of the one.
        second: time of the other.
        overlap: of two that take equally long, either time over both together: 1 where the other hides it,
            1/2 where they take turns.
    """
    longer, shorter = max(first, second), min(first, second)
    if overlap >= 1:
        return longer
    power = 1 / -math.log2(overlap)
    return float(longer * (1 + (shorter / longer) ** power) ** (1 / power))


def sweep_probe(
    truth: CpuTruth,
    multiply_adds: tuple[int, ...] = MULTIPLY_ADDS,
    sizes: dict[str, int] | None = None,
) -> Asked:
    """Every level at every intensity; what arithmetic bounds moves with the clock of the core."""
    last = max(truth.reported_l3, truth.caches[-1].size)
    found = {cache.name: cache.size // 3 for cache in truth.caches} | {"dram": 4 * last} | (sizes or {})
    timed = []
    for level, size in found.items():
        for count in multiply_adds:
            flop = WORK * count / 16
            transfer, arithmetic = WORK / truth.bandwidth[level]["read"], flop / peak(truth)
            seconds = together(transfer, arithmetic, truth.overlap[level])
            point = ok_point(
                PROBE, {"level": level, "multiply_adds": count}, work={"bytes": float(WORK), "flop": flop},
                facts={"bytes_actual": size // 64 * 64, "cores": 1},
            )  # fmt: skip
            inside = level in ("l1", "l2") or arithmetic > transfer
            timed.append(
                Timed(
                    point,
                    cycles=seconds * truth.cycle_hz if inside else 0.0,
                    seconds=0.0 if inside else seconds,
                    visit=truth.noise.bandwidth_visit * (1.0 if inside else truth.noise.outside),
                )
            )
    return probe_info(
        PROBE, "intensity", f"ridge.observed.{PRECISION}", "FLOP/byte",
        "At what intensity does one core leave the roof of each memory level?",
        hypothesis="At the ridge, a stream that computes is nearer to its roof than to taking turns.",
        variable="multiply_adds", title="stream that computes", constants={"precision": PRECISION},
    ), timed  # fmt: skip
