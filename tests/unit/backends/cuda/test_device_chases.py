"""Chases and walks are set up, launched and followed through what was laid out."""

from __future__ import annotations

import re

import numpy as np
import pytest

from reportgen.backends.base import Source
from reportgen.backends.cuda import binding as cuda
from reportgen.backends.cuda import chase
from reportgen.backends.cuda.buffers import COPY_WINDOWS
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.host_gpu import LOAD, MULTIPROCESSORS, WINDOW, FirstLevel, HostGpu
from tests.unit.backends.cuda.points import DEVICE, source, visit


@pytest.mark.parametrize(
    "path", ["plain", "ca", "cg", "nc", "volatile", "texture", "shared", "local", "constant"]
)
def test_a_chase_ends_where_it_must(launcher: tuple[CudaLauncher, HostGpu], path: str) -> None:
    probe = "on_chip_sweep" if path in ("shared", "local", "constant") else "working_set_sweep"
    made = source(f"memory_hierarchy/{probe}", path=path, bytes=16384)
    code = CudaBuilder().build(made).code if path == "constant" else b"code"
    batch = visit(launcher, made, code)
    assert (batch.status, batch.reason) == ("ok", "")
    windows = batch.columns["repetitions"][0]
    assert set(batch.columns["ticks"]) == {WINDOW * windows}
    assert set(batch.columns["empty"]) == {2 * windows}
    assert batch.facts["bytes_actual"] == 16384


def cycles_of_a_load(made: Source, lines: int) -> set[float]:
    """Of every sample, on a device whose first level holds so many lines and is empty at every launch."""
    gpu = HostGpu(first_level=FirstLevel(lines))
    batch = visit((CudaLauncher(0, DEVICE, gpu), gpu), made)
    assert (batch.status, batch.reason) == ("ok", "")
    rows = zip(*(batch.columns[name] for name in ("ticks", "empty", "repetitions")), strict=True)
    return {(ticks - empty) / windows / made.work["steps"] for ticks, empty, windows in rows}


@pytest.mark.parametrize("path", ["plain", "ca", "nc"])
def test_the_first_level_is_filled_in_every_launch(toolchain: str, path: str) -> None:
    held = source("memory_hierarchy/working_set_sweep", path=path, bytes=65536)
    assert cycles_of_a_load(held, 2048) == {33.0}
    beyond = source("memory_hierarchy/working_set_sweep", path=path, bytes=1 << 19)
    assert cycles_of_a_load(beyond, 2048) == {270.0}


@pytest.mark.parametrize("path", ["ca", "texture", "shared", "constant", "local"])
def test_a_load_is_under_way_at_both_ends_of_a_window(path: str) -> None:
    probe = "on_chip_sweep" if path in ("shared", "local", "constant") else "working_set_sweep"
    text = source(f"memory_hierarchy/{probe}", path=path, bytes=8192).text
    load = next(one for one in text.splitlines() if "(node)" in one).strip()
    before, inside = text.split(load, 1)[1].split("#pragma unroll\n", 1)
    # behind the loads that warm up comes one, then the clock, then those that are timed, then the clock
    assert (before.count(load), before.count("%clock")) == (1, 1)
    assert before.index(load) < before.index("%clock")
    assert inside.index(load) < inside.index("%clock")
    assert inside.count(load) == (2 if path == "texture" else 1)


@pytest.mark.parametrize(("offset", "second"), [(24, 33), (32, 270), (96, 270), (136, 270)])
def test_the_second_of_two_loads_hits_where_it_is_in_the_sector_of_the_first(
    toolchain: str, offset: int, second: int
) -> None:
    made = source("memory_hierarchy/stride_sweep", path="ca", offset=offset)
    assert cycles_of_a_load(made, 2048) == {(270 + second) / 2}


@pytest.mark.parametrize(
    ("nodes", "level", "loads"),
    [
        (100, 50 << 20, 100),
        (1 << 22, 50 << 20, 512_000),
        (1 << 22, 4 << 20, 40_960),  # a turn of ten times the cache would tell no more
        (900_000, 96 << 20, 900_000),  # one that fits into a large cache is gone through as a whole
        (1 << 22, 256 << 20, 1 << 21),
        (1 << 22, 1 << 16, 8192),
        (1 << 22, 0, 1 << 19),
    ],
)
def test_the_second_level_is_filled_before_the_first_sample(nodes: int, level: int, loads: int) -> None:
    assert chase.warm(nodes, level) == loads


@pytest.mark.parametrize(
    ("clocks", "looks"),
    [
        ([198_000], 2),
        ([34_500, 150_000, 197_000, 198_000], 4),
        ([198_000, 150_000], 2),  # falling is what a load does to it
        ([1001 * (1 + number) for number in range(40)], 13),
    ],
)
def test_a_device_that_idled_is_kept_busy_until_its_clock_has_risen(
    toolchain: str, clocks: list[int], looks: int
) -> None:
    gpu = HostGpu(clocks=list(clocks))
    CudaLauncher(0, DEVICE, gpu)
    assert len(clocks) - len(gpu.clocks) == min(looks, len(clocks) - 1)


def test_a_chase_asks_for_all_of_the_first_level(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(
        launcher[1], "set_function_attribute", lambda _, which, value: asked.append((which, value))
    )
    visit(launcher, source("memory_hierarchy/working_set_sweep", path="ca", bytes=8192))
    visit(launcher, source("memory_hierarchy/sector_trace", path="ca", stride=32))
    assert asked == [(cuda.CARVE_OUT, 0)] * 2
    visit(launcher, source("memory_hierarchy/on_chip_sweep", path="shared", bytes=65536))
    assert asked[2:] == [(cuda.DYNAMIC_SHARED, 65536)]


def test_the_first_window_of_a_launch_does_not_count(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    chased = visit(launcher, source("memory_hierarchy/working_set_sweep", path="ca", bytes=8192))
    assert set(chased.columns["repetitions"]) == {chase.LEAST_WINDOWS}
    copied = visit(launcher, source("memory_hierarchy/bulk_copy", copy="load", bytes=64))
    assert set(copied.columns["repetitions"]) == {COPY_WINDOWS - 1}


def test_a_large_chase_is_laid_out_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    setup: dict[str, int | float | str] = {"kind": "chase", "path": "cg", "bytes": 128 * 1000}
    found = chase.lay_out(setup, np.random.default_rng(3))
    gpu = HostGpu()
    found.base = gpu.allocate(128 * 1000)
    monkeypatch.setattr(chase, "CHUNK", 128 * 300)
    found.write(gpu, 8)
    whole = found.words(8)
    assert gpu.read(found.base, whole.nbytes) == whole.tobytes()


def test_a_chase_that_goes_astray_is_invalid(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    launcher[1].broken_chase = True
    batch = visit(launcher, source("memory_hierarchy/working_set_sweep", path="cg", bytes=65536))
    launcher[1].broken_chase = False
    assert batch.status == "invalid"
    assert "windows ended at another node" in batch.reason
    assert set(batch.gates) == {"wrong result"}


@pytest.mark.parametrize(
    ("probe", "settings"),
    [
        ("cache_conflict", {"stride": 4096, "count": 5}),
        ("stride_sweep", {"path": "ca", "offset": 24}),
        ("tlb_reach", {"stride": 65536, "count": 8}),
    ],
)
def test_other_layouts(
    launcher: tuple[CudaLauncher, HostGpu], probe: str, settings: dict[str, int | str]
) -> None:
    assert visit(launcher, source(f"memory_hierarchy/{probe}", **settings)).status == "ok"


def test_a_trace_has_a_row_for_every_load(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    batch = visit(launcher, source("memory_hierarchy/sector_trace", path="ca", stride=32))
    assert batch.status == "ok"
    assert set(batch.columns["ticks"]) == {LOAD}
    assert max(batch.columns["thread"]) + 1 == 2048


def test_distances_have_a_row_for_every_line(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    batch = visit(launcher, source("memory_hierarchy/l2_matrix", count=64))
    assert max(batch.columns["thread"]) + 1 == 64
    places = set(batch.columns["cpu"])
    assert len(places) >= 8
    assert max(places) < MULTIPROCESSORS


def test_lanes_load_one_word_of_constant_memory_and_all_words_fit_its_first_cache() -> None:
    text = source("instruction_throughput/constant_load", accumulators=8).text
    starts = [int(number) for number in re.findall(r"\[threadIdx\.x / 32 \+ 32 \* (\d+)\]", text)]
    assert starts == list(range(8))
