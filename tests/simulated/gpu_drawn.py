"""A run of a drawn GPU: what the suite asks of it, answered from its truth."""

from __future__ import annotations

import msgspec
import pyarrow as pa

from reportgen.runs.schema import SCHEMA_VERSION, ClockRecord, Device, DriftMark, Program, Run
from tests.simulated import (
    gpu,
    gpu_execution,
    gpu_held,
    gpu_intensity,
    gpu_library,
    gpu_link,
    gpu_matrix_drawn,
    gpu_memory,
    gpu_pairs,
    gpu_slow,
    gpu_synchronisation,
    gpu_tiles,
)
from tests.simulated.asked import ok_point
from tests.simulated.gpu_devices import by_size, ended, reads, translation
from tests.simulated.gpu_footprint import footprint
from tests.simulated.gpu_noise import Columns, counts, draw
from tests.simulated.gpu_population import DrawnGpu
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked

CREATED, FINISHED = "2026-11-02T09:00:00+00:00", "2026-11-02T09:01:30+00:00"
EXECUTION = (
    gpu_execution.chain, gpu_execution.throughput, gpu_execution.warp_sweep, gpu_execution.bank_sweep,
    gpu_execution.block_sweep, gpu_execution.registers, gpu_execution.shared_memory, gpu_execution.launches,
    gpu_execution.kernels,
)  # fmt: skip
MEMORY = (
    gpu_memory.distances, gpu_memory.on_chip, gpu_memory.walk, gpu_memory.lines, gpu_memory.conflicts,
    gpu_memory.clusters, gpu_memory.copies, gpu_memory.first_level,
)  # fmt: skip
BLOCKS = (256, 512, 768, 1024)
"""Of launches, by the share of a rate that they reach."""
PEAKS = (
    ("roofline/peak_compute_fp32", "fp32_fma", 64.0),
    ("roofline/peak_compute_fp64", "fp64_fma", 64.0),
    ("roofline/peak_tensor_fp16", "mma_m16n8k16_f16_f32", 4096.0),
)
"""Probe, operation, its work."""
OF_NO_PRODUCT = "sm_999"
"""Target of a drawn device: what was published of products says nothing of it."""
ACCUMULATORS = (1, 2, 4, 8)
SIZES = (1 << 21, 1 << 23, 1 << 25, 1 << 30)
"""Of one array."""


def questions(drawn: DrawnGpu) -> list[Question]:
    """The suite, as this device would be asked."""
    truth, memory = drawn.truth, drawn.memory
    return [
        *(question(truth) for question in EXECUTION),
        *(peaks(drawn, *one) for one in PEAKS),
        *(question(truth) for question in MEMORY),
        *(by_size(memory, f"memory_hierarchy/{name}") for name in ("working_set_sweep", "pointer_chasing")),
        translation(memory),
        all_read(drawn),
        streams(drawn),
        *(question(truth) for question in gpu_tiles.QUESTIONS),
        *(question(truth) for question in gpu_synchronisation.QUESTIONS),
        *(question(truth) for question in gpu_intensity.QUESTIONS),
        *(question(truth) for question in gpu_library.QUESTIONS),
        *(question(truth, drawn.link, drawn.link_facts) for question in gpu_link.QUESTIONS),
        footprint(drawn.code),
        *gpu_matrix_drawn.questions(truth, drawn.matrix),
        *gpu_slow.questions(drawn.slow),
        *(gpu_held.questions(truth, drawn.held) if drawn.held else ()),
        *(gpu_pairs.questions(drawn.pairs) if drawn.pairs else ()),
    ]


def peak_rates(truth: GpuTruth) -> dict[str, tuple[float, float]]:
    """Operation of a peak -> instructions a cycle of a multiprocessor, and the clock that it leaves."""
    return {
        "fp32_fma": (truth.fma_rate, truth.clock_hz),
        "fp64_fma": (truth.dp_rate, truth.clock_hz),
        "mma_m16n8k16_f16_f32": (truth.mma_rate, truth.tensor_clock_hz),
    }


def peaks(drawn: DrawnGpu, probe: str, operation: str, work: float) -> Question:
    """A rate by as many chains as are tried, the last ones near or at the best."""
    truth = drawn.truth
    rate, clock = peak_rates(truth)[operation]
    blocks = truth.multiprocessors
    found = []
    for chains, share in zip(ACCUMULATORS, drawn.peak_shares, strict=True):
        point = ok_point(
            probe, {"operation": operation, "accumulators": chains, "warps": 8},
            work={"instructions": 64.0, "flop": 64.0 * work},
            facts={"blocks": blocks, "multiprocessors": blocks},
        )  # fmt: skip
        turns = 4096.0
        cycles = turns * 64 * 8 / (rate * share)
        found.append(Simulated(point, (cycles + EMPTY,), int(turns) * 8, clock))
    return asked(probe), found


def streams(drawn: DrawnGpu) -> Question:
    """Arrays of some sizes by launches of several shapes, and by one block."""
    truth = drawn.truth
    name = "memory_hierarchy/bandwidth_saturation"
    found = []
    for kernel, arrays in (("read", 1), ("write", 1), ("copy", 2), ("triad", 3)):
        for array in SIZES:
            size = array * arrays
            for blocks, share in ((1, truth.one_share), *zip(BLOCKS, drawn.shares, strict=True)):
                rate = level_rate(truth, kernel, size > truth.l2_bytes) * share
                settings = {"kernel": kernel, "width": 16, "blocks": blocks, "bytes": array}
                point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
                found.append(Simulated(point, (size / rate * truth.clock_hz + EMPTY,), size // 64))
    return asked(name), found


PARTS = {"read": 1.0, "write": 0.8, "copy": 0.9, "triad": 0.92}
"""Of the rate of reads; of writes to memory."""


def level_rate(truth: GpuTruth, kernel: str, memory: bool) -> float:
    """Bytes a second of the best launch of a kernel, from memory or from the second level."""
    part = truth.l2_write if kernel == "write" and not memory else PARTS[kernel]
    return part * (truth.memory_rate if memory else truth.l2_rate)


def all_read(drawn: DrawnGpu) -> Question:
    """Reads of all multiprocessors over rising sizes, at the rates and the clock of the device."""
    info, some = reads(drawn.memory)
    truth = drawn.truth
    end = truth.l2_of_all
    found = []
    for one in some:
        size = int(one.point.settings["bytes"])
        missing = ended(size / end, drawn.memory.l2_octaves)
        each = (1 - missing) / truth.l2_rate + missing / truth.memory_rate
        found.append(Simulated(one.point, (size * each * truth.clock_hz + EMPTY,), one.repetitions))
    return info, found


def table_of(columns: Columns) -> pa.Table:
    """The samples as an analysis reads them."""
    return pa.table(
        {
            name: pa.array(column).dictionary_encode() if column.dtype.kind == "O" else column
            for name, column in columns.items()
        }
    )


def make_run(drawn: DrawnGpu, seed: int) -> tuple[Run, Columns, dict[str, Program]]:
    """A run of the whole suite; see `run_of`."""
    return run_of(drawn, seed, questions(drawn))


def run_of(drawn: DrawnGpu, seed: int, wanted: list[Question]) -> tuple[Run, Columns, dict[str, Program]]:
    """The run, its samples as arrays, and the programs that tell what the compiler keeps."""
    truth = drawn.truth
    simulated = [one for _, some in wanted for one in some]
    columns = draw(simulated, truth, drawn.noise, drawn.passes, drawn.samples, seed)
    tally = counts(columns)
    programs = {program.sha256: program for program in gpu.programs(truth)}
    device = Device(
        "nvidia-drawn", "cuda", "NVIDIA", "Drawn GPU", OF_NO_PRODUCT, cores=truth.multiprocessors,
        memory_bytes=80 << 30, reported={"l2_bytes": truth.l2_bytes},
    )  # fmt: skip
    clock = truth.clock_hz
    last = len(simulated) * drawn.passes
    run = Run(
        schema=SCHEMA_VERSION, run="20261102T090000Z-00000000", created=CREATED, finished=FINISHED,
        device=device, environment={"driver": "580.95"},
        toolchain={"compiler": "NVRTC", "compiler_version": "13.0"}, suite={"version": "1"},
        plan={"seed": seed, "passes": drawn.passes, "quick": False, "probes": "*"},
        clock=ClockRecord(clock, clock, clock, 0, 0, 0.0, 0.0, 0.0), probes=tuple(info for info, _ in wanted),
        drift=tuple(
            DriftMark(where, number * last // 2, clock * (1 + drawn.noise.drift * (number - 1) / 2), 0.0)
            for number, where in enumerate(("start", "middle", "end"))
        ),
        points=tuple(
            msgspec.structs.replace(one.point, accepted=accepted, total=total)
            for one in simulated
            for accepted, total in (tally[one.point.id],)
        ),
    )  # fmt: skip
    return run, columns, programs
