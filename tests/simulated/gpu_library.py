"""Questions of NVIDIA's own routines on a simulated GPU: the driver's copy, and a product of cuBLAS."""

from __future__ import annotations

from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked


def driver_copy(truth: GpuTruth) -> Question:
    """The driver's copy at a share of the rate of each level."""
    name = "memory_hierarchy/vendor_copy"
    found = []
    for size, rate in ((1 << 25, truth.l2_rate), (1 << 30, truth.memory_rate)):
        settings = {"kernel": "vendor_copy", "blocks": 0, "width": 0, "bytes": size}
        cycles = size / (rate * truth.driver_copy) * truth.clock_hz
        point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
        found.append(Simulated(point, (cycles + EMPTY,), size // 64))
    return asked(name), found


def product(truth: GpuTruth) -> Question:
    """FP16 products of two sizes, the larger one at the stated share of the tensor peak."""
    name = "roofline/vendor_gemm_fp16"
    found = []
    for n, share in ((2048, 0.5), (8192, 1.0)):
        flop = 2.0 * n**3
        peak = 4096.0 * truth.mma_rate * truth.multiprocessors
        cycles = flop / (share * truth.library_share * peak)
        point = ok_point(name, {"n": n}, work={"flop": flop, "bytes": 6.0 * n**2})
        found.append(Simulated(point, (cycles + EMPTY,)))
    return asked(name), found


QUESTIONS = (driver_copy, product)
