"""Streams on the device: what is timed, who reads what in which round, and what stays in the first cache."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from reportgen.backends.cuda import binding as cuda
from reportgen.backends.cuda.binding import Argument, Shape
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.backends.cuda.streams import BY_BLOCK, MOVED, SHIFT
from reportgen.errors import Unsupported
from tests.simulated.host_gpu import HostGpu
from tests.unit.backends.cuda.test_device_points import DEVICE, launcher, source, visit

__all__ = ["launcher"]


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


def test_blocks_that_read_their_own_bytes_stay_in_the_first_cache(
    toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = HostGpu()
    launcher = CudaLauncher(0, DEVICE, gpu), gpu
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(gpu, "set_function_attribute", lambda _, which, value: asked.append((which, value)))
    shifts: set[int] = set()
    launch = gpu.launch

    def seen(function: Any, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]) -> None:
        words = [word.strip() for word in str(gpu.setup["arguments"]).split(";")]
        if len(words) == len(arguments):
            shifts.add(arguments[words.index("count:shift")][0])
        launch(function, grid, block, shared, arguments)

    monkeypatch.setattr(gpu, "launch", seen)
    own: dict[str, int | str] = {"kernel": "read", "width": 16, "blocks": 512, "bytes": 8 << 20}
    batch = visit(launcher, source("memory_hierarchy/first_level_bandwidth", **own))
    assert batch.facts["bytes_actual"] == 65536  # 4 of 512 blocks are on each of 132 multiprocessors
    assert (shifts, asked) == ({0}, [(cuda.CARVE_OUT, 0)])
    other = visit(launcher, source("memory_hierarchy/bandwidth_saturation", **own))
    assert other.facts["bytes_actual"] == 8 << 20
    assert (shifts, len(asked)) == ({0, SHIFT}, 1)


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
