"""The executor of PTX finds what is wrong with made-up kernels, and does what the instructions say."""

from __future__ import annotations

import re

import numpy as np
import pytest

from reportgen.errors import DeviceLost, LaunchError
from tests.simulated.ptx import formats
from tests.simulated.ptx.binding import UNASKED_SHARED, PtxGpu
from tests.simulated.ptx.copies import Map
from tests.simulated.ptx.faults import Wrong
from tests.simulated.ptx.fragments import shape
from tests.simulated.ptx.source import Sources
from tests.simulated.ptx.text import Module, NotRead

HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
SHARED = ".shared .align 16 .b8 room[256];"


PART = "setp.lt.u32 %p1, %r1, 3; @%p1 bra $L1;"
WAIT = "$W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra $W;"
COPY = "cp.async.ca.shared.global [%r2], [%rd2], 16;"


def kernel(body: str, parameters: str = ".param .u64 made_param_0", more: str = "", module: str = "") -> str:
    return f"""{HEAD}{module}
.visible .entry made(
    {parameters}
) {more}
{{
    .reg .pred %p<4>;
    .reg .b16 %rs<4>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<8>;
    {SHARED}
    ld.param.u64 %rd1, [made_param_0];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    {body}
    ret;
}}
"""


def run(text: str, threads: int = 32, blocks: int = 1, size: int = 4096, shared: int = 0) -> np.ndarray:
    """Words that a kernel leaves in the memory that it is passed, from those of their numbers."""
    gpu = PtxGpu(Sources())
    address = gpu.allocate(size)
    gpu.write(address, np.arange(size // 4, dtype=np.uint32).tobytes())
    function = gpu.function(gpu.load(text.encode()), "made")
    gpu.launch(function, (blocks, 1, 1), (threads, 1, 1), shared, [(address, 8)])
    gpu.synchronize()
    return np.frombuffer(gpu.read(address, size), np.uint32)


def test_lanes_compute_side_by_side() -> None:
    left = run(kernel("ld.global.u32 %r2, [%rd4]; mad.lo.s32 %r3, %r2, 3, 1; st.global.u32 [%rd4], %r3;"))
    assert left[:32].tolist() == [3 * n + 1 for n in range(32)]
    assert left[32] == 32


def test_threads_part_and_meet_again() -> None:
    body = """setp.lt.u32 %p1, %r1, 10; mov.u32 %r4, 5; @%p1 bra $L1; mov.u32 %r4, 7;
    $L1: st.global.u32 [%rd4], %r4;"""
    assert run(kernel(body))[:32].tolist() == [5] * 10 + [7] * 22


def test_a_loop_ends_lane_by_lane() -> None:
    body = """mov.u32 %r4, 0; $L1: add.u32 %r4, %r4, 2; setp.lt.u32 %p1, %r4, %r1; @%p1 bra $L1;
    st.global.u32 [%rd4], %r4;"""
    assert run(kernel(body))[:32].tolist() == [max(2, n + n % 2) for n in range(32)]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("st.global.u32 [%rd4+4096], %r1;", 700, "4096 bytes into 4096 bytes of global memory"),
        ("st.global.u32 [%rd4+-4], %r1;", 700, "touches 4 bytes at"),
        ("st.global.u64 [%rd4], %rd1;", 716, "needs 8 bytes of alignment"),
        ("mov.u32 %r2, room; st.shared.u32 [%r2+256], %r1;", 700, "byte 256 of 256 bytes of shared memory"),
        ("ld.local.u32 %r2, [%r1];", 700, "no local memory"),
        ("mov.u32 %r2, room; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2+4];", 716, "16 bytes of alignment"),
    ],
)
def test_an_access_that_a_driver_reports_is_a_sticky_error(body: str, code: int, words: str) -> None:
    gpu = PtxGpu(Sources())
    address = gpu.allocate(4096)
    gpu.write(address, bytes(4096))
    function = gpu.function(gpu.load(kernel(body).encode()), "made")
    gpu.launch(function, (1, 1, 1), (32, 1, 1), 0, [(address, 8)])
    with pytest.raises(DeviceLost, match=str(code)):
        gpu.synchronize()
    assert gpu.error is not None
    assert re.search(words, gpu.error.what)
    with pytest.raises(DeviceLost):
        gpu.allocate(16)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("st.global.u32 [%rd4], %r9;", "register %r9 is read before anybody wrote it"),
        ("setp.lt.u32 %p1, %r1, 3; @%p1 mov.u32 %r2, 1; st.global.u32 [%rd4], %r2;", "that did not write"),
        ("mov.u32 %r2, room; ld.shared.u32 %r3, [%r2]; st.global.u32 [%rd4], %r3;", "%r3 is read by threads"),
        ("mov.u32 %r2, room; atom.shared.add.u32 %r3, [%r2], 1;", "memory that nobody wrote"),
        ("frobnicate.u32 %r2, %r1;", "is not known"),
        ("add.sat.s32 %r2, %r1, %r1;", "is not known"),
        (f"{PART} bar.sync 0; $L1: mov.u32 %r2, 0;", "not all threads of a block reach"),
        (f"{PART} bar.sync 0; $L1: bar.sync 0;", "not all threads of a block reach"),
        (f"{PART} shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffffffff; $L1: mov.u32 %r2, 0;", "a warp, 29 came"),
        (f"mov.u32 %r2, room; mbarrier.init.shared::cta.b64 [%r2], 1; {WAIT}", "hang: nothing completes"),
        (f"mov.u32 %r2, room; {WAIT}", "no barrier was initialised"),
        ("barrier.cluster.wait.aligned;", "without an arrival"),
        ("barrier.cluster.arrive.aligned; barrier.cluster.arrive.aligned;", "for a second time"),
        (f"mov.u32 %r2, room; {COPY} ld.shared.u32 %r3, [%r2];", "of a unit that acts for warp 0 of block 0"),
    ],
)  # fmt: skip
def test_what_a_driver_does_not_see_is_told(body: str, words: str) -> None:
    with pytest.raises(Wrong, match=re.escape(words)):
        run(kernel(body))


def test_parameters_of_another_size_or_number_are_told() -> None:
    gpu = PtxGpu(Sources())
    address = gpu.allocate(64)
    function = gpu.function(
        gpu.load(kernel("", ".param .u64 made_param_0,\n .param .u32 made_param_1").encode()), "made"
    )
    for arguments in ([(address, 8)], [(address, 8), (1, 8)], [(address, 8), (1, 4), (1, 4)]):
        with pytest.raises(Wrong, match=r"takes parameters of \[8, 4\] bytes"):
            gpu.launch(function, (1, 1, 1), (32, 1, 1), 0, arguments)


def test_shared_memory_beyond_what_was_asked_is_refused() -> None:
    with pytest.raises(LaunchError, match="INVALID_VALUE"):
        run(kernel(""), shared=UNASKED_SHARED)
    body = "mov.u32 %r2, tile; st.shared.u32 [%r2+1020], %r1; ld.shared.u32 %r3, [%r2+1020];"
    body += "st.global.u32 [%rd2], %r3;"
    text = kernel(body, module=".extern .shared .align 16 .b8 tile[];")
    assert run(text, threads=1, shared=1024)[0] == 0
    with pytest.raises(DeviceLost):
        run(text, threads=1, shared=1020)


def test_a_cluster_is_launched_whole_and_reaches_its_blocks() -> None:
    body = """mov.u32 %r2, room; mov.u32 %r3, %cluster_ctarank; st.shared.u32 [%r2], %r3;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    xor.b32 %r4, %r3, 1; mapa.shared::cluster.u32 %r5, %r2, %r4; ld.shared::cluster.u32 %r6, [%r5];
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r6;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"""
    text = kernel(body, more=".explicitcluster\n.reqnctapercluster 2, 1, 1\n")
    assert run(text, threads=1, blocks=2)[:2].tolist() == [1, 0]
    with pytest.raises(Wrong, match="no multiple of the cluster of 2"):
        run(text, threads=1, blocks=3)


def test_generic_addresses_reach_the_blocks_of_a_cluster_too() -> None:
    body = """mov.u32 %r2, room; mov.u32 %r3, %cluster_ctarank; st.shared.u32 [%r2], %r3;
    mov.u64 %rd5, room; cvta.shared.u64 %rd6, %rd5; ld.u32 %r7, [%rd6];
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    xor.b32 %r4, %r3, 1; mapa.u64 %rd7, %rd6, %r4; ld.u32 %r6, [%rd7];
    mad.lo.u32 %r6, %r7, 16, %r6;
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r6;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"""
    text = kernel(body, more=".explicitcluster\n.reqnctapercluster 2, 1, 1\n")
    assert run(text, threads=1, blocks=2)[:2].tolist() == [1, 16]


def test_bytes_of_a_bulk_copy_are_counted() -> None:
    body = """mov.u32 %r2, room; mbarrier.init.shared::cta.b64 [%r2+128], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+128], BYTES;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 64, [%r2+128];
    $W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2+128], 0; @!%p1 bra $W;
    ld.shared.u32 %r3, [%r2+12]; st.global.u32 [%rd2], %r3;"""
    assert run(kernel(body.replace("BYTES", "64")), threads=1)[0] == 3
    with pytest.raises(Wrong, match="hang"):
        run(kernel(body.replace("BYTES", "80")), threads=1)
    with pytest.raises(DeviceLost, match="716"):
        run(kernel(body.replace("64, [", "60, [").replace("BYTES", "60")), threads=1)


def test_rows_of_a_swizzled_tile_change_places() -> None:
    plain, turned = Map(0, 32, 8, 128, 32, 0), Map(0, 32, 8, 128, 32, 128)
    at = np.arange(0, 1024, 16)
    assert plain.swizzled(at).tolist() == at.tolist()
    assert sorted(turned.swizzled(at).tolist()) == at.tolist()
    # piece 0 of row r lies at piece r
    assert [int(turned.swizzled(np.array([128 * row]))[0]) for row in range(8)] == [
        144 * row for row in range(8)
    ]


@pytest.mark.parametrize("threads", [32, 64])
def test_a_product_of_a_warp_is_that_of_its_matrices(threads: int) -> None:
    """Factors are laid over the lanes as the PTX ISA draws it, element by element."""
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-8, 8, size).astype(np.float16) for size in ((16, 16), (16, 8)))
    lanes = np.arange(32)
    g, t = lanes // 4, lanes % 4
    # figure "MMA .m16n8k16 fragment layout for matrix A with .f16": a0 a1 | a2 a3 | a4 a5 | a6 a7
    left = [np.stack([a[g + r, 2 * t + c], a[g + r, 2 * t + 1 + c]], 1).reshape(-1).view(np.uint32)
            for r, c in ((0, 0), (8, 0), (0, 8), (8, 8))]  # fmt: skip
    right = [np.stack([b[2 * t + r, g], b[2 * t + 1 + r, g]], 1).reshape(-1).view(np.uint32) for r in (0, 8)]
    loads = "".join(f"ld.global.u32 %r{4 + i}, [%rd5+{128 * i}];" for i in range(6))
    text = kernel(f"""and.b32 %r2, %r1, 31; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd5, %rd2, %rd3; {loads}
    mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0; mov.b32 %r13, 0;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%r10, %r11, %r12, %r13}}, {{%r4, %r5, %r6, %r7}},
    {{%r8, %r9}}, {{%r10, %r11, %r12, %r13}};
    mul.wide.u32 %rd6, %r2, 16; add.s64 %rd7, %rd2, %rd6; bar.sync 0;
    st.global.v4.u32 [%rd7+1024], {{%r10, %r11, %r12, %r13}};""")
    gpu = PtxGpu(Sources())
    address = gpu.allocate(4096)
    gpu.write(address, np.concatenate([*left, *right]).tobytes())
    gpu.launch(gpu.function(gpu.load(text.encode()), "made"), (1, 1, 1), (threads, 1, 1), 0, [(address, 8)])
    gpu.synchronize()
    found = np.frombuffer(gpu.read(address + 1024, 512), np.float32).reshape(32, 4)
    product = a.astype(np.float64) @ b.astype(np.float64)
    for number, (row, column) in enumerate([(g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1)]):
        assert found[:, number].tolist() == product[row, column].tolist()


def test_shapes_are_read_from_names() -> None:
    made = shape("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32")
    assert (made.m, made.n, made.k, made.left, made.bits, made.shift) == (16, 8, 32, "e2m1", 8, 2)


def test_small_floats_round_to_the_nearest_and_stop_at_the_largest() -> None:
    assert formats.table("e4m3")[0x7E] == 448
    assert formats.table("e5m2")[0x7C] == np.inf
    assert formats.decode("e2m1", np.arange(8)).tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    values = np.array([1.0, 1.0625, 500.0, -0.001, 1.1875])
    found = formats.decode("e4m3", formats.encode("e4m3", values))
    # ties go to the even mantissa; 2^-9 is the smallest step
    assert found.tolist() == [1.0, 1.0, 448.0, -(2.0**-9), 1.25]


def test_names_in_braces_are_gone_behind_them() -> None:
    text = kernel(
        "{ .reg .pred p; setp.ne.u32 p, %r1, 0; selp.u32 %r2, 1, 0, p; } st.global.u32 [%rd4], %r2;"
    )
    assert run(text)[:3].tolist() == [0, 1, 1]
    with pytest.raises(NotRead, match="no register 'p'"):
        Module(kernel("{ .reg .pred p; } selp.u32 %r2, 1, 0, !p;")).kernel("made")
