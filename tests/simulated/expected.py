"""What is true of a simulated CPU, for each quantity that an analysis states about it."""

from __future__ import annotations

import numpy as np

from reportgen.analysis.quantity import Quantity
from reportgen.findings.metric import Kind, MetricId, parse
from tests.simulated.access_points import alias_time, pair_latency, split_time
from tests.simulated.branch_points import end_of
from tests.simulated.communication_points import true_sharing
from tests.simulated.footprint_points import supplied
from tests.simulated.intensity_points import PRECISION, ridge
from tests.simulated.memory import cache_latency, chase_latency, placed_latency
from tests.simulated.ports import index, rate
from tests.simulated.prefetch_points import FROM_MEMORY, STRIDE, UNROLLED, line_time, near_time, stride_time
from tests.simulated.roofline_points import PEAK_ACCUMULATORS, PEAK_OPERATIONS, peak_rate
from tests.simulated.truth import CpuTruth

OF_OPERATIONS = frozenset({Kind.LATENCY, Kind.THROUGHPUT, Kind.ISSUE_INTERVAL, Kind.INTERFERENCE})
DRAWS = 15
"""Placements over which the typical cost of a chase is taken."""
MOST_SIZES = 10
"""Sizes of a level over which it is taken, of more that were measured."""


def true_value(truth: CpuTruth, quantity: Quantity) -> float | None:
    """The true value of a quantity in its base unit; None where the simulation does not define one.

    The latency of a level is what a load costs with the median of the working sets that it was measured with,
    on a typical placement of its pages, translation included; that of a chase, with its one size.  Rates a
    second are those at the clock in the middle of the run.
    """
    name = parse(quantity.metric)
    if name.kind in OF_OPERATIONS and name.subject not in truth.operations:
        return None
    match name.kind:
        case Kind.LATENCY:
            return truth.operations[name.subject].latency
        case Kind.THROUGHPUT:
            return rate(truth, name.subject)
        case Kind.ISSUE_INTERVAL:
            return 1 / rate(truth, name.subject)
        case Kind.INTERFERENCE:
            return index(truth, name.subject, name.part)
        case Kind.PEAK_PER_CYCLE if name.subject in PEAK_OPERATIONS:
            return peak_per_cycle(truth, name.subject)
        case Kind.PEAK if name.subject in PEAK_OPERATIONS:
            return peak_per_cycle(truth, name.subject) * truth.cycle_hz
        case Kind.BANDWIDTH:
            return bandwidth(truth, name)
        case Kind.RIDGE if name.subject in PEAK_OPERATIONS:
            kernel = str(quantity.details["kernel"])
            flow = truth.bandwidth[name.part][kernel]
            return peak_per_cycle(truth, name.subject) * truth.cycle_hz / flow
        case Kind.RIDGE_SEEN if name.subject == PRECISION:
            return ridge(truth, name.part)
        case Kind.OVERLAP if name.subject == PRECISION:
            return truth.overlap[name.part]
    return _memory(truth, name, quantity)


def peak_per_cycle(truth: CpuTruth, precision: str) -> float:
    """The best work a cycle of what the peak probe tries."""
    return max(
        peak_rate(truth, name, count) for name in PEAK_OPERATIONS[precision] for count in PEAK_ACCUMULATORS
    )


def bandwidth(truth: CpuTruth, name: MetricId) -> float | None:
    """Bytes a second of a level and kernel."""
    flow = truth.bandwidth[name.subject].get(name.part)
    return None if flow is None else flow * (truth.scaling[name.subject] if name.scope else 1)


def _memory(truth: CpuTruth, name: MetricId, quantity: Quantity) -> float | None:
    match name.kind:
        case Kind.CAPACITY if not name.pages:
            return truth.cache(name.subject).size
        case Kind.LEVEL_LATENCY:
            sizes = [_settings(point) for point in quantity.points]
            some = sizes[:: max(1, len(sizes) // MOST_SIZES)]
            return float(np.median([load_cost(truth, size, pages) for size, pages in some]))
        case Kind.CHASE if "bytes" in quantity.details:
            return load_cost(truth, float(quantity.details["bytes"]), "huge")
        case Kind.PARALLELISM:
            return truth.parallel_misses
        case Kind.FETCH_CAPACITY | Kind.FETCH_RATE:
            return supplied(truth, name, quantity)
        case Kind.WINDOW:
            return truth.in_flight[name.subject]
        case Kind.MISPREDICTION:
            return truth.misprediction
        case Kind.BRANCH_INTERVAL if name.subject == "taken":
            return truth.taken_interval
        case Kind.BRANCH_END:
            return end_of(truth, int(name.subject.removesuffix("b")), quantity)
        case Kind.LOOP_GROUP:
            return truth.loop_group or float("inf")
        case Kind.RETURN_DEPTH:
            return truth.return_stack
        case Kind.STORE_TO_LOAD:
            return pair_latency(truth, name.text.partition(".")[2])
        case Kind.SPLIT:
            return split_time(truth, name.part, name.subject)
        case Kind.ALIAS:
            return alias_time(truth, int(name.subject))
        case Kind.PREFETCH_STRIDE:
            probe = {"": STRIDE, "unrolled": UNROLLED, "dram": FROM_MEMORY}[name.scope]
            return stride_time(truth, probe, str(quantity.details["step"]), "in_order")
        case Kind.PREFETCH_RUN:
            places = range(int(quantity.details["first"]), int(quantity.details["last"]) + 1)
            return sum(line_time(truth, place) for place in places) / len(places)
        case Kind.PREFETCH_NEAR:
            return near_time(truth, f"{name.subject}.{name.part}")
        case Kind.PREFETCH_STREAMS:
            return truth.prefetch.streams
        case Kind.LINE:
            return truth.line
        case Kind.ASSOCIATIVITY:
            return truth.caches[0].ways
        case Kind.TLB_REACH:
            return {"dtlb1": truth.dtlb1, "dtlb2": truth.dtlb2}[name.subject]
    return true_sharing(truth, name)


def _settings(point: str) -> tuple[float, str]:
    """Bytes and pages of a point of the sweep."""
    settings = dict(part.split("=") for part in point.partition("#")[2].split(","))
    return float(settings["bytes"]), settings["pages"]


def load_cost(truth: CpuTruth, working_set: float, pages: str) -> float:
    """Cycles of a load of a chase over so many bytes: the median over many placements of its pages."""
    added = chase_latency(truth, working_set, pages) - cache_latency(truth, working_set)
    if not any(cache.placed for cache in truth.caches):
        return cache_latency(truth, working_set) + added
    rng = np.random.default_rng(int(working_set))
    return float(np.median([placed_latency(truth, working_set, pages, rng) for _ in range(DRAWS)])) + added
