"""What a simulated GPU truly does, and how a question of the suite is put to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.base import Source
from reportgen.backends.cuda import targets
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.runs.schema import Point, ProbeInfo
from reportgen.suite import expand
from reportgen.suite.definition import PlannedPoint, Probe
from reportgen.suite.load import Suite, load_suite

ISA = "sm_90"
KIB, MIB = 1 << 10, 1 << 20
EMPTY = 2
"""Cycles of an empty window."""


@dataclass(frozen=True)
class GpuTruth:
    """What the analysis must find again; cycles and bytes."""

    clock_hz: float = 1.98e9
    tensor_clock_hz: float = 1.98e9
    """What power leaves of it while matrix units work."""
    multiprocessors: int = 132
    fma_latency: float = 4.0
    fma_rate: float = 4.0
    """Warp instructions a cycle of a multiprocessor."""
    fma_encoded: int = 4
    """Cycles that the assembler keeps between dependent multiply-adds."""
    mma_rate: float = 0.5
    """Matrix products of a warp (m16n8k16, FP16) a cycle of a multiprocessor."""
    dp_rate: float = 2.0
    gemm_share: float = 0.6
    """Of the FP32 peak that the suite's matrix product reaches."""
    library_share: float = 0.8
    """Of the FP16 tensor peak that the vendor's matrix product reaches."""
    driver_copy: float = 0.95
    """Of the rate of a level at which the driver's copy moves bytes."""
    banks: int = 32
    shared_latency: float = 23.0
    conflict: float = 2.0
    meeting_power: float = 1.0
    """Lanes that meet in a bank beside the first cost `conflict` times their number to this power."""
    wide_pass: float = 2.0
    """Cycles of a further pass over the banks, of loads of 8 and 16 bytes a lane."""
    near: float = 200.0
    far: float = 360.0
    """Equal to `near` where the cache is in one piece."""
    far_share: float = 0.5
    sides: int = 1
    """Groups of multiprocessors; of two, the lines that are near to one are far from the other."""
    l1_bytes: int = 256 << 10
    l2_bytes: int = 50 << 20
    l2_of_all: int = 50 << 20
    """What of it all multiprocessors together can fill; less where lines are kept in both parts."""
    ways: int = 16
    """Of the first level."""
    l1_latency: float = 40.0
    read_only_latency: float = 40.0
    """Of the first level by the read-only path."""
    texture_longer: float = 40.0
    """Cycles that a load takes longer as a texture, from whatever level."""
    l2_latency: float = 270.0
    memory_latency: float = 800.0
    line: int = 128
    sector: int = 32
    sector_miss: float = 227.0
    line_miss: float = 519.0
    constant_bytes: tuple[int, int] = (2 * KIB, 32 * KIB)
    """Ends of the first and second level behind constant memory."""
    constant_latency: tuple[float, float, float] = (26.0, 75.0, 190.0)
    tlb_entries: int = 32
    tlb_distance: int = 2 * MIB
    """Addresses closer than this share an entry."""
    tlb_penalty: float = 90.0
    cluster_own: float = 33.0
    cluster_other: float = 181.0
    copy_fixed: float = 600.0
    copy_rate: float = 28.0
    """Bytes a cycle of one block's bulk copies."""
    copy_least: int = 1024
    """Smaller copies take as long as one of this size."""
    swizzled: float = 1.0
    """Time of a swizzled tile over that of a plain one."""
    tile_miss: float = 500.0
    """Cycles that a copy of a tile takes longer whose rows are not cached."""
    l2_write: float = 0.8
    """Of the rate of reads at which the second level takes writes."""
    memory_rate: float = 4.0e12
    """Bytes a second of the best launch."""
    l2_rate: float = 7.0e12
    l1_rate: float = 3.3e13
    """Of all first caches together."""
    overlap: float = 0.9
    """Rate of a stream that computes at its ridge over its roof there, in every level."""
    one_share: float = 0.01
    """Of these rates, what one multiprocessor reaches while the others are idle."""
    register_file: int = 65536
    """Registers of a multiprocessor."""
    shared_bytes: int = 228 * KIB
    """Of a multiprocessor, all blocks together."""
    most_blocks: int = 16
    """Of four warps, that a multiprocessor holds."""
    block_start: int = 900
    """Cycles from a block's end to the start of the one that takes its room."""
    resident: int = 4
    """Blocks of the sweep that one multiprocessor runs side by side."""
    barrier: float = 22.0
    """Of a block of one warp ..."""
    barrier_warp: float = 1.5
    """... and what each further warp adds."""
    memory_barrier: float = 40.0
    """The same in shared memory, whatever the warps."""
    cluster_barrier: float = 190.0
    """Of a cluster of two blocks ..."""
    cluster_block: float = 4.0
    """... and what each further block adds."""
    fences: tuple[float, float, float] = (6.0, 480.0, 900.0)
    """Of a block, the device, the system: alone ..."""
    fences_behind: tuple[float, float, float] = (14.0, 760.0, 1400.0)
    """... and behind a store."""
    atomic_shared: tuple[float, float] = (60.0, 3.0)
    """An atomic add of a lane by itself, and what each further lane at its address adds."""
    atomic_global: tuple[float, float] = (400.0, 0.0)
    one_address: float = 1.9e9
    """Atomic adds a second at one address, however many blocks ..."""
    own_address: float = 1.2e11
    """... where each block has its own, as many as there are multiprocessors at most ..."""
    one_line: float = 2.4e10
    apart: float = 9.0e11
    path: float = 560.0
    """Cycles of a path of a warp ..."""
    path_again: float = 1.0
    """... and how much of that a further path takes."""
    asking: float = 330.0
    """Cycles of asking for each path."""
    launch: float = 2.3e-6
    """Seconds from launch to launch of an empty kernel of one block ..."""
    wait: float = 6.1e-6
    """... and so many more where the host waits for each."""
    launch_block: float = 0.5e-9
    """Seconds that a further block adds."""


@dataclass(frozen=True)
class Simulated:
    """A point and the true cycles of its rows: one, or one a thread."""

    point: Point
    cycles: tuple[float, ...]
    repetitions: int = 1
    clock_hz: float = 0.0
    """Clock beside its samples; 0: that of the device."""
    drawn: Callable[[np.random.Generator], tuple[float, ...]] | None = None
    """True cycles of one visit, where they differ from visit to visit."""
    placed: Callable[[int], tuple[float, ...]] | None = None
    """True cycles of one sample by the multiprocessor on which it is taken."""
    windows: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], ...]] | None = None
    """Of a load of seconds: by how much longer each window takes -> starts and lengths of all in seconds,
    and cycles.  They are the samples of a visit."""


Question = tuple[ProbeInfo, list[Simulated]]


@cache
def suite() -> Suite:
    """The suite, read once: reading it takes as long as a device."""
    return load_suite()


@cache
def _probes() -> dict[str, Probe]:
    return {probe.id: probe for probe in expand.probes(suite(), ISA)}


@cache
def asked(probe: str) -> ProbeInfo:
    """A probe of the suite as it would be frozen into a run on this device."""
    return expand.info(_probes()[probe], suite().tables["cuda"])


@cache
def source(probe: str, **settings: int | str) -> Source:
    """What the generator makes of a probe at settings of ours."""
    generator = CudaGenerator(targets.device(targets.parse(ISA)), suite().tables["cuda"])
    return generator.generate(_probes()[probe], PlannedPoint(f"{probe}#here", probe, dict(settings)))
