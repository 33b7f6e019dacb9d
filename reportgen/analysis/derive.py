"""Samples, and machine code that tells its timing, -> quantities: which analysis reads which probe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from reportgen.analysis.access import alias, split
from reportgen.analysis.bandwidth import bandwidth, without_level
from reportgen.analysis.branches import call_return, misprediction
from reportgen.analysis.chase import pointer_chase
from reportgen.analysis.conflict import conflict
from reportgen.analysis.cycles import calibration_error, timings
from reportgen.analysis.encoded import encoded, has_encoding
from reportgen.analysis.evidence import Evidence, clock_trend, disturbed_share
from reportgen.analysis.footprint import footprint
from reportgen.analysis.gpu_banks import banks
from reportgen.analysis.gpu_blocks import blocks
from reportgen.analysis.gpu_bulk import bulk
from reportgen.analysis.gpu_chase import chase_by_path, has_path
from reportgen.analysis.gpu_cluster import cluster
from reportgen.analysis.gpu_contention import contention
from reportgen.analysis.gpu_distance import averaged, distance
from reportgen.analysis.gpu_divergence import divergence
from reportgen.analysis.gpu_host_link import copies, loads, streams
from reportgen.analysis.gpu_launch import by_path, has_shape, launch_bandwidth, of_path, warps
from reportgen.analysis.gpu_launch_overhead import launch_overhead
from reportgen.analysis.gpu_meeting import meeting
from reportgen.analysis.gpu_on_chip import on_chip
from reportgen.analysis.gpu_pressure import pressure
from reportgen.analysis.gpu_read_sweep import read_sweep
from reportgen.analysis.gpu_rounding import of_points
from reportgen.analysis.gpu_sector import sectors
from reportgen.analysis.gpu_tile import tile
from reportgen.analysis.gpu_tlb import has_distance, tlb_by_distance, walked
from reportgen.analysis.gpu_waits import waits
from reportgen.analysis.hierarchy import Hierarchy, reported
from reportgen.analysis.intensity import intensity
from reportgen.analysis.interference import interference
from reportgen.analysis.library import library
from reportgen.analysis.line import line
from reportgen.analysis.line_transfer import line_transfer
from reportgen.analysis.loop_rounds import loop_rounds
from reportgen.analysis.paired import in_turn
from reportgen.analysis.parallelism import parallelism
from reportgen.analysis.peak import peak
from reportgen.analysis.plateau import plateau
from reportgen.analysis.prefetch import prefetch_near, prefetch_run, prefetch_streams, prefetch_stride
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.replacement import replacement
from reportgen.analysis.rounds import rounds
from reportgen.analysis.shared_words import contended_atomic, false_sharing
from reportgen.analysis.slope import slope
from reportgen.analysis.store_to_load import store_to_load
from reportgen.analysis.survey import survey
from reportgen.analysis.sustained import sustained
from reportgen.analysis.taken_branches import taken_branches
from reportgen.analysis.tlb import LINE, tlb
from reportgen.analysis.transients import settled, transient_samples
from reportgen.analysis.vendor import vendor_ratios
from reportgen.analysis.window import window
from reportgen.analysis.working_set import working_set
from reportgen.runs.schema import ACCEPTED, SLOW, Point, Program, Run
from reportgen.status import USABLE, Status

if TYPE_CHECKING:
    import pyarrow


class Samples(Protocol):
    """A run with its samples: what `runs.read.load` gives."""

    @property
    def run(self) -> Run:
        """The manifest."""

    @property
    def table(self) -> pyarrow.Table:
        """Columns `SAMPLE_COLUMNS`."""

    @property
    def programs(self) -> dict[str, Program]:
        """By the sha256 of their machine code."""


def derive(bundle: Samples) -> tuple[Quantity, ...]:
    """Every quantity of a run, in the order of its probes; behind those measured, those read from code.

    Two probes may give the same metric; both are here, and the findings compare them.
    """
    measured = quantities(bundle.run, bundle.table) if bundle.run.clock is not None else ()
    read = encoded(bundle.run, bundle.programs) if has_encoding(bundle.run) else ()
    return (*measured, *read)


def quantities(run: Run, samples: pyarrow.Table) -> tuple[Quantity, ...]:
    """Every quantity of `run`; see `derive`."""
    by_point = timings(run.sample_clock, samples)
    held = {probe.id for probe in run.probes if probe.analysis == "sustained"}
    # How a rate changes within a visit is what those ask, so nothing of it is a transient.
    windows = {point.id for point in run.points if point.probe in held}
    batches = {name: timing for name, timing in by_point.items() if name not in windows}
    transient = transient_samples(batches)
    if transient:
        by_point |= settled(batches, transient)
    systematic = calibration_error(run.sample_clock, samples)
    turns = any(map(in_turn, run.points))
    beside = timings(run.sample_clock, samples, (ACCEPTED, SLOW)) if turns else {}
    points: dict[str, list[Point]] = defaultdict(list)
    for point in run.points:
        points[point.probe].append(point)
    probes = [
        Evidence(
            run, probe, tuple(points[probe.id]), by_point,
            systematic or of_points(run, probe, points[probe.id], by_point),
        )
        for probe in run.probes
        if points[probe.id]
    ]  # fmt: skip
    disturbed = disturbed_share(probes)
    moved = clock_trend(probes)
    probes = [
        replace(evidence, disturbed=disturbed, transient=transient, trend=moved, beside=beside)
        for evidence in probes
    ]
    result: dict[str, list[Quantity]] = {}
    _memory(run, probes, result)
    _latencies(probes, result)
    for evidence in probes:
        name = evidence.probe.id
        if name in result:
            continue
        analysis = _INDEPENDENT.get(evidence.probe.analysis)
        result[name] = analysis(evidence) if analysis and _any_usable(evidence) else [_unread(evidence)]
    found = [quantity for evidence in probes for quantity in result[evidence.probe.id]]
    return (*walked(averaged(found)), *vendor_ratios(probes, found))


_INDEPENDENT: dict[str, Callable[[Evidence], list[Quantity]]] = {
    "plateau": plateau,
    "interference": interference,
    "conflict": lambda evidence: [conflict(evidence)],
    "replacement": replacement,
    "peak": peak,
    "sustained": sustained,
    "library": library,
    "banks": banks,
    "distance": distance,
    "warps": warps,
    "blocks": blocks,
    "pressure": pressure,
    "on_chip": on_chip,
    "sectors": sectors,
    "cluster": cluster,
    "bulk": bulk,
    "tile": tile,
    "launch": launch_overhead,
    "read_sweep": read_sweep,
    "rounds": rounds,
    "window": window,
    "survey": survey,
    "footprint": footprint,
    "parallelism": parallelism,
    "waits": waits,
    "meeting": meeting,
    "contention": contention,
    "divergence": divergence,
    "link_copy": copies,
    "link_load": loads,
    "link_stream": streams,
    "misprediction": misprediction,
    "taken_branches": taken_branches,
    "loop_rounds": loop_rounds,
    "call_return": call_return,
    "store_to_load": store_to_load,
    "split": split,
    "alias": alias,
    "line_transfer": line_transfer,
    "false_sharing": false_sharing,
    "contended_atomic": contended_atomic,
    "prefetch_stride": prefetch_stride,
    "prefetch_run": prefetch_run,
    "prefetch_near": prefetch_near,
    "prefetch_streams": prefetch_streams,
}
"""Analyses that need no other probe."""

_METHODS = {
    "slope": "slope",
    "plateau": "plateau",
    "interference": "interference",
    "peak": "plateau",
    "sustained": "sustained",
    "bandwidth": "bandwidth",
    "intensity": "roofline",
    "library": "library",
    "rounds": "cost-model",
    "survey": "survey",
    "window": "window",
    "footprint": "code-footprint",
    "replacement": "replacement",
    "parallelism": "window",
    **dict.fromkeys("waits meeting contention divergence".split(), "synchronisation"),
    **dict.fromkeys(("link_copy", "link_load", "link_stream"), "host-link"),
    **dict.fromkeys("misprediction taken_branches loop_rounds call_return".split(), "branches"),
    **dict.fromkeys(("store_to_load", "split", "alias"), "access"),
    **dict.fromkeys(("line_transfer", "false_sharing", "contended_atomic"), "communication"),
    **dict.fromkeys("prefetch_stride prefetch_run prefetch_near prefetch_streams".split(), "prefetch"),
    **dict.fromkeys(
        "banks distance blocks pressure sectors cluster bulk tile launch read_sweep".split(),
        "gpu",
    ),
}
"""Analysis -> page of docs/method; all others find a boundary."""


def _any_usable(evidence: Evidence) -> bool:
    return any(point.status in USABLE for point in evidence.points)


def _unread(evidence: Evidence) -> Quantity:
    """One quantity for a probe none of whose points was measured, or that nothing can read."""
    probe = evidence.probe
    method = _METHODS.get(probe.analysis, "boundary")
    if _any_usable(evidence):
        return evidence.without_value(
            probe.metric, probe.unit, method, status=Status.FAILED,
            reason=f"This version of reportgen has no analysis called '{probe.analysis}'.",
        )  # fmt: skip
    metric = without_level(evidence) if probe.analysis == "bandwidth" else probe.metric
    return evidence.without_value(metric, probe.unit, method)


def _memory(run: Run, probes: list[Evidence], result: dict[str, list[Quantity]]) -> None:
    """The hierarchy first, then the probes that must know it."""
    by_analysis: dict[str, list[Evidence]] = defaultdict(list)
    for evidence in probes:
        if _any_usable(evidence):
            by_analysis[evidence.probe.analysis].append(evidence)
    hierarchy, curve = None, None
    ways: dict[str, Hierarchy] = {}
    for evidence in by_analysis["working_set"]:
        result[evidence.probe.id] = []
        for path, own in by_path(evidence):
            several, found, one = working_set(own)
            result[evidence.probe.id] += of_path(path, several)
            hierarchy, curve = hierarchy or found, curve or one
            if found is not None:
                ways[path or str(own.points[0].settings.get("path", ""))] = found
    known = hierarchy if hierarchy is not None and hierarchy.ends else reported(run.device)
    length = float(LINE)
    for evidence in by_analysis["line"]:
        result[evidence.probe.id] = []
        for path, own in by_path(evidence):
            result[evidence.probe.id] += of_path(path, [line(own)])
        quantity = result[evidence.probe.id][0]
        if quantity.status in (Status.OK, Status.UNVERIFIED) and quantity.value:
            length = quantity.value
    for evidence in by_analysis["tlb"]:
        if has_distance(evidence):
            result[evidence.probe.id] = tlb_by_distance(evidence)
        else:
            result[evidence.probe.id] = tlb(evidence, curve, hierarchy, length)
    for evidence in by_analysis["bandwidth"]:
        read = launch_bandwidth if has_shape(evidence) else bandwidth
        result[evidence.probe.id] = read(evidence, known)
    for evidence in by_analysis["intensity"]:
        result[evidence.probe.id] = intensity(evidence, known)
    for evidence in by_analysis["pointer_chase"]:
        if has_path(evidence):
            result[evidence.probe.id] = chase_by_path(evidence, known, ways)
        else:
            result[evidence.probe.id] = pointer_chase(evidence, known, curve)


def _latencies(probes: list[Evidence], result: dict[str, list[Quantity]]) -> None:
    """Latencies in an order in which those that are subtracted come first."""
    waiting = [one for one in probes if one.probe.analysis == "slope" and _any_usable(one)]
    known: dict[str, Quantity] = {}
    pending = {one.probe.operation for one in waiting}
    while waiting:
        ready = [
            one for one in waiting if not pending & set(one.probe.constants.get("companions", ()))
        ] or waiting  # companions that name each other: each says that the other is missing
        for evidence in ready:
            quantity = slope(evidence, known)
            result[evidence.probe.id] = [quantity]
            known[evidence.probe.operation] = quantity
        waiting = [one for one in waiting if one.probe.id not in result]
        pending = {one.probe.operation for one in waiting}
