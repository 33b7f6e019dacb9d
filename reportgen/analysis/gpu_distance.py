"""Near and far: latencies of one cache from many multiprocessors to many lines, one group or two.

Every row is a line seen from the multiprocessor of its sample.  How far that is from all lines is taken
off; then the values are split where the variance within the two parts is least (Otsu 1979).  There are two
groups if their centres are further apart than their own spread allows and neither is a few strays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from reportgen.analysis.cycles import Timing
from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.gpu_sides import sides
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, mad_deviation, median, visit_interval, visits
from reportgen.analysis.robust import pooled_scatter as pooled
from reportgen.runs.schema import Point

METHOD = "gpu"
BETWEEN = 0.02
"""A latency within this share of a group's is that group's."""
APART = 5.0
"""Centres this many robust deviations apart are two groups ..."""
CLEAR, STRAYS = 0.5, 0.02
"""... and so are those with this share of the way between them empty, but for a share of strays: one of the
groups may be of two kinds itself, as misses of near and of far lines."""
SPREAD = 1e-3
"""Share of a latency by which loads of one group differ at least: a clock that counts whole cycles parts them
into steps with nothing between."""
QUANTILES = 51
"""Kept of all latencies, for a figure."""
MOST = (0.05, 0.95)
"""Quantiles between which nine of ten lie."""
NEAREST = 0.1
"""Share of the lines of a multiprocessor that are surely near, where some are."""
SHARE = 0.05
"""The smaller group has at least this share of all."""


def split(values: Array) -> float | None:
    """The value that parts two groups, or None where there is one."""
    ordered = np.sort(values)
    count = len(ordered)
    if count < 8:
        return None
    sums = np.cumsum(ordered)
    at = np.arange(1, count)
    left, right = sums[:-1] / at, (sums[-1] - sums[:-1]) / (count - at)
    cut = int(np.argmax(at * (count - at) * (left - right) ** 2)) + 1
    near, far = ordered[:cut], ordered[cut:]
    least = SPREAD * median(ordered)
    spread = max(mad_deviation(near), mad_deviation(far), least)
    apart, empty = median(far) - median(near), np.quantile(far, STRAYS) - np.quantile(near, 1 - STRAYS)
    if min(len(near), len(far)) < SHARE * count or apart < APART * least:
        return None
    if apart < APART * spread and empty < CLEAR * apart:
        return None
    return float((near[-1] + far[0]) / 2)


def _aligned(values: Array, timing: Timing) -> tuple[Array, Array]:
    """Latencies as if all multiprocessors were equally far from their nearest lines, and the medians of each.

    A multiprocessor may be farther from all lines than another, by as much as near and far lines differ.
    What one takes for the tenth of its lines that are nearest is taken off, and that of all put on.
    """
    _, look = np.unique(np.stack([timing.passes, timing.sample]), axis=1, return_inverse=True)
    order = np.argsort(look, kind="stable")
    some = np.split(values[order], np.flatnonzero(np.diff(look[order])) + 1)
    nearest = np.array([np.quantile(one, NEAREST) for one in some])
    level = values - nearest[look.reshape(-1)] + np.median(nearest)
    return np.asarray(level), np.array([median(one) for one in some])


def distance(evidence: Evidence) -> list[Quantity]:
    """`<metric>.near` and, where there are two groups, `<metric>.far`; a step is one load."""
    stem = evidence.probe.metric
    usable = [point for point in evidence.usable() if point.work.get("steps", 0) > 0]
    if not usable:
        return [evidence.without_value(f"{stem}.near", "cycle", METHOD)]
    point = usable[0]
    timing = evidence.timings[point.id]
    values = timing.cycles / point.work["steps"]
    level, looks = _aligned(values, timing)
    border = split(level)
    seen = sides(level, border, timing.place, timing.thread)
    shown = numbers(np.quantile(values, np.linspace(0, 1, QUANTILES)))
    if border is None:
        low, high = np.quantile(values, MOST)
        reason = (
            f"Nine of ten latencies lie between {low:.0f} and {high:.0f} cycles, without a gap; the medians "
            f"of single multiprocessors lie between {looks.min():.0f} and {looks.max():.0f}. A line is "
            "loaded again and again: where a nearer part of the cache keeps copies, they answer."
        )
        return [_group(evidence, point, f"{stem}.near", values > 0, shown, reason, seen)]
    near = level < border
    return [
        _group(evidence, point, f"{stem}.near", near, shown, seen=seen),
        _group(evidence, point, f"{stem}.far", ~near, shown),
    ]


def averaged(found: Sequence[Quantity]) -> list[Quantity]:
    """The same quantities; where lines are near or far, what lies between says that it is an average.

    A sweep or a chase goes through some thousand lines of both groups, and no single load takes so long.
    """
    ends = {
        name: one
        for name in ("near", "far")
        for one in found
        if one.metric == f"memory.l2.distance.{name}" and one.value is not None
    }
    if len(ends) < 2:
        return list(found)
    near, far = (float(ends[name].value or 0.0) for name in ("near", "far"))
    text = f"An average over lines that are near ({near:.0f} cycles) and far ({far:.0f} cycles)."
    return [
        replace(one, reason=f"{one.reason} {text}".strip())
        if one.metric.endswith(".latency")
        and "l2" in one.metric.split(".")
        and one.value is not None
        and near * (1 + BETWEEN) < one.value < far * (1 - BETWEEN)
        else one
        for one in found
    ]


def _group(
    evidence: Evidence,
    point: Point,
    metric: str,
    rows: NDArray[np.bool_],
    shown: list[float],
    reason: str = "",
    seen: dict[str, Any] | None = None,
) -> Quantity:
    timing = evidence.timings[point.id]
    found = visits(timing.cycles[rows] / point.work["steps"], timing.passes[rows])
    interval = visit_interval(found, pooled([found]), evidence.systematic)
    return evidence.quantity(
        metric, "cycle", METHOD, interval, [point], reason=reason,
        passes=passes_that_agree(by_pass([found]), interval),
        details={"share": float(np.mean(rows)), "lines": int(timing.thread.max()) + 1, "quantiles": shown}
        | (seen or {}),
    )  # fmt: skip
