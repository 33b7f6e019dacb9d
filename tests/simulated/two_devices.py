"""Two simulated devices in one data folder: one with the higher peak, one with more bandwidth."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from reportgen.runs.schema import MANIFEST
from tests.simulated.asked import Asked
from tests.simulated.cpu import make_bundle, make_data, make_records
from tests.simulated.memory_points import bandwidth_probe
from tests.simulated.roofline_points import peak_probes
from tests.simulated.truth import CpuTruth

STEADY = CpuTruth(passes=2)
"""FP32 peak 224 GFLOP/s, 15.1 GB/s from memory: ridge near 15 FLOP/byte."""
STREAM = replace(
    STEADY,
    name="Simulated Stream 200",
    cycle_hz=0.6 * STEADY.cycle_hz,
    bandwidth=STEADY.bandwidth
    | {"dram": {kernel: 2 * rate for kernel, rate in STEADY.bandwidth["dram"].items()}},
)
"""0.6 times the peak, twice the bandwidth from memory: the two rooflines cross near 9 FLOP/byte."""
STREAM_ID = "simulated-stream-200"


def roofs_only(truth: CpuTruth) -> list[Asked]:
    """The probes that a roofline is made of."""
    return [*peak_probes(truth), bandwidth_probe(truth)]


def make_two(data: Path) -> tuple[Path, Path]:
    """Bundles of both under the data folder."""
    first = make_data(STEADY, 1, data, roofs_only)
    run, _, _ = make_records(STREAM, 2, roofs_only)
    second = make_bundle(STREAM, 2, data / STREAM_ID / run.run, roofs_only)
    manifest = json.loads((second / MANIFEST).read_bytes())
    manifest["device"]["id"] = STREAM_ID
    (second / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return first, second
