"""What is true of a drawn GPU, for each quantity that an analysis states about it."""

from __future__ import annotations

import math

import numpy as np

from reportgen.analysis.quantity import Quantity
from reportgen.findings.metric import ONE_MULTIPROCESSOR, Kind, MetricId, parse
from tests.simulated import gpu_held, gpu_intensity, gpu_matrix_drawn, gpu_pairs
from tests.simulated.gpu_devices import PASSING
from tests.simulated.gpu_drawn import level_rate, peak_rates
from tests.simulated.gpu_execution import CROWD
from tests.simulated.gpu_footprint import instruction
from tests.simulated.gpu_memory import FEW_BLOCKS
from tests.simulated.gpu_population import DrawnGpu
from tests.simulated.gpu_tiles import BYTES, COPIES, misses
from tests.simulated.gpu_truth import EMPTY, KIB, GpuTruth
from tests.simulated.multiprocessor import WARP

CHIP = ("shared", "constant", "local")
"""Paths that stay on the chip."""
TENSOR = (Kind.LATENCY, Kind.THROUGHPUT, Kind.ISSUE_INTERVAL, Kind.WARPS)
"""What is asked of matrix units one by one."""
OF_GROUPS = ("tensor_tf32",)
"""Peaks that are asked of units of warp groups."""
WORK = {"fp32": 64.0, "fp64": 64.0, "tensor_fp16": 4096.0, "tensor_fp8": 8192.0, "tensor_int8": 8192.0}
"""FLOP (or OP) of an instruction of a peak."""
_OPERATIONS = {"fp32": "fp32_fma", "fp64": "fp64_fma", "tensor_fp16": "mma_m16n8k16_f16_f32"}


def true_value(drawn: DrawnGpu, quantity: Quantity) -> float | None:
    """The true value of a quantity in its base unit; None where the simulation does not define one."""
    name = parse(quantity.metric)
    for part in (_of_execution, _of_memory, _of_rates, _of_waiting, _of_link):
        found = part(drawn, name, quantity)
        if found is not None:
            return found
    return None


def _of_execution(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    truth = drawn.truth
    if name.kind in TENSOR and name.text.startswith("tensor."):
        return _of_matrix(drawn, name)
    match name.kind:
        case Kind.LATENCY if name.subject == "fp32_fma":
            return truth.fma_latency
        case Kind.THROUGHPUT if name.subject == "fp32_fma":
            return truth.fma_rate
        case Kind.WARPS if name.subject == "fp32_fma" and name.part != "1":
            return truth.fma_rate  # warps of one chain each may not fill the units, however many there are
        case Kind.ISSUE_INTERVAL if name.subject == "fp32_fma":
            return 1 / truth.fma_rate
        case Kind.LATENCY if name.subject in drawn.slow:
            return drawn.slow[name.subject].latency
        case Kind.THROUGHPUT if name.subject in drawn.slow:
            return drawn.slow[name.subject].rate
        case Kind.ISSUE_INTERVAL if name.subject in drawn.slow:
            return 1 / drawn.slow[name.subject].rate
        case Kind.INTERFERENCE if drawn.pairs:
            return gpu_pairs.index(drawn.pairs, name.subject, name.part)
        case Kind.BANKS:
            return {
                "banks": float(truth.banks), "latency": truth.shared_latency,
                "conflict": truth.conflict if truth.meeting_power == 1 else math.nan,
                "latency_8": truth.shared_latency + 2.0, "latency_16": truth.shared_latency + 6.0,
                "conflict_8": truth.wide_pass, "conflict_16": truth.wide_pass,
            }[name.part]  # fmt: skip
        case Kind.BLOCKS:
            return float(truth.multiprocessors)
        case Kind.CROWDED:
            most = int(quantity.details["most"])
            return float(min(math.ceil(most / truth.multiprocessors), truth.resident))
        case Kind.STEP:
            return _step(truth, name.subject, quantity)
        case Kind.FETCH_CAPACITY | Kind.FETCH_RATE:
            return _supplied(drawn, name, quantity)
    return None


def _of_matrix(drawn: DrawnGpu, name: MetricId) -> float:
    both = drawn.truth, drawn.matrix
    if name.kind is Kind.LATENCY:
        return gpu_matrix_drawn.latency(*both, name.subject)
    rate = gpu_matrix_drawn.rate(*both, name.subject)
    return 1 / rate if name.kind is Kind.ISSUE_INTERVAL else rate


def _step(truth: GpuTruth, probe: str, quantity: Quantity) -> float | None:
    """The most of what a kernel takes with which as many stay as at the lower end; not a number: no step."""
    assert quantity.low is not None
    unit = 1 if probe == "register_pressure" else KIB
    if quantity.high is None:  # none up to there
        first, last = int(min(quantity.details["setting"])), int(quantity.low)
        return math.inf if room(truth, probe, first) == room(truth, probe, last) else float(first)
    settings = range(int(quantity.low), int(quantity.high) + 1, unit)
    rooms = [room(truth, probe, setting) for setting in settings]
    if rooms[0] == rooms[-1]:
        return math.nan
    return float(settings[max(at for at, each in enumerate(rooms) if each == rooms[0])])


def room(truth: GpuTruth, probe: str, setting: int) -> int:
    """Blocks of a multiprocessor that stay side by side."""
    if probe == "register_pressure":
        fits = truth.register_file // 4 // (-(-setting * WARP // 256) * 256) * 4 // (CROWD // WARP)
    else:
        fits = truth.shared_bytes // (setting + KIB)
    return min(fits, truth.most_blocks)


def _supplied(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    at = int(name.part.removeprefix("level")) - 1
    if name.kind is Kind.FETCH_CAPACITY:
        return drawn.code.levels[at][0] if at < len(drawn.code.levels) else math.nan
    warps = 16 if name.subject.endswith("_warps") else 1
    sizes = [int(_settings(point)["bytes"]) for point in quantity.points]
    return 1 / float(np.median([instruction(drawn.code, size, warps) for size in sizes]))


def met(drawn: DrawnGpu, path: str) -> list[float]:
    """Ends of the levels that loads by a path meet, from the core outwards; memory behind them."""
    memory = drawn.memory
    inner = [] if path in PASSING or not memory.l1_bytes else [float(memory.l1_bytes)]
    return [*inner, float(memory.l2_bytes)]


def load_cost(drawn: DrawnGpu, size: float, path: str) -> float:
    """Cycles of a load of a random cycle through so many bytes, on a typical placement."""
    return drawn.memory.cost(size, path, drawn.memory.typical(size))


def _of_memory(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    truth = drawn.truth
    match name.kind:
        case Kind.CAPACITY | Kind.PATH_CAPACITY:
            return _capacity(drawn, name)
        case Kind.LEVEL_LATENCY | Kind.PATH_LATENCY | Kind.CHASE:
            return _latency(drawn, name, quantity)
        case Kind.LEVEL_TIME | Kind.PATH_TIME:
            cycles = _latency(drawn, name, quantity)
            return None if cycles is None else cycles / truth.clock_hz
        case Kind.DISTANCE:
            return truth.near if name.part == "near" else truth.far
        case Kind.SHARED_CAPACITY:
            return float(truth.l2_of_all)
        case Kind.SECTOR:  # without a first level nothing stays, and what memory brings is all that shows
            whole = name.subject == "outer" or not drawn.memory.l1_bytes
            return float(truth.line if whole else truth.sector)
        case Kind.LINE | Kind.PATH_LINE:
            return float(truth.sector)
        case Kind.ASSOCIATIVITY:
            return float(truth.ways)
        case Kind.TLB_REACH:
            stride = int(quantity.details["stride"])
            far_out = name.subject == "dtlb2" or not drawn.memory.walk
            return math.inf if far_out else drawn.memory.translation / stride
        case Kind.CLUSTER:
            return truth.cluster_own if name.part == "own" else truth.cluster_other
        case Kind.BULK:
            return truth.copy_fixed if name.part == "fixed" else truth.copy_rate
        case Kind.TILE:
            return _tile(truth, name)
    return None


def _capacity(drawn: DrawnGpu, name: MetricId) -> float | None:
    at = ("l1", "l2", "l3").index(name.subject)
    if name.part in CHIP:
        most = {"shared": 1, "local": 1, "constant": 3}[name.part]
        ends = [*drawn.truth.constant_bytes, math.inf] if name.part == "constant" else [math.inf]
        return ends[at] if at < most else math.nan
    ends = met(drawn, name.part or "ca")
    return ends[at] if at < len(ends) else math.nan


def _latency(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    truth = drawn.truth
    path = name.part or ("plain" if name.kind is Kind.CHASE else "ca")
    if path == "constant":
        return truth.constant_latency[("l1", "l2", "l3").index(name.subject)]
    if path == "shared":
        return truth.shared_latency
    if path == "local":
        return truth.l1_latency
    sizes = [float(_settings(point)["bytes"]) for point in quantity.points]
    if "bytes" in quantity.details:
        sizes = [float(quantity.details["bytes"])]
    return float(np.median([load_cost(drawn, size, path) for size in sizes]))


def _settings(point: str) -> dict[str, str]:
    return dict(part.split("=") for part in point.partition("#")[2].split(","))


def _tile(truth: GpuTruth, name: MetricId) -> float:
    if name.subject == "swizzle":
        return truth.swizzled
    each = COPIES * (truth.copy_fixed + BYTES / truth.copy_rate + EMPTY)
    return (each + misses(int(name.part)) * truth.tile_miss) / (each + misses(0) * truth.tile_miss)


def _of_rates(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    truth = drawn.truth
    match name.kind:
        case Kind.BURST | Kind.SUSTAINED | Kind.SUSTAINED_RATIO | Kind.SETTLING_TIME if drawn.held:
            return _held(drawn, name.kind, quantity.probe)
        case Kind.PEAK if name.subject in (*WORK, *OF_GROUPS):
            return peak(drawn, name.subject)
        case Kind.PEAK_PER_CYCLE if name.subject in (*WORK, *OF_GROUPS):
            return _per_cycle(drawn, name.subject)
        case Kind.BANDWIDTH:
            return _tried(quantity) * bandwidth(drawn, name.subject, name.part, name.scope)
        case Kind.RIDGE:
            flow = _tried(quantity) * bandwidth(drawn, name.part, str(quantity.details["kernel"]), "")
            return peak(drawn, name.subject) / flow
        case Kind.RIDGE_SEEN:
            return gpu_intensity.peak(truth) / _stream(drawn, name.part)
        case Kind.OVERLAP:
            return truth.overlap
        case Kind.KERNEL:
            return _kernel(drawn, name)
        case Kind.VENDOR:
            kind, _, what = name.subject.partition("_")
            if kind == "copy":
                return level_rate(truth, "copy", True) / (truth.memory_rate * truth.driver_copy)
            return peak(drawn, what) / _product(truth, what, 1.0)
    return None


def _held(drawn: DrawnGpu, kind: Kind, probe: str) -> float:
    held, first = drawn.held[probe], gpu_held.burst(drawn.truth, probe)
    match kind:
        case Kind.BURST:
            return first * held.burst
        case Kind.SUSTAINED:
            return first * held.sustained
        case Kind.SUSTAINED_RATIO:
            return held.sustained / held.burst
        case _:
            return held.settles


def _rate_of(truth: GpuTruth, precision: str) -> tuple[float, float]:
    """Instructions a cycle of a multiprocessor, and the clock that they leave."""
    if precision in _OPERATIONS:
        return peak_rates(truth)[_OPERATIONS[precision]]
    return truth.mma_rate, truth.clock_hz


def _per_cycle(drawn: DrawnGpu, precision: str) -> float:
    if precision in OF_GROUPS:
        what = precision.removeprefix("tensor_")
        return gpu_matrix_drawn.best_of_groups(drawn.truth, drawn.matrix, what)
    return WORK[precision] * _rate_of(drawn.truth, precision)[0]


def peak(drawn: DrawnGpu, precision: str) -> float:
    """FLOP (or OP) a second of the device."""
    truth = drawn.truth
    clock = truth.tensor_clock_hz if precision in OF_GROUPS else _rate_of(truth, precision)[1]
    return _per_cycle(drawn, precision) * truth.multiprocessors * clock


def _product(truth: GpuTruth, precision: str, share: float) -> float:
    """FLOP (or OP) a second of the vendor's product."""
    best = WORK[precision] * truth.mma_rate * truth.multiprocessors
    return share * truth.library_share * best * truth.tensor_clock_hz


def _kernel(drawn: DrawnGpu, name: MetricId) -> float | None:
    truth = drawn.truth
    if name.subject == "sgemm":
        return truth.gemm_share * _per_cycle(drawn, "fp32") * truth.multiprocessors * truth.clock_hz
    routine = name.subject.removeprefix("vendor_gemm_")
    share = 0.5 if name.part == "2048" else 1.0
    return _product(truth, f"tensor_{routine}", share) if routine != name.subject else None


def _tried(quantity: Quantity) -> float:
    """Of the best rate of a first cache, what blocks reach that fit into a small one."""
    return FEW_BLOCKS if any("blocks_each=2," in point for point in quantity.points) else 1.0


def bandwidth(drawn: DrawnGpu, level: str, kernel: str, scope: str) -> float:
    """Bytes a second of a level as loads of the main path number it."""
    truth = drawn.truth
    levels = ["l1", "l2"] if drawn.memory.l1_bytes else ["l2"]
    at = len(levels) if level == "dram" else ("l1", "l2", "l3").index(level)
    where = [*levels, "dram"][at] if at <= len(levels) else ""
    share = truth.one_share if scope == ONE_MULTIPROCESSOR else 1.0
    if where == "l1":
        return truth.l1_rate
    if not where:
        return math.nan
    if kernel == "vendor_copy":
        return (truth.memory_rate if where == "dram" else truth.l2_rate) * truth.driver_copy
    return level_rate(truth, kernel, where == "dram") * share


def _stream(drawn: DrawnGpu, level: str) -> float:
    return drawn.truth.memory_rate if level == "dram" else drawn.truth.l2_rate


def _of_waiting(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    truth = drawn.truth
    match name.kind:
        case Kind.BARRIER:
            return _barrier(truth, name)
        case Kind.FENCE:
            scope = ("block", "device", "system").index(name.subject)
            return (truth.fences if name.part == "alone" else truth.fences_behind)[scope]
        case Kind.CONFLICT | Kind.TOGETHER:
            alone, further = truth.atomic_shared if name.subject == "shared" else truth.atomic_global
            return further if name.kind is Kind.CONFLICT else (alone + 31 * further) / alone
        case Kind.ATOMIC_RATE:
            return {
                "one_address": truth.one_address, "own_address": truth.own_address,
                "one_line": truth.one_line, "spread": truth.apart,
            }[name.subject] * min(1.0, 1.0)  # fmt: skip
        case Kind.PATH:
            return truth.path * truth.path_again
        case Kind.PATH_FACTOR:
            return truth.path_again
        case Kind.LAUNCH:
            return {
                "fixed": truth.launch, "block": truth.launch_block, "waited": truth.launch + truth.wait,
            }[name.part]  # fmt: skip
    return None


def _barrier(truth: GpuTruth, name: MetricId) -> float:
    first, each = {
        "block": (truth.barrier - truth.barrier_warp, truth.barrier_warp),
        "cluster": (truth.cluster_barrier - 2 * truth.cluster_block, truth.cluster_block),
        "memory": (truth.memory_barrier, 0.0),
    }[name.subject]
    return each if name.part == "further" else first + each * int(name.part)


def _of_link(drawn: DrawnGpu, name: MetricId, quantity: Quantity) -> float | None:
    link = drawn.link
    if name.kind not in (Kind.LINK_RATE, Kind.LINK_TIME):
        return None
    if name.subject == "mapped":
        seconds = link.cached if name.part.endswith("_cg") else link.latency
        times = {"cycle": seconds * drawn.truth.clock_hz, "second": seconds}
        return float(getattr(link, name.part)) if name.kind is Kind.LINK_RATE else times[quantity.unit]
    rate = float(getattr(link, name.subject))
    return {
        "bandwidth": rate,
        "pageable_bandwidth": link.pageable,
        "start": link.start,
        "waited": link.wait + 4 * KIB / rate,
        "pageable_waited": link.wait + 4 * KIB / link.pageable,
    }[name.part]
