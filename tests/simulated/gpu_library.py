"""Questions of NVIDIA's own routines on a simulated GPU: the driver's copy, and products of cuBLAS."""

from __future__ import annotations

import msgspec

from reportgen.status import Status
from tests.simulated.asked import ok_point
from tests.simulated.gpu_execution import peak
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked

NOT_INSPECTED = "library code: its machine code was not inspected"


def driver_copy(truth: GpuTruth) -> Question:
    """The driver's copy at a share of the rate of each level."""
    name = "memory_hierarchy/vendor_copy"
    found = []
    for size in (1 << 25, 1 << 30):
        rate = truth.memory_rate if size > truth.l2_bytes else truth.l2_rate
        settings = {"kernel": "vendor_copy", "blocks": 0, "width": 0, "bytes": size}
        cycles = size / (rate * truth.driver_copy) * truth.clock_hz
        point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
        found.append(Simulated(point, (cycles + EMPTY,), size // 64))
    return asked(name), found


def _product(truth: GpuTruth, precision: str, kind: str, moved: float, per_instruction: float) -> Question:
    """Products of two sizes, the larger one at the stated share of the peak of the matrix units."""
    name = f"roofline/vendor_gemm_{precision}"
    found = []
    for n, share in ((2048, 0.5), (8192, 1.0)):
        work = 2.0 * n**3
        best = per_instruction * truth.mma_rate * truth.multiprocessors
        cycles = work / (share * truth.library_share * best)
        facts = counters(work, n, moved) if precision == "fp16" else {}
        point = ok_point(name, {"n": n}, work={kind: work, "bytes": moved * n**2}, facts=facts)
        point = msgspec.structs.replace(point, status=Status.UNVERIFIED, reason=NOT_INSPECTED)
        found.append(Simulated(point, (cycles + EMPTY,), clock_hz=truth.tensor_clock_hz))
    return asked(name), found


def counters(work: float, n: int, moved: float) -> dict[str, float]:
    """What hardware counters say of a product in tiles of 128 x 128, every byte of memory moved 1.5 times."""
    tiles = 2.0 * 2.0 * n**3 / 128
    return {
        "counter.flop": work,
        "counter.dram_bytes": 1.5 * moved * n**2,
        "counter.l2_bytes": tiles,
        "counter.l1_bytes": 0.5 * tiles,
        "counter.shared_bytes": 3.5 * tiles,
    }


def product(truth: GpuTruth) -> Question:
    """FP16."""
    return _product(truth, "fp16", "flop", 6.0, 4096.0)


def product_fp8(truth: GpuTruth) -> Question:
    """E4M3 into BF16, by an instruction of twice the work."""
    return _product(truth, "fp8", "flop", 4.0, 8192.0)


def product_int8(truth: GpuTruth) -> Question:
    """8-bit integers into 32-bit ones."""
    return _product(truth, "int8", "op", 6.0, 8192.0)


def peak_fp8(truth: GpuTruth) -> Question:
    """The suite's own rate of the same instruction."""
    return peak(
        "roofline/peak_tensor_fp8", "mma_m16n8k32_e4m3_f32", 8192.0, truth.mma_rate, truth.multiprocessors
    )


def peak_int8(truth: GpuTruth) -> Question:
    """The suite's own rate of integers."""
    return peak(
        "roofline/peak_compute_amx_int8", "mma_m16n8k32_s8_s32", 8192.0, truth.mma_rate,
        truth.multiprocessors, kind="op",
    )  # fmt: skip


QUESTIONS = (driver_copy, product, product_fp8, product_int8, peak_fp8, peak_int8)
