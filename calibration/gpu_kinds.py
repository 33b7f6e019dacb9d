"""Kinds of statements about GPUs: what right means for each, how wide its intervals may be."""

from __future__ import annotations

from enum import Enum

from calibration.kinds import Meaning
from reportgen.analysis.plateau import TENSOR
from reportgen.analysis.quantity import Quantity
from reportgen.findings import metric as metrics
from reportgen.findings.metric import Kind as Metric

PASSING = ("cg", "volatile")
"""Paths to whose loads the second level is the first."""


class GpuKind(Enum):
    """One row of the table of intervals of GPUs."""

    LATENCY = Meaning(
        "latency of an instruction",
        "the interval holds the cycles of the dependent instruction",
        0.002,
        single=True,
    )
    RATE = Meaning(
        "throughput, rate over warps",
        "the interval holds the warp instructions a cycle that the units of a multiprocessor take",
        0.02,
        bracket=True,
    )
    MATRIX_LATENCY = Meaning(
        "latency of a matrix product",
        "the interval holds the cycles of a dependent product, or what one more costs a unit of warp groups "
        "or of tensor memory",
        0.002,
    )
    MATRIX_RATE = Meaning(
        "rate of matrix products, over accumulators and warps",
        "the interval holds the products a cycle, of a shape and precision, that the units take",
        0.02,
        bracket=True,
    )
    INTERFERENCE = Meaning(
        "interference index",
        "the interval holds the index that the pipes of both kinds, and the port before them, give",
        0.05,
        bracket=True,
    )
    PEAK = Meaning(
        "peak of all multiprocessors", "the interval holds the work of the best of what was tried", 0.02
    )
    HELD = Meaning(
        "burst and sustained rate, their ratio",
        "the interval holds the rate of the first tenth of a load of seconds, of its last quarter, or their "
        "ratio",
        0.03,
    )
    SETTLING = Meaning(
        "settling time",
        "the interval, windows of the load, holds when the rate came to within 2 % of the last one",
        0.1,
        bracket=True,
    )
    KERNEL = Meaning(
        "rate of a matrix product", "the interval holds the rate of the product at that size", 0.03
    )
    BANK = Meaning(
        "shared memory: time of a load, of a further pass",
        "the interval holds the cycles, whatever the width of the load",
        0.005,
        bracket=True,
    )
    STEP = Meaning(
        "step of registers or shared memory, blocks that run alone, banks",
        "a setting within the interval is the last at which as many stay, or run alone",
        0.25,
        bracket=True,
    )
    SIZE = Meaning(
        "capacity of a cache, by each path",
        "the interval holds the size of the cache; of all multiprocessors together what they can fill",
        0.3,
    )
    EDGE = Meaning(
        "constant levels, sector, line, ways, reach of translations",
        "the interval, a step of what was tried, holds the bytes or the number",
        0.36,
        bracket=True,
    )
    LEVEL = Meaning(
        "latency of a level, by each path and chase",
        "the interval holds what a load costs with the median of the working sets that the quantity names",
        0.01,
    )
    SECOND = Meaning(
        "latency of the second level, by each path",
        "the same; sizes may differ by what is near of them, which the interval allows for",
        0.01,
    )
    DISTANCE = Meaning(
        "near and far", "the interval holds the latency of a line that is near, or far", 0.02, single=True
    )
    CLUSTER = Meaning(
        "shared memory of another block", "the interval holds the cycles of the way to that block", 0.01
    )
    BULK = Meaning(
        "bulk copy: fixed time, rate", "the interval holds the cycles, or the bytes a cycle beyond them", 0.03
    )
    TILE = Meaning("copies of tiles over others", "the interval holds the ratio of the times", 0.02)
    BANDWIDTH = Meaning(
        "bandwidth, of all and of one multiprocessor",
        "the interval holds the bytes a second of the best launch",
        0.03,
    )
    RIDGE = Meaning("ridge", "the interval holds the true peak over the true bandwidth", 0.04)
    KNEE = Meaning(
        "ridge of a stream that computes, overlap",
        "the interval holds the intensity, and the share of the roof that is reached there",
        0.1,
        bracket=True,
    )
    WAIT = Meaning(
        "barrier, fence, path of a warp",
        "the interval holds the cycles of one, or of a further path over the first",
        0.01,
    )
    FURTHER = Meaning(
        "what each further warp, block or lane adds",
        "the interval holds the cycles, or all lanes at one address over each at its own",
        0.05,
    )
    ATOMIC = Meaning("atomic adds", "the interval holds the adds a second at such places", 0.04, single=True)
    LAUNCH = Meaning(
        "launch overhead",
        "the interval holds the seconds of a launch, or of one that is waited for",
        0.05,
        single=True,
    )
    LINK = Meaning(
        "link to the host", "the interval holds the bytes a second, or the seconds beside the bytes", 0.04
    )
    FETCH_END = Meaning(
        "end of a level of instruction supply",
        "the interval holds the bytes up to which code is not slower",
        0.13,
        bracket=True,
    )
    FETCH_RATE = Meaning(
        "rate of instruction supply",
        "the interval holds the instructions a cycle with the median of the sizes that the quantity names, "
        "counting of the passes included",
        0.01,
        bracket=True,
    )
    VENDOR = Meaning("own rate over the vendor's", "the interval holds the ratio of the true rates", 0.05)


_BY_METRIC = {
    Metric.LATENCY: GpuKind.LATENCY,
    Metric.THROUGHPUT: GpuKind.RATE,
    Metric.ISSUE_INTERVAL: GpuKind.RATE,
    Metric.WARPS: GpuKind.RATE,
    Metric.INTERFERENCE: GpuKind.INTERFERENCE,
    Metric.PEAK: GpuKind.PEAK,
    Metric.PEAK_PER_CYCLE: GpuKind.PEAK,
    Metric.BURST: GpuKind.HELD,
    Metric.SUSTAINED: GpuKind.HELD,
    Metric.SUSTAINED_RATIO: GpuKind.HELD,
    Metric.SETTLING_TIME: GpuKind.SETTLING,
    Metric.KERNEL: GpuKind.KERNEL,
    Metric.BANKS: GpuKind.BANK,
    Metric.STEP: GpuKind.STEP,
    Metric.BLOCKS: GpuKind.STEP,
    Metric.CAPACITY: GpuKind.SIZE,
    Metric.PATH_CAPACITY: GpuKind.SIZE,
    Metric.SHARED_CAPACITY: GpuKind.SIZE,
    Metric.SECTOR: GpuKind.EDGE,
    Metric.LINE: GpuKind.EDGE,
    Metric.PATH_LINE: GpuKind.EDGE,
    Metric.ASSOCIATIVITY: GpuKind.EDGE,
    Metric.TLB_REACH: GpuKind.EDGE,
    Metric.LEVEL_LATENCY: GpuKind.LEVEL,
    Metric.LEVEL_TIME: GpuKind.LEVEL,
    Metric.PATH_LATENCY: GpuKind.LEVEL,
    Metric.PATH_TIME: GpuKind.LEVEL,
    Metric.CHASE: GpuKind.LEVEL,
    Metric.DISTANCE: GpuKind.DISTANCE,
    Metric.CLUSTER: GpuKind.CLUSTER,
    Metric.BULK: GpuKind.BULK,
    Metric.TILE: GpuKind.TILE,
    Metric.BANDWIDTH: GpuKind.BANDWIDTH,
    Metric.RIDGE: GpuKind.RIDGE,
    Metric.RIDGE_SEEN: GpuKind.KNEE,
    Metric.OVERLAP: GpuKind.KNEE,
    Metric.CROWDED: GpuKind.FURTHER,
    Metric.CONFLICT: GpuKind.FURTHER,
    Metric.TOGETHER: GpuKind.FURTHER,
    Metric.BARRIER: GpuKind.WAIT,
    Metric.FENCE: GpuKind.WAIT,
    Metric.PATH: GpuKind.WAIT,
    Metric.PATH_FACTOR: GpuKind.WAIT,
    Metric.ATOMIC_RATE: GpuKind.ATOMIC,
    Metric.LAUNCH: GpuKind.LAUNCH,
    Metric.LINK_RATE: GpuKind.LINK,
    Metric.LINK_TIME: GpuKind.LINK,
    Metric.FETCH_CAPACITY: GpuKind.FETCH_END,
    Metric.FETCH_RATE: GpuKind.FETCH_RATE,
    Metric.VENDOR: GpuKind.VENDOR,
}

_CODE = "is read from machine code: a number without an interval, right as far as the inspector is"
UNCOUNTED: dict[Metric, str] = {
    **dict.fromkeys(
        (
            Metric.ENCODED_LATENCY, Metric.ENCODED_ISSUE, Metric.ENCODED_WINDOW, Metric.RESOURCE,
            Metric.OCCUPANCY,
        ),
        _CODE,
    ),
    Metric.OTHER: "has no shape that is known",
}  # fmt: skip
"""Kinds of metrics that the GPU part does not count, and why."""


def kind_of(quantity: Quantity) -> GpuKind | None:
    """The row that an interval belongs to; None for what is not counted.

    Raises:
        LookupError: of a kind that is neither counted nor listed with the reason.
    """
    name = metrics.parse(quantity.metric)
    if name.kind is Metric.BANKS and name.part == "banks":
        return GpuKind.STEP
    if name.kind is Metric.PATH_CAPACITY and name.part == "constant":
        return GpuKind.EDGE
    if (name.kind, name.part) in ((Metric.BARRIER, "further"), (Metric.LAUNCH, "block")):
        return GpuKind.FURTHER
    if name.text.startswith(TENSOR):
        return GpuKind.MATRIX_LATENCY if name.kind is Metric.LATENCY else GpuKind.MATRIX_RATE
    if name.kind in UNCOUNTED:
        return None
    if name.kind not in _BY_METRIC:
        raise LookupError(f"GPUs say '{name.kind}': count it in {__name__}, or list there why not")
    kind = _BY_METRIC[name.kind]
    second = "l1" if name.part in PASSING else "l2"
    return GpuKind.SECOND if kind is GpuKind.LEVEL and name.subject == second else kind
