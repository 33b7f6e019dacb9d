"""Kernels that wait and share: what is asked of which target, their programs, and the words they add to."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Source
from reportgen.backends.cuda import meeting
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.generator_synchronisation import DISTANCES, UNROLL, WORDS
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.host_gpu import HostGpu
from tests.simulated.ptx.points import Code
from tests.simulated.ptx.visits import Visits
from tests.unit.backends.cuda import suite
from tests.unit.backends.cuda.points import source, visit

FAMILY = "gpu_synchronisation/"


def sources(isa: str) -> dict[str, Source]:
    found = suite.generated(isa).sources
    return {point.removeprefix(FAMILY): one for point, one in found.items() if point.startswith(FAMILY)}


def test_there_are_few_points_and_fewer_programs() -> None:
    asked = sources("sm_90")
    assert len(asked) <= 60
    assert len({one.setup["kernel"] for one in asked.values()}) <= 26


@pytest.mark.parametrize(
    ("isa", "probe", "needs"), [("sm_75", "memory", "sm_80"), ("sm_89", "cluster", "sm_90")]
)
def test_what_a_target_lacks_is_unsupported_with_the_reason(isa: str, probe: str, needs: str) -> None:
    reasons = {
        reason
        for point, reason in suite.generated(isa).unsupported.items()
        if point.startswith(f"{FAMILY}{probe}_barrier")
    }
    assert len(reasons) == 1
    assert f"needs {needs} or newer" in reasons.pop()


@pytest.mark.parametrize("isa", ["sm_75", "sm_86", "sm_120"])
def test_the_machine_code_holds_what_was_meant(toolchain: str, isa: str) -> None:
    """One point of every program."""
    by_kernel = {str(one.setup["kernel"]): one for one in sources(isa).values()}
    builds = CudaBuilder().build_many(list(by_kernel.values()))
    assert [(one.point, one.status, one.reason) for one in builds if one.status != "ok"] == []


def test_paths_are_told_apart_by_their_constants() -> None:
    text = sources("sm_90")["divergence#paths=8"].text
    assert text.count("if (path == ") == 32
    assert len({part[:8] for part in text.split("0f")[1:]}) == 32
    assert sources("sm_90")["divergence#paths=2"].text == text


@pytest.mark.parametrize("place", DISTANCES)
def test_words_of_a_place_are_as_many_as_its_threads_reach(place: str) -> None:
    made = sources("sm_90")[f"atomic_rate#place={place},blocks=512"]
    by_block, by_warp, by_lane = DISTANCES[place]
    reached = {
        block * by_block + warp * by_warp + lane * by_lane
        for block in range(512)
        for warp in range(8)
        for lane in range(32)
    }
    assert max(reached) < int(made.setup["words"]) <= max(reached) + WORDS[place]


def test_a_launch_that_lost_an_add_is_told() -> None:
    words = (1000).to_bytes(4, "little") + (24).to_bytes(4, "little")
    assert meeting.fault(words, 512, 2) == ""
    assert "hold 1024, not 1536" in meeting.fault(words, 512, 3)
    assert meeting.fault(b"\0" * 8, 1 << 31, 2) == "", "words begin anew at 2^32"


def test_the_rate_of_a_device_is_timed_from_outside_and_its_adds_are_counted(
    launcher: tuple[CudaLauncher, HostGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = source("gpu_synchronisation/atomic_rate", place="one_address", blocks=64)
    batch = visit(launcher, made)
    assert (batch.status, batch.reason) == ("ok", "")
    assert batch.facts["results"] == "what was added is counted, launch by launch"
    launches = int(batch.facts["launches"])
    adds = made.work["op"] * batch.columns["repetitions"][0] / launches
    assert adds == UNROLL * 256 * 64 * int(made.setup["turns"])
    # 50 microseconds a launch at 1.98 cycles a nanosecond
    assert set(batch.columns["ticks"]) == {round(launches * 50_000 * 1.98)}
    monkeypatch.setattr(launcher[1], "lost", 1)
    batch = visit(launcher, made)
    assert batch.status == "invalid"
    assert "atomic adds are missing" in batch.reason


def test_a_barrier_is_one_window_of_its_block(launcher: tuple[CudaLauncher, HostGpu]) -> None:
    for warps in (1, 32):
        batch = visit(launcher, source("gpu_synchronisation/block_barrier", warps=warps, length=16))
        assert (batch.status, batch.columns["repetitions"][0]) == ("ok", 1)


def test_a_barrier_in_shared_memory_works_where_it_is_asked_by_test_wait(toolchain: str) -> None:
    """Below sm_90, where no wait puts a thread to sleep."""
    made = sources("sm_80")["memory_barrier#warps=8,length=16"]
    assert "mbarrier.test_wait.parity" in made.text
    code = Code()
    code.make([made])
    assert Visits("sm_80", code).visit(made).status == "ok"
