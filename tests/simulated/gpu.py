"""A simulated GPU: truths, and a run whose samples follow from them; ticks are cycles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from reportgen.runs.schema import SCHEMA_VERSION, ClockRecord, Device, Point, ProbeInfo, Run
from tests.simulated.asked import ok_point, probe_info

PASSES, SAMPLES = 3, 8
EMPTY = 2


@dataclass(frozen=True)
class GpuTruth:
    """What the analysis must find again; cycles and bytes."""

    clock_hz: float = 1.98e9
    fma_latency: float = 4.0
    fma_rate: float = 4.0
    """Warp instructions a cycle of a multiprocessor."""
    banks: int = 32
    shared_latency: float = 23.0
    conflict: float = 2.0
    near: float = 200.0
    far: float = 360.0
    """Equal to `near` where the cache is in one piece."""
    far_share: float = 0.5
    l1_bytes: int = 256 << 10
    l2_bytes: int = 50 << 20
    l1_latency: float = 40.0
    l2_latency: float = 270.0
    memory_latency: float = 800.0
    memory_rate: float = 4.0e12
    """Bytes a second of the best launch."""
    register_step: int = 128
    """Registers of a thread beyond which the rate falls to half."""


@dataclass(frozen=True)
class Simulated:
    """A point and the true cycles of its rows: one, or one a thread."""

    point: Point
    cycles: tuple[float, ...]
    repetitions: int = 1


def chain(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "instruction_latency/fp32_fma"
    info = probe_info(
        name, "slope", "latency.fp32_fma", "cycle", "how long?", variable="length", operation="fp32_fma"
    )
    return info, [
        Simulated(
            ok_point(name, {"length": n}, work={"steps": float(n)}), (truth.fma_latency * n - 2 + EMPTY,)
        )
        for n in (32, 64, 128)
    ]


def warp_sweep(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "gpu_execution/warp_count_sweep"
    info = probe_info(
        name, "warps", "execution.warp_count_sweep", "instruction/cycle", "how many?", variable="warps"
    )
    found = []
    for warps in (1, 2, 4, 8, 16, 32):
        rate = min(warps / truth.fma_latency, truth.fma_rate)
        point = ok_point(
            name, {"operation": "fp32_fma", "accumulators": 1, "warps": warps}, work={"instructions": 64.0}
        )
        found.append(Simulated(point, (64 * warps / rate + EMPTY,), warps))
    return info, found


def bank_sweep(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "gpu_execution/shared_bank_strides"
    info = probe_info(name, "banks", "execution.shared_bank_strides", "cycle", "how long?", variable="stride")
    found = []
    for stride in (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 64):
        lanes = 1 if not stride else max(1, math.gcd(stride, truth.banks) * 32 // truth.banks)
        each = truth.shared_latency + truth.conflict * (lanes - 1)
        point = ok_point(name, {"width": 4, "stride": stride}, work={"steps": 64.0})
        found.append(Simulated(point, (64 * each + EMPTY,)))
    return info, found


def distances(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "memory_hierarchy/l2_matrix"
    info = probe_info(name, "distance", "memory.l2.distance", "cycle", "how far?", variable="count")
    rows = tuple(
        16 * (truth.far if line % 100 < 100 * truth.far_share else truth.near) + EMPTY for line in range(200)
    )
    return info, [Simulated(ok_point(name, {"count": 200}, work={"steps": 16.0}), rows)]


def working_set(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "memory_hierarchy/working_set_sweep"
    info = probe_info(name, "working_set", "memory", "cycle", "where?", variable="bytes")
    found = []
    for path in ("cg", "ca"):
        for eighth in range(13 * 4, 30 * 4):
            size = int(2 ** (eighth / 4)) // 128 * 128
            inner = truth.l1_latency if path == "ca" and size <= truth.l1_bytes else truth.l2_latency
            each = inner if size <= truth.l2_bytes else truth.memory_latency
            settings = {"path": path, "bytes": size}
            point = ok_point(name, settings, work={"steps": 64.0}, facts={"bytes_actual": size})
            found.append(Simulated(point, (64 * each * 8 + EMPTY,), 8))
    return info, found


def streams(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "memory_hierarchy/bandwidth_saturation"
    info = probe_info(name, "bandwidth", "bandwidth", "byte/second", "how many?", variable="bytes")
    found = []
    for blocks, share in ((1, 0.01), (128, 0.7), (1024, 1.0)):
        size = 1 << 30
        settings = {"kernel": "read", "width": 16, "blocks": blocks, "bytes": size}
        repetitions = size // 64
        cycles = size / (truth.memory_rate * share) * truth.clock_hz
        point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
        found.append(Simulated(point, (cycles + EMPTY,), repetitions))
    return info, found


def registers(truth: GpuTruth) -> tuple[ProbeInfo, list[Simulated]]:
    name = "gpu_execution/register_pressure"
    info = probe_info(
        name, "steps", "execution.register_pressure", "instruction/cycle", "when?", variable="registers"
    )
    return info, [
        Simulated(
            ok_point(name, {"registers": count}, work={"instructions": 64.0}),
            ((64 if count <= truth.register_step else 128) + EMPTY,),
        )
        for count in (16, 32, 64, 96, 128, 160, 255)
    ]


SUITE = (chain, warp_sweep, bank_sweep, distances, working_set, streams, registers)


def make(truth: GpuTruth, seed: int = 1, noise: float = 0.001) -> tuple[Run, dict[str, list[Any]]]:
    """A run of `SUITE`, its manifest and its samples."""
    rng = np.random.default_rng(seed)
    asked = [probe(truth) for probe in SUITE]
    rows: dict[str, list[Any]] = {}
    order = 0
    for number in range(PASSES):
        for _, simulated in asked:
            for one in simulated:
                _visit(rows, one, number, order, truth, rng, noise)
                order += 1
    device = Device(
        "nvidia-simulated", "cuda", "NVIDIA", "Simulated GPU", "sm_90", cores=132,
        reported={"l2_bytes": truth.l2_bytes},
    )  # fmt: skip
    clock = ClockRecord(truth.clock_hz, truth.clock_hz, truth.clock_hz, 0, 0, 0.0, 0.0, 0.0)
    run = Run(
        schema=SCHEMA_VERSION, run="20260101T000000Z-00000000", created="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T00:01:00+00:00", device=device, environment={}, toolchain={}, suite={},
        plan={"seed": seed, "passes": PASSES, "quick": False, "probes": "*"}, clock=clock,
        probes=tuple(info for info, _ in asked),
        points=tuple(_counted(one.point) for _, simulated in asked for one in simulated),
    )  # fmt: skip
    return run, rows


def _counted(point: Point) -> Point:
    """With the samples that all visits take; the rows of one sample count once."""
    return msgspec.structs.replace(point, accepted=PASSES * SAMPLES, total=PASSES * SAMPLES)


def _visit(
    rows: dict[str, list[Any]],
    one: Simulated,
    number: int,
    order: int,
    truth: GpuTruth,
    rng: np.random.Generator,
    noise: float,
) -> None:
    for sample in range(SAMPLES):
        for thread, cycles in enumerate(one.cycles):
            ticks = round(cycles * (1 + noise * abs(rng.normal())))
            row = {
                "point": one.point.id, "pass": number, "order": order, "sample": sample, "thread": thread,
                "start": order, "ticks": ticks, "empty": EMPTY,
                "calibration_before": round(truth.clock_hz / 1e4), "calibration_after": 100_000,
                "canary_before": 0, "canary_after": 0, "warmup": ticks, "repetitions": one.repetitions,
                "cpu": sample, "gate": "accepted",
            }  # fmt: skip
            for name, value in row.items():
                rows.setdefault(name, []).append(value)
