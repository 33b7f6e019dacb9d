"""Whose clock a row tells: of loads that lower it their own, of blocks that share the slowest one's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from reportgen.backends.base import Batch, Order
from reportgen.backends.cuda import targets
from reportgen.backends.cuda.binding import Argument, Shape
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.gpu_truth import source
from tests.simulated.host_gpu import HostGpu

DEVICE = targets.device(targets.parse("sm_90"))
PER_LAUNCH = 50_000
"""Nanoseconds that a launch takes."""


@dataclass
class Loaded(HostGpu):
    """A device whose blocks need so many cycles, the last ones twice as many where they share."""

    cycles: int = 70_000
    sharing: int = 0

    def spans(self, blocks: int, each: int) -> list[int]:
        taken = [self.cycles] * (blocks - self.sharing) + [2 * self.cycles] * self.sharing
        return [one for one in taken for _ in range(each)]


@dataclass
class Lazy(Loaded):
    """One whose driver loads a kernel at its first launch."""

    loading: int = 5_000_000
    """Nanoseconds."""

    def launch(
        self, function: Any, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        if not function[1].startswith("frame_"):
            self.now, self.loading = self.now + self.loading, 0
        super().launch(function, grid, block, shared, arguments)


def visit(gpu: HostGpu, probe: str, **settings: int | str) -> Batch:
    made = source(probe, **settings)
    gpu.setup = made.setup
    launcher = CudaLauncher(0, DEVICE, gpu)
    return launcher.measure(Order(made.point, b"code", "sha", made.setup, 0.002, 0.0, 7, 0))


@pytest.mark.parametrize("cycles", [99_000, 70_000])
def test_a_peak_is_told_by_the_clock_that_the_load_leaves(toolchain: str, cycles: int) -> None:
    settings: dict[str, int | str] = {"operation": "fp32_fma", "accumulators": 8, "warps": 16}
    batch = visit(Loaded(cycles=cycles), "roofline/peak_compute_fp32", **settings)
    launches = int(batch.facts["launches"])
    assert launches == 6  # of 50 microseconds
    assert set(batch.columns["ticks"]) == {cycles * launches}
    assert set(batch.columns["calibration_before"]) == {cycles * launches}
    assert set(batch.columns["calibration_after"]) == {PER_LAUNCH * launches}
    turns = int(source("roofline/peak_compute_fp32", **settings).setup["turns"])
    assert set(batch.columns["repetitions"]) == {16 * turns * launches}


def test_loading_a_kernel_leaves_samples_as_long_as_they_are(toolchain: str) -> None:
    settings: dict[str, int | str] = {"operation": "fp32_fma", "accumulators": 8, "warps": 16}
    batch = visit(Lazy(), "roofline/peak_compute_fp32", **settings)
    assert batch.facts["launches"] == 6
    assert set(batch.columns["calibration_after"]) == {6 * PER_LAUNCH}


def test_loading_a_kernel_does_not_shorten_a_load_that_is_held(toolchain: str) -> None:
    settings: dict[str, int | str] = {"operation": "fp32_fma", "accumulators": 8, "warps": 16}
    turns = [visit(gpu, "roofline/sustained_fp32", **settings).facts["turns"] for gpu in (Loaded(), Lazy())]
    assert turns[0] == turns[1]


@pytest.mark.parametrize(("sharing", "times"), [(0, 1), (56, 2)])
def test_few_blocks_that_share_are_told(toolchain: str, sharing: int, times: int) -> None:
    gpu = Loaded(sharing=sharing)
    made = source(
        "gpu_execution/block_count_sweep", operation="fp32_fma", accumulators=4, warps=8, blocks=160
    )
    batch = visit(
        gpu, "gpu_execution/block_count_sweep", operation="fp32_fma", accumulators=4, warps=8, blocks=160
    )
    assert set(batch.columns["ticks"]) == {times * gpu.cycles}
    assert set(batch.columns["repetitions"]) == {8 * int(made.setup["turns"])}


def test_many_turns_are_many_repetitions(toolchain: str) -> None:
    made = source("instruction_throughput/fp32_fma", accumulators=8)
    batch = visit(HostGpu(), "instruction_throughput/fp32_fma", accumulators=8)
    assert set(batch.columns["repetitions"]) == {8 * int(made.setup["turns"])}
