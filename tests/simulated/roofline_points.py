"""Peak and library probes of the simulated suite."""

from __future__ import annotations

from typing import Any

from reportgen.status import Status
from tests.simulated.asked import Asked, ok_point, probe_info, refused
from tests.simulated.ports import plateau_rate
from tests.simulated.ports import rate as best_rate
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth

PEAK_OPERATIONS = {"fp64": ("fp64_mul", "fp64_fma_512"), "fp32": ("fp32_fma", "fp32_fma_512")}
PEAK_ACCUMULATORS = (8, 12)


def peak_rate(truth: CpuTruth, name: str, accumulators: int) -> float:
    """Work a cycle of one operation with so many accumulators."""
    return truth.operations[name].flop * plateau_rate(truth, name, accumulators)


def peak_probes(truth: CpuTruth) -> list[Asked]:
    """The best rate of each precision over operations and accumulators."""
    asked = []
    for precision, names in PEAK_OPERATIONS.items():
        probe = f"roofline/peak_compute_{precision}"
        timed = []
        for name in names:
            for count in PEAK_ACCUMULATORS:
                point = ok_point(
                    probe, {"operation": name, "accumulators": count},
                    work={"instructions": 192, "flop": 192 * truth.operations[name].flop},
                )  # fmt: skip
                timed.append(Timed(point, cycles=192 / plateau_rate(truth, name, count)))
        info = probe_info(
            probe, "peak", f"peak.{precision}", "FLOP/second",
            f"How many {precision.upper()} operations a second can one core do?",
            hypothesis="The widest multiply-add is the fastest.", variable="operation",
            title=f"Peak {precision.upper()}", constants={"precision": precision},
        )  # fmt: skip
        asked.append((info, timed))
    probe = "roofline/peak_compute_bf16"
    reason = "The device lacks avx512bf16 and amx-bf16."
    timed = [refused(probe, {"operation": "bf16_dot", "accumulators": 8}, Status.UNSUPPORTED, reason)]
    asked.append(
        (
            probe_info(probe, "peak", "peak.bf16", "FLOP/second", "How fast is the BF16 dot product?",
                  constants={"precision": "bf16"}, title="Peak BF16", variable="operation"),
            timed,
        )
    )  # fmt: skip
    return asked


def sustained_probe(truth: CpuTruth) -> Asked:
    """The widest FP32 multiply-add on all cores for seconds, in windows."""
    probe, name, count = "roofline/sustained_fp32", "fp32_fma_512", PEAK_ACCUMULATORS[-1]
    point = ok_point(
        probe, {"operation": name, "accumulators": count},
        work={"instructions": 384, "flop": 384 * truth.operations[name].flop},
        facts={"cores": truth.cores, "windows": truth.held.windows},
    )  # fmt: skip
    info = probe_info(
        probe, "sustained", "peak.fp32.sustained", "FLOP/second",
        "What FP32 rate do all cores hold for seconds?",
        hypothesis="The rate of the last quarter of two seconds is that of the first tenth, to 2 %.",
        variable="operation", title="FP32 rate of all cores over two seconds",
        constants={"precision": "fp32"},
    )  # fmt: skip
    timed = Timed(
        point, cycles=384 / plateau_rate(truth, name, count), threads=truth.cores,
        windows=truth.held.windows,
    )  # fmt: skip
    return info, [timed]


def library_probes(truth: CpuTruth) -> list[Asked]:
    """Matrix products and vector routines of the installed BLAS, one thread."""
    best = {
        precision: max(
            kind.flop * best_rate(truth, name)
            for name, kind in truth.operations.items()
            if kind.precision == precision
        )
        * truth.cycle_hz
        for precision in ("fp64", "fp32")
    }
    stream = truth.bandwidth["dram"]["triad"]
    shapes: dict[str, tuple[str, tuple[int, ...], Any]] = {
        "gemm_sweep": ("sgemm", (64, 128, 256, 512, 1024), lambda n: (2 * n**3, 4 * 3 * n * n, "fp32")),
        "dgemm": ("dgemm", (512,), lambda n: (2 * n**3, 8 * 3 * n * n, "fp64")),
        "saxpy": ("saxpy", (1 << 25,), lambda n: (2 * n, 12 * n, "fp32")),
        "gemv": ("sgemv", (8192,), lambda n: (2 * n * n, 4 * n * n + 8 * n, "fp32")),
    }
    asked = []
    for name, (routine, sizes, work) in shapes.items():
        probe = f"roofline/{name}"
        timed = []
        for n in sizes:
            flop, size, precision = work(n)
            rate = min(truth.blas_share * best[precision], stream * flop / size)
            point = ok_point(probe, {"n": n}, work={"flop": float(flop), "bytes": float(size)})
            timed.append(Timed(point, seconds=flop / rate, visit=0.02))
        info = probe_info(
            probe, "library", f"kernel.{routine}", "FLOP/second", f"How fast is {routine}?",
            hypothesis="Large products approach the compute ceiling.", variable="n", title=routine,
            constants={"routine": routine, "note": "Library code: not decoded, so not verified."},
        )  # fmt: skip
        asked.append((info, timed))
    return asked
