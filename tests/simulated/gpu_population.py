"""The GPUs that the calibration speaks of, drawn part by part.

Ranges are those of devices of the last ten years, wider by a third; `docs/method/calibration.md` states them
in words.  One device in six is wicked in a way of its own: a cache in one piece, no first level, a clock that
does not stand still, sizes that no power of two is near to.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.simulated.chooser import Chooser, Seeded, logarithmic
from tests.simulated.gpu_devices import Memory
from tests.simulated.gpu_footprint import TrueCode
from tests.simulated.gpu_held import WORK as HELD_PROBES
from tests.simulated.gpu_held import TrueHeld
from tests.simulated.gpu_held import draw as draw_held
from tests.simulated.gpu_link import FACTS, Facts, LinkTruth
from tests.simulated.gpu_matrix_drawn import TrueMatrix
from tests.simulated.gpu_matrix_drawn import draw as draw_matrix
from tests.simulated.gpu_noise import GpuNoise
from tests.simulated.gpu_pairs import Kinds
from tests.simulated.gpu_pairs import draw as draw_pairs
from tests.simulated.gpu_slow import Slow
from tests.simulated.gpu_slow import draw as draw_slow
from tests.simulated.gpu_truth import KIB, MIB, GpuTruth

PART, MATRIX, PAIRS, HELD, UNLIKE, SLOW = 2, 3, 4, 5, 6, 7
"""GPUs have draws of their own beside those of CPUs of the same number, and so have their matrix units, the
kinds of instructions that are paired on them, what a load of seconds does to them, in what they are unlike
what the probes expect, and the units of few lanes."""
WICKED = 1 / 6


@dataclass(frozen=True)
class DrawnGpu:
    """One device, its link and its machine."""

    truth: GpuTruth = field(default_factory=GpuTruth)
    memory: Memory = field(default_factory=lambda: Memory("drawn", 256 * KIB, 50 * MIB, 33.0, 215.0, 690.0))
    link: LinkTruth = field(default_factory=LinkTruth)
    link_facts: Facts = field(default_factory=lambda: dict(FACTS))
    code: TrueCode = field(default_factory=TrueCode)
    matrix: TrueMatrix = field(default_factory=TrueMatrix)
    pairs: Kinds = field(default_factory=Kinds)
    slow: Slow = field(default_factory=dict)
    held: dict[str, TrueHeld] = field(default_factory=dict)
    """Load of seconds, by the probe that makes it."""
    noise: GpuNoise = field(default_factory=GpuNoise)
    shares: tuple[float, ...] = (0.5, 0.8, 0.99, 1.0)
    """Of a rate, by launches of rising size."""
    peak_shares: tuple[float, ...] = (0.5, 0.8, 0.99, 1.0)
    """Of a peak, by numbers of accumulators."""
    passes: int = 3
    samples: int = 10


def seeded(seed: int) -> DrawnGpu:
    """Device number `seed`."""
    return _with_others(device(Seeded(seed, PART)), seed)


def rough(seed: int) -> DrawnGpu:
    """The same on a machine that disturbs whole visits, gives few samples, and hides it."""
    choose = Seeded(seed, PART)
    drawn = device(choose)
    noise = replace(
        drawn.noise,
        held=choose.pick((0.02, 0.06, 0.15, 0.3)),
        interrupted=choose.pick((0.02, 0.1, 0.2)),
        wobble=choose.pick((0.0, 0.01, 0.05)),
        drift=choose.pick((0.0, -0.05, -0.1)),
        throttled=choose.pick((0.0, 0.1, 0.3)),
        told=choose.pick((0.0, 0.5, 1.0)),
        transient=choose.pick((0.0, 0.1, 0.5)),
        memory=drawn.noise.memory * choose.real(1.0, 4.0),
        device=drawn.noise.device * choose.real(1.0, 4.0),
        host=drawn.noise.host * choose.real(1.0, 3.0),
    )
    memory = replace(drawn.memory, scatter=noise.memory)
    drawn = replace(
        drawn, memory=memory, noise=noise, passes=choose.pick((2, 3)), samples=choose.whole(6, 10)
    )
    return _with_others(drawn, seed)


def _with_others(drawn: DrawnGpu, seed: int) -> DrawnGpu:
    drawn = _unlike(Seeded(seed, UNLIKE), drawn)
    matrix = draw_matrix(Seeded(seed, MATRIX), drawn.truth)
    choose = Seeded(seed, HELD)
    held = {probe: draw_held(choose) for probe in HELD_PROBES}
    slow = draw_slow(Seeded(seed, SLOW), drawn.truth.dp_rate)
    return replace(drawn, matrix=matrix, pairs=draw_pairs(Seeded(seed, PAIRS)), slow=slow, held=held)


def _unlike(choose: Chooser, drawn: DrawnGpu) -> DrawnGpu:
    """What most devices do not do, and hypotheses of the suite deny."""
    shares = (0.5, choose.real(0.7, 0.9), choose.real(0.93, 1.0))
    full, fewer = (*shares, 1.0), (*shares[:2], 1.0, choose.real(0.8, 1.0))
    (block, *wider), alone = drawn.truth.fences_behind, drawn.truth.fences[0]
    truth = replace(
        drawn.truth,
        fences_behind=(choose.pick((block, block, alone)), *wider),
        swizzled=choose.pick((1.0, 1.0, choose.real(0.9, 1.2))),
        tile_miss=choose.pick((500.0, 500.0, 500.0, 0.0)),
        meeting_power=choose.real(0.5, 0.8) if choose.chance(0.125) else 1.0,
    )
    return replace(drawn, truth=truth, peak_shares=choose.pick((full, full, fewer)))


def device(choose: Chooser) -> DrawnGpu:
    """One device."""
    noise = _noise(choose)
    memory = replace(_memory(choose), scatter=noise.memory)
    truth = _truth(choose, memory)
    drawn = DrawnGpu(
        truth,
        memory,
        *_link(choose),
        _code(choose, truth),
        noise=noise,
        shares=(0.5, choose.real(0.7, 0.9), choose.real(0.96, 1.0), 1.0),
        samples=choose.whole(8, 14),
    )
    return _wicked(choose, drawn) if choose.chance(WICKED) else drawn


def _noise(choose: Chooser) -> GpuNoise:
    return GpuNoise(
        jitter=logarithmic(choose, 3e-5, 2e-3),
        core=logarithmic(choose, 2e-5, 3e-4),
        memory=logarithmic(choose, 5e-4, 8e-3),
        device=logarithmic(choose, 1e-3, 1.5e-2),
        host=logarithmic(choose, 2e-3, 3e-2),
        interrupted=choose.pick((0.0, 0.005, 0.02)),
        held=choose.pick((0.0, 0.0, 0.002, 0.01)),
        wobble=choose.pick((0.0, 0.002, 0.01)),
        drift=choose.pick((0.0, 0.0, -0.02, 0.01)),
        throttled=choose.pick((0.0, 0.0, 0.0, 0.05)),
        event_ns=choose.pick((32, 500, 1024)),
        transient=choose.pick((0.0, 0.0, 0.02, 0.2)),
    )


def _memory(choose: Chooser) -> Memory:
    """Two levels; in half of the large ones the second is in two parts, which keep copies or do not."""
    l1 = choose.pick((32, 48, 64, 96, 128, 128, 192, 192, 256, 256)) * KIB
    l2 = choose.pick((2, 3, 4, 6, 24, 32, 40, 48, 50, 64, 72, 96, 126)) * MIB
    inner = choose.real(26.0, 60.0)
    near = choose.real(max(150.0, 4 * inner), 320.0)
    parted = l2 >= 24 * MIB and choose.chance(0.5)
    far = near * choose.real(1.25, 2.0) if parted else 0.0
    return Memory(
        "drawn", l1, l2, inner, near, max(near, far) * choose.real(2.0, 3.0), far=far,
        copies=parted and choose.chance(0.5), translation=choose.pick((16, 32, 32, 64, 128)) * 2 * MIB,
        walk=choose.real(0.12, 0.4) * near, texture=choose.real(20.0, 80.0),
        l1_octaves=choose.pick((0.02, 0.04, 0.1)), l2_octaves=choose.pick((0.03, 0.12, 0.2)),
    )  # fmt: skip


def _truth(choose: Chooser, memory: Memory) -> GpuTruth:
    clock = choose.real(1.0e9, 2.6e9)
    outer = logarithmic(choose, 2e11, 8e12)
    parts = 2 if memory.copies else 1
    l2_rate = outer * choose.real(1.6, 4.0)
    fences = choose.real(4.0, 12.0)
    fma_latency = float(choose.whole(4, 6))
    far = memory.far if memory.far and not memory.copies else memory.near
    way = choose.pick((8, 16)) * KIB
    one = logarithmic(choose, 5e8, 4e9)
    return GpuTruth(
        clock_hz=clock,
        tensor_clock_hz=clock * choose.pick((1.0, choose.real(0.75, 1.0))),
        multiprocessors=choose.whole(16, 160),
        fma_latency=fma_latency,
        fma_rate=choose.pick((2.0, 4.0, 4.0)),
        fma_encoded=int(fma_latency) + choose.pick((0, 0, 0, 1)),
        mma_rate=choose.pick((0.0625, 0.125, 0.25, 0.5)),
        dp_rate=choose.pick((0.0625, 0.125, 1.0, 2.0)),
        gemm_share=choose.real(0.3, 0.95),
        library_share=choose.real(0.5, 0.98),
        driver_copy=choose.real(0.7, 1.2),
        banks=choose.pick((32, 32, 32, 16)),
        shared_latency=choose.real(19.0, 35.0),
        conflict=choose.real(1.0, 4.0),
        wide_pass=choose.real(1.0, 4.0),
        near=memory.near,
        far=far,
        far_share=choose.real(0.3, 0.7),
        sides=choose.pick((1, 2)),
        l1_bytes=memory.l1_bytes,
        l2_bytes=memory.l2_bytes,
        l2_of_all=memory.l2_bytes // parts,
        ways=max(1, memory.l1_bytes // way),
        l1_latency=memory.l1,
        l2_latency=memory.near,
        memory_latency=memory.dram,
        line=128,
        sector=choose.pick((32, 32, 64)),
        sector_miss=memory.near,
        line_miss=memory.near * choose.real(1.5, 2.5),
        constant_bytes=(choose.pick((2, 2, 4)) * KIB, choose.pick((24, 32, 40, 48)) * KIB),
        constant_latency=(choose.real(20.0, 30.0), choose.real(60.0, 90.0), choose.real(150.0, 260.0)),
        cluster_own=choose.real(26.0, 40.0),
        cluster_other=choose.real(160.0, 240.0),
        copy_fixed=choose.real(300.0, 1000.0),
        copy_rate=choose.real(12.0, 64.0),
        copy_least=choose.pick((256, 1024, 2048)),
        memory_rate=outer,
        l2_rate=l2_rate,
        l1_rate=l2_rate * choose.real(2.0, 6.0),
        overlap=choose.real(0.55, 0.98),
        one_share=choose.real(0.006, 0.03),
        register_file=choose.pick((32768, 65536, 65536)),
        shared_bytes=choose.pick((64, 96, 100, 164, 228)) * KIB,
        most_blocks=choose.pick((12, 16)),
        block_start=choose.whole(300, 2000),
        resident=choose.whole(2, 8),
        barrier=choose.real(12.0, 40.0),
        barrier_warp=choose.pick((0.0, choose.real(0.5, 4.0))),
        memory_barrier=choose.real(25.0, 80.0),
        cluster_barrier=choose.real(120.0, 300.0),
        cluster_block=choose.pick((0.0, choose.real(2.0, 10.0))),
        fences=(fences, choose.real(200.0, 700.0), choose.real(700.0, 1500.0)),
        fences_behind=(
            fences + choose.real(0.0, 20.0), choose.real(700.0, 1000.0), choose.real(1500.0, 2500.0)
        ),
        atomic_shared=(choose.real(30.0, 90.0), choose.real(1.0, 6.0)),
        atomic_global=(choose.real(250.0, 700.0), choose.pick((0.0, choose.real(1.0, 10.0)))),
        one_address=one,
        one_line=one * choose.real(4.0, 20.0),
        own_address=one * choose.real(30.0, 80.0),
        apart=one * choose.real(100.0, 500.0),
        path=choose.real(300.0, 900.0),
        path_again=choose.real(0.7, 1.0),
        asking=choose.real(100.0, 500.0),
        launch=choose.real(1.2e-6, 5e-6),
        wait=choose.real(3e-6, 1.5e-5),
        launch_block=choose.pick((0.0, choose.real(1e-10, 1.5e-9))),
    )  # fmt: skip


def _link(choose: Chooser) -> tuple[LinkTruth, Facts]:
    """PCIe of 16 lanes of generations 3 to 5, or NVLink-C2C, and what the system knows of it."""
    generation, most = choose.pick(((3, 1.25e10), (4, 2.6e10), (5, 5.6e10), (0, 4.0e11)))
    facts = FACTS | (
        {"pcie_generation": generation, "pcie_generation_most": generation}
        if generation
        else {"c2c_links": 10}
    )
    rate = most * choose.real(0.85, 1.0)
    latency = choose.real(0.5e-6, 2.0e-6)
    link = LinkTruth(
        to_device=rate,
        to_host=rate * choose.real(0.85, 1.05),
        both=rate * choose.real(1.1, 1.95),
        start=choose.real(0.8e-6, 4e-6),
        wait=choose.real(4e-6, 2e-5),
        pageable=min(rate / 2, choose.real(3e9, 2e10)),
        latency=latency,
        cached=latency * choose.pick((1.0, choose.real(0.3, 0.9))),
        read=rate * choose.real(0.6, 0.98),
        write=rate * choose.real(0.5, 0.98),
        bend=choose.pick((1.0, 1.0, choose.real(1.0, 1.3))),
    )
    return link, facts


def _code(choose: Chooser, truth: GpuTruth) -> TrueCode:
    """Two levels with an end, the first of a quarter of a multiprocessor or of all of it."""
    first, second = choose.pick((8, 12, 16, 24, 32)), choose.pick((64, 96, 128, 160))
    full = 1 / truth.fma_rate
    factors = (choose.real(1.3, 2.5), choose.real(1.5, 4.0))
    alone = choose.real(1.0, 2.0)
    return TrueCode(
        (
            (first * KIB, alone, full),
            (second * KIB, alone * factors[0], full * factors[0]),
            (float("inf"), alone * factors[0] * factors[1], full * factors[0] * factors[1]),
        )
    )


def _wicked(choose: Chooser, drawn: DrawnGpu) -> DrawnGpu:
    """Something that an analysis may not expect."""
    truth, memory = drawn.truth, drawn.memory
    match choose.whole(0, 3):
        case 0:  # no cache that loads of global memory meet first
            return replace(
                drawn, memory=replace(memory, l1_bytes=0), truth=replace(truth, l1_latency=memory.near)
            )
        case 1:  # sizes that are no power of two, nor near one
            odd = int(memory.l2_bytes * choose.real(0.7, 0.98)) // 4096 * 4096
            inner = int(memory.l1_bytes * choose.real(0.6, 0.95)) // 4096 * 4096
            parts = 2 if memory.copies else 1
            return replace(
                drawn,
                memory=replace(memory, l1_bytes=inner, l2_bytes=odd),
                truth=replace(truth, l1_bytes=inner, l2_bytes=odd, l2_of_all=odd // parts),
            )
        case 2:  # translations that never miss, and a cache in one piece
            whole = replace(memory, far=0.0, copies=False, walk=0.0)
            return replace(
                drawn, memory=whole, truth=replace(truth, far=memory.near, l2_of_all=memory.l2_bytes)
            )
        case _:  # a clock that nobody holds
            return replace(drawn, noise=replace(drawn.noise, wobble=0.04, throttled=0.1))
