"""A stream that computes on a simulated GPU: ridges of the second level and of memory, and overlap."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings.derive import derive
from reportgen.findings.finding import Finding
from reportgen.roofline.ridges import ridges
from reportgen.status import Status
from tests.simulated import gpu_execution, gpu_intensity, gpu_memory
from tests.simulated.gpu import make
from tests.simulated.gpu_truth import MIB, GpuTruth
from tests.unit.analysis.cases import covers

SEEN, OVERLAP = "ridge.observed.fp32", "overlap.fp32"
NEEDED = (gpu_memory.working_set, gpu_memory.streams, gpu_execution.peak_fp32, gpu_intensity.sweep)


def found(truth: GpuTruth) -> tuple[dict[str, Quantity], dict[str, Finding]]:
    run, rows = make(truth, asked=[probe(truth) for probe in NEEDED])
    measured = quantities(run, pa.table(rows))
    every = (*measured, *ridges(measured))
    return {one.metric: one for one in every}, {one.id: one for one in derive(run, every)}


@pytest.mark.parametrize("overlap", [1.0, 0.9, 0.6])
def test_ridges_and_overlap_of_both_levels(overlap: float) -> None:
    truth = replace(GpuTruth(), overlap=overlap)
    seen, findings = found(truth)
    for level in ("l2", "dram"):
        ridge = seen[f"{SEEN}.{level}"]
        assert ridge.status is Status.OK
        assert covers(
            ridge, gpu_intensity.peak(truth) / {"l2": truth.l2_rate, "dram": truth.memory_rate}[level]
        )
        assert seen[f"{OVERLAP}.{level}"].value == pytest.approx(overlap, abs=0.05)
        assert "agrees with" in findings[f"ridge:{SEEN}.{level}"].sentence


def test_small_second_levels_are_not_called_that() -> None:
    seen, _ = found(replace(GpuTruth(), l2_bytes=6 * MIB, l2_of_all=6 * MIB))
    assert seen[f"{SEEN}.l2"].status is Status.INVALID  # 8 MiB of 132 multiprocessors
    assert seen[f"{SEEN}.dram"].status is Status.OK


def test_a_ridge_beyond_the_last_launch_is_a_lower_bound() -> None:
    seen, _ = found(replace(GpuTruth(), memory_rate=1.0e11))
    ridge = seen[f"{SEEN}.dram"]
    assert ridge.status is Status.CENSORED
    assert ridge.low == pytest.approx(256, rel=0.3)
