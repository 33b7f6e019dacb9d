"""A published figure against a measured quantity, by a stated rule.

A figure decides only where its tier is A, it has an address at which it can be looked up, it is a
measurement or, of a size, a driver's or vendor's statement, and it is of this product or of what all of its
architecture have in common.  It agrees where the measured interval comes within the tolerance of it.  A
nominal rate decides nothing here: it is a ceiling, and `reportgen.findings.gates.ceilings` holds the
measured rate under it.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.metric import Kind, parse
from reportgen.findings.published.library import Figure, Origin, Tier
from reportgen.findings.published.matching import NEAR, comparable

SIZES = frozenset({"byte", "count"})
"""Units of what a vendor can state and not only promise."""

SLACK = {Kind.LATENCY: 0.5}
"""Cycles, beside the tolerance: publications give latencies of instructions in whole cycles."""

ON_CHIP = (Kind.PATH_LATENCY, Kind.PATH_CAPACITY)
"""Kinds of what has one level only, which publications give without naming it."""

TOLERANCE = {
    Kind.LATENCY: 0.05,
    Kind.THROUGHPUT: 0.05,
    Kind.CAPACITY: 0.05,
    Kind.PATH_CAPACITY: 0.05,
    Kind.PEAK: 0.05,
    Kind.PEAK_PER_CYCLE: 0.05,
    Kind.BANDWIDTH: 0.10,
    Kind.TLB_REACH: 0.10,
}
"""Relative.  Rates of memory depend on launch shape and kernel, which publications choose otherwise."""

OTHERWISE = 0.10
FAR = 0.20
"""Latency of a level outside the core: it depends on clocks, placement and address translation."""

RELATED = frozenset({Kind.LEVEL_LATENCY, Kind.CHASE, Kind.DISTANCE, Kind.CLUSTER})
"""Kinds of which, on a GPU, figures of other products of the architecture are shown: one die is sold under
several names, at several clocks and with several memories."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A figure beside a quantity."""

    figure: Figure
    decides: bool
    agrees: bool
    """Whether the measured interval comes within the tolerance."""
    above: bool
    """Whether it lies above what was measured."""


def weigh(evidence: Evidence, quantity: Quantity) -> tuple[Weighed, ...]:
    """Every figure that speaks of the same quantity of this device, those that decide first.

    Of a far latency of a GPU, figures of related products come last, and decide nothing.  Beside a quantity
    of two modes, which is no number, none has a side.
    """
    if quantity.value is None and quantity.low is None and quantity.high is None:
        return ()
    own, related = [], []
    for figure in evidence.figures:
        if not _same(figure, quantity, evidence.gpu):
            continue
        if comparable(figure, evidence.run.device):
            own.append(_weighed(figure, decides(figure), quantity))
        elif evidence.gpu and parse(quantity.metric).kind in RELATED:
            related.append(_weighed(figure, False, quantity))
    return (*sorted(own, key=lambda one: not one.decides), *related)


def _weighed(figure: Figure, deciding: bool, quantity: Quantity) -> Weighed:
    above = figure.ends[0] > central(quantity) * _scale(figure, quantity)
    return Weighed(figure, deciding, agrees(figure, quantity), above)


def decides(figure: Figure) -> bool:
    """Whether a figure may support or contradict a finding."""
    stated = figure.kind is Origin.MEASURED or (
        figure.unit in SIZES and figure.kind in (Origin.REPORTED, Origin.NOMINAL)
    )
    return stated and figure.tier is Tier.COUNTS and bool(figure.address)


PER_CYCLE = "byte/cycle"
"""Unit of rates of a multiprocessor at whatever clock it ran; a rate a second has them as a detail."""


def agrees(figure: Figure, quantity: Quantity) -> bool:
    """Whether the measured interval comes within the tolerance of a figure, or of its range."""
    scale = _scale(figure, quantity)
    low, high = (end * scale for end in interval(quantity))
    least, most = figure.ends
    room, slack = tolerance(quantity.metric), SLACK.get(parse(quantity.metric).kind, 0.0)
    return low <= most * (1 + room) + slack and high >= least * (1 - room) - slack


def tolerance(metric: str) -> float:
    """Relative distance at which a measured value and a published figure still agree."""
    name = parse(metric)
    if name.kind in RELATED and name.subject not in NEAR:
        return FAR
    return TOLERANCE.get(name.kind, OTHERWISE)


def _same(figure: Figure, quantity: Quantity, gpu: bool) -> bool:
    name = parse(quantity.metric)
    metrics = {quantity.metric}
    if name.kind is Kind.CHASE and not name.part:
        metrics.add(f"memory.{name.subject}.latency")
    if name.kind is Kind.BANDWIDTH and not name.scope and gpu:  # a launch is of the whole device
        metrics.add(f"{quantity.metric}.all_cores")
    if name.kind in ON_CHIP and name.subject == "l1" and name.part in NEAR:
        metrics.add(f"memory.{name.part}.{quantity.metric.rpartition('.')[2]}")
    if figure.unit == PER_CYCLE and figure.metric == quantity.metric and _per_cycle(quantity) > 0:
        return True
    return figure.unit == quantity.unit and figure.metric in metrics


def _scale(figure: Figure, quantity: Quantity) -> float:
    """What a quantity is multiplied by to be in the unit of a figure."""
    return _per_cycle(quantity) / central(quantity) if figure.unit == PER_CYCLE != quantity.unit else 1.0


def _per_cycle(quantity: Quantity) -> float:
    return float(quantity.details.get("byte_per_cycle", 0.0)) if quantity.unit == "byte/second" else 0.0
