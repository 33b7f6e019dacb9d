"""What stands behind a quantity: a probe, its points, their samples, and whether they will do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, Visits, lower_part, median, modes, visits
from reportgen.analysis.trend import trend
from reportgen.runs.schema import Point, ProbeInfo, Run
from reportgen.status import USABLE, Status

LEAST_SAMPLES = 5
"""A point with fewer accepted samples gives no number."""
VISITS_OF_A_POINT = 1000
"""More than any point has: keeps the visits of several points apart."""
AGREE = 0.01
"""A pass agrees when its own value is within this ratio of the quantity's, or within its interval."""


@dataclass(frozen=True)
class Evidence:
    """One probe of one run with the accepted samples of its points."""

    run: Run
    probe: ProbeInfo
    points: tuple[Point, ...]
    timings: Mapping[str, Timing]
    systematic: float = 0.0
    """Relative standard deviation that all cycle counts of the run share."""
    disturbed: float | None = None
    """Share of the run's visits that something unseen held; None where nothing tells."""
    trend: float = 0.0
    """What the logarithm of the core clock gains from one pass to the next."""
    transient: int = 0
    """Samples at the start of each visit that were still settling and are left out."""
    beside: Mapping[str, Timing] = field(default_factory=dict, repr=False)
    """The same of points that took turns, with samples beside a busy neighbour: he held all of them alike."""
    seen: dict[str, Visits] = field(default_factory=dict, repr=False, compare=False)
    """Visits in cycles that were asked for before."""

    def narrowed(self, points: Iterable[Point]) -> Evidence:
        """The same probe with only some of its points."""
        return replace(self, points=tuple(points))

    def usable(self) -> list[Point]:
        """Points that may carry a number."""
        return [point for point in self.points if self.objection(point) is None]

    def objection(self, point: Point) -> tuple[Status, str] | None:
        """Why a point may not carry a number, or None."""
        if point.status not in USABLE:
            return point.status, point.reason or f"The point ended {point.status}."
        timing = self.timings.get(point.id)
        if timing is None or timing.n < LEAST_SAMPLES:
            accepted, taken = (timing.n, timing.taken) if timing else (0, point.total)
            return Status.UNSTABLE, (
                f"{accepted} of {taken} samples passed the gates and {LEAST_SAMPLES} are needed; "
                "run again while the machine is quiet."
            )
        if timing.impossible:
            return Status.INVALID, (
                f"{timing.impossible} accepted samples have a time of zero or less; "
                "the clock or the body is not what it should be."
            )
        return None

    def refusal(self) -> tuple[Status, str]:
        """What to say when too few points carry a number: the commonest objection.

        Of equally common ones, the first.  Without any objection (or any point) the probe was not
        asked for enough settings.
        """
        objections = [found for point in self.points if (found := self.objection(point)) is not None]
        if not objections:
            return Status.SKIPPED, "The run holds too few settings of this probe."
        status = Counter(status for status, _ in objections).most_common(1)[0][0]
        return next(found for found in objections if found[0] == status)

    def cycles(self, point: Point) -> Visits:
        """Cycles per repetition of a usable point, by visit."""
        if point.id not in self.seen:
            timing = self.timings[point.id]
            self.seen[point.id] = visits(timing.cycles, timing.passes)
        return self.seen[point.id]

    def cycles_per_step(self, point: Point) -> Visits:
        """Cycles per step (load, store, instruction of a chain) of a usable point, by visit."""
        return self.cycles(point).over(point.work["steps"])

    def seconds(self, point: Point) -> Visits:
        """Seconds per repetition of a usable point, by visit."""
        timing = self.timings[point.id]
        return visits(timing.seconds, timing.passes)

    def modes(self, points: Iterable[Point]) -> tuple[float, ...]:
        """Cycles per repetition of the groups of the first point, if the samples fall into two.

        Points that show one value are asked together: one alone may have too few samples to tell.  Each is
        taken relative to its own faster samples, since a median of two equal groups may be of either.
        """
        some = [self.timings[point.id] for point in points]
        if not some:
            return ()
        scale = [lower_part(one.cycles) for one in some]
        relative = np.concatenate([one.cycles / low for one, low in zip(some, scale, strict=True)])
        visit = np.concatenate([one.passes + at * VISITS_OF_A_POINT for at, one in enumerate(some)])
        found = modes(relative, visit)
        return tuple(group * scale[0] for group in found)

    def bound(
        self,
        metric: str,
        unit: str,
        method: str,
        limit: float,
        points: Iterable[Point],
        *,
        reason: str,
        details: dict[str, Any] | None = None,
    ) -> Quantity:
        """A lower bound, because nothing was seen up to the end of the range.

        That nothing was seen means little in a run of which something unseen held many visits: then there is
        no bound, but the reason.
        """
        if self.disturbed is not None and self.disturbed > QUIET:
            return self.narrowed(points).without_value(
                metric, unit, method, status=Status.UNSTABLE, details=details,
                reason=f"{reason} But {self.disturbed:.0%} of the visits of this run were disturbed from end "
                "to end, so it may be hidden; run again while the machine is quiet.",
            )  # fmt: skip
        ends = Interval(limit, limit, limit)
        return self.quantity(
            metric, unit, method, ends, points, status=Status.CENSORED, reason=reason, details=details
        )

    def without_value(
        self,
        metric: str,
        unit: str,
        method: str,
        *,
        status: Status | None = None,
        reason: str = "",
        groups: tuple[float, ...] = (),
        details: dict[str, Any] | None = None,
    ) -> Quantity:
        """A quantity that has a reason instead of a number; the points' own unless given."""
        if status is None:
            status, reason = self.refusal()
        n, taken = self.tally(self.points)
        return Quantity(
            metric=metric,
            unit=unit,
            status=status,
            probe=self.probe.id,
            method=method,
            reason=reason,
            n=n,
            taken=taken,
            modes=groups,
            inputs=self._inputs(n, taken),
            points=tuple(point.id for point in self.points),
            details=details or {},
        )

    def quantity(
        self,
        metric: str,
        unit: str,
        method: str,
        interval: Interval,
        points: Iterable[Point],
        *,
        status: Status | None = None,
        reason: str = "",
        linearity: float | None = None,
        passes: int | None = None,
        freedom: float | None = None,
        details: dict[str, Any] | None = None,
    ) -> Quantity:
        """A quantity with a number, from `points`.

        Status is `ok`, or `unverified` when a program behind it could not be inspected, unless
        given.  A number that is not finite makes it `invalid`; a `censored` one keeps only its
        lower bound.
        """
        used = tuple(points)
        n, taken = self.tally(used)
        if status is None:
            status = Status.OK
            for point in used:
                if point.status is Status.UNVERIFIED:
                    status, reason = Status.UNVERIFIED, reason or point.reason
                    break
        if not all(math.isfinite(number) for number in interval):
            return self.narrowed(used).without_value(
                metric, unit, method, status=Status.INVALID, reason="The samples give no finite number."
            )
        inputs = self._inputs(n, taken)
        if interval.value:
            inputs["precision"] = interval.half / abs(interval.value)
        if linearity is not None:
            inputs["linearity"] = linearity
        if passes is not None:
            inputs["passes"] = float(passes)
        if freedom and math.isfinite(freedom):
            inputs["freedom"] = round(freedom, 2)
        return Quantity(
            metric=metric,
            unit=unit,
            status=status,
            probe=self.probe.id,
            method=method,
            reason=reason,
            value=float(interval.value),
            low=float(interval.low),
            high=None if status is Status.CENSORED else float(interval.high),
            n=n,
            taken=taken,
            inputs=inputs,
            points=tuple(point.id for point in used),
            details=details or {},
        )

    def tally(self, points: Iterable[Point]) -> tuple[int, int]:
        """Accepted samples and samples taken, over `points`."""
        n = taken = 0
        for point in points:
            timing = self.timings.get(point.id)
            n += timing.n if timing else 0
            taken += timing.taken if timing else point.total
        return n, taken

    @property
    def drift(self) -> float | None:
        """How far apart the run's marks found the clock, relative; None with fewer than two marks."""
        clocks = [mark.cycle_hz for mark in self.run.drift if mark.cycle_hz > 0]
        return max(clocks) / min(clocks) - 1 if len(clocks) > 1 else None

    def _inputs(self, n: int, taken: int) -> dict[str, float]:
        inputs = {"acceptance": n / taken} if taken else {}
        if (drift := self.drift) is not None:
            inputs["drift"] = drift
        if self.disturbed is not None:
            inputs["disturbed"] = self.disturbed
        if self.transient:
            inputs["transient"] = float(self.transient)
        return inputs


STEADY = frozenset({"slope", "plateau", "interference"})
"""Analyses of bodies that stay inside the core: what visits of one point differ by is no property of it."""
QUIET = 0.02
"""Share of disturbed visits up to which a run can show that something is not there."""
APART = 0.03
"""A visit this far from the median of its point (relative) was disturbed from end to end."""


def disturbed_share(probes: Iterable[Evidence]) -> float | None:
    """Share of the visits of steady bodies that stand apart from the others of their point.

    Such a visit passed every gate: whatever held it was there before, during and after each sample.  Of two
    visits that differ one was disturbed.  None where no point was visited twice.
    """
    apart = total = 0
    for evidence in probes:
        for point in evidence.usable() if evidence.probe.analysis in STEADY else ():
            centres = evidence.cycles(point).centres
            if len(centres) >= 2:
                middle = median(centres) if len(centres) > 2 else float(centres.min())
                apart += int(np.count_nonzero(np.abs(centres / middle - 1) > APART))
                total += len(centres)
    return apart / total if total else None


def clock_trend(probes: Iterable[Evidence]) -> float:
    """What the logarithm of the core clock gains from one pass to the next, by all steady bodies of a run."""
    clocks = []
    for evidence in probes:
        for point in evidence.usable() if evidence.probe.analysis in STEADY else ():
            cycles, seconds = evidence.cycles(point), evidence.seconds(point)
            clocks.append(Visits(cycles.centres / seconds.centres, cycles.counts, cycles.ids))
    return trend(clocks)


def passes_that_agree(by_pass: Mapping[float, float], interval: Interval) -> int:
    """How many passes, each on its own, give the value within `AGREE` or within what one pass may miss it by.

    An interval from k passes is narrower than one pass's own by the root of k.
    """
    allowed = max(AGREE * abs(interval.value), interval.half * math.sqrt(max(len(by_pass), 1)))
    return sum(abs(value - interval.value) <= allowed for value in by_pass.values())


def by_pass(points: Iterable[Visits], scale: Iterable[float] | None = None) -> dict[float, float]:
    """Median over points of each pass's value, after multiplying each point with its scale."""
    collected: dict[float, list[float]] = {}
    some = list(points)
    factors = list(scale) if scale is not None else [1.0] * len(some)
    for point, factor in zip(some, factors, strict=True):
        for one, value in zip(point.ids, point.centres, strict=True):
            collected.setdefault(float(one), []).append(float(value) * factor)
    return {one: median(np.array(values)) for one, values in collected.items()}


def numbers(values: Iterable[float] | Array, digits: int = 6) -> list[float]:
    """Finite numbers for a figure, shortened to `digits` significant digits."""
    return [float(f"{value:.{digits}g}") for value in values]
