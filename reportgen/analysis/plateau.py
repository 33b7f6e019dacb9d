"""Throughput: the plateau of instructions per cycle over independent accumulators.

One chain issues at 1/latency; more chains overlap until a resource is full, and from that knee on
the rate stays.  The plateau is the median over all visits of the settings within `MEMBER` of the
best.  When the largest setting still exceeds the one before, nothing shows that the rise has ended and
the rate is a lower bound.
"""

from __future__ import annotations

import numpy as np

from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.gpu_window import allowed
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, Visits, pooled_interval
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "plateau"
TENSOR = "tensor."
"""What metrics of matrix instructions begin with."""
RATE_UNIT = "instruction/cycle"
INTERVAL_UNIT = "cycle/instruction"
WARP = 32
"""Threads of a GPU that go through one instruction together."""
MEMBER = 0.01
"""A setting whose rate is this close to the best belongs to the plateau (relative)."""
RISING = 0.05
"""A last setting that exceeds the one before it by more has not levelled off (relative)."""


def plateau(evidence: Evidence) -> list[Quantity]:
    """`throughput.<operation>` and `issue_interval.<operation>` of one probe.

    Points have the setting that the probe varies (`accumulators`) and work `instructions`.
    """
    probe = evidence.probe
    variable = probe.variable or "accumulators"
    metric = probe.metric
    interval_metric = f"issue_interval.{metric.removeprefix('throughput.')}"
    if metric.startswith(TENSOR):
        interval_metric = f"{TENSOR}issue_interval.{metric.rpartition('.')[2]}"
    usable = [
        point for point in evidence.usable()
        if point.work.get("instructions", 0) > 0 and variable in point.settings
    ]  # fmt: skip
    if not usable:
        return [evidence.without_value(metric, RATE_UNIT, METHOD)]
    usable.sort(key=lambda point: float(point.settings[variable]))
    rates = [_rates(evidence, point) for point in usable]
    values = np.array([one.value for one in rates])
    settings = [int(point.settings[variable]) for point in usable]
    best = float(values.max())
    inside = np.flatnonzero(values >= best * (1 - MEMBER))
    knee = settings[int(inside[0])]
    members = [usable[at] for at in inside]
    details: dict[str, object] = {variable: settings, "rate": numbers(values), "knee": knee}
    if variable != "accumulators":
        details["accumulators"] = settings
    threads = usable[0].facts.get("threads", 0)
    if evidence.run.device.gpu and isinstance(threads, int) and variable == "accumulators":
        details["warps"] = threads // WARP

    groups = evidence.modes(members)
    if groups:
        reason = (
            "On the plateau the samples fall into two groups (cycles per repetition of the body); "
            "no single rate describes them."
        )
        return [
            evidence.without_value(
                name, unit, METHOD, status=Status.UNSTABLE, reason=reason, groups=groups, details=details
            )
            for name, unit in ((metric, RATE_UNIT), (interval_metric, INTERVAL_UNIT))
        ]
    interval = pooled_interval([rates[at] for at in inside], rates, evidence.systematic)
    passes = passes_that_agree(by_pass([rates[at] for at in inside]), interval)
    if evidence.run.device.gpu:
        interval = allowed(evidence, interval, usable, values.tolist(), inside.tolist())
    spread: float | None = float(values[inside].max() / values[inside].min() - 1)
    if evidence.run.device.gpu:
        spread = None  # settings differ by the ends of their windows, for which the interval has room
    still_rising = _still_rising(values, settings, variable)
    if still_rising:
        bound = evidence.quantity(
            metric, RATE_UNIT, METHOD, Interval(interval.value, interval.low, interval.high), members,
            status=Status.CENSORED, reason=still_rising, passes=passes, details=details,
        )  # fmt: skip
        interval_reason = f"{still_rising} It is at most {1 / interval.low:.4g} cycles."
        return [
            bound,
            evidence.without_value(
                interval_metric, INTERVAL_UNIT, METHOD, status=Status.UNSTABLE, reason=interval_reason,
                details=details,
            ),
        ]  # fmt: skip
    inverse = Interval(1 / interval.value, 1 / interval.high, 1 / interval.low)
    return [
        evidence.quantity(name, unit, METHOD, one, members, linearity=spread, passes=passes, details=details)
        for name, unit, one in (
            (metric, RATE_UNIT, interval),
            (interval_metric, INTERVAL_UNIT, inverse),
        )
    ]


def _rates(evidence: Evidence, point: Point) -> Visits:
    """Instructions per cycle of a point, by visit."""
    cycles = evidence.cycles(point)
    return Visits(point.work["instructions"] / cycles.centres, cycles.counts, cycles.ids)


def _still_rising(values: Array, settings: list[int], variable: str) -> str:
    """Why the last setting is not known to be on the plateau, or ''.

    A single last setting on the plateau is enough where the one before still rose in proportion to
    its chains and the last does not: the limit was met in between.
    """
    if len(values) == 1:
        return (
            f"Only {settings[0]} {variable} were measured, so nothing shows that the rate has levelled off."
        )
    levelled = bool((values[:-1] >= values.max() * (1 - MEMBER)).any())
    if levelled or values[-1] <= values[-2] * (1 + RISING):
        return ""
    chains = np.array(settings, dtype=float)
    share = values / (chains * values[0] / chains[0])
    if share[-2] >= 1 - RISING and share[-1] < 1 - RISING:
        return ""
    return f"The rate still rises at {settings[-1]} {variable}, the most that were measured."
