"""A stream that computes on a simulated GPU, in its second level and in memory."""

from __future__ import annotations

from reportgen.backends.cuda.generator_intensity import BLOCKS_EACH, BYTES_EACH
from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked
from tests.simulated.intensity_points import together

NAME = "roofline/intensity_sweep"
MULTIPLY_ADDS = {"l2": (32, 128, 256, 512, 1024, 4096), "dram": (64, 256, 512, 1024, 2048, 8192)}
"""Of sixteen words: 32 of them are one FLOP a byte."""


def peak(truth: GpuTruth) -> float:
    """FLOP a second of all multiprocessors."""
    return 64 * truth.fma_rate * truth.multiprocessors * truth.clock_hz


def rate(truth: GpuTruth, size: int) -> float:
    """Bytes a second of loads of so many bytes in all."""
    return truth.memory_rate if size > truth.l2_bytes else truth.l2_rate


def sweep(truth: GpuTruth) -> Question:
    """Every launch of the suite."""
    found = []
    for level, counts in MULTIPLY_ADDS.items():
        size = truth.multiprocessors * BLOCKS_EACH * BYTES_EACH[level]
        for count in counts:
            transfer, arithmetic = size / rate(truth, size), size * count / 32 / peak(truth)
            cycles = together(transfer, arithmetic, truth.overlap) * truth.clock_hz
            point = ok_point(
                NAME, {"level": level, "multiply_adds": count}, work={"bytes": 64.0, "flop": 2.0 * count},
                facts={"bytes_actual": size, "blocks": truth.multiprocessors * BLOCKS_EACH},
            )  # fmt: skip
            found.append(Simulated(point, (cycles + EMPTY,), size // 64))
    return asked(NAME), found


QUESTIONS = (sweep,)
