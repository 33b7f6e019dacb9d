"""How the hypotheses of probes should end on a drawn GPU, by the truth of the device."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

from reportgen.analysis.sustained import SETTLED
from reportgen.backends.cuda.occupancy import occupancy
from reportgen.findings.endings import EQUAL_WITHIN
from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import WHOLE_WITHIN
from reportgen.findings.hypotheses_by_words import ONE_RATE_WITHIN
from reportgen.findings.hypotheses_gpu import SAME_TILE
from reportgen.findings.hypotheses_intensity import HALF_WAY
from reportgen.findings.hypotheses_link import NEAR, TOGETHER
from reportgen.findings.hypotheses_synchronisation import SERIAL
from reportgen.findings.interference import INDEPENDENT_BELOW, SERIALISED_FROM
from reportgen.runs.schema import ProbeInfo
from tests.simulated import gpu_matrix_drawn, gpu_pairs
from tests.simulated.gpu_devices import planned
from tests.simulated.gpu_drawn import PEAKS, level_rate
from tests.simulated.gpu_execution import CROWD, REGISTERS, SHARED
from tests.simulated.gpu_expected import room
from tests.simulated.gpu_population import DrawnGpu

ALWAYS = frozenset(
    {
        "gpu_execution/block_count_sweep", "gpu_execution/warp_count_sweep", "memory_hierarchy/bulk_copy",
        "memory_hierarchy/on_chip_sweep", "memory_hierarchy/l2_capacity_all",
        "memory_hierarchy/working_set_sweep", "memory_hierarchy/pointer_chasing", "front_end/code_footprint",
        "gpu_synchronisation/atomic_rate", "roofline/gemm_sweep", "roofline/vendor_gemm_fp16",
        "roofline/vendor_gemm_fp8", "roofline/vendor_gemm_int8",
    }
)  # fmt: skip
"""Probes whose hypothesis no device denies: these can only be wrong where it is said to fail."""
RESOLVED = 0.05
"""Cycles of a step that twelve more of it, in whole cycles, tell from none."""
SHARP = 0.03
"""An index this near to a border of a reading is on neither side."""


def true_verdict(drawn: DrawnGpu, probe: ProbeInfo) -> Verdict | None:
    """`supported` where the hypothesis is true, `not supported` where it is not; None where nothing says."""
    if probe.id in ALWAYS:
        return Verdict.SUPPORTED
    if probe.id in drawn.held:
        held = drawn.held[probe.id]
        return _of(abs(held.sustained / held.burst - 1) <= SETTLED)
    if probe.analysis in ("slope", "plateau"):
        return _of_instruction(drawn, probe)
    if probe.analysis == "peak":
        return _peak(drawn, probe)
    if probe.id in gpu_pairs.NAMED:
        return _separate(drawn, *gpu_pairs.NAMED[probe.id])
    true = _TRUTHS.get(probe.id)
    found = true(drawn) if true is not None else None
    return None if found is None else _of(found)


def _of(true: bool) -> Verdict:
    return Verdict.SUPPORTED if true else Verdict.NOT_SUPPORTED


def _of_instruction(drawn: DrawnGpu, probe: ProbeInfo) -> Verdict | None:
    """Every rate has an end; that cycles are whole, or types alike, may be untrue."""
    both = drawn.truth, drawn.matrix
    of_warps = probe.operation in (*gpu_matrix_drawn.PRODUCTS, *drawn.slow)
    if "whole number" in probe.hypothesis and of_warps:
        slow = drawn.slow.get(probe.operation)
        cycles = slow.latency if slow else gpu_matrix_drawn.latency(*both, probe.operation)
        off = abs(cycles - round(cycles))
        return None if WHOLE_WITHIN < off <= RESOLVED else _of(off <= WHOLE_WITHIN)
    if "halving the data type" in probe.hypothesis:
        own = gpu_matrix_drawn.rate(*both, probe.operation)
        rates = [gpu_matrix_drawn.rate(*both, other) for other in gpu_matrix_drawn.SWEPT]
        return _of(all(abs(own - rate) <= ONE_RATE_WITHIN * max(own, rate) for rate in rates))
    return Verdict.SUPPORTED


def _peak(drawn: DrawnGpu, probe: ProbeInfo) -> Verdict | None:
    """Whether the most accumulators that were tried reach the best rate."""
    if probe.id not in {name for name, _, _ in PEAKS}:
        return None
    shares = drawn.peak_shares
    return _of(shares[-1] >= max(shares) * (1 - EQUAL_WITHIN))


def _cluster(drawn: DrawnGpu) -> bool | None:
    """None where another block is farther than near lines and nearer than far ones."""
    other, near, far = drawn.truth.cluster_other, drawn.memory.near, max(drawn.memory.near, drawn.memory.far)
    return None if near <= other <= far else other < near


def _pressure(drawn: DrawnGpu, probe: str, settings: tuple[int, ...]) -> bool:
    """Whether as many stay as the table of limits says, step by step."""
    by_register = probe == "register_pressure"
    tabled = [
        occupancy(90, CROWD, setting).warps if by_register else occupancy(90, CROWD, 16, setting).warps
        for setting in settings
    ]
    true = [room(drawn.truth, probe, setting) for setting in settings]
    steps = [[after < before for before, after in pairwise(some)] for some in (tabled, true)]
    return steps[0] == steps[1]


def _shared_memory(drawn: DrawnGpu) -> bool:
    asked = tuple(size for size in SHARED if size + 1024 <= drawn.truth.shared_bytes)
    return _pressure(drawn, "shared_memory_pressure", asked)


def _memory_barrier(drawn: DrawnGpu) -> bool:
    truth = drawn.truth
    warps = [int(one["warps"]) for one in planned("gpu_synchronisation/memory_barrier")]
    return all(truth.memory_barrier > truth.barrier + truth.barrier_warp * (count - 1) for count in warps)


def _fences(drawn: DrawnGpu) -> bool:
    pairs = zip(drawn.truth.fences_behind, drawn.truth.fences, strict=True)
    return all(behind > alone for behind, alone in pairs)


def _bandwidth(drawn: DrawnGpu) -> bool:
    """Whether memory is slower than the second level, by every kernel."""
    truth = drawn.truth
    kernels = ("read", "write", "copy", "triad")
    return all(level_rate(truth, kernel, True) < level_rate(truth, kernel, False) for kernel in kernels)


def _vendor_copy(drawn: DrawnGpu) -> bool | None:
    """None where both copies are as fast, to what the rule allows."""
    own = level_rate(drawn.truth, "copy", True) / drawn.truth.memory_rate
    as_fast = drawn.truth.driver_copy * (1 - EQUAL_WITHIN) <= own < drawn.truth.driver_copy
    return None if as_fast else own >= drawn.truth.driver_copy


def _separate(drawn: DrawnGpu, first: str, second: str) -> Verdict | None:
    """Whether they have pipes of their own; None where they share a port before these, or are not drawn."""
    if not {first, second} <= set(drawn.pairs):
        return None
    if gpu_pairs.share_pipe(drawn.pairs, first, second):
        return Verdict.NOT_SUPPORTED
    return None if gpu_pairs.share_port(drawn.pairs, first, second) else Verdict.SUPPORTED


def _matrix(drawn: DrawnGpu) -> bool | None:
    """Whether all pairs of two kinds run side by side or in turn; None where one is near a border."""
    found = [gpu_pairs.index(drawn.pairs, *names) for names in combinations(drawn.pairs, 2)]
    if any(abs(one - border) < SHARP for one in found for border in (INDEPENDENT_BELOW, SERIALISED_FROM)):
        return None
    return not any(INDEPENDENT_BELOW <= one < SERIALISED_FROM for one in found)


def _mapped(drawn: DrawnGpu) -> bool:
    return drawn.link.latency * drawn.truth.clock_hz > drawn.memory.dram + drawn.memory.walk


def _first(drawn: DrawnGpu) -> bool | None:
    """Of what loads meet first; None without such a level."""
    return True if drawn.memory.l1_bytes else None


_TRUTHS: dict[str, Callable[[DrawnGpu], bool | None]] = {
    "gpu_execution/shared_bank_strides": lambda drawn: drawn.truth.meeting_power == 1,
    "gpu_execution/register_pressure": lambda drawn: _pressure(drawn, "register_pressure", REGISTERS),
    "gpu_execution/shared_memory_pressure": _shared_memory,
    "gpu_execution/launch_overhead": lambda drawn: drawn.truth.launch_block > 0,
    "memory_hierarchy/l2_matrix": lambda drawn: drawn.truth.far > drawn.truth.near,
    "memory_hierarchy/sector_trace": _first,
    "memory_hierarchy/stride_sweep": lambda drawn: bool(drawn.memory.l1_bytes),
    "memory_hierarchy/cache_conflict": lambda drawn: bool(drawn.memory.l1_bytes),
    "memory_hierarchy/tlb_reach": lambda drawn: drawn.memory.walk > 0,
    "memory_hierarchy/distributed_shared": _cluster,
    "memory_hierarchy/bandwidth_saturation": _bandwidth,
    "memory_hierarchy/bandwidth_first_level": _first,
    "memory_hierarchy/vendor_copy": _vendor_copy,
    "memory_hierarchy/tile_swizzle": lambda drawn: abs(drawn.truth.swizzled - 1) <= SAME_TILE,
    "memory_hierarchy/tile_promotion": lambda drawn: drawn.truth.tile_miss > 0,
    "gpu_synchronisation/block_barrier": lambda drawn: drawn.truth.barrier_warp > 0,
    "gpu_synchronisation/cluster_barrier": lambda drawn: drawn.truth.cluster_block > 0,
    "gpu_synchronisation/memory_barrier": _memory_barrier,
    "gpu_synchronisation/fence": _fences,
    "gpu_synchronisation/atomic_conflict": lambda drawn: drawn.truth.atomic_global[1] > 0,
    "gpu_synchronisation/divergence": lambda drawn: abs(drawn.truth.path_again - 1) <= SERIAL,
    "roofline/intensity_sweep": lambda drawn: drawn.truth.overlap > HALF_WAY,
    "host_link/copy": lambda drawn: drawn.link.both >= TOGETHER * (drawn.link.to_device + drawn.link.to_host),
    "host_link/mapped_read": _mapped,
    "host_link/mapped_stream": lambda drawn: drawn.link.read >= NEAR * drawn.link.to_device,
    "pipeline_interference/matrix": _matrix,
}
"""Probe -> whether its hypothesis is true; None where nothing says."""
