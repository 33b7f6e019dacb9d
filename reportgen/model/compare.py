"""Two runs, metric by metric: same, faster, slower, or not to be told.

The rule, for a ratio r of second to first with the interval [r_low, r_high] that follows from the ends of
both 95 % intervals, and a least relevant difference d of the kind of metric (`RELEVANT`):

* same: the whole interval of r lies within 1/(1 + d) ... 1 + d;
* different: the two intervals do not overlap, and r itself lies outside 1/(1 + d) ... 1 + d;
* cannot tell: everything else.

The interval of a boundary is no spread but two sizes that were tried.  So boundaries are the same, at the
resolution of the sweep, where the intervals overlap, r is within d and neither interval is wider than 2d.

An interference index is compared by difference instead of ratio.  Two 95 % intervals that do not overlap
differ at a level of about 0.006, so of a hundred equal metrics less than one is called different.

Where the machine code behind a metric changed between two runs of one device, a difference is one of code:
it says nothing of the device.
"""

from __future__ import annotations

import math
from collections import Counter
from enum import StrEnum

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval, stated
from reportgen.findings.metric import ALL_CORES, Kind, parse
from reportgen.findings.wording import comparison as words
from reportgen.model.comparable import Condition, conditions, obstacles
from reportgen.runs.schema import Run
from reportgen.status import Status

COMPARISON_SCHEMA = 1


class Verdict(StrEnum):
    """How the second number stands to the first."""

    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    LARGER = "larger"
    SMALLER = "smaller"
    """For sizes, counts, indices and ridges, which are neither fast nor slow."""
    CANNOT_TELL = "cannot tell"


DIFFERENT = frozenset({Verdict.FASTER, Verdict.SLOWER, Verdict.LARGER, Verdict.SMALLER})


class Code(StrEnum):
    """Whether the same machine code is behind both numbers."""

    SAME = "same"
    CHANGED = "changed"
    UNKNOWN = "unknown"
    """No point in common, or a program that was not recorded."""


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the two runs."""

    device: str
    name: str
    run: str
    created: str
    suite: str


class Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric in one of the runs, in base units."""

    status: Status
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""


class Difference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One metric in both runs."""

    metric: str
    unit: str
    verdict: Verdict
    relevant: float
    """Least relevant difference: relative, for an interference index absolute."""
    code: Code
    first: Number | None = None
    second: Number | None = None
    ratio: float | None = None
    """Second over first; for an interference index second less first."""
    ratio_low: float | None = None
    ratio_high: float | None = None
    reason: str = ""
    """Why it cannot be told, or what else has changed."""

    @property
    def by_difference(self) -> bool:
        """Whether `ratio` and `relevant` are differences: of an interference index, which may be 0."""
        return parse(self.metric).kind is Kind.INTERFERENCE


class Comparison(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All metrics of two runs."""

    schema: int
    first: Side
    second: Side
    obstacles: tuple[str, ...]
    """Why the two should not be compared; empty when they may."""
    conditions: tuple[Condition, ...]
    rows: tuple[Difference, ...]
    """In the order of the first run, then what only the second one has."""

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many metrics ended with each verdict, in the order of `Verdict`."""
        found = Counter(row.verdict for row in self.rows)
        return {verdict: found[verdict] for verdict in Verdict if found[verdict]}

    @property
    def different(self) -> tuple[Difference, ...]:
        """Metrics that differ."""
        return tuple(row for row in self.rows if row.verdict in DIFFERENT)

    @property
    def one_device(self) -> bool:
        """Whether both runs are of one device."""
        return self.first.device == self.second.device


LOWER_IS_FASTER = frozenset(
    {Kind.LATENCY, Kind.ISSUE_INTERVAL, Kind.LEVEL_LATENCY, Kind.LEVEL_TIME, Kind.CHASE, Kind.LINK_TIME}
    | {Kind.BARRIER, Kind.FENCE, Kind.CONFLICT, Kind.PATH, Kind.STORE_TO_LOAD, Kind.SPLIT, Kind.ALIAS}
    | {Kind.PREFETCH_STRIDE, Kind.PREFETCH_RUN, Kind.PREFETCH_NEAR}
)
WHOLE_DEVICE = frozenset({Kind.BURST, Kind.SUSTAINED})
"""Rates of everything that takes part at once."""
HIGHER_IS_FASTER = frozenset(
    {Kind.THROUGHPUT, Kind.BANDWIDTH, Kind.PEAK, Kind.PEAK_PER_CYCLE, Kind.KERNEL, Kind.LINK_RATE}
    | {Kind.ATOMIC_RATE}
    | WHOLE_DEVICE
)
TIMES = ("encoded.latency.", "encoded.issue.", "tensor.latency.")
"""Stems of metrics of no kind of their own that are times."""

RELEVANT = {
    Kind.LATENCY: 0.02,
    Kind.THROUGHPUT: 0.02,
    Kind.ISSUE_INTERVAL: 0.02,
    Kind.PEAK_PER_CYCLE: 0.02,
    Kind.LEVEL_LATENCY: 0.05,
    Kind.LEVEL_TIME: 0.05,
    Kind.CHASE: 0.05,
    Kind.BANDWIDTH: 0.05,
    Kind.PEAK: 0.05,
    Kind.KERNEL: 0.05,
    Kind.BURST: 0.05,
    Kind.SUSTAINED: 0.05,
    Kind.SUSTAINED_RATIO: 0.02,
    Kind.SETTLING_TIME: 0.10,
    Kind.CAPACITY: 0.10,
    Kind.TLB_REACH: 0.10,
    Kind.LINE: 0.10,
    Kind.ASSOCIATIVITY: 0.10,
    Kind.MISS_SHARE: 0.10,
    Kind.WINDOW: 0.10,
    Kind.PARALLELISM: 0.10,
    Kind.LINK_RATE: 0.10,
    Kind.LINK_TIME: 0.10,
    Kind.MISPREDICTION: 0.10,
    Kind.BRANCH_INTERVAL: 0.02,
    Kind.BRANCH_END: 0.10,
    Kind.RETURN_DEPTH: 0.05,
    Kind.LOOP_GROUP: 0.05,
    Kind.FETCH_CAPACITY: 0.10,
    Kind.FETCH_RATE: 0.05,
    Kind.STORE_TO_LOAD: 0.02,
    Kind.SPLIT: 0.02,
    Kind.ALIAS: 0.02,
    Kind.TRANSFER: 0.10,
    Kind.GRANULE: 0.10,
    Kind.SHARING: 0.10,
    Kind.CONTENDED: 0.10,
    Kind.CONTENDED_RATE: 0.10,
    Kind.PREFETCH_STRIDE: 0.10,
    Kind.PREFETCH_RUN: 0.10,
    Kind.PREFETCH_NEAR: 0.10,
    Kind.PREFETCH_STREAMS: 0.10,
    Kind.RIDGE: 0.10,
    Kind.RIDGE_SEEN: 0.10,
    Kind.OVERLAP: 0.05,
    Kind.INTERFERENCE: 0.10,
    Kind.OTHER: 0.05,
}
"""Least relevant difference by kind: what a reader who chooses code or hardware would not act on.  Boundaries
have the step of their sweeps."""

BOUNDARIES = frozenset(
    {Kind.CAPACITY, Kind.TLB_REACH, Kind.LINE, Kind.ASSOCIATIVITY, Kind.WINDOW}
    | {Kind.BRANCH_END, Kind.RETURN_DEPTH, Kind.LOOP_GROUP}
    | {Kind.FETCH_CAPACITY, Kind.GRANULE, Kind.PREFETCH_STREAMS}
)

FAR_LEVELS = frozenset({"l3", "dram"})
FAR = 0.10
"""For latency and bandwidth outside the core, which move with placement and neighbours."""


def relevant(metric: str) -> float:
    """The least relevant difference of a metric."""
    name = parse(metric)
    far = name.subject in FAR_LEVELS and name.kind is not Kind.CAPACITY
    least = RELEVANT.get(name.kind, RELEVANT[Kind.OTHER])
    return max(FAR, least) if far else least


def compare(first: Evidence, second: Evidence) -> Comparison:
    """Every metric of which either run has a value or a bound.

    Args:
        first: a run and its quantities, ridges included; numbers that a gate withheld have no value.
        second: the same of the other run.
    """
    metrics = dict.fromkeys(
        quantity.metric for side in (first, second) for quantity in side.quantities if stated(quantity)
    )
    return Comparison(
        schema=COMPARISON_SCHEMA,
        first=_side(first.run),
        second=_side(second.run),
        obstacles=obstacles(first.run, second.run),
        conditions=conditions(first.run, second.run),
        rows=tuple(_difference(metric, first, second) for metric in metrics),
    )


def _side(run: Run) -> Side:
    device = run.device
    return Side(device.id, run.title, run.run, run.created, run.suite.get("version", ""))


def _difference(metric: str, first: Evidence, second: Evidence) -> Difference:
    one, other = first.by_metric.get(metric), second.by_metric.get(metric)
    unit = next(quantity.unit for quantity in (one, other) if quantity is not None)
    room, code = relevant(metric), _code(first, second, one, other)
    why = _incomparable(metric, first, second)
    if why or one is None or other is None:
        left, right = _number(one), _number(other)
        return Difference(metric, unit, Verdict.CANNOT_TELL, room, code, left, right, reason=why)
    by_difference = parse(metric).kind is Kind.INTERFERENCE
    value, low, high = _apart(one, other) if by_difference else _ratio(one, other)
    least, most = (-room, room) if by_difference else (1 / (1 + room), 1 + room)
    neutral = 0.0 if by_difference else 1.0
    overlap = low <= neutral <= high
    verdict, reason = Verdict.CANNOT_TELL, ""
    if (least <= low and high <= most) or _same_step(metric, one, other, overlap and least <= value <= most):
        verdict = Verdict.SAME
    elif not overlap and not least <= value <= most:
        verdict = _direction(metric, value > neutral)
        if code is Code.CHANGED and first.run.device.id == second.run.device.id:
            reason = words.code_changed()
    else:
        reason = words.too_wide(room, by_difference) if overlap else words.too_near(room, by_difference)
    return Difference(
        metric, unit, verdict, room, code, _number(one), _number(other),
        ratio=value, ratio_low=_closed(low), ratio_high=_closed(high), reason=reason,
    )  # fmt: skip


def _same_step(metric: str, one: Quantity, other: Quantity, near: bool) -> bool:
    """Whether two boundaries that are near each other lie between the same settings of their sweeps."""
    if parse(metric).kind not in BOUNDARIES:
        return False
    widths = [
        (interval(quantity)[1] - interval(quantity)[0]) / central(quantity) for quantity in (one, other)
    ]
    return near and max(widths) <= 2 * relevant(metric)


def _closed(end: float) -> float | None:
    """An end of an interval; None where a bound leaves it open."""
    return end if math.isfinite(end) else None


def _number(quantity: Quantity | None) -> Number | None:
    if quantity is None:
        return None
    return Number(quantity.status, quantity.value, quantity.low, quantity.high, quantity.n, quantity.reason)


def _incomparable(metric: str, first: Evidence, second: Evidence) -> str:
    """Why one metric cannot be compared, empty when it can."""
    for place, side in (("first", first), ("second", second)):
        quantity = side.by_metric.get(metric)
        if quantity is None:
            return words.not_in(place)
        if side.usable(metric) is None:
            return words.no_number(place, quantity.status, quantity.reason)
    one, other = first.by_metric[metric], second.by_metric[metric]
    if one.unit != other.unit:
        return words.other_unit(one.unit, other.unit)
    here, there = first.run.device, second.run.device
    together = parse(metric).scope == ALL_CORES or parse(metric).kind in WHOLE_DEVICE
    if together and here.id == there.id and here.cores != there.cores:
        return words.other_cores(here.cores, there.cores)
    positive = all(interval(quantity)[0] > 0 for quantity in (one, other))
    return "" if positive or parse(metric).kind is Kind.INTERFERENCE else words.reaches_zero()


def _ratio(one: Quantity, other: Quantity) -> tuple[float, float, float]:
    """Second over first, with the least and the largest that the two intervals allow."""
    (low, high), (other_low, other_high) = interval(one), interval(other)
    return (
        central(other) / central(one),
        other_low / high if math.isfinite(high) else -math.inf,
        other_high / low,
    )


def _apart(one: Quantity, other: Quantity) -> tuple[float, float, float]:
    """Second less first, with the least and the largest that the two intervals allow."""
    (low, high), (other_low, other_high) = interval(one), interval(other)
    return central(other) - central(one), other_low - high, other_high - low


def _direction(metric: str, more: bool) -> Verdict:
    kind = parse(metric).kind
    if kind in LOWER_IS_FASTER or metric.startswith(TIMES):
        return Verdict.SLOWER if more else Verdict.FASTER
    if kind in HIGHER_IS_FASTER:
        return Verdict.FASTER if more else Verdict.SLOWER
    return Verdict.LARGER if more else Verdict.SMALLER


def _code(first: Evidence, second: Evidence, one: Quantity | None, other: Quantity | None) -> Code:
    """Whether the points behind either number ran the same bytes in both runs."""
    if one is None or other is None:
        return Code.UNKNOWN
    points = {*one.points, *other.points} & first.points.keys() & second.points.keys()
    pairs = [(first.points[point].program, second.points[point].program) for point in points]
    known = [(before, after) for before, after in pairs if before and after]
    if not known:
        return Code.UNKNOWN
    return Code.SAME if all(before == after for before, after in known) else Code.CHANGED
