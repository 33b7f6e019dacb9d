"""A simulated GPU: a run whose samples follow from its truth (`gpu_truth`); ticks are cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from reportgen.backends.cuda.shots import CHOSEN_APART
from reportgen.runs.schema import SCHEMA_VERSION, ClockRecord, Device, DriftMark, Point, Program, Run
from reportgen.status import Status
from tests.simulated import gpu_execution, gpu_memory, gpu_synchronisation, gpu_tiles
from tests.simulated.gpu_truth import EMPTY, ISA, GpuTruth, Question, Simulated

PASSES, SAMPLES = 3, 6
SUITE = (
    *gpu_execution.QUESTIONS,
    *gpu_memory.QUESTIONS,
    *gpu_tiles.QUESTIONS,
    *gpu_synchronisation.QUESTIONS,
)


def programs(truth: GpuTruth) -> tuple[Program, ...]:
    """Machine code of chains, whose stall counts keep `fma_encoded` cycles a step, and of the product."""
    gemm = Program("gemm", "// tiles", "FFMA R0, R1, R2, R0", {"FFMA": 4096}, "verified", "found as wanted")
    chains = tuple(
        Program(
            f"chain-{length}", f"// {length} steps", "FFMA R0, R0, R1, R2", {"FFMA": length}, "verified",
            f"wanted {length} FFMA; found the same and nothing else",
            facts={
                "registers": 16, "encoded_kind": "fixed", "encoded_distance": truth.fma_encoded,
                "encoded_step": float(truth.fma_encoded), "predicted_window": truth.fma_encoded * length - 2,
                "toolkit": "CUDA 13.5", "target": ISA,
            },
        )
        for length in (32, 64, 128)
    )  # fmt: skip
    return (*chains, gemm)


def make(
    truth: GpuTruth, seed: int = 1, noise: float = 0.001, asked: Sequence[Question] = ()
) -> tuple[Run, dict[str, list[Any]]]:
    """A run of `SUITE`, or of what is `asked`: its manifest and its samples."""
    rng = np.random.default_rng(seed)
    asked = asked or [probe(truth) for probe in SUITE]
    rows: dict[str, list[Any]] = {}
    order = 0
    for number in range(PASSES):
        for _, simulated in asked:
            for one in simulated:
                _visit(rows, one, number, order, truth, rng, noise)
                order += 1
    device = Device(
        "nvidia-simulated", "cuda", "NVIDIA", "Simulated GPU", ISA, cores=truth.multiprocessors,
        reported={"l2_bytes": truth.l2_bytes},
    )  # fmt: skip
    clock = ClockRecord(truth.clock_hz, truth.clock_hz, truth.clock_hz, 0, 0, 0.0, 0.0, 0.0)
    run = Run(
        schema=SCHEMA_VERSION, run="20260101T000000Z-00000000", created="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T00:01:00+00:00", device=device, environment={"driver": "580.95"},
        toolchain={"compiler": "NVRTC", "compiler_version": "13.0"}, suite={"version": "1"},
        plan={"seed": seed, "passes": PASSES, "quick": False, "probes": "*"}, clock=clock,
        probes=tuple(info for info, _ in asked),
        drift=tuple(
            DriftMark(where, number, truth.clock_hz, 0.0)
            for number, where in enumerate(("start", "middle", "end"))
        ),
        points=tuple(_counted(one.point) for _, simulated in asked for one in simulated),
    )  # fmt: skip
    return run, rows


def _counted(point: Point) -> Point:
    """With the samples that all visits take; the rows of one sample count once."""
    taken = PASSES * SAMPLES if point.status in (Status.OK, Status.UNVERIFIED) else 0
    return msgspec.structs.replace(point, accepted=taken, total=taken)


def _visit(
    rows: dict[str, list[Any]],
    one: Simulated,
    number: int,
    order: int,
    truth: GpuTruth,
    rng: np.random.Generator,
    noise: float,
) -> None:
    true = one.drawn(rng) if one.drawn is not None else one.cycles
    samples: list[int] = []
    threads: list[int] = []
    places: list[int] = []
    ticks: list[int] = []
    for sample in range(SAMPLES):
        place = (number * SAMPLES + sample) * CHOSEN_APART % truth.multiprocessors if one.placed else sample
        cycles = one.placed(place) if one.placed else true
        more = rng.normal(size=len(cycles)).tolist()
        ticks += [round(each * (1 + noise * abs(by))) for each, by in zip(cycles, more, strict=True)]
        samples += [sample] * len(cycles)
        threads += range(len(cycles))
        places += [place] * len(cycles)
    columns: dict[str, Any] = {
        "point": one.point.id, "pass": number, "order": order, "sample": samples, "thread": threads,
        "start": order, "ticks": ticks, "empty": EMPTY,
        "calibration_before": round((one.clock_hz or truth.clock_hz) / 1e4), "calibration_after": 100_000,
        "canary_before": 0, "canary_after": 0, "warmup": ticks, "repetitions": one.repetitions,
        "cpu": places, "gate": "accepted",
    }  # fmt: skip
    for name, values in columns.items():
        rows.setdefault(name, []).extend(values if isinstance(values, list) else [values] * len(ticks))
