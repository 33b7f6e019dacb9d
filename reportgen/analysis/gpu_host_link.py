"""The link between host and GPU: copies over it, and kernels that reach the host's memory through it.

    seconds(bytes) = start + bytes / bandwidth

A row of copies of page-locked memory is timed by events of the device; what is waited for, by the clock of
the host.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.gpu_best import best
from reportgen.analysis.pcie import nominal
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Interval, Visits, pooled_interval, pooled_scatter, visit_interval
from reportgen.runs.schema import Point
from reportgen.status import Status
from reportgen.units import format_bytes

METHOD = "host-link"
STEM = "host_link"
RATE, TIME, CYCLES = "byte/second", "second", "cycle"
LEVEL, RISING = 0.01, 0.03
"""Sizes whose rates lie this close to that of the largest one (relative) show one rate; where the one before
it is lower by the second, the rate still rises."""
ON_LINE = 0.1
"""Largest distance of a size from the straight line, relative to its time."""
LEAST_SIZES = 3
"""That show whether a line is straight."""
SAME = 0.1
"""Relative difference up to which loads over working sets of two sizes take one time."""
WAYS = {"queued": "", "pageable": "pageable_"}
"""Setting `way` of copies of several sizes -> what their metrics begin with."""
WAITED = ("waited", "pageable")
MAIN_PATH = "volatile"
"""Of loads that no cache of the device may answer; its metrics have no path in their names."""


def copies(evidence: Evidence) -> list[Quantity]:
    """`host_link.<direction>.<what>`: `bandwidth`, `start` and `waited`, of pageable memory the same.

    Points have settings `way`, `direction` and `bytes`, work `bytes` (of both directions together).
    """
    found: list[Quantity] = []
    for direction in dict.fromkeys(str(point.settings.get("direction", "")) for point in evidence.points):
        for way in ("queued", "waited", "pageable"):
            chosen = {"direction": direction, "way": way}
            own = evidence.narrowed(
                point for point in evidence.points if chosen.items() <= point.settings.items()
            )
            if own.points:
                found += _of_way(own, direction, way)
    return found


def _of_way(evidence: Evidence, direction: str, way: str) -> list[Quantity]:
    stem = f"{STEM}.{direction}."
    named = [f"{stem}{WAYS[way]}bandwidth"] if way in WAYS else []
    if way in WAITED:
        named.append(f"{stem}{WAYS.get(way, '')}waited")
    points = sorted(evidence.usable(), key=_size)
    if not points:
        return [
            evidence.without_value(metric, RATE if metric.endswith("bandwidth") else TIME, METHOD)
            for metric in named
        ]
    curve = _Curve(evidence, points)
    found = [
        curve.waited(metric) if metric.endswith("waited") else curve.bandwidth(metric) for metric in named
    ]
    if way == "queued" and direction != "both":
        found.append(curve.start(f"{stem}start"))
    return found


class _Curve:
    """Copies of one kind over their bytes."""

    def __init__(self, evidence: Evidence, points: list[Point]) -> None:
        self._evidence, self._points = evidence, points
        self._seconds = [evidence.seconds(point) for point in points]
        self._rates = [
            Visits(point.work["bytes"] / one.centres, one.counts, one.ids)
            for point, one in zip(points, self._seconds, strict=True)
        ]
        self._details: dict[str, object] = {
            "bytes": [_size(point) for point in points],
            "seconds": numbers([one.value for one in self._seconds]),
            "rates": numbers([one.value for one in self._rates]),
            **link_of(evidence, points),
        }

    def _settled(self) -> list[int]:
        """The largest sizes that show one rate."""
        last = self._rates[-1].value
        first = len(self._rates) - 1
        while first > 0 and abs(self._rates[first - 1].value / last - 1) <= LEVEL:
            first -= 1
        return list(range(first, len(self._rates)))

    def _beyond_start(self, at: int) -> Visits:
        """The rate of a size without what every copy takes beside its bytes, as the smallest one tells.

        A copy of 16 MiB takes a percent longer than its bytes do; where it is the smallest itself, so be it.
        """
        first, one = self._seconds[0], self._seconds[at]
        more = self._points[at].work["bytes"] - self._points[0].work["bytes"]
        left = one.centres - first.value
        if more <= 0 or (left <= 0).any():
            return self._rates[at]
        return Visits(more / left, one.counts, one.ids)

    def bandwidth(self, metric: str) -> Quantity:
        """Of the largest sizes, beyond what the smallest takes; a lower bound where the rate still rises."""
        at = self._settled()
        members = [self._beyond_start(one) for one in at]
        interval = pooled_interval(members, self._rates, self._evidence.systematic)
        points = [self._points[one] for one in at]
        details = self._details | {"settled_from": _size(points[0])}
        if len(self._rates) > 1 and self._rates[-2].value < self._rates[-1].value * (1 - RISING):
            return self._evidence.quantity(
                metric, RATE, METHOD, interval, points, status=Status.CENSORED, details=details,
                reason=f"The rate still rises at copies of {format_bytes(_size(points[0]))}, the largest.",
            )  # fmt: skip
        passes = passes_that_agree(by_pass(members), interval)
        return self._evidence.quantity(metric, RATE, METHOD, interval, points, passes=passes, details=details)

    def start(self, metric: str) -> Quantity:
        """What a copy takes beside its bytes, where all sizes lie on one straight line."""
        evidence = self._evidence
        if len(self._points) < LEAST_SIZES:
            return evidence.without_value(metric, TIME, METHOD, details=self._details)
        each = 1 / self._rates[-1].value
        sizes = np.array([_size(point) for point in self._points], dtype=float)
        shortest = visit_interval(self._seconds[0], pooled_scatter(self._seconds), evidence.systematic)
        fixed = Interval(*(number - each * _size(self._points[0]) for number in shortest))
        taken = np.array([one.value for one in self._seconds])
        missed = (fixed.value + each * sizes) / taken - 1
        worst = int(np.argmax(np.abs(missed)))
        linearity = float(abs(missed[worst]))
        if linearity > ON_LINE:
            return evidence.without_value(
                metric, TIME, METHOD, status=Status.UNSTABLE, details=self._details,
                reason="Time is no straight line over the bytes: by the smallest and the largest copy one of "
                f"{format_bytes(sizes[worst])} would take {1 + missed[worst]:.2f} times what it takes.",
            )  # fmt: skip
        if fixed.low <= 0:
            return evidence.without_value(
                metric, TIME, METHOD, status=Status.UNSTABLE, details=self._details,
                reason="What a copy takes beside its bytes is not apart from the scatter of its time.",
            )  # fmt: skip
        passes = passes_that_agree(by_pass(self._seconds[:1]), shortest)
        return evidence.quantity(
            metric, TIME, METHOD, fixed, [self._points[0], self._points[-1]], passes=passes,
            details=self._details | {"linearity": linearity},
        )  # fmt: skip

    def waited(self, metric: str) -> Quantity:
        """The smallest copy from its order until the host knows that it is there."""
        interval = visit_interval(self._seconds[0], pooled_scatter(self._seconds), self._evidence.systematic)
        details = self._details | {"size": _size(self._points[0])}
        passes = passes_that_agree(by_pass(self._seconds[:1]), interval)
        points = self._points[:1]
        return self._evidence.quantity(metric, TIME, METHOD, interval, points, passes=passes, details=details)


def loads(evidence: Evidence) -> list[Quantity]:
    """`host_link.mapped.latency` and `.latency_time` of the main path, `_<path>` behind it of others.

    Points have settings `path` and `bytes`, work `steps`.
    """
    found: list[Quantity] = []
    for path in dict.fromkeys(str(point.settings.get("path", "")) for point in evidence.points):
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("path") == path)
        end = "" if path == MAIN_PATH else f"_{path}"
        found.append(_load(own, evidence, f"{STEM}.mapped.latency{end}", CYCLES))
        found.append(_load(own, evidence, f"{STEM}.mapped.latency_time{end}", TIME))
    return found


def _load(evidence: Evidence, all_paths: Evidence, metric: str, unit: str) -> Quantity:
    """Of one path; two sizes say too little of how visits scatter, so that those of the other paths help."""
    points = sorted(evidence.usable(), key=_size)
    if not points:
        return evidence.without_value(metric, unit, METHOD)
    read = evidence.cycles if unit == CYCLES else evidence.seconds
    each = [read(point).over(point.work["steps"]) for point in points]
    values = [one.value for one in each]
    details: dict[str, object] = {
        "bytes": [_size(point) for point in points],
        "each": numbers(values),
        **link_of(evidence, points),
    }
    if max(values) > min(values) * (1 + SAME):
        sizes = f"{format_bytes(_size(points[0]))} and {format_bytes(_size(points[-1]))}"
        return evidence.without_value(
            metric, unit, METHOD, status=Status.UNSTABLE, details=details,
            reason=f"Loads over {sizes} differ by {max(values) / min(values) - 1:.0%}: "
            "no single latency describes them.",
        )  # fmt: skip
    others = [read(point) for point in all_paths.usable()]
    interval = pooled_interval(each, others, evidence.systematic)
    passes = passes_that_agree(by_pass(each), interval)
    return evidence.quantity(metric, unit, METHOD, interval, points, passes=passes, details=details)


def streams(evidence: Evidence) -> list[Quantity]:
    """`host_link.mapped.<kernel>`: the best launch of each; points as those of a bandwidth by launch."""
    found: list[Quantity] = []
    for kernel in dict.fromkeys(str(point.settings.get("kernel", "")) for point in evidence.points):
        own = evidence.narrowed(point for point in evidence.points if point.settings.get("kernel") == kernel)
        metric = f"{STEM}.mapped.{kernel}"
        points = own.usable()
        if not points:
            found.append(own.without_value(metric, RATE, METHOD))
            continue
        rates = []
        for point in points:
            seconds = own.seconds(point)
            rates.append(Visits(point.work["bytes"] / seconds.centres, seconds.counts, seconds.ids))
        at, interval = best(rates, evidence.systematic)
        details: dict[str, object] = {
            "size": _size(points[at]),
            "blocks": int(points[at].settings.get("blocks", 0)),
            "width": int(points[at].settings.get("width", 0)),
            **link_of(evidence, points),
        }
        passes = passes_that_agree(by_pass([rates[at]]), interval)
        found.append(
            own.quantity(metric, RATE, METHOD, interval, [points[at]], passes=passes, details=details)
        )
    return found


def _size(point: Point) -> int:
    return int(point.settings["bytes"])


def link_of(evidence: Evidence, points: list[Point]) -> dict[str, object]:
    """What the run knows of the link and of its ends: NVML, whether they share one memory, their nodes."""
    best: dict[str, int | float | str] = {}
    for point in points:  # one that idled when it was asked may have been slower
        for name, value in point.facts.items():
            if name.startswith(("pcie_", "c2c_")) and isinstance(value, int | float):
                best[name] = max(value, float(best.get(name, 0)))
    found: dict[str, object] = dict(nominal(best))
    if evidence.run.device.reported.get("integrated"):
        found = {"integrated": 1}
    nodes = {
        (point.facts["host_node"], point.facts["device_node"])
        for point in points
        if {"host_node", "device_node"} <= point.facts.keys()
    }
    if nodes:
        found["other_node"] = int(any(here != there for here, there in nodes))
    return found
