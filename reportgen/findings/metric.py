"""What a metric id says: `memory.l1.latency` is the latency of level `l1`.

Ids are built by the analysis and never by hand elsewhere; this module is the one place that takes
them apart again, for wording, gates, the model and the data dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

LEVELS = ("l1", "l2", "l3", "dram")
"""From the core outwards."""

SPILLING_KERNELS = frozenset({"nt_write", "nt_copy"})
"""Bandwidth kernels whose stores bypass the caches on purpose: their rate says nothing of a level
further in than memory."""

ALL_CORES = "all_cores"
ONE_MULTIPROCESSOR = "one_multiprocessor"


class Kind(StrEnum):
    """What a metric is about; each has one builder of sentences and one entry in the dictionary."""

    LATENCY = "latency"
    THROUGHPUT = "throughput"
    ISSUE_INTERVAL = "issue_interval"
    INTERFERENCE = "interference"
    CAPACITY = "capacity"
    LEVEL_LATENCY = "level_latency"
    LEVEL_TIME = "level_time"
    LINE = "line"
    ASSOCIATIVITY = "associativity"
    MISS_SHARE = "miss_share"
    TLB_REACH = "tlb_reach"
    CHASE = "chase"
    BANDWIDTH = "bandwidth"
    PEAK = "peak"
    PEAK_PER_CYCLE = "peak_per_cycle"
    BURST = "burst"
    SUSTAINED = "sustained"
    SUSTAINED_RATIO = "sustained_ratio"
    SETTLING_TIME = "settling_time"
    KERNEL = "kernel"
    RIDGE = "ridge"
    RIDGE_SEEN = "ridge_seen"
    OVERLAP = "overlap"
    ENCODED_LATENCY = "encoded_latency"
    ENCODED_ISSUE = "encoded_issue"
    ENCODED_WINDOW = "encoded_window"
    RESOURCE = "resource"
    OCCUPANCY = "occupancy"
    PATH_CAPACITY = "path_capacity"
    SHARED_CAPACITY = "shared_capacity"
    PATH_LATENCY = "path_latency"
    PATH_TIME = "path_time"
    PATH_LINE = "path_line"
    DISTANCE = "distance"
    SECTOR = "sector"
    CLUSTER = "cluster"
    BULK = "bulk"
    TILE = "tile"
    WARPS = "warps"
    BANKS = "banks"
    STEP = "step"
    BLOCKS = "blocks"
    CROWDED = "crowded"
    LAUNCH = "launch"
    WINDOW = "window"
    PARALLELISM = "parallelism"
    MISPREDICTION = "misprediction"
    BRANCH_INTERVAL = "branch_interval"
    BRANCH_END = "branch_end"
    RETURN_DEPTH = "return_depth"
    LOOP_GROUP = "loop_group"
    FETCH_CAPACITY = "fetch_capacity"
    FETCH_RATE = "fetch_rate"
    STORE_TO_LOAD = "store_to_load"
    SPLIT = "split"
    ALIAS = "alias"
    TRANSFER = "line_transfer"
    GRANULE = "sharing_granule"
    SHARING = "sharing_cost"
    CONTENDED = "contended_cost"
    CONTENDED_RATE = "contended_rate"
    PREFETCH_STRIDE = "prefetch_stride"
    PREFETCH_RUN = "prefetch_run"
    PREFETCH_NEAR = "prefetch_near"
    PREFETCH_STREAMS = "prefetch_streams"
    VENDOR = "vendor"
    BARRIER = "barrier"
    FENCE = "fence"
    CONFLICT = "atomic_conflict"
    TOGETHER = "atomic_together"
    ATOMIC_RATE = "atomic_rate"
    PATH = "divergence_path"
    PATH_FACTOR = "divergence_factor"
    LINK_RATE = "link_rate"
    LINK_TIME = "link_time"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class MetricId:
    """A metric id, taken apart."""

    text: str
    kind: Kind
    subject: str = ""
    """Operation, level, TLB, precision, library routine, probe, blocks of a cluster, copy, filling, widths of
    a store and a load, place of an access, distance of a store or of branches, what code is made of, step of
    a run, what was touched before a line."""
    part: str = ""
    """Second operation, bandwidth kernel, level of a ridge, size of a library call, load path, what a kernel
    takes, which of several numbers of a probe, bytes from a store to a load, kind of access."""
    scope: str = ""
    """`all_cores` or empty (one core); of a GPU `one_multiprocessor` or empty (all of them); of a store and a
    load `same_register`, `short_loop` or empty; of runs `unrolled`, `dram` or empty."""
    pages: str = ""
    """`4k` for the variant on small pages (4 KiB on most systems), else empty; of a TLB the distance of the
    addresses."""


UNDER_LOAD = {str(k): k for k in (Kind.BURST, Kind.SUSTAINED, Kind.SUSTAINED_RATIO, Kind.SETTLING_TIME)}
"""What a metric about a long visit ends in -> its kind."""

_LINK_RATES = ("bandwidth", "read", "write")
"""What metrics of the link to the host end in that are rates; others are times."""
_STEMS = {"latency": Kind.LATENCY, "throughput": Kind.THROUGHPUT, "issue_interval": Kind.ISSUE_INTERVAL}
_TENSOR = {**_STEMS, "warps": Kind.WARPS}
_ENCODED = {
    "latency": Kind.ENCODED_LATENCY,
    "issue": Kind.ENCODED_ISSUE,
    "window": Kind.ENCODED_WINDOW,
}
_LEVEL_FACTS = {
    "capacity": Kind.CAPACITY,
    "latency": Kind.LEVEL_LATENCY,
    "latency_time": Kind.LEVEL_TIME,
    "associativity": Kind.ASSOCIATIVITY,
    "reach": Kind.TLB_REACH,
    "parallelism": Kind.PARALLELISM,
}
_PATH_FACTS = {
    "capacity": Kind.PATH_CAPACITY,
    "latency": Kind.PATH_LATENCY,
    "latency_time": Kind.PATH_TIME,
}
_EXECUTION = {
    "warp_count_sweep": Kind.WARPS,
    "occupancy_sweep": Kind.WARPS,
    "shared_bank_strides": Kind.BANKS,
    "register_pressure": Kind.STEP,
    "shared_memory_pressure": Kind.STEP,
    "block_count_sweep": Kind.BLOCKS,
    "launch_overhead": Kind.LAUNCH,
}
"""Probe of what a GPU holds -> kind of its metrics."""
_FETCH = {"capacity": Kind.FETCH_CAPACITY, "rate": Kind.FETCH_RATE}
ALL_MULTIPROCESSORS = "all_multiprocessors"
"""What the capacity of a level ends in that all multiprocessors saw together."""
DISTANCES = ("4k", "64k", "2m")
"""Distances of the pages or addresses of a chase, as metrics end in them."""


@lru_cache(maxsize=4096)
def parse(metric: str) -> MetricId:
    """The parts of `metric`; an id of no known shape is of kind `other`."""
    parts = metric.split(".")
    stem, rest = parts[0], parts[1:]
    if stem in _STEMS and len(rest) == 1:
        return MetricId(metric, _STEMS[stem], rest[0])
    if stem == "tensor" and len(rest) == 2 and rest[0] in _TENSOR:
        return MetricId(metric, _TENSOR[rest[0]], rest[1])
    if stem == "interference" and len(rest) == 2:
        return MetricId(metric, Kind.INTERFERENCE, rest[0], rest[1])
    if stem == "memory" and rest:
        return _memory(metric, rest)
    if stem == "chase" and len(rest) in (2, 3) and rest[-1] == "latency":
        return MetricId(metric, Kind.CHASE, rest[0], rest[1] if len(rest) == 3 else "")
    if stem == "bandwidth" and len(rest) in (2, 3):
        return MetricId(metric, Kind.BANDWIDTH, rest[0], rest[1], rest[2] if len(rest) == 3 else "")
    if stem == "peak" and len(rest) == 1:
        return MetricId(metric, Kind.PEAK, rest[0])
    if stem == "peak" and len(rest) == 2 and rest[1] == "per_cycle":
        return MetricId(metric, Kind.PEAK_PER_CYCLE, rest[0])
    if stem == "peak" and len(rest) == 2 and rest[1] in UNDER_LOAD:
        return MetricId(metric, UNDER_LOAD[rest[1]], rest[0])
    if stem == "kernel" and len(rest) == 2:
        return MetricId(metric, Kind.KERNEL, rest[0], rest[1])
    if stem == "ridge" and rest[:1] == ["observed"] and len(rest) in (2, 3):
        return MetricId(metric, Kind.RIDGE_SEEN, rest[1], rest[2] if len(rest) == 3 else "")
    if stem == "ridge" and len(rest) == 2:
        return MetricId(metric, Kind.RIDGE, rest[0], rest[1])
    if stem == "overlap" and len(rest) == 2:
        return MetricId(metric, Kind.OVERLAP, rest[0], rest[1])
    if stem == "encoded" and len(rest) == 2 and rest[0] in _ENCODED:
        return MetricId(metric, _ENCODED[rest[0]], rest[1])
    if stem == "resource" and len(rest) == 3:
        return MetricId(metric, Kind.RESOURCE, f"{rest[1]}/{rest[2]}", rest[0])
    if stem == "execution" and len(rest) > 1 and rest[0] in _EXECUTION:
        return _execution(metric, _EXECUTION[rest[0]], rest)
    if stem == "window" and len(rest) == 1:
        return MetricId(metric, Kind.WINDOW, rest[0])
    if stem == "branch" and rest:
        return _branch(metric, rest)
    if stem in _SYNCHRONISATION:
        return _synchronisation(metric, stem, rest)
    if stem == "fetch" and len(rest) in (2, 3) and rest[-1] in _FETCH:
        return MetricId(metric, _FETCH[rest[-1]], rest[0], rest[1] if len(rest) == 3 else "")
    if stem == "store_to_load" and len(rest) in (2, 3):
        return MetricId(metric, Kind.STORE_TO_LOAD, rest[0], rest[1], rest[2] if len(rest) == 3 else "")
    if stem == "access" and len(rest) == 3 and rest[0] == "split":
        return MetricId(metric, Kind.SPLIT, rest[1], rest[2])
    if stem == "access" and len(rest) == 2 and rest[0] == "alias":
        return MetricId(metric, Kind.ALIAS, rest[1])
    if stem == "communication" and rest and rest[0] in _COMMUNICATION:
        return _communication(metric, rest)
    if stem == "prefetch" and rest:
        return _prefetch(metric, rest)
    if stem == "vendor" and len(rest) == 2 and rest[1] == "ratio":
        return MetricId(metric, Kind.VENDOR, rest[0])
    if stem == "host_link" and len(rest) == 2:
        rate = rest[1].endswith(_LINK_RATES)
        return MetricId(metric, Kind.LINK_RATE if rate else Kind.LINK_TIME, *rest)
    if stem == "occupancy" and len(rest) == 2:
        return MetricId(metric, Kind.OCCUPANCY, f"{rest[0]}/{rest[1]}")
    return MetricId(metric, Kind.OTHER)


def _branch(metric: str, rest: list[str]) -> MetricId:
    if rest == ["misprediction"]:
        return MetricId(metric, Kind.MISPREDICTION)
    if rest in (["taken", "interval"], ["not_taken", "interval"]):
        return MetricId(metric, Kind.BRANCH_INTERVAL, rest[0])
    if rest == ["return", "depth"]:
        return MetricId(metric, Kind.RETURN_DEPTH)
    if rest == ["loop", "group"]:
        return MetricId(metric, Kind.LOOP_GROUP)
    if rest[0] == "taken" and len(rest) == 3:
        return MetricId(metric, Kind.BRANCH_END, rest[1], rest[2])
    return MetricId(metric, Kind.OTHER)


_COMMUNICATION = frozenset({"transfer", "false_sharing", "contended"})


def _communication(metric: str, rest: list[str]) -> MetricId:
    """What cores share: `communication.transfer.store.cycles`, `communication.contended.locked_add.rate`."""
    match rest:
        case ["transfer", by]:
            return MetricId(metric, Kind.TRANSFER, by)
        case ["transfer", by, ("cycles" | "farthest") as part]:
            return MetricId(metric, Kind.TRANSFER, by, part)
        case ["false_sharing", by, "granule"]:
            return MetricId(metric, Kind.GRANULE, by)
        case ["false_sharing", by, ("shared" | "apart") as part]:
            return MetricId(metric, Kind.SHARING, by, part)
        case ["contended", by, "rate"]:
            return MetricId(metric, Kind.CONTENDED_RATE, by)
        case ["contended", by, "cycles"]:
            return MetricId(metric, Kind.CONTENDED, by)
    return MetricId(metric, Kind.OTHER)


_RUNS = {"stride": "", "stride_unrolled": "unrolled", "stride_dram": "dram"}
"""Probe of runs at a step -> how they differ from those of one instruction beyond the second level."""


def _prefetch(metric: str, rest: list[str]) -> MetricId:
    """What comes before it is asked for: `prefetch.stride.up_4`, `prefetch.near.even.up_1`."""
    if rest[0] in _RUNS and len(rest) == 2:
        return MetricId(metric, Kind.PREFETCH_STRIDE, rest[1], scope=_RUNS[rest[0]])
    if rest[0] == "run" and len(rest) == 2:
        return MetricId(metric, Kind.PREFETCH_RUN, rest[1])
    if rest[0] == "near" and len(rest) == 3:
        return MetricId(metric, Kind.PREFETCH_NEAR, rest[1], rest[2])
    return MetricId(metric, Kind.PREFETCH_STREAMS if rest == ["streams"] else Kind.OTHER)


_SYNCHRONISATION = frozenset({"barrier", "fence", "atomic", "divergence"})
_ATOMIC = {"conflict": Kind.CONFLICT, "together": Kind.TOGETHER}


def _synchronisation(metric: str, stem: str, rest: list[str]) -> MetricId:
    """What waits: `barrier.block.8`, `fence.device.alone`, `atomic.shared.conflict`, `divergence.path`."""
    if stem in ("barrier", "fence") and len(rest) == 2:
        return MetricId(metric, Kind(stem), *rest)
    if stem == "atomic" and len(rest) == 2 and rest[1] in _ATOMIC:
        return MetricId(metric, _ATOMIC[rest[1]], rest[0])
    if stem == "atomic" and len(rest) == 2 and rest[0] == "device":
        return MetricId(metric, Kind.ATOMIC_RATE, rest[1])
    if stem == "divergence" and rest in (["path"], ["factor"]):
        return MetricId(metric, Kind(f"divergence_{rest[0]}"))
    return MetricId(metric, Kind.OTHER)


def _execution(metric: str, kind: Kind, rest: list[str]) -> MetricId:
    if kind is Kind.WARPS:  # operation, accumulators and, where it is varied, shared memory
        return MetricId(metric, kind, rest[1], ".".join(rest[2:]), scope=rest[0])
    if rest[1] == Kind.CROWDED:
        kind = Kind.CROWDED
    return MetricId(metric, kind, rest[0], rest[1])


def _memory(metric: str, rest: list[str]) -> MetricId:
    if rest == ["line"]:
        return MetricId(metric, Kind.LINE)
    if len(rest) == 2 and rest[1] == "line":
        return MetricId(metric, Kind.PATH_LINE, part=rest[0])
    if rest[0] == "sector" and len(rest) in (2, 3):
        return MetricId(metric, Kind.SECTOR, rest[2] if len(rest) == 3 else "", rest[1])
    if len(rest) == 3:
        return _of_three(metric, *rest)
    if len(rest) == 2:
        fact, _, pages = rest[1].rpartition("_")
        if pages not in DISTANCES:
            fact, pages = rest[1], ""
        if fact in _LEVEL_FACTS:
            return MetricId(metric, _LEVEL_FACTS[fact], rest[0], pages=pages)
    return MetricId(metric, Kind.OTHER)


_COPIED = {"cluster": Kind.CLUSTER, "bulk": Kind.BULK, "tile": Kind.TILE}


def _of_three(metric: str, first: str, second: str, third: str) -> MetricId:
    if second == "distance":
        return MetricId(metric, Kind.DISTANCE, first, third)
    if second == "misses" and first in LEVELS:
        return MetricId(metric, Kind.MISS_SHARE, first, third)
    if second == "capacity" and third == ALL_MULTIPROCESSORS:
        return MetricId(metric, Kind.SHARED_CAPACITY, first)
    if first in _COPIED:
        return MetricId(metric, _COPIED[first], second, third)
    if second in LEVELS and third in _PATH_FACTS:
        return MetricId(metric, _PATH_FACTS[third], second, first)
    return MetricId(metric, Kind.OTHER)
