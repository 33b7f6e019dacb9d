"""Batches, two processes, the cache, and what becomes of a source that cannot be built."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec
import pytest

from reportgen import caches
from reportgen.backends.base import Source
from reportgen.backends.cuda import batches, builder, compiler, sass
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.errors import CompileError, UserError
from tests.unit.backends.cuda import kernels

pytestmark = pytest.mark.usefixtures("toolchain")


def chain(name: str, target: str = "sm_90", ptx: str = "fma.rn.f32 %0, %0, %1, %2;") -> Source:
    return kernels.source(kernels.Form(name, "float", ptx, "FFMA"), target)


def test_builds_come_in_the_order_of_the_sources() -> None:
    sources = [chain("b", "sm_86"), chain("a"), chain("c"), chain("a2", "sm_86")]
    assert [build.point for build in CudaBuilder().build_many(sources, jobs=1)] == ["b", "a", "c", "a2"]


def test_two_points_may_share_a_kernel_name() -> None:
    one, other = (
        chain("same"),
        msgspec.structs.replace(chain("same"), point="other", expect={"kind": "resource"}),
    )
    builds = CudaBuilder().build_many([one, other], jobs=1)
    assert [build.status for build in builds] == ["ok", "ok"]


def test_one_bad_source_does_not_spoil_the_others() -> None:
    bad = chain("bad", ptx="fma.rn.f33 %0, %0, %1, %2;")
    lacking = kernels.source(
        kernels.Form("lacking", "int", "redux.sync.add.s32 %0, %0, -1;", "REDUX"), "sm_75"
    )
    good = chain("good", "sm_75")
    builds = {b.point: b for b in CudaBuilder().build_many([bad, lacking, good], jobs=1)}
    assert (builds["bad"].status, builds["lacking"].status, builds["good"].status) == (
        "failed", "unsupported", "ok",
    )  # fmt: skip
    assert "bad.cu(" in builds["bad"].reason
    assert builds["lacking"].reason.startswith("this target lacks it: ")
    assert builds["bad"].code == b""
    assert builds["bad"].program is None


def test_second_time_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [chain("once"), chain("twice", ptx="add.rn.f32 %0, %0, %1;")]
    first = CudaBuilder().build_many(sources, jobs=1)
    assert first[0].seconds["build"] > 0

    def fail(*_: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(builder, "make", fail)
    second = CudaBuilder().build_many(sources, jobs=1)
    assert [(b.program, b.code, b.status) for b in second] == [(b.program, b.code, b.status) for b in first]
    changed = msgspec.structs.replace(sources[0], expect={**sources[0].expect, "chains": 2})
    with pytest.raises(AssertionError, match="built again"):
        CudaBuilder().build(changed)


def test_two_processes_give_what_one_gives() -> None:
    sources = [chain(f"p{n}", target) for target in ("sm_80", "sm_89") for n in range(2)]
    builds = CudaBuilder().build_many(sources, jobs=2)
    assert [build.status for build in builds] == ["ok"] * 4
    assert [build.program for build in builds] == [
        build.program for build in CudaBuilder().build_many(sources, jobs=1)
    ]


def test_the_cache_holds_a_cubin_once_and_gives_up_what_is_too_much(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(caches.VARIABLE, "0")
    folder = caches.folder_of_kernels()
    first = CudaBuilder().build_many([chain("a"), chain("b")], jobs=1)
    kept = caches.entries(caches.CUDA, folder)
    assert sorted(entry.path.suffix for entry in kept) == [".cubin", ".json", ".json", ".unit"]
    for entry in kept:
        os.utime(entry.path, (1.0, 1.0))
    assert CudaBuilder().build_many([chain("a"), chain("b")], jobs=1)[0].code == first[0].code
    assert len(caches.entries(caches.CUDA, folder)) == len(kept)  # nothing was added
    for entry in kept:
        os.utime(entry.path, (1.0, 1.0))
    second = CudaBuilder().build_many([chain("a", "sm_86"), chain("b")], jobs=1)
    assert [build.status for build in second] == ["ok", "ok"]
    left = {entry.path.name for entry in caches.entries(caches.CUDA, folder)}
    assert len(left) == 5  # of `a` for sm_86 three files, of `b` what it is and the cubin it is in
    assert len(left & {entry.path.name for entry in kept}) == 2


def test_batches_hold_one_target_and_no_name_twice() -> None:
    sources = [
        chain("a"),
        chain("b"),
        chain("a", "sm_86"),
        msgspec.structs.replace(chain("a"), point="a again"),
    ]
    found = batches.made({str(n): source for n, source in enumerate(sources)}, 2)
    assert [list(batch) for batch in found] == [["0", "1"], ["3"], ["2"]]
    many = {str(n): chain(f"k{n}") for n in range(compiler.UNIT + 1)}
    assert [len(batch) for batch in batches.made(many, 2)] == [compiler.UNIT, 1]


def test_batches_are_of_many_units_first_and_of_one_at_last() -> None:
    units = 9
    many = {str(n): chain(f"k{n}") for n in range(units * compiler.UNIT)}
    found = batches.made(many, 2)
    assert [len(batch) // compiler.UNIT for batch in found] == [3, 2, 1, 1, 1, 1]
    assert sorted(name for batch in found for name in batch) == sorted(many)
    assert len(batches.made(many, 1)[0]) == batches.MOST_UNITS * compiler.UNIT


def test_a_compiler_that_ends_its_process_costs_one_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Pool:
        """A process that meets a certain source dies, and with it whatever is asked of its pool."""

        def __init__(self, *_: object) -> None:
            self.broken = False

        def submit(
            self, work: Callable[[batches.Batch], builder.Made], batch: batches.Batch
        ) -> Future[builder.Made]:
            self.broken |= any(source.point == "dies" for source in batch.values())
            future: Future[builder.Made] = Future()
            if self.broken:
                future.set_exception(BrokenProcessPool())
            else:
                future.set_result(work(batch))
            return future

        def shutdown(self, *, cancel_futures: bool) -> None:
            assert cancel_futures

    monkeypatch.setattr(builder, "ProcessPoolExecutor", Pool)
    asked = [chain("beside", "sm_86"), chain("dies", "sm_86"), chain("too", "sm_86"), chain("lives", "sm_89")]
    builds = CudaBuilder().build_many(asked, jobs=2)
    assert [build.status for build in builds] == ["ok", "failed", "ok", "ok"]
    assert builds[1].reason == "the process that compiled it ended without an answer"
    assert CudaBuilder().build(chain("dies", "sm_86")).status == "ok"  # what was lost is not kept


def test_an_expectation_that_cannot_be_read_is_one_points_fault() -> None:
    source = msgspec.structs.replace(chain("unclear"), expect={"kind": "chain", "want.X": 1})
    build = CudaBuilder().build(source)
    assert build.status == "failed"
    assert "what the generator expects cannot be read: 'want.X' has no 'match.X'" in build.reason


def test_unknown_target_is_refused_before_anything_is_built() -> None:
    with pytest.raises(UserError, match="no target 'sm_99'"):
        CudaBuilder().build(chain("x", "sm_99"))
    with pytest.raises(UserError, match="no longer built"):
        CudaBuilder().build(chain("x", "sm_70"))


def test_without_a_disassembly_a_program_stays_unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: bytes) -> None:
        raise CompileError("nvdisasm 12.2 cannot read this cubin")

    monkeypatch.setattr(sass, "disassemble", fail)
    build = CudaBuilder().build(chain("unread", ptx="mul.rn.f32 %0, %0, %1;"))
    assert (build.status, build.reason) == ("unverified", "nvdisasm 12.2 cannot read this cubin")
    assert build.program is not None
    assert build.program.verdict == "unverified"
    assert build.program.facts["registers"]
    assert build.code
