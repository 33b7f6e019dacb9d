"""How sure a finding is: a product of documented factors, each with its input stated.

    confidence = 0.99 x f(precision) x f(linearity) x f(acceptance) x f(samples) x f(passes) x f(drift)
                 x f(cross_checks) x 0.4^contradictions x 0.97^alternatives x 0.97^unknown

Each f is 1 on the good side of a scale, a floor on the bad side, and linear between (`SCALES`).
An input that nobody gives is left out and counted in `unknown`, unless it has no meaning for the
method (linearity is asked of slopes only).  Where the machine code was not
inspected (`machine_code` = 0), the result is capped at 0.6; where it is not the program that was
meant, there is no number and so no finding.

The scales are set so that an undisturbed quantity ends near 0.95 and one with a single serious
doubt below 0.9; tests on simulated devices of known truth hold them to that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings.claims import claim_of
from reportgen.findings.crosschecks import ABOVE, AGREES, BELOW, DISAGREES, OPERATING_SYSTEM
from reportgen.findings.evidence import Evidence, central
from reportgen.findings.finding import Claim, CrossCheck
from reportgen.findings.gates.record import Contradiction, Severity
from reportgen.findings.metric import Kind, parse
from reportgen.status import Status

BASE = 0.99
"""No measurement is certain."""

UNVERIFIED_CAP = 0.6
"""Ceiling where nobody looked at the machine code."""

PER_CONTRADICTION = 0.4
PER_ALTERNATIVE = 0.97
PER_UNKNOWN = 0.97
PER_ONE = {
    "contradictions": PER_CONTRADICTION,
    "alternatives": PER_ALTERNATIVE,
    "unknown": PER_UNKNOWN,
}
"""Factor for each contradiction, alternative that is not excluded, and input that is not known."""

LIMIT_WEIGHT = 3.0
"""A broken physical limit counts as so many broken relations."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Factor 1 at `good` and beyond, `floor` at `bad` and beyond, linear between."""

    good: float
    bad: float
    floor: float

    def factor(self, value: float) -> float:
        """The factor of an input; a non-finite input counts as bad."""
        if not math.isfinite(value):
            return self.floor
        share = min(1.0, max(0.0, (value - self.good) / (self.bad - self.good)))
        return 1.0 - (1.0 - self.floor) * share


SCALES: dict[str, Scale] = {
    "precision": Scale(good=0.01, bad=0.30, floor=0.5),
    "linearity": Scale(good=0.01, bad=0.10, floor=0.4),
    "acceptance": Scale(good=0.05, bad=0.0, floor=0.6),
    "samples": Scale(good=15, bad=3, floor=0.6),
    "passes": Scale(good=1.0, bad=0.0, floor=0.5),
    "drift": Scale(good=0.02, bad=0.20, floor=0.7),
    "cross_checks": Scale(good=1.0, bad=-1.0, floor=0.7),
}
"""Input -> scale.  `precision` half width of the interval over the value (for an interference index:
the half width itself); `linearity` largest relative residual of the slope; `acceptance` share of the
samples that passed the gates; `samples` how many did; `passes` share of the passes that agree; `drift`
relative change of the core clock over the run; `cross_checks` 1 where every other channel that answered
agrees, -1 where another probe disagrees, -0.5 where only the operating system does."""

CODE_SCALES: dict[str, Scale] = {
    "lengths": Scale(good=3.0, bad=1.0, floor=0.9),
    "hazards": Scale(good=0.0, bad=0.5, floor=0.8),
}
"""The same for numbers that are read from machine code: `lengths` how many programs agree, `hazards` share
of the dependent pairs at other distances than most."""


def inputs(
    evidence: Evidence,
    quantity: Quantity,
    checks: tuple[CrossCheck, ...] = (),
    contradictions: tuple[Contradiction, ...] = (),
    alternatives: int = 0,
) -> dict[str, float]:
    """Every input of the confidence of one quantity, as stored beside it."""
    if claim_of(quantity.metric) is not Claim.MEASURED:
        return _of_code(quantity, checks, contradictions)
    given = {
        "precision": precision(quantity),
        "linearity": quantity.inputs.get("linearity"),
        "acceptance": _acceptance(quantity),
        "passes": _passes(evidence, quantity),
        "drift": quantity.inputs.get("drift", run_drift(evidence)),
        "cross_checks": agreement(checks),
    }
    stated = {
        name: float(value) for name, value in given.items() if value is not None and math.isfinite(value)
    }
    wanted = set(given) - ({"linearity"} if quantity.method != "slope" else set())
    return stated | {
        "samples": float(quantity.n),
        "machine_code": 0.0 if unverified(evidence, quantity) else 1.0,
        "contradictions": sum(LIMIT_WEIGHT if c.severity is Severity.LIMIT else 1.0 for c in contradictions),
        "alternatives": float(alternatives),
        "unknown": float(len(wanted - set(stated))),
    }


def _of_code(
    quantity: Quantity, checks: tuple[CrossCheck, ...], contradictions: tuple[Contradiction, ...]
) -> dict[str, float]:
    """Inputs of a number that was read and not measured: it has no samples, passes or clock."""
    stated = {name: value for name, value in quantity.inputs.items() if name in SCALES | CODE_SCALES}
    agrees = agreement(checks)
    if agrees is not None:
        stated["cross_checks"] = agrees
    return stated | {
        "machine_code": 1.0,
        "contradictions": sum(LIMIT_WEIGHT if c.severity is Severity.LIMIT else 1.0 for c in contradictions),
        "alternatives": 0.0,
        "unknown": 1.0 if checks and agrees is None else 0.0,
    }


def confidence(given: dict[str, float]) -> float:
    """The confidence that follows from `inputs`, 0..1 with three decimals."""
    result = BASE
    for name, scale in (SCALES | CODE_SCALES).items():
        if name in given:
            result *= scale.factor(given[name])
    for name, factor in PER_ONE.items():
        result *= math.pow(factor, given.get(name, 0.0))
    if given.get("machine_code", 1.0) < 1.0:
        result = min(result, UNVERIFIED_CAP)
    return round(min(1.0, max(0.0, result)), 3)


def precision(quantity: Quantity) -> float | None:
    """Half width of the interval over the value; None where there is no closed interval."""
    if quantity.low is None or quantity.high is None:
        return None
    half = abs(quantity.high - quantity.low) / 2
    if parse(quantity.metric).kind is Kind.INTERFERENCE:
        return half  # the index itself is 0 for a pair that is independent
    middle = abs(central(quantity))
    return half / middle if middle > 0 else None


def unverified(evidence: Evidence, quantity: Quantity) -> bool:
    """Whether any program behind the quantity was not inspected."""
    if quantity.status is Status.UNVERIFIED:
        return True
    points = (evidence.points.get(name) for name in quantity.points)
    return any(point is not None and point.status is Status.UNVERIFIED for point in points)


def agreement(checks: tuple[CrossCheck, ...]) -> float | None:
    """1 all that answered agree, -1 another probe disagrees; None when no channel answered.

    A system that reports another size than the one measured is half a disagreement: in a guest or
    a container it speaks of the host.  A figure above a lower bound agrees with it.
    """
    scores = [
        1.0 if check.outcome in (AGREES, ABOVE) else (-0.5 if check.channel == OPERATING_SYSTEM else -1.0)
        for check in checks
        if check.outcome in (AGREES, ABOVE, BELOW, DISAGREES)
    ]
    return min(scores) if scores else None


def run_drift(evidence: Evidence) -> float | None:
    """Relative change of the core clock between the run's canary marks; None with fewer than two."""
    if evidence.clock is None or len(evidence.run.drift) < 2:
        return None
    slow, fast = evidence.clock
    return (fast - slow) / fast


def _acceptance(quantity: Quantity) -> float | None:
    given = quantity.inputs.get("acceptance")
    if given is not None:
        return given
    return quantity.n / quantity.taken if quantity.taken else None


def _passes(evidence: Evidence, quantity: Quantity) -> float | None:
    """Share of the planned passes that agree with the value; the analysis states how many do."""
    agree, planned = quantity.inputs.get("passes"), evidence.run.plan.get("passes", 0)
    if agree is None or not isinstance(planned, int) or planned < 1:
        return None
    return min(1.0, agree / planned)
