"""Straight FFMA of every size in one program: proven from its machine code."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from reportgen.backends.base import Source
from reportgen.backends.cuda import generator_footprint as footprint
from reportgen.backends.cuda.builder import CudaBuilder
from tests.simulated.ptx.points import Code
from tests.simulated.ptx.visits import Visits
from tests.unit.backends.cuda import suite

PROBE = "front_end/code_footprint"


def sources(isa: str) -> list[Source]:
    return [one for one in suite.generated(isa).sources.values() if one.point.startswith(f"{PROBE}#")]


def test_all_sizes_and_warps_share_one_program() -> None:
    some = sources("sm_90")
    assert len({one.text for one in some}) == 1
    assert len({msgspec.json.encode(one.expect) for one in some}) == 1
    sizes = sorted({int(one.work["bytes"]) for one in some})
    assert (sizes[0], sizes[-1], len(sizes)) == (4 << 10, 256 << 10, 25)
    for one in some:
        assert one.setup["segments"] == 1 + sizes.index(int(one.work["bytes"]))
        assert one.work["steps"] == one.work["bytes"] // footprint.WORD
    assert {one.setup["threads"] for one in some} == {32, 512}
    assert max(int(one.setup["turns"]) * one.work["bytes"] for one in some) <= 4 * sizes[-1]


def test_names_of_many_instructions_are_so_many() -> None:
    assert footprint.written(4096 + 2 * 512 + 64 + 3 * 8 + 2) == "F4096 F512 F512 F64 F8 F8 F8 F_0 F_1"
    named = dict(line.split(maxsplit=2)[1:] for line in footprint.macros())
    known = {f"F_{n}": 1 for n in range(8)}
    for name in ("F8", "F64", "F512", "F4096"):
        known[name] = sum(known[word] for word in named[name].split())
        assert known[name] == int(name[1:])


def test_segments_make_up_the_sizes() -> None:
    sizes = [4096, 4864, 5792]
    counts = footprint.segments(sizes)
    for number, (size, total) in enumerate(zip(sizes, itertools.accumulate(counts), strict=True), 1):
        others = footprint.AROUND + (1 + footprint.BEHIND) * number
        assert footprint.WORD * (total + others) == size


@pytest.mark.usefixtures("toolchain")
@pytest.mark.parametrize("isa", ["sm_75", "sm_80", "sm_90", "sm_120"])
def test_the_program_is_the_one_that_was_meant(isa: str) -> None:
    build = CudaBuilder().build(sources(isa)[0])
    assert (build.status, build.reason) == ("ok", "")
    assert build.program is not None
    assert build.program.facts["spills"] == 0
    assert build.program.opcodes["FFMA"] > 16000
    assert len(build.program.listing.splitlines()) < 500
    assert "more FFMA" in build.program.listing


@pytest.mark.usefixtures("toolchain")
@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"setp.eq.u32 p, %11, 2;', 'F_0 "setp.eq.u32 p, %11, 2;', "wanted 16330 fp32_fma, found 16331 FFMA"),
        ("@p bra TOP3;", "", "wanted 25 branches back to the top, found 24"),
        ("@p bra TOP9;", "@p bra TOP8;", "a place of their own"),
        ("@p bra TOP5;", "@p bra TOP5; mul.lo.u32 %8, %8, %8;", "foreign"),
    ],
)
def test_another_program_is_rejected(old: str, new: str, fault: str) -> None:
    source = sources("sm_90")[0]
    assert old in source.text
    build = CudaBuilder().build(msgspec.structs.replace(source, text=source.text.replace(old, new)))
    assert build.status == "invalid"
    assert fault in build.reason


@pytest.mark.usefixtures("toolchain")
@pytest.mark.parametrize(
    ("key", "at", "more", "fault"),
    [
        ("segments", 4, 1, "fp32_fma a pass, wanted"),
        ("sizes", 4, 1000, "bytes long"),
    ],
)
def test_what_a_pass_holds_is_counted_size_by_size(key: str, at: int, more: int, fault: str) -> None:
    source = sources("sm_90")[0]
    words = [int(word) for word in str(source.expect[key]).split()]
    words[at] += more
    expect = source.expect | {key: " ".join(map(str, words))}
    build = CudaBuilder().build(msgspec.structs.replace(source, expect=expect))
    assert build.status == "invalid"
    assert fault in build.reason


@pytest.mark.usefixtures("toolchain")
def test_a_launch_chooses_what_a_pass_executes() -> None:
    chosen = [one for one in sources("sm_90") if one.setup["threads"] == 32][:9:4]  # 4, 8 and 16 KiB
    code = Code()
    code.make(chosen)
    visits = Visits("sm_90", code, looking=True)
    written = []
    for source in chosen:
        assert visits.visit(source).status == "ok"
        assert visits._visitor is not None
        written.append(sum(count for count, _ in visits._visitor.gpu.moved.values()))
    held = [int(word) for word in str(chosen[0].expect["segments"]).split()][:9:4]
    for (fewer, more), (less, larger) in zip(
        itertools.pairwise(held), itertools.pairwise(written), strict=True
    ):
        # two passes, in each of which every further segment also compares its number
        assert larger - less == 2 * (more - fewer + 4)
