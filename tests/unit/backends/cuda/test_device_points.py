"""Every kind of point is set up, launched and verified."""

from __future__ import annotations

from itertools import count, pairwise, product
from typing import Any

import numpy as np
import pytest

from reportgen.backends.base import Order
from reportgen.backends.cuda import binding as cuda
from reportgen.backends.cuda import sampling
from reportgen.backends.cuda.buffers import BY_BLOCK, MOVED, SHIFT
from reportgen.backends.cuda.clock import Pace
from reportgen.backends.cuda.generator_crowd import EACH
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import LaunchError, Unsupported
from tests.simulated import host_gpu
from tests.simulated.host_gpu import MULTIPROCESSORS, WINDOW, HostGpu
from tests.unit.backends.cuda import suite
from tests.unit.backends.cuda.points import source, visit


def test_multiprocessors_that_are_counted_with_gaps_answer_all_the_same(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher[1], "gaps", True)
    batch = visit(launcher, source("memory_hierarchy/l2_matrix", count=64))
    assert (batch.status, max(batch.columns["cpu"]) >= MULTIPROCESSORS) == ("ok", True)
    assert not [place for place in batch.columns["cpu"] if place % 2]


def test_a_stream_is_timed_from_outside(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    made = source("memory_hierarchy/bandwidth_saturation", kernel="copy", width=16, blocks=4, bytes=1 << 20)
    batch = visit(launcher, made)
    assert batch.status == "ok"
    launches = int(batch.facts["launches"])
    assert launches == 6
    moved = made.work["bytes"] * batch.columns["repetitions"][0] / launches
    assert moved == 4 * BY_BLOCK < MOVED  # in rounds over two arrays of 1 MiB
    assert batch.facts["rounds"] == 128
    # 50 microseconds a launch at 1.98 cycles a nanosecond
    assert set(batch.columns["ticks"]) == {round(launches * 50_000 * 1.98)}
    with pytest.raises(Unsupported, match="less than 1024 blocks move"):
        visit(
            launcher,
            source(
                "memory_hierarchy/bandwidth_saturation", kernel="read", width=16, blocks=1024, bytes=1 << 20
            ),
        )


def test_a_stream_of_the_first_level_keeps_every_block_to_a_part_of_its_own(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(
        launcher[1], "set_function_attribute", lambda _, which, value: asked.append((which, value))
    )
    launched: dict[str, int] = {}
    kernel = launcher[1].launch

    def launch(function: Any, grid: cuda.Shape, block: cuda.Shape, shared: int, arguments: Any) -> None:
        if not function[1].startswith("frame_"):
            words = str(launcher[1].setup["arguments"]).split("; ")
            launched.update(zip(words, (value for value, _ in arguments), strict=True), blocks=grid[0])
        kernel(function, grid, block, shared, arguments)

    monkeypatch.setattr(launcher[1], "launch", launch)
    probe = "memory_hierarchy/bandwidth_first_level"
    made = source(probe, kernel="read", width=16, blocks_each=2, block_bytes=16384)
    batch = visit(launcher, made)
    assert batch.status == "ok"
    assert asked == [(cuda.CARVE_OUT, cuda.ALL_CACHE)]
    assert launched["blocks"] == 2 * MULTIPROCESSORS
    assert (launched["count:shift"], launched["count:turns"]) == (0, 1)
    size = 2 * MULTIPROCESSORS * 16384
    assert batch.facts["bytes_actual"] == size
    assert launched["count:rounds"] == 4 * MOVED // size
    launches = int(batch.facts["launches"])
    moved = made.work["bytes"] * batch.columns["repetitions"][0] / launches
    assert moved == size * launched["count:rounds"]


@pytest.mark.parametrize("in_turn", [True, False], ids=["one to each in turn", "neighbours together"])
def test_hardly_a_round_of_a_stream_finds_in_the_first_cache_what_the_last_four_left(in_turn: bool) -> None:
    """A round of 8 MiB leaves 64 KiB in each of 132 first caches, so that four may still be there."""
    found = []
    for places, blocks, rounds in product((34, 40, 58, 72, 80, 108, 114, 128, 132, 142, 148, 170, 188),
                                          (256, 512, 1024), (1, 2, 3, 4)):  # fmt: skip
        each, apart = -(-blocks // places), rounds * (SHIFT % blocks)
        place = np.arange(blocks) % places if in_turn else np.arange(blocks) // each
        found.append(float(np.mean(place[(np.arange(blocks) + apart) % blocks] == place)))
    assert np.median(found) == 0
    assert np.mean(found) < 0.01
    assert max(found) < 0.27


def test_warps_side_by_side_count_each(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    made = source("gpu_execution/warp_count_sweep", operation="fp32_fma", accumulators=4, warps=8)
    batch = visit(launcher, made)
    assert set(batch.columns["repetitions"]) == {8 * int(made.setup["turns"])}
    assert set(batch.columns["cpu"]) == {5}


@pytest.mark.parametrize(
    ("probe", "operation", "teams"),
    [("peak_compute_fp32", "fp32_fma", 8), ("peak_tensor_fp16", "wgmma_m64n128k16_f16_f32", 2)],
)
def test_a_peak_is_taken_while_every_multiprocessor_works(
    launcher: tuple[CudaLauncher, HostGpu], probe: str, operation: str, teams: int
) -> None:
    made = source(f"roofline/{probe}", operation=operation, accumulators=4, warps=8)
    batch = visit(launcher, made)
    assert (batch.status, batch.facts["blocks"]) == ("ok", MULTIPROCESSORS)
    launches = int(batch.facts["launches"])
    # a rate of one multiprocessor, which the analysis multiplies by their number
    assert set(batch.columns["repetitions"]) == {int(made.setup["turns"]) * teams * launches}
    assert set(batch.columns["ticks"]) == {launches * WINDOW}


def test_a_crowd_is_many_more_blocks_than_fit(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[int, int] = {}
    monkeypatch.setattr(
        launcher[1], "set_function_attribute", lambda _, which, value: asked.update({which: value})
    )
    made = source("gpu_execution/shared_memory_pressure", accumulators=1, dynamic_bytes=65536)
    batch = visit(launcher, made)
    assert (batch.status, batch.reason) == ("ok", "")
    assert batch.facts["blocks"] == MULTIPROCESSORS * EACH
    assert asked == {cuda.DYNAMIC_SHARED: 65536, cuda.CARVE_OUT: 100}
    assert batch.facts["warps_driver"] == 3 * 4  # three times 65 KiB of 228, blocks of four warps
    launches = int(batch.facts["launches"])
    assert set(batch.columns["repetitions"]) == {EACH * 4 * launches}
    assert launcher[1].largest < 8 << 20  # one pair of clock reads a block


def test_a_driver_that_cannot_tell_how_many_blocks_fit(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(function: object, threads: int, shared: int) -> int:
        raise LaunchError("no such call")

    monkeypatch.setattr(launcher[1], "resident", refuse)
    batch = visit(launcher, source("gpu_execution/register_pressure", accumulators=1, registers=64))
    assert batch.status == "ok"
    assert "warps_driver" not in batch.facts


def test_a_load_that_is_held_has_windows_in_the_order_of_time(
    launcher: tuple[CudaLauncher, HostGpu],
) -> None:
    made = source("roofline/sustained_fp32", operation="fp32_fma", accumulators=8, warps=16)
    batch = visit(launcher, made)  # 2 ms, and a launch takes 50 microseconds whatever it does
    windows = int(batch.facts["windows"])
    assert (batch.status, windows, set(batch.gates)) == ("ok", 12, {"accepted"})
    assert batch.columns["sample"] == list(range(windows))
    starts = batch.columns["start"]
    assert [later - earlier for earlier, later in pairwise(starts)] == [50_000] * (windows - 1)
    assert set(batch.columns["ticks"]) == set(batch.columns["calibration_before"]) == {WINDOW}
    assert set(batch.columns["calibration_after"]) == {50_000}
    turns = round(int(made.setup["turns"]) * 2 / windows / 0.05)
    assert set(batch.columns["repetitions"]) == {turns * MULTIPROCESSORS * 16}


def test_an_argument_that_is_not_known(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    made = source("gpu_execution/warp_count_sweep", operation="fp32_fma", accumulators=4, warps=8)
    setup = made.setup | {"arguments": "nonsense:int"}
    with pytest.raises(LaunchError, match="'nonsense:int'"):
        launcher[0].measure(Order("x", b"code", "sha", setup, 0.001, 0.0, 1, 0))
    assert len(launcher[1].memory_of) <= 3  # what a refused visit took is given back


def test_of_a_cluster_the_first_block_speaks(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the others the peer is another one than the point says."""
    made = source("memory_hierarchy/distributed_shared", cluster=4, peer="own")
    spans = [WINDOW] * 32 + [5 * WINDOW] * 96
    monkeypatch.setattr(host_gpu._Kernel, "run", lambda kernel: _leave(kernel, spans))
    batch = visit(launcher, made)
    assert set(batch.columns["ticks"]) == {WINDOW}
    assert batch.facts["blocks"] == 4


def test_one_thread_may_speak_for_its_block(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = source("gpu_execution/warp_count_sweep", operation="fp32_fma", accumulators=4, warps=8)
    monkeypatch.setattr(host_gpu._Kernel, "run", lambda kernel: _leave(kernel, [WINDOW]))
    assert set(visit(launcher, made).columns["ticks"]) == {WINDOW}


def _leave(kernel: host_gpu._Kernel, spans: list[int]) -> None:
    kernel.gpu.fill(kernel.of("output"), 42, 4)
    kernel._clocks(spans)


def test_a_clock_that_jumps_within_a_visit_is_told(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    paces = (Pace(198_000 if number < 4 else 150_000, 100_000, number) for number in count())
    monkeypatch.setattr(launcher[0]._frame, "pace", lambda: next(paces))
    monkeypatch.setattr(sampling, "PACE_SECONDS", -1.0)
    made = source("gpu_execution/warp_count_sweep", operation="fp32_fma", accumulators=4, warps=8)
    assert visit(launcher, made).facts["visit.clock_ghz"] == "1.500-1.980"


def test_every_set_up_of_the_suite_is_known_to_the_launcher(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    """One point of every kind of kernel, arguments, path and layout, small ones."""
    seen = set()
    for point, made in suite.generated("sm_90").sources.items():
        setup = made.setup
        if int(setup.get("bytes", setup.get("stride", 0))) > 1 << 23 or int(setup.get("n", 0)) > 256:
            continue
        what = (setup["kind"], setup["arguments"], setup.get("path"), setup.get("layout"))
        if what in seen or setup.get("path") == "constant" or int(setup.get("blocks", 1)) > 8:
            continue
        seen.add(what)
        if setup["kind"] in ("saturated", "crowd", "held"):
            continue  # megabytes of clock reads, each shape of which has a test of its own
        batch = visit(launcher, made)
        assert (batch.status, batch.reason) == ("ok", ""), point
    assert {kind for kind, *_ in seen} >= {"body", "chase", "trace", "l2_matrix", "bulk", "stream", "empty"}
    assert len(seen) > 60
