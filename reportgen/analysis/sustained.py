"""Burst and sustained rate: one long visit of a peak kernel, cut into windows of time.

A device may run faster for a fraction of a second than it can for long: power, heat and current limits
lower its clock.  So a peak has two numbers, and neither is the mean of the visit:

    burst      rate of the windows that begin in the first tenth of the visit: mean of the middle half
    sustained  the same of the windows that begin in its last quarter
    ratio      sustained over burst, visit by visit
    settling   when the rate came to within 2 % of the sustained one and stayed there

The contract with a backend: a point is held under load for the whole of a visit; each window is one
sample, its number (`sample`) is its place in time, `start` says when it began, `ticks` how long it took.
Rows of one sample (threads) ran together and each states its own work, so their rates add.

A clock that is limited may go up and down between two steps.  The median is then one of them, by chance; the
mean of the middle half lies between, and still minds no window that something else fell into.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.evidence import Evidence, by_pass, numbers, passes_that_agree
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import (
    Array,
    Interval,
    Visits,
    mad_deviation,
    median,
    modes,
    pooled_scatter,
    visit_interval,
)
from reportgen.runs.schema import Point
from reportgen.status import Status

METHOD = "sustained"
FIRST = 0.1
"""Windows that begin in this share of the visit give the burst rate ..."""
LAST = 0.25
"""... and those that begin in this share at its end the sustained one."""
LEAST_FIRST = 3
"""Windows behind a burst rate, also where fewer begin in the first tenth."""
LEAST_WINDOWS = 12
"""A visit with fewer windows shows no course of time."""
SETTLED = 0.02
"""A rate this close to the sustained one (relative) has settled; a smaller change is none."""
LOOSE = 0.25
"""An interval that reaches further than this from its value (relative) is no answer: the visits disagree."""
NOISE = 4.0
"""A window further off than this many robust deviations of the last ones has not settled either."""


@dataclass(frozen=True)
class Course:
    """The windows of one visit in time order."""

    visit: int
    time: Array
    """When each began, seconds after the first."""
    rate: Array
    """Work a second of all that ran together."""
    clock: Array
    """Mean core clock, hertz."""
    length: float
    """Seconds from the first start to the last end."""

    @property
    def first(self) -> Array:
        """Rates of the windows that give the burst rate."""
        return self.rate[: max(LEAST_FIRST, int(np.count_nonzero(self.time < FIRST * self.length)))]

    @property
    def last(self) -> Array:
        """Rates of the windows that give the sustained rate."""
        return self.rate[self.time >= (1 - LAST) * self.length]

    def still_changing(self) -> bool:
        """Whether the two halves of the last windows lie apart."""
        half = len(self.last) // 2
        early, late = self.last[:half], self.last[half:]
        spread = max(mad_deviation(early), mad_deviation(late)) / np.sqrt(max(half, 1))
        return bool(abs(median(late) - median(early)) > max(SETTLED * median(self.last), NOISE * spread))

    def settled(self) -> tuple[float, float, float]:
        """When the rate settled, seconds: the first window from which on it stays near the sustained one.

        With it the starts of the windows before and after: the change lies between.
        """
        level = middle(self.last)
        band = max(SETTLED * level, NOISE * mad_deviation(self.last))
        band = min(band, abs(middle(self.first) - level) / 2)  # no scatter hides a change that is told
        padded = np.concatenate([self.rate[:1], self.rate, self.rate[-1:]])
        smooth = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
        outside = np.flatnonzero(np.abs(smooth - level) > band)
        at = int(outside[-1]) + 1 if len(outside) else 0
        at = min(at, len(self.time) - 1)
        after = self.time[min(at + 1, len(self.time) - 1)]
        return float(self.time[at]), float(self.time[max(at - 1, 0)]), float(after)


def middle(rates: Array) -> float:
    """Mean of the middle half, the quarters at both ends left out."""
    cut = len(rates) // 4
    return float(np.sort(rates)[cut : len(rates) - cut].mean())


def sustained(evidence: Evidence) -> list[Quantity]:
    """`peak.<precision>.burst`, `.sustained`, `.sustained_ratio`, `.settling_time` of one probe.

    The probe is named for the sustained rate, the number that stands for it where nothing was measured.
    Points have work `flop` or `op` per repetition, as the probe's unit says.  Of several points the one
    with the highest sustained rate counts.
    """
    stem = _stem(evidence)
    kind, work = ("OP", "op") if evidence.probe.unit.startswith("OP") else ("FLOP", "flop")
    unit = f"{kind}/second"
    metrics = ((f"{stem}.burst", unit), (f"{stem}.sustained", unit), (f"{stem}.sustained_ratio", "ratio"))
    usable = [point for point in evidence.usable() if point.work.get(work, 0) > 0]
    if not usable:
        return [evidence.without_value(metric, one, METHOD) for metric, one in metrics]
    found = {point.id: courses(evidence, point, point.work[work]) for point in usable}
    measured = [point for point in usable if found[point.id]]
    if not measured:
        reason = f"No visit has {LEAST_WINDOWS} windows that passed the gates; run again while it is quiet."
        return [
            evidence.without_value(metric, one, METHOD, status=Status.UNSTABLE, reason=reason)
            for metric, one in metrics
        ]
    best = max(measured, key=lambda point: median(np.concatenate([one.last for one in found[point.id]])))
    return _of_point(evidence.narrowed([best]), best, found[best.id], unit)


def _stem(evidence: Evidence) -> str:
    return evidence.probe.metric.removesuffix(".sustained")


def courses(evidence: Evidence, point: Point, work: float) -> list[Course]:
    """Every visit of a point that has windows enough; `work` is that of one repetition."""
    timing = evidence.timings[point.id]
    clock = evidence.run.sample_clock
    # Where ticks are cycles (GPUs) a start is in nanoseconds of the device's timer.
    start_hz = clock.tick_hz if clock.calibration_cycles else 1e9
    found = (_course(timing, int(visit), work, start_hz) for visit in np.unique(timing.passes))
    return [one for one in found if len(one.time) >= LEAST_WINDOWS]


def _course(timing: Timing, visit: int, work: float, start_hz: float) -> Course:
    rows = np.flatnonzero(timing.passes == visit)
    windows, place = np.unique(timing.sample[rows], return_inverse=True)
    count = len(windows)
    threads = np.bincount(place, minlength=count)
    seconds = timing.seconds[rows] * timing.repetitions[rows]
    rate = np.bincount(place, weights=work / timing.seconds[rows], minlength=count)
    clock = np.bincount(place, weights=timing.cycles[rows] / timing.seconds[rows], minlength=count) / threads
    began = timing.start[rows] - timing.start[rows].min()
    start = np.full(count, np.inf)
    np.minimum.at(start, place, began / start_hz)
    end = np.zeros(count)
    np.maximum.at(end, place, began / start_hz + seconds)
    whole = threads == threads.max()
    return Course(visit, start[whole], rate[whole], clock[whole], float(end.max()))


def _of_point(evidence: Evidence, point: Point, visits: list[Course], unit: str) -> list[Quantity]:
    stem = _stem(evidence)
    burst, held = _over(visits, lambda one: one.first), _over(visits, lambda one: one.last)
    ratio = Visits(held.centres / burst.centres, held.counts, held.ids)
    pooled = pooled_scatter([burst, held])
    change = visit_interval(ratio, pooled_scatter([ratio]))
    unsettled = 2 * sum(one.still_changing() for one in visits) > len(visits)
    shared: dict[str, object] = {
        "operation": str(point.settings.get("operation", evidence.probe.operation)),
        "cores": int(point.facts.get("cores", 1)),
        "length": float(f"{median(np.array([one.length for one in visits])):.3g}"),
        "settled": not unsettled,
        "clock_ratio": _clock_ratio(visits),
    }
    result = [
        _rate(evidence, point, f"{stem}.burst", unit, burst, visit_interval(burst, pooled), dict(shared))
    ]
    groups = _groups(visits)
    if groups:
        why = "The last windows fall into two groups; no single rate describes them."
        result += [
            evidence.without_value(
                metric, one, METHOD, status=Status.UNSTABLE, reason=why, groups=some, details=details
            )
            for metric, one, some, details in (
                (f"{stem}.sustained", unit, groups, shared | _drawn(visits)),
                (f"{stem}.sustained_ratio", "ratio", (), shared),
            )
        ]
        return result
    result.append(
        _rate(
            evidence, point, f"{stem}.sustained", unit, held, visit_interval(held, pooled),
            shared | _drawn(visits),
        )
    )  # fmt: skip
    result.append(_rate(evidence, point, f"{stem}.sustained_ratio", "ratio", ratio, change, dict(shared)))
    if result[-1].value is not None and abs(change.value - 1) > SETTLED:
        result.append(_settling(evidence, point, visits, unsettled, shared))
    return result


def _over(visits: list[Course], part: Callable[[Course], Array]) -> Visits:
    return Visits(
        np.array([middle(part(one)) for one in visits]),
        np.array([len(part(one)) for one in visits], dtype=float),
        np.array([one.visit for one in visits], dtype=float),
    )


def _rate(
    evidence: Evidence,
    point: Point,
    metric: str,
    unit: str,
    rates: Visits,
    interval: Interval,
    details: dict[str, object],
) -> Quantity:
    half = interval.half / interval.value
    if half > LOOSE:
        return evidence.without_value(
            metric, unit, METHOD, status=Status.UNSTABLE, details=details,
            reason=f"The visits disagree: the interval reaches {100 * half:.0f} % from the value to either "
            "side; run again while the machine is quiet.",
        )  # fmt: skip
    return evidence.quantity(
        metric, unit, METHOD, interval, [point],
        passes=passes_that_agree(by_pass([rates]), interval), details=details,
    )  # fmt: skip


def _groups(visits: list[Course]) -> tuple[float, ...]:
    """Rates of the groups of the last windows, if they fall into two."""
    return modes(
        np.concatenate([one.last for one in visits]),
        np.concatenate([np.full(len(one.last), one.visit) for one in visits]),
    )


def _clock_ratio(visits: list[Course]) -> float:
    """Core clock of the last windows over that of the first ones: what tells a limit of the clock."""
    each = [median(one.clock[-len(one.last) :]) / median(one.clock[: len(one.first)]) for one in visits]
    return float(f"{median(np.array(each)):.5g}")


def _drawn(visits: list[Course]) -> dict[str, object]:
    """What the figure shows: every window of every visit."""
    return {
        "visit": [one.visit for one in visits for _ in one.time],
        "time": numbers(np.concatenate([one.time for one in visits]), 5),
        "rate": numbers(np.concatenate([one.rate for one in visits])),
        "clock": numbers(np.concatenate([one.clock for one in visits])),
    }


def _settling(
    evidence: Evidence, point: Point, visits: list[Course], unsettled: bool, details: dict[str, object]
) -> Quantity:
    metric = f"{_stem(evidence)}.settling_time"
    if unsettled:
        bound = min((1 - LAST) * one.length for one in visits)
        return evidence.bound(
            metric, "second", METHOD, bound, [point], details=dict(details),
            reason="The rate still changed in the last quarter of the visit.",
        )  # fmt: skip
    times = [one.settled() for one in visits]
    typical = median(np.array([at for at, _, _ in times]))
    interval = Interval(typical, min(low for _, low, _ in times), max(high for _, _, high in times))
    return evidence.quantity(metric, "second", METHOD, interval, [point], details=dict(details))
