"""The executor of PTX finds accesses that nothing orders: in made-up kernels, and in those of the suite when
a barrier, a fence or a wait is taken out of them."""

from __future__ import annotations

import re

import pytest

from tests.simulated.ptx.binding import PtxGpu
from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.source import Sources
from tests.simulated.ptx.spoiling import Spoilt, without_each
from tests.unit.backends.cuda import suite
from tests.unit.backends.cuda.test_executor import kernel

MINE = "mov.u32 %r2, room; and.b32 %r3, %r1, 63; shl.b32 %r3, %r3, 2; add.s32 %r3, %r2, %r3;"
"""%r2: shared memory, %r3: a word of each of 64 threads."""
OTHERS = "xor.b32 %r4, %r1, 32; shl.b32 %r4, %r4, 2; add.s32 %r4, %r2, %r4;"
"""%r4: the word of the thread that lies a warp away."""
PUT, GET = "st.shared.u32 [%r3], %r1;", "ld.shared.u32 %r5, [%r4];"
MEET, PROXY = "bar.sync 0;", "fence.proxy.async.shared::cta;"
FIRST = "setp.ne.u32 %p1, %r1, 0; @%p1 bra $E;"
"""Only the first thread goes on."""
INITIALISE = """mov.u32 %r2, room; setp.ne.u32 %p1, %r1, 0; @%p1 bra $M;
mbarrier.init.shared::cta.b64 [%r2], 32; $M: add.s32 %r3, %r3, 8; add.s32 %r4, %r4, 8;"""
BLOCK = "mov.u32 %r5, %ctaid.x;"
BULK = "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 16; cp.async.bulk.commit_group;"
WIDE = BULK.replace("16;", "256;", 1)
"""Copies of what the first warp wrote alone, and of what both did."""
DONE = "cp.async.bulk.wait_group 0;"
FLAG = "add.s64 %rd5, %rd2, 1024;"
TAKE = "$W: ld.volatile.global.u32 %r6, [%rd5]; setp.ne.u32 %p2, %r6, 7; @%p2 bra $W;"
TELL = "mov.u32 %r7, 7; st.volatile.global.u32 [%rd5], %r7;"


def run(body: str, threads: int = 64, blocks: int = 1) -> set[str]:
    """What is noted of a launch."""
    gpu = PtxGpu(Sources())
    address = gpu.allocate(8192)
    gpu.write(address, bytes(8192))
    function = gpu.function(gpu.load(kernel(body).encode()), "made")
    gpu.launch(function, (blocks, 1, 1), (threads, 1, 1), 0, [(address, 8)])
    gpu.synchronize()
    return gpu.notes


RACES = (
    (f"{MINE}{OTHERS} {PUT} {GET}", "reads what 'st.shared.u32 [%r3], %r1' of warp"),
    (f"{MINE}{OTHERS} {PUT} {MEET} {GET} st.shared.u32 [%r3], %r5;", "overwrites what warp 1 of block 0"),
    (f"{MINE}{OTHERS} {PUT} st.shared.u32 [%r4], %r1;", "overwrites what 'st.shared.u32 [%r3], %r1' of warp"),
    ("mov.u32 %r2, room; st.shared.u32 [%r2], %r1;", "writes different values to one place, in 63 lanes"),
    (f"{MINE} st.shared.u32 [%r2], 1; atom.shared.add.u32 %r5, [%r2], 1;", "reads what 'st.shared"),
    (f"{MINE} {PUT} {MEET} {FIRST} {BULK} {DONE} $E:", "who wrote had no proxy fence behind"),
    (f"{MINE} {PUT} {MEET} {FIRST} {PROXY} {WIDE} {DONE} $E:", "who wrote had no proxy fence behind"),
    (f"{MINE} {PUT} {PROXY} {MEET} {FIRST} {BULK} st.shared.u32 [%r2], 1; $E:", "what a unit that"),
    (f"{MINE}{OTHERS} {INITIALISE} mbarrier.arrive.shared::cta.b64 _, [%r2];", "behind its initialis"),
)  # fmt: skip
"""Code of 64 threads, and what is wrong with it."""


@pytest.mark.parametrize(("body", "words"), RACES)
def test_a_race_is_told(body: str, words: str) -> None:
    with pytest.raises(Wrong, match=re.escape(words)):
        run(body)


def test_lanes_of_one_warp_are_taken_to_be_in_order() -> None:
    run(f"{MINE} {PUT} {PROXY} {FIRST} {BULK} {DONE} $E:", threads=32)
    run(f"{MINE} {PUT} xor.b32 %r4, %r3, 4; {GET}", threads=32)


HALF = f"""{MINE}{OTHERS} {INITIALISE} bar.sync 0; setp.lt.u32 %p2, %r1, 32; @%p2 bra $T;
st.shared.u32 [%r4], %r1; mbarrier.arrive.shared::cta.b64 _, [%r2]; ret;
$T: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra $T; ld.shared.u32 %r5, [%r3];"""
"""Half of the threads write, arrive and end; the others wait for them and read."""
RIGHT = (
    f"{MINE}{OTHERS} {PUT} {MEET} {GET} {MEET} st.shared.u32 [%r3], %r5;",
    f"{MINE} {PUT} {PROXY} {MEET} {FIRST} {BULK} {DONE} $E:",
    f"{MINE} st.shared.u32 [%r3], 0; {MEET} atom.shared.add.u32 %r5, [%r2], 1;",
    f"{MINE}{OTHERS} st.volatile.shared.u32 [%r3], %r1; ld.volatile.shared.u32 %r5, [%r4];",
    HALF,
)


@pytest.mark.parametrize("body", RIGHT)
def test_what_is_in_order_is_no_race(body: str) -> None:
    assert run(body) == set()


def test_equal_values_of_several_warps_are_counted() -> None:
    assert run("st.global.u32 [%rd2], 5;") == {"32 writes of several warps put the same value into one place"}


def handed_on(fence: str, taken: str) -> str:
    """The second block hands a word on to the first one."""
    return f"""{BLOCK} {FLAG} {FIRST} setp.eq.u32 %p2, %r5, 0; @%p2 bra $T;
    st.global.u32 [%rd2], 9; {fence} {TELL} bra.uni $E;
    $T: {TAKE} {taken} ld.global.u32 %r8, [%rd2]; $E:"""


def test_blocks_hand_a_word_on_by_fences() -> None:
    run(handed_on("membar.gl;", "membar.gl;"), blocks=2)


@pytest.mark.parametrize(("fence", "taken"), [("", "membar.gl;"), ("membar.gl;", "")])
def test_a_fence_is_needed_on_both_sides(fence: str, taken: str) -> None:
    with pytest.raises(Wrong, match="warp 0 of block 1 wrote, and nothing orders the two"):
        run(handed_on(fence, taken), blocks=2)


def test_blocks_that_write_different_values_to_one_place() -> None:
    with pytest.raises(Wrong, match="writes different values to one place"):
        run(f"{BLOCK} st.global.u32 [%rd2], %r5;", blocks=2)


# ---- kernels of the suite


SPOILT = (
    ("sm_90", "roofline/gemm_sweep#", ()),
    ("sm_90", "roofline/softmax#", ()),
    ("sm_90", "memory_hierarchy/distributed_shared#cluster=2", ()),
    ("sm_90", "memory_hierarchy/bulk_copy#copy=store,bytes=16", ()),
    ("sm_90", "tensor_operations/wgmma_m64n64k16_f16_f32#length=1", (3, 4)),
    ("sm_100", "tensor_operations/tcgen05_m128n128k32_mxf8_f32#length=1", (1,)),
)  # fmt: skip
"""Target, point, and which of the instructions that order may be left out: those of a warp group between two
windows that use the same registers, and one of two fences that tell of a barrier."""


@pytest.mark.parametrize(("isa", "point", "idle"), SPOILT)
def test_a_barrier_or_fence_that_is_left_out_is_missed(
    toolchain: str, isa: str, point: str, idle: tuple[int, ...]
) -> None:
    sources = suite.generated(isa).sources
    source = min(
        (one for name, one in sources.items() if name.startswith(point)), key=lambda one: len(one.point)
    )
    found = list(without_each(isa, [source]))
    assert found
    assert [_told(one) for one in found if one.found != (one.number not in idle)] == []


def _told(one: Spoilt) -> str:
    return f"{one.number} {one.instruction}: {one.seen.status} {one.seen.reason}"
