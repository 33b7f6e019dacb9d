"""Multiprocessors of a simulated GPU: chains, warps, banks, blocks, registers, shared memory, peaks."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from reportgen.analysis.gpu_bank_widths import passes
from reportgen.backends.cuda.generator_crowd import EACH, STAY
from reportgen.backends.cuda.occupancy import occupancy
from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked, source
from tests.simulated.multiprocessor import QUARTERS, WARP, Unit, span

CROWD = 128
REGISTERS = (24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 168, 192, 224, 255)
SHARED = (0, 8192, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 232448)


def _fma(truth: GpuTruth) -> Unit:
    return Unit(truth.fma_latency, QUARTERS / truth.fma_rate)


@cache
def _taken(unit: Unit, probe: str, **settings: int | str) -> float:
    """Cycles of a window as the generator makes it."""
    return span(source(probe, **settings), unit, np.random.default_rng(1)) + EMPTY


def _timed(unit: Unit, probe: str, **settings: int | str) -> Simulated:
    made = source(probe, **settings)
    repetitions = int(made.setup["threads"]) // WARP * int(made.setup["turns"])
    facts = {"threads": made.setup["threads"]}
    point = ok_point(probe, dict(settings), work=dict(made.work), facts=facts)
    return Simulated(point, (_taken(unit, probe, **settings),), repetitions)


def chain(truth: GpuTruth) -> Question:
    name = "instruction_latency/fp32_fma"
    return asked(name), [
        Simulated(
            ok_point(name, {"length": n}, work=dict(source(name, length=n).work), program=f"chain-{n}"),
            (_taken(_fma(truth), name, length=n),),
        )
        for n in (32, 64, 128)
    ]


def throughput(truth: GpuTruth) -> Question:
    name = "instruction_throughput/fp32_fma"
    return asked(name), [_timed(_fma(truth), name, accumulators=chains) for chains in (1, 2, 4, 8)]


def warp_sweep(truth: GpuTruth) -> Question:
    name = "gpu_execution/warp_count_sweep"
    return asked(name), [
        _timed(_fma(truth), name, operation="fp32_fma", accumulators=chains, warps=warps)
        for chains in (1, 4)
        for warps in (1, 2, 4, 8, 12, 16, 24, 32)
    ]


def bank_sweep(truth: GpuTruth) -> Question:
    name = "gpu_execution/shared_bank_strides"
    found = []
    for stride in (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 64):
        lanes = 1 if not stride else max(1, math.gcd(stride, truth.banks) * WARP // truth.banks)
        each = truth.shared_latency + truth.conflict * (lanes - 1) ** truth.meeting_power
        point = ok_point(name, {"width": 4, "stride": stride}, work={"steps": 64.0})
        found.append(Simulated(point, (64 * each + EMPTY,)))
    for width, more in ((8, 2.0), (16, 6.0)):
        for stride in (1, 2, 3, 4, 5, 8, 16, 32, 33):
            further = passes(stride, width, truth.banks) - passes(1, width, truth.banks)
            each = truth.shared_latency + more + truth.wide_pass * further
            point = ok_point(name, {"width": width, "stride": stride}, work={"steps": 64.0})
            found.append(Simulated(point, (64 * each + EMPTY,)))
    return asked(name), found


def block_sweep(truth: GpuTruth) -> Question:
    """A block that fills its multiprocessor: two that share it, the slowest ones, take twice as long."""
    name = "gpu_execution/block_count_sweep"
    found = []
    for blocks in (1, 2, 8, 32, 96, 128, 132, 160, 256, 512, 1024):
        together = min(math.ceil(blocks / truth.multiprocessors), truth.resident)
        settings = {"operation": "fp32_fma", "accumulators": 4, "warps": 8, "blocks": blocks}
        facts: dict[str, int | float | str] = {
            "blocks": blocks, "multiprocessors": min(blocks, truth.multiprocessors),
        }  # fmt: skip
        point = ok_point(name, settings, work={"instructions": 64.0}, facts=facts)
        found.append(Simulated(point, (64 * 8 / truth.fma_rate * together + EMPTY,), 8))
    return asked(name), found


def registers(truth: GpuTruth) -> Question:
    name = "gpu_execution/register_pressure"
    found = []
    for count in REGISTERS:
        # a quarter of the registers belongs to each scheduler, which hands them out by 256 for a warp
        each = truth.register_file // 4 // (-(-count * WARP // 256) * 256) * 4
        fits = occupancy(90, CROWD, count).warps
        found.append(_crowd(truth, name, {"registers": count}, each // 4, fits))
    return asked(name), found


def shared_memory(truth: GpuTruth) -> Question:
    name = "gpu_execution/shared_memory_pressure"
    found = []
    for size in SHARED:
        fits = occupancy(90, CROWD, 16, size).warps
        settings = {"accumulators": 1, "dynamic_bytes": size}
        if size + 1024 > truth.shared_bytes:
            continue
        found.append(_crowd(truth, name, settings, truth.shared_bytes // (size + 1024), fits))
    return asked(name), found


def _crowd(truth: GpuTruth, name: str, settings: dict[str, int], room: int, fits: int) -> Simulated:
    """A multiprocessor's blocks of four warps, `room` of which stay side by side, wave after wave."""
    side_by_side = min(room, truth.most_blocks)
    cycles = math.ceil(EACH / side_by_side) * (STAY + truth.block_start)
    facts: dict[str, int | float | str] = {"warps_fit": fits, "blocks": EACH * truth.multiprocessors}
    facts["warps_driver"] = 4 * side_by_side
    point = ok_point(name, dict(settings), work={"warp_cycles": float(STAY)}, facts=facts)
    return Simulated(point, (cycles + EMPTY,), EACH * 4)


def launches(truth: GpuTruth) -> Question:
    """64 launches a sample."""
    name = "gpu_execution/launch_overhead"
    found = []
    for mode, wait in (("queued", 0.0), ("waited", truth.wait)):
        for blocks in (1, 1024, 4096, 16384):
            more = (blocks - 1) * truth.launch_block
            cycles = 64 * (truth.launch + wait + more) * truth.clock_hz
            settings = {"mode": mode, "blocks": blocks}
            point = ok_point(name, settings, work={"launches": 1.0}, facts={"blocks": blocks})
            found.append(Simulated(point, (cycles + EMPTY,), 64))
    return asked(name), found


def peak(
    name: str,
    operation: str,
    each: float,
    rate: float,
    blocks: int,
    kind: str = "flop",
    clock_hz: float = 0.0,
) -> Question:
    """A saturated matrix or arithmetic instruction; `each` is its work."""
    point = ok_point(
        name, {"operation": operation, "accumulators": 8, "warps": 8},
        work={"instructions": 64.0, kind: 64.0 * each},
        facts={"blocks": blocks, "multiprocessors": blocks},
    )  # fmt: skip
    return asked(name), [Simulated(point, (64 * 8 / rate + EMPTY,), 8, clock_hz)]


def peak_fp32(truth: GpuTruth) -> Question:
    return peak("roofline/peak_compute_fp32", "fp32_fma", 64.0, truth.fma_rate, truth.multiprocessors)


def peak_fp64(truth: GpuTruth) -> Question:
    return peak("roofline/peak_compute_fp64", "fp64_fma", 64.0, truth.dp_rate, truth.multiprocessors)


def peak_tensor(truth: GpuTruth) -> Question:
    return peak(
        "roofline/peak_tensor_fp16", "mma_m16n8k16_f16_f32", 4096.0, truth.mma_rate, truth.multiprocessors,
        clock_hz=truth.tensor_clock_hz,
    )  # fmt: skip


def kernels(truth: GpuTruth) -> Question:
    """A tiled product that reaches a share of the peak; its machine code was inspected."""
    name = "roofline/gemm_sweep"
    found = []
    for n in (1024, 4096):
        flop = 2.0 * n**3
        rate = truth.gemm_share * 64 * truth.fma_rate * truth.multiprocessors
        work = {"flop": flop, "bytes": 12.0 * n**2}
        point = ok_point(name, {"n": n}, work=work, program="gemm")
        found.append(Simulated(point, (flop / rate + EMPTY,)))
    return asked(name), found


QUESTIONS = (
    chain, throughput, warp_sweep, bank_sweep, block_sweep, registers, shared_memory, peak_fp32, peak_fp64,
    peak_tensor, launches, kernels,
)  # fmt: skip
