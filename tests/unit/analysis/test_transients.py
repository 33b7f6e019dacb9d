"""Samples that are left out at the start of a visit, on a simulated GPU whose first samples are slow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.analysis.derive import quantities
from tests.simulated.gpu_drawn import run_of, table_of
from tests.simulated.gpu_execution import bank_sweep
from tests.simulated.gpu_memory import distances
from tests.simulated.gpu_noise import GpuNoise
from tests.simulated.gpu_population import DrawnGpu


def test_samples_of_many_lines_keep_their_multiprocessors_when_the_first_are_left_out() -> None:
    drawn = DrawnGpu(noise=GpuNoise(transient=0.2))
    drawn = replace(drawn, truth=replace(drawn.truth, sides=2, far_share=0.4))
    asked = [bank_sweep(drawn.truth), distances(drawn.truth)]
    run, columns, _ = run_of(drawn, 1, asked)
    found = {one.metric: one for one in quantities(run, table_of(columns))}
    near = found["memory.l2.distance.near"]
    assert near.inputs["transient"] == 1
    assert near.value == pytest.approx(drawn.truth.near, rel=0.01)
    assert len(near.details["groups"]) == 2
