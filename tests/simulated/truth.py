"""What is true of a simulated CPU: the values that the analysis must find again.

Defaults resemble a recent server core inside a virtual machine with busy neighbours, because
that is the hard case.  All times are core cycles unless a name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.simulated.truth_lines import TruePrefetch, TrueSharing

KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True)
class TrueOperation:
    """One operation: `latency` cycles when dependent, issued to any of `ports`, each of which is
    then busy for `busy` cycles."""

    latency: float
    ports: frozenset[int]
    busy: float = 1.0
    title: str = ""
    form: str = ""
    group: str = "integer"
    precision: str = ""
    flop: float = 0.0
    op: float = 0.0
    repeat: int = 1
    companions: tuple[str, ...] = ()
    trivial: str = ""
    note: str = ""
    accumulators: tuple[int, ...] = (1, 2, 4, 8, 12, 16)

    @property
    def rate(self) -> float:
        """Most instructions per cycle, ignoring the front end."""
        return len(self.ports) / self.busy


@dataclass(frozen=True)
class TrueCache:
    """One cache level.

    `smear` is the width of its edge in octaves (standard deviation): 0 for a cache indexed below
    the page offset, whose sets fill evenly; more where physical pages fall on sets by chance.
    """

    name: str
    size: int
    latency: float
    ways: int = 16
    smear: float = 0.0
    policy: str = "lru"
    """`lru`: a set that overflows always misses.  `random`: misses at 1 - size/working set."""
    half_height: float = 1.0
    """Working set, relative to `size`, at which half of the accesses miss (smeared edges)."""
    placed: bool = False
    """Sets are filled as `placement` says, page by page where they are not contiguous, instead of by
    the formulas above; every visit draws its own pages."""
    hashed: bool = False
    """Lines spread evenly over the sets whatever pages they lie on (slices chosen by a hash)."""
    far: float = 1.0
    """Latency of the far partition relative to the near one; each holds half of the samples."""

    @property
    def way(self) -> float:
        """Bytes of one way."""
        return self.size / self.ways


@dataclass(frozen=True)
class Noise:
    """How samples differ from the truth.  Shares are of samples, scales are relative."""

    contaminated: float = 0.4
    """Samples taken while a neighbour halves the rate."""
    slips: float = 0.02
    """Contaminated samples that the gates let through."""
    jitter: float = 0.001
    """Standard deviation from sample to sample."""
    visit: float = 0.0002
    """Standard deviation from visit to visit of the same point (placement, neighbours)."""
    memory_visit: float = 0.004
    """The same for memory probes beyond the first level: other physical pages each time."""
    bandwidth_visit: float = 0.01
    """The same for bandwidths."""
    outside: float = 1.0
    """Factor on both for what lies beyond the core's own caches: neighbours share it."""
    window: float = 1.5
    """Standard deviation, in ticks, from run to run of what a calibration window costs beyond the
    empty window."""
    wobble: float = 0.01
    """Standard deviation of the core clock from visit to visit."""
    drift: float = 0.0
    """Core clock at the end of the run over that at its start, less 1."""
    throttle: float = 1.0
    """Factor of the core clock in the last part of the run ..."""
    throttled_from: float = 1.0
    """... which begins at this share of it."""
    granularity: int = 1
    """Ticks by which the counter moves at a time."""
    transients: int = 1
    """Samples at the start of a visit that are slow; the first of them is always marked."""
    transient: float = 0.02
    """How much slower the first one is; half of it the next, and so on."""
    held: float = 0.0
    """Visits that are disturbed from end to end by something that no gate sees."""
    counter_bits: int = 62
    """The counter wraps at this width; times across the wrap are negative."""

    def clock_at(self, share: float) -> float:
        """Core clock at `share` of the run, relative to its middle."""
        throttled = self.throttle if share >= self.throttled_from else 1.0
        return (1 + self.drift * (share - 0.5)) * throttled


@dataclass(frozen=True)
class Held:
    """What the core clock does while all cores are under load for seconds."""

    factor: float = 1.0
    """Clock in the end over that at first."""
    after: float = 0.6
    """When it changes, seconds after the load began."""
    over: float = 0.0
    """How long the change takes, seconds; 0: a step."""
    seconds: float = 2.0
    """Length of a visit before the change of clock stretches it."""
    windows: int = 50

    @property
    def window_seconds(self) -> float:
        """Length of a window at the first clock."""
        return self.seconds / self.windows

    def slowdown(self, time: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Duration of the same work begun at `time`, relative to that at first."""
        done = (time - self.after) / self.over if self.over else (time >= self.after).astype(float)
        return 1 / (1 + (self.factor - 1) * np.clip(done, 0.0, 1.0))


@dataclass(frozen=True)
class TrueAccess:
    """What an access costs by where it lies, in cycles."""

    renamed: float = 1.0
    """From store to load where the core knows the place before its address."""
    learns: bool = True
    """Whether a short loop is enough for that."""
    forwarded: float = 5.0
    waits: float = 13.0
    vector: float = 2.0
    """What vector registers add to both."""
    split_latency: float = 1.0
    """Added by a line or a page to the latency of a load."""
    split_factor: float = 2.0
    """Of independent accesses across a line."""
    page_store: float = 24.0
    """An independent store across a page."""
    alias: float = 4.0
    """Added to a load behind a store whose address has equal low twelve bits."""


@dataclass(frozen=True)
class Limit:
    """Something that several operations need and that is no port: read ports, a write-back bus."""

    name: str
    operations: frozenset[str]
    per_cycle: float
    """Instructions of those operations that it serves a cycle."""


_OPERATIONS: dict[str, TrueOperation] = {
    "integer_add": TrueOperation(1, frozenset({0, 1, 5, 6, 10}), 1, "64-bit add", "add {d}, {a}"),
    "integer_mul": TrueOperation(3, frozenset({1}), 1, "64-bit multiply", "imul {d}, {a}"),
    "integer_div": TrueOperation(15, frozenset({1}), 6, "64-bit divide", "div {a}", trivial="trivial"),
    "popcnt": TrueOperation(3, frozenset({1}), 1, "population count", "popcnt {d}, {d}"),
    "shift": TrueOperation(1, frozenset({0, 6}), 1, "shift left", "shl {d}, 3"),
    "crc32": TrueOperation(3, frozenset({1}), 1, "CRC-32 step", "crc32 {d}, {a}"),
    "fp64_mul": TrueOperation(
        4, frozenset({0, 1}), 1, "FP64 multiply", "vmulsd {d}, {d}, {a}", "float", "fp64", flop=1
    ),
    "fp32_fma": TrueOperation(
        4, frozenset({0, 1}), 1, "FP32 multiply-add", "vfmadd231ss {d}, {a}, {b}", "float", "fp32", flop=2
    ),
    "fp32_fma_512": TrueOperation(
        4, frozenset({0, 5}), 1, "FP32 multiply-add, 512 bit", "vfmadd231ps {d}, {a}, {b}", "vector", "fp32",
        flop=32,
    ),
    "fp64_fma_512": TrueOperation(
        4, frozenset({0, 5}), 1, "FP64 multiply-add, 512 bit", "vfmadd231pd {d}, {a}, {b}", "vector", "fp64",
        flop=16,
    ),
    "fp64_div": TrueOperation(
        14, frozenset({0}), 4, "FP64 divide", "vdivsd {d}, {d}, {a}", "float", "fp64", flop=1,
        trivial="non-trivial",
    ),
    "permute_512": TrueOperation(
        3, frozenset({5}), 1, "byte permute, 512 bit", "vpermb {d}, {a}, {d}", "vector"
    ),
    "int_to_fp32": TrueOperation(
        5, frozenset({5}), 1, "int32 to FP32", "vcvtsi2ss {d}, {d}, {t}; add {t}, {t}", "conversion",
        companions=("integer_add",), note="the step includes an integer add, which is subtracted",
    ),
    "l1_load": TrueOperation(
        5, frozenset({2, 3, 11}), 1, "load to use", "mov {d}, [{d}]", "memory", repeat=2,
        accumulators=(1, 2, 4, 8),
    ),
}  # fmt: skip

_CACHES = (
    TrueCache("l1", 48 * KIB, 5.0, ways=12),
    TrueCache("l2", 2 * MIB, 16.0, ways=16, smear=0.19, half_height=0.95),
    TrueCache("l3", 16 * MIB, 100.0, ways=16, smear=0.35, half_height=0.95),
)

_BANDWIDTH: dict[str, dict[str, float]] = {
    "l1": {"read": 295e9, "write": 150e9, "copy": 240e9, "triad": 300e9},
    "l2": {"read": 110e9, "write": 60e9, "copy": 69.6e9, "triad": 72.8e9},
    "l3": {"read": 30e9, "write": 22e9, "copy": 26.4e9, "triad": 25.8e9},
    "dram": {
        "read": 15.1e9, "write": 9.8e9, "copy": 11.1e9, "triad": 12.9e9, "nt_write": 21.4e9,
        "nt_copy": 19.7e9,
    },
}  # fmt: skip


@dataclass(frozen=True)
class TrueSupply:
    """A level of instruction supply: what it holds, and how fast it delivers."""

    rate: float
    """Instructions a cycle at most ..."""
    per_cycle: float = float("inf")
    """... and bytes a cycle at most."""
    instructions: float = float("inf")
    """Limit in instructions, and ..."""
    size: float = float("inf")
    """... in bytes."""


_SUPPLY = (
    TrueSupply(6.0, instructions=1536),
    TrueSupply(4.0, 32, size=32 * KIB),
    TrueSupply(3.0, 12, size=2 * MIB),
    TrueSupply(3.0, 5),
)


@dataclass(frozen=True)
class CpuTruth:
    """A simulated CPU.  `replace(truth, ...)` makes variants."""

    name: str = "Simulated Core 4000"
    operations: dict[str, TrueOperation] = field(default_factory=lambda: dict(_OPERATIONS))
    caches: tuple[TrueCache, ...] = _CACHES
    dram_latency: float = 420.0
    line: int = 64
    page: int = 4096
    dtlb1: int = 96
    dtlb1_penalty: float = 7.0
    dtlb2: int = 2048
    dtlb2_penalty: float = 30.0
    huge_granted: bool = True
    bandwidth: dict[str, dict[str, float]] = field(default_factory=lambda: dict(_BANDWIDTH))
    """Bytes a second of one core, by level and kernel."""
    scaling: dict[str, float] = field(default_factory=lambda: {"l1": 2.0, "l2": 2.0, "l3": 1.8, "dram": 1.3})
    """All cores together, relative to one."""
    cores: int = 2
    front_end: float = 6.0
    """Instructions a cycle that can be issued; the canary's best rate is just below."""
    limits: tuple[Limit, ...] = ()
    orders: tuple[str, ...] = ()
    """Arrangements in which pairs are measured; none: the setting is not there."""
    proportions: tuple[str, ...] = ()
    """Other proportions of both kinds in the matrix: `2to1`, ..."""
    uneven: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)
    """Pair -> the arrangement that the scheduler handles badly, and how much longer it takes."""
    in_flight: dict[str, int] = field(
        default_factory=lambda: {
            "mixed": 512, "integer": 240, "vector": 300, "load": 192, "store": 112, "waiting_integer": 97,
            "waiting_vector": 70,
        }
    )  # fmt: skip
    """Filling -> instructions that enter the core behind a load that waits for memory."""
    supply: tuple[TrueSupply, ...] = _SUPPLY
    """Levels of instruction supply from the core outwards; the last has no end."""
    parallel_misses: float = 14.0
    """Loads that miss all caches and are under way at once."""
    misprediction: float = 15.0
    """What a wrong prediction of a branch adds."""
    alternating: float = 0.0
    """What outcomes that alternate add to a branch."""
    taken_interval: float = 1.0
    """Time of a taken branch among few."""
    branch_targets: tuple[tuple[int, float], ...] = ((7168, 11.0),)
    """(entries, what a branch takes more where there are more branches) of each buffer of branch targets."""
    code_levels: tuple[tuple[int, float], ...] = ((32 * KIB, 0.7),)
    """The same of levels that hold code: bytes."""
    loop_group: int = 8
    """Slots that come in at once in front of a taken branch; 0: the next round's come with them."""
    loop_width: float = 6.0
    """Slots that are issued in a cycle."""
    return_stack: int = 32
    call: float = 4.0
    """A call with its return, where the return is predicted."""
    overlap: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("l1", "l2", "l3", "dram"), 0.95))
    """Level -> rate of a stream that computes at its ridge over its roof there; 1/2: loads and arithmetic
    take turns."""
    access: TrueAccess = TrueAccess()
    sharing: TrueSharing = field(default_factory=TrueSharing)
    prefetch: TruePrefetch = field(default_factory=TruePrefetch)
    inspected: bool = True
    """False where no decoder looked at the programs of instructions: they are `unverified`."""
    wrong_code: dict[str, float] = field(default_factory=dict)
    """Probe (of a pair: point) whose program is not what was meant -> how much longer it takes."""
    balanced: bool = True
    """Groups of a pair are sized so that each class alone takes about a cycle; else all have `group`
    instructions, as where nothing is known of the rates."""
    group: int = 6
    adjacent: float = 0.0
    """Share of the second line of a pair that a prefetcher has brought along."""
    contiguous: bool = True
    """Huge pages are contiguous in the host's memory, too."""
    dtlb_policy: str = "random"
    replacement: str = "LRU"
    """Policy of the sets of the first level, by its name in `reportgen.analysis.replacement_policies`."""
    body_ticks: int = 26_000
    """A timed body lasts about this long."""
    tick_hz: float = 2.6e9
    cycle_hz: float = 3.5e9
    blas_share: float = 0.8
    """Share of the FP32 or FP64 peak that the library's matrix product reaches."""
    memory_bytes: int = 8 * 1024 * MIB
    reported_l3: int = 32 * MIB
    """What the operating system says; not the share that this guest gets."""
    noise: Noise = Noise()
    held: Held = Held()
    passes: int = 3
    samples: int = 10
    """Samples a visit."""
    sweep_high: int = 256 * MIB
    per_octave: int = 12

    def quiet(self) -> CpuTruth:
        """The same CPU without neighbours."""
        return replace(self, noise=Noise(contaminated=0.0, slips=0.0))

    def cache(self, name: str) -> TrueCache:
        """The level called `name`; KeyError when there is none."""
        return {cache.name: cache for cache in self.caches}[name]
