"""What stands behind a quantity: a probe, its points, their samples, and whether they will do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis.cycles import Timing
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import Array, Interval, Visits, median, modes, visits
from reportgen.runs.schema import Point, ProbeInfo, Run
from reportgen.status import USABLE, Status

LEAST_SAMPLES = 5
"""A point with fewer accepted samples gives no number."""
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

    def narrowed(self, points: Iterable[Point]) -> Evidence:
        """The same probe with only some of its points."""
        return Evidence(self.run, self.probe, tuple(points), self.timings, self.systematic)

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
        timing = self.timings[point.id]
        return visits(timing.cycles, timing.passes)

    def seconds(self, point: Point) -> Visits:
        """Seconds per repetition of a usable point, by visit."""
        timing = self.timings[point.id]
        return visits(timing.seconds, timing.passes)

    def modes(self, points: Iterable[Point]) -> tuple[float, ...]:
        """Cycles per repetition of the groups, if the samples of most points fall into two."""
        timings = [self.timings[point.id] for point in points]
        found = [modes(timing.cycles, timing.passes) for timing in timings]
        split = [one for one in found if one]
        return split[0] if found and len(split) * 2 > len(found) else ()

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

    def _inputs(self, n: int, taken: int) -> dict[str, float]:
        inputs = {"acceptance": n / taken} if taken else {}
        clocks = [mark.cycle_hz for mark in self.run.drift if mark.cycle_hz > 0]
        if len(clocks) > 1:
            inputs["drift"] = max(clocks) / min(clocks) - 1
        return inputs


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
