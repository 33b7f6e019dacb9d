"""All that one run says, indexed once, for gates, cross-checks, hypotheses and wording."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from reportgen.analysis.quantity import Quantity
from reportgen.findings.metric import Kind, MetricId, parse
from reportgen.findings.published import matching
from reportgen.findings.published.library import Figure
from reportgen.runs.schema import Point, ProbeInfo, Run
from reportgen.status import USABLE, Status


@dataclass(frozen=True)
class Evidence:
    """A run and its quantities, one a metric."""

    run: Run
    quantities: tuple[Quantity, ...]
    by_metric: dict[str, Quantity]
    repeated: dict[str, tuple[Quantity, ...]]
    """The same metric from further probes: corroboration, never averaged in."""
    probes: dict[str, ProbeInfo]
    points: dict[str, Point]
    asked: dict[str, ProbeInfo]
    """Operation -> the probe that best describes it."""
    clock: tuple[float, float] | None
    """Slowest and fastest core clock seen by the run's canary, in hertz; None when not recorded."""
    figures: tuple[Figure, ...] = ()
    """What others have published about the device's architecture."""

    @property
    def gpu(self) -> bool:
        """Whether the device is a GPU: its rates are those of multiprocessors and launches, not of cores."""
        return self.run.device.gpu

    def usable(self, metric: str) -> Quantity | None:
        """The quantity of `metric` when it carries a finite value or bound."""
        quantity = self.by_metric.get(metric)
        return quantity if quantity is not None and stated(quantity) else None

    def of_kind(self, *kinds: Kind) -> list[tuple[MetricId, Quantity]]:
        """Usable quantities of some kinds, in the order of the run."""
        if len(kinds) == 1:
            return list(self._by_kind.get(kinds[0], ()))
        return [(name, quantity) for name, quantity in self._usable if name.kind in kinds]

    # Each finding asks again, and a run has some thousand quantities.
    @cached_property
    def _usable(self) -> list[tuple[MetricId, Quantity]]:
        return [(parse(q.metric), q) for q in self.quantities if stated(q)]

    @cached_property
    def _by_kind(self) -> dict[Kind, list[tuple[MetricId, Quantity]]]:
        found: dict[Kind, list[tuple[MetricId, Quantity]]] = {}
        for name, quantity in self._usable:
            found.setdefault(name.kind, []).append((name, quantity))
        return found

    def title(self, operation: str) -> str:
        """What people call an operation; its key when the run does not say."""
        probe = self.asked.get(operation)
        title = probe.title.rpartition(": ")[2] if probe is not None else ""  # "Latency: FP32 add"
        return title or operation.replace("_", " ")

    def sizes(self, quantity: Quantity) -> list[tuple[float, float]]:
        """(bytes per core, cores) of the points behind a quantity that have a working set."""
        found = []
        for name in quantity.points:
            point = self.points.get(name)
            if point is None or "bytes" not in point.settings:
                continue
            size = point.facts.get("bytes_actual", point.settings["bytes"])
            cores = point.settings.get("cores", 1)
            if isinstance(size, (int, float)) and isinstance(cores, (int, float)):
                found.append((float(size), float(cores)))
        return found


def stated(quantity: Quantity) -> bool:
    """Whether a quantity carries a finite value or bound under a status that allows one."""
    numbers = [x for x in (quantity.value, quantity.low, quantity.high) if x is not None]
    return quantity.status in USABLE and bool(numbers) and all(math.isfinite(x) for x in numbers)


def central(quantity: Quantity) -> float:
    """The value; for a bare interval its middle, for a bound the bound itself.

    Raises:
        ValueError: the quantity carries neither.
    """
    if quantity.value is not None:
        return quantity.value
    if quantity.low is not None and quantity.high is not None:
        return (quantity.low + quantity.high) / 2
    for bound in (quantity.low, quantity.high):
        if bound is not None:
            return bound
    raise ValueError(f"{quantity.metric} carries no value")


def interval(quantity: Quantity) -> tuple[float, float]:
    """`[low, high]`; an absent end is the value itself, or open (infinite) when censored."""
    middle = central(quantity)
    open_end = math.inf if quantity.status is Status.CENSORED else middle
    low = middle if quantity.low is None else quantity.low
    return low, open_end if quantity.high is None else quantity.high


def gather(run: Run, quantities: Iterable[Quantity]) -> Evidence:
    """Index a run; where two probes give one metric, the one with a value and more samples leads."""
    groups: dict[str, list[Quantity]] = {}
    for quantity in quantities:
        groups.setdefault(quantity.metric, []).append(quantity)
    for group in groups.values():
        group.sort(key=lambda q: (not stated(q), -q.n))
    leading = tuple(group[0] for group in groups.values())
    rates = [mark.cycle_hz for mark in run.drift if math.isfinite(mark.cycle_hz) and mark.cycle_hz > 0]
    asked: dict[str, ProbeInfo] = {}
    for probe in sorted(run.probes, key=lambda p: p.family != "instruction_latency"):
        if probe.operation:
            asked.setdefault(probe.operation, probe)
    return Evidence(
        run=run,
        quantities=leading,
        by_metric={quantity.metric: quantity for quantity in leading},
        repeated={metric: tuple(group[1:]) for metric, group in groups.items() if len(group) > 1},
        probes={probe.id: probe for probe in run.probes},
        points={point.id: point for point in run.points},
        asked=asked,
        clock=(min(rates), max(rates)) if rates else None,
        figures=matching.about(run),
    )
