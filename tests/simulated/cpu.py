"""A simulated CPU of known truth: runs and bundles whose right answers are known.

`make_run` gives records in memory, `make_bundle` a complete bundle on disk.  The same truth and
seed give the same samples.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from reportgen.runs.schema import (
    MANIFEST,
    PROGRAMS,
    SAMPLES,
    SCHEMA_VERSION,
    ClockRecord,
    Device,
    DriftMark,
    Program,
    Run,
)
from tests.simulated.asked import Asked
from tests.simulated.programs import program_of
from tests.simulated.sampler import (
    CALIBRATION_CYCLES,
    CANARY_INSTRUCTIONS,
    CANARY_SHARE_OF_FRONT_END,
    counts,
    draw,
)
from tests.simulated.suite import everything
from tests.simulated.truth import CpuTruth

Columns = dict[str, list[Any]]
Suite = Callable[[CpuTruth], list[Asked]]

_START = datetime(2026, 11, 2, 9, 0, 0, tzinfo=UTC)
_WIDTHS = {"pass": "int8", "order": "int32", "sample": "int32", "thread": "int16", "cpu": "int16"}


def device_of(truth: CpuTruth) -> Device:
    """What the simulated CPU and its operating system say of themselves."""
    reported: dict[str, int | float | str] = {
        "l1d_bytes": truth.caches[0].size, "l2_bytes": truth.caches[1].size, "l3_bytes": truth.reported_l3,
        "line_bytes": truth.line, "page_bytes": truth.page, "family": 6, "model": 143, "stepping": 8,
        "hypervisor": "simulated",
    }  # fmt: skip
    return Device(
        id="simulated-core-4000", backend="simulated", vendor="Simulated", name=truth.name, isa="x86_64",
        features=("sse4.2", "avx2", "fma", "avx512f", "avx512bw"), cores=truth.cores,
        memory_bytes=truth.memory_bytes, reported=reported,
    )  # fmt: skip


def _clock(truth: CpuTruth) -> ClockRecord:
    return ClockRecord(
        tick_hz=truth.tick_hz, tick_hz_low=truth.tick_hz * 0.9999, tick_hz_high=truth.tick_hz * 1.0001,
        calibration_cycles=CALIBRATION_CYCLES, canary_instructions=CANARY_INSTRUCTIONS,
        canary_best=truth.front_end * CANARY_SHARE_OF_FRONT_END, agreement=0.004, canary_share=0.97,
        note="Cycles are counted by a dependent add chain beside each sample.",
        granularity=truth.noise.granularity,
    )  # fmt: skip


def _drift(truth: CpuTruth, last: int) -> tuple[DriftMark, ...]:
    best = truth.front_end * CANARY_SHARE_OF_FRONT_END
    marks = (("start", 0, 1.0), ("middle", last // 2, 0.998), ("end", last, 0.999))
    return tuple(
        DriftMark(
            where=where, order=order, canary_rate=best * 0.995,
            cycle_hz=truth.cycle_hz * factor * truth.noise.clock_at(order / max(1, last)),
        )
        for where, order, factor in marks
    )  # fmt: skip


def make_records(
    truth: CpuTruth, seed: int, suite: Suite = everything
) -> tuple[Run, dict[str, np.ndarray[Any, Any]], list[Program]]:
    """The run, its samples as arrays (columns of `SAMPLE_COLUMNS`) and its programs."""
    asked = suite(truth)
    timed = [one for _, some in asked for one in some if one.cycles or one.seconds]
    columns = draw(truth, timed, seed)
    tally = counts(columns)
    programs: dict[str, Program] = {}
    points = []
    for info, some in asked:
        for one in some:
            point = one.point
            accepted, total = tally.get(point.id, (0, 0))
            program = program_of(info, point)
            if program is not None:
                programs[program.sha256] = program
            points.append(
                msgspec.structs.replace(
                    point, accepted=accepted, total=total, program=program.sha256 if program else ""
                )
            )
    created = _START + timedelta(days=seed % 300, minutes=seed % 60)
    mark = hashlib.sha256(f"{truth!r}{seed}".encode()).hexdigest()[:8]
    run = Run(
        schema=SCHEMA_VERSION,
        run=f"{created:%Y%m%dT%H%M%SZ}-{mark}",
        created=created.isoformat(),
        finished=(created + timedelta(seconds=95)).isoformat(),
        device=device_of(truth),
        environment={
            "kernel": "6.8.0", "python": "3.11.9", "governor": "unknown", "huge_pages": "madvise",
            "memory_limit_bytes": truth.memory_bytes, "load_before": 0.4, "virtual_machine": True,
        },
        toolchain={"assembler": "LLVM 20.1.8", "decoder": "iced-x86 1.21.0"},
        suite={"version": "1", "digest": hashlib.sha256(b"simulated suite").hexdigest()},
        plan={"seed": seed, "passes": truth.passes, "quick": False, "probes": "*", "order": "random"},
        clock=_clock(truth),
        probes=tuple(info for info, _ in asked),
        points=tuple(points),
        drift=_drift(truth, len(timed) * truth.passes),
        timing={
            "build": 3.1, "verify": 2.0, "calibrate": 9.5, "measure": 72.0, "setup": 5.4, "write": 0.6,
            "other": 2.4, "total": 95.0,
        },
        counters="unsupported: the kernel offers no hardware performance counters to this guest",
    )  # fmt: skip
    return run, columns, list(programs.values())


def make_run(truth: CpuTruth, seed: int, suite: Suite = everything) -> tuple[Run, Columns]:
    """The run and its samples, as lists by column."""
    run, columns, _ = make_records(truth, seed, suite)
    return run, {name: column.tolist() for name, column in columns.items()}


def make_bundle(truth: CpuTruth, seed: int, directory: Path, suite: Suite = everything) -> Path:
    """A complete bundle in `directory` (created); returns it.

    Reports look for bundles at `data/<device id>/<run id>/`; `make_data` writes one there.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    run, columns, programs = make_records(truth, seed, suite)
    directory.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for name, column in columns.items():
        if name in ("point", "gate"):
            arrays[name] = pa.array(column, type=pa.string()).dictionary_encode()
        else:
            arrays[name] = pa.array(column.astype(_WIDTHS.get(name, "int64")))
    pq.write_table(pa.table(arrays), directory / SAMPLES, compression="zstd")
    lines = b"".join(msgspec.json.encode(program) + b"\n" for program in programs)
    (directory / PROGRAMS).write_bytes(gzip.compress(lines, mtime=0))
    digests = {
        name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in (SAMPLES, PROGRAMS)
    }
    run = msgspec.structs.replace(run, files=digests)
    manifest = msgspec.json.format(msgspec.json.encode(run), indent=1)
    (directory / MANIFEST).write_bytes(manifest)
    return directory


def make_data(truth: CpuTruth, seed: int, data: Path, suite: Suite = everything) -> Path:
    """A bundle at its place under the data folder `data`."""
    run, _, _ = make_records(truth, seed, suite)
    return make_bundle(truth, seed, data / run.device.id / run.run, suite)
