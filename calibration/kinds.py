"""Kinds of statements: what right means for each, and how wide its intervals may be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from reportgen.analysis.quantity import Quantity
from reportgen.findings import metric as metrics


@dataclass(frozen=True)
class Meaning:
    """A kind in words."""

    title: str
    right: str
    widest: float
    """Most that the median half width may be, relative to the value (interference: absolute)."""
    bracket: bool = False
    """The interval is a step of the settings that were tried: it cannot be narrower, and may hold the truth
    always."""
    single: bool = False
    """One interval a device: too few for a share that is known to a point, so a limit holds where the
    interval of the share reaches it."""


class Kind(Enum):
    """One row of the table of intervals."""

    LATENCY = Meaning(
        "latency of an instruction", "the interval holds the cycles of the dependent instruction", 0.002
    )
    THROUGHPUT = Meaning(
        "throughput", "the interval holds the instructions a cycle that ports and front end allow", 0.002
    )
    INTERFERENCE = Meaning(
        "interference index", "the interval holds the index that the port model gives for this mix", 0.01
    )
    PEAK = Meaning("peak", "the interval holds the best work a cycle, or a second, of what was tried", 0.01)
    FITTED = Meaning(
        "boundary, fitted", "the interval holds the size of the cache, or the entries of the buffer", 0.25
    )
    BRACKET = Meaning(
        "boundary, between two settings", "the same; line size and associativity are among these", 0.13, True
    )
    LEVEL = Meaning(
        "latency of a level",
        "the interval holds what a load costs with the median of the working sets that the quantity names, "
        "on a typical placement of their pages",
        0.01,
    )
    BANDWIDTH = Meaning("bandwidth", "the interval holds the bytes a second of the level and kernel", 0.03)
    RIDGE = Meaning("ridge", "the interval holds the true peak over the true bandwidth", 0.03)
    RIDGE_SEEN = Meaning(
        "ridge of a stream that computes",
        "the interval holds the intensity at which loads and arithmetic of the stream take equally long",
        0.05,
    )
    OVERLAP = Meaning("overlap", "the interval holds the share of the roof that is reached at the ridge", 0.1)
    IN_FLIGHT = Meaning(
        "instructions in flight", "the interval holds how many enter the core behind a load that waits",
        0.06, True,
    )  # fmt: skip
    MISSES = Meaning(
        "misses in flight", "the interval holds how many loads wait for memory at once", 0.03, single=True
    )
    MISPREDICTION = Meaning(
        "misprediction", "the interval holds what a wrong prediction adds", 0.02, single=True
    )
    BRANCH_END = Meaning(
        "end of taken branches, depth of nested calls",
        "the interval holds the number up to which nothing becomes slower",
        0.13,
        True,
    )
    FETCH_END = Meaning(
        "end of a level of instruction supply",
        "the interval holds the bytes, or instructions, up to which code is not slower",
        0.13,
        True,
    )
    SUPPLY = Meaning(
        "rate of instruction supply, interval of taken branches",
        "the interval holds the instructions a cycle of the level, or the cycles of a branch among few",
        0.01,
    )
    PLACED = Meaning(
        "store to load, access across a boundary, address alike",
        "the interval holds the cycles of a step",
        0.01,
    )
    FETCHED_AHEAD = Meaning(
        "load of a run, line behind others",
        "the interval holds the cycles of a load in order, of a line at its place, or of both lines",
        0.03,
    )
    STREAMS = Meaning(
        "streams followed at once", "the interval holds the number of streams that are followed", 0.25, True
    )
    TRANSFER = Meaning(
        "line transfer between cores", "the interval holds the seconds of one way of the nearest pair", 0.03
    )
    SHARED = Meaning(
        "additions to shared lines and words",
        "the interval holds the cycles of an addition or load, or the additions a second of all cores",
        0.02,
    )


_BY_METRIC = {
    metrics.Kind.LATENCY: Kind.LATENCY,
    metrics.Kind.THROUGHPUT: Kind.THROUGHPUT,
    metrics.Kind.INTERFERENCE: Kind.INTERFERENCE,
    metrics.Kind.PEAK: Kind.PEAK,
    metrics.Kind.PEAK_PER_CYCLE: Kind.PEAK,
    metrics.Kind.CAPACITY: Kind.FITTED,
    metrics.Kind.TLB_REACH: Kind.FITTED,
    metrics.Kind.LINE: Kind.BRACKET,
    metrics.Kind.ASSOCIATIVITY: Kind.BRACKET,
    metrics.Kind.LEVEL_LATENCY: Kind.LEVEL,
    metrics.Kind.CHASE: Kind.LEVEL,
    metrics.Kind.BANDWIDTH: Kind.BANDWIDTH,
    metrics.Kind.RIDGE: Kind.RIDGE,
    metrics.Kind.RIDGE_SEEN: Kind.RIDGE_SEEN,
    metrics.Kind.OVERLAP: Kind.OVERLAP,
    metrics.Kind.WINDOW: Kind.IN_FLIGHT,
    metrics.Kind.PARALLELISM: Kind.MISSES,
    metrics.Kind.MISPREDICTION: Kind.MISPREDICTION,
    metrics.Kind.BRANCH_INTERVAL: Kind.SUPPLY,
    metrics.Kind.BRANCH_END: Kind.BRANCH_END,
    metrics.Kind.RETURN_DEPTH: Kind.BRANCH_END,
    metrics.Kind.LOOP_GROUP: Kind.BRANCH_END,
    metrics.Kind.FETCH_CAPACITY: Kind.FETCH_END,
    metrics.Kind.FETCH_RATE: Kind.SUPPLY,
    metrics.Kind.STORE_TO_LOAD: Kind.PLACED,
    metrics.Kind.SPLIT: Kind.PLACED,
    metrics.Kind.ALIAS: Kind.PLACED,
    metrics.Kind.TRANSFER: Kind.TRANSFER,
    metrics.Kind.GRANULE: Kind.BRACKET,
    metrics.Kind.SHARING: Kind.SHARED,
    metrics.Kind.CONTENDED: Kind.SHARED,
    metrics.Kind.CONTENDED_RATE: Kind.SHARED,
    metrics.Kind.PREFETCH_STRIDE: Kind.FETCHED_AHEAD,
    metrics.Kind.PREFETCH_RUN: Kind.FETCHED_AHEAD,
    metrics.Kind.PREFETCH_NEAR: Kind.FETCHED_AHEAD,
    metrics.Kind.PREFETCH_STREAMS: Kind.STREAMS,
}


def kind_of(quantity: Quantity) -> Kind | None:
    """The row that an interval belongs to; None for what is not scored (the inverse of a throughput, ...)."""
    kind = _BY_METRIC.get(metrics.parse(quantity.metric).kind)
    return Kind.BRACKET if kind is Kind.FITTED and quantity.details.get("shape") == "sharp" else kind
