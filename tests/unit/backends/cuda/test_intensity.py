"""A stream that computes on a GPU: one program for all launches, its loops proven, bytes by the device."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from reportgen.backends.cuda import budget
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.generator_intensity import BLOCKS_EACH, BYTES_EACH, LONG, WORDS
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.gpu_intensity import MULTIPLY_ADDS, NAME
from tests.simulated.host_gpu import MULTIPROCESSORS, HostGpu
from tests.unit.backends.cuda.points import source, visit


@pytest.mark.parametrize("level", ["l2", "dram"])
def test_work_is_what_the_loops_are_asked_for(level: str) -> None:
    texts = set()
    for count in MULTIPLY_ADDS[level]:
        made = source(NAME, level=level, multiply_adds=count)
        many, few = int(made.setup["many"]), int(made.setup["few"])
        assert (many * LONG + few) * WORDS == count
        assert made.work["flop"] / made.work["bytes"] == count / 32
        assert few < LONG
        texts.add(made.text)
    assert len(texts) == 1
    assert texts == {source(NAME, level="l2", multiply_adds=32).text}


def test_a_count_that_no_launch_can_make_is_refused() -> None:
    with pytest.raises(ValueError, match="no multiple of 16"):
        source(NAME, level="l2", multiply_adds=40)


def test_bytes_follow_the_device(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: dict[str, int] = {}
    kernel = launcher[1].launch

    def launch(function: Any, grid: Any, block: Any, shared: int, arguments: Any) -> None:
        if not function[1].startswith("frame_"):
            words = str(launcher[1].setup["arguments"]).split("; ")
            launched.update(zip(words, (value for value, _ in arguments), strict=True), blocks=grid[0])
        kernel(function, grid, block, shared, arguments)

    monkeypatch.setattr(launcher[1], "launch", launch)
    made = source(NAME, level="l2", multiply_adds=256)
    assert made.setup["blocks_each"] == BLOCKS_EACH
    made = msgspec.structs.replace(made, setup=made.setup | {"blocks_each": 1})
    batch = visit(launcher, made)
    assert batch.status == "ok"
    blocks = MULTIPROCESSORS
    assert launched["blocks"] == blocks
    assert batch.facts["bytes_actual"] == blocks * BYTES_EACH["l2"]
    assert (launched["setting:many"], launched["setting:few"]) == (2, 0)
    moved = made.work["bytes"] * batch.columns["repetitions"][0] / int(batch.facts["launches"])
    assert moved == launched["count:rounds"] * blocks * BYTES_EACH["l2"]


def test_loops_that_hold_something_else_are_rejected(toolchain: str) -> None:
    made = source(NAME, level="dram", multiply_adds=64)
    build = CudaBuilder().build(made)
    assert build.status == "ok", build.reason
    # the same instructions, but long and short stretch together in one loop
    first = made.text.index("#pragma unroll 1\n      for (unsigned time = 0; time < few")
    second = made.text.index("{", made.text.index("time < few"))
    end = made.text.index("}", second)
    merged = made.text[:first] + made.text[end + 1 :]
    at = merged.index("{", merged.index("time < many")) + 1
    spoilt = merged[:at] + made.text[second + 1 : end] + merged[at:]
    bad = CudaBuilder().build(msgspec.structs.replace(made, text=spoilt))
    assert bad.status == "invalid"
    assert "loops of" in bad.reason


def test_the_plan_allows_for_what_a_launch_computes() -> None:
    light, heavy = (budget.seconds(source(NAME, level="dram", multiply_adds=count)) for count in (64, 8192))
    assert light < heavy < 0.5
