"""How sure a finding is: a product of documented factors, each with its input stated.

    confidence = 0.98 x f(precision) x f(linearity) x f(acceptance) x f(samples) x f(passes) x f(drift)
                 x f(disturbed) x f(stepped) x min(f(cross_checks), f(slowed), 0.64^contradictions)
                 x 0.05^limits x 0.02^denied x 0.998^alternatives x 0.985^unknown

Each f is 1 on the good side of a scale, a floor on the bad side, and linear between (`SCALES`).
An input that nobody gives is left out and counted in `unknown`, unless it has no meaning for the
method (linearity is asked of slopes only).  Where the machine code was not
inspected (`machine_code` = 0), the result is capped at 0.65; where it is not the program that was
meant, there is no number and so no finding.

The factors are fitted to simulated devices of known truth (`python -m calibration`): of the findings that
are given a confidence, that share is right, to five points in each tenth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reportgen.analysis.hierarchy import SHARED
from reportgen.analysis.quantity import Quantity
from reportgen.findings.claims import claim_of
from reportgen.findings.crosschecks import ABOVE, AGREES, BELOW, DISAGREES, DRIVER, OPERATING_SYSTEM
from reportgen.findings.evidence import Evidence, central
from reportgen.findings.finding import Claim, CrossCheck
from reportgen.findings.gates.record import Contradiction, Severity
from reportgen.findings.metric import Kind, parse
from reportgen.status import Status

BASE = 0.98
"""No measurement is certain: an interval is meant to miss the truth once in twenty times."""

UNVERIFIED_CAP = 0.65
"""Ceiling where nobody looked at the machine code."""

PER_CONTRADICTION = 0.64
PER_LIMIT = 0.05
PER_DENIAL = 0.02
PER_ALTERNATIVE = 0.998
PER_UNKNOWN = 0.985
PER_ONE = {
    "contradictions": PER_CONTRADICTION,
    "limits": PER_LIMIT,
    "denied": PER_DENIAL,
    "alternatives": PER_ALTERNATIVE,
    "unknown": PER_UNKNOWN,
}
"""Factor for a contradiction (of a relation, of a limit), where the system denies the size of the core's own
cache, for each alternative that is not excluded, and for each input that is not known."""


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
    "precision": Scale(good=0.05, bad=0.50, floor=0.98),
    "linearity": Scale(good=0.0005, bad=0.02, floor=0.8),
    "acceptance": Scale(good=0.05, bad=0.0, floor=0.6),
    "samples": Scale(good=40, bad=5, floor=0.98),
    "passes": Scale(good=1.0, bad=0.0, floor=0.9),
    "drift": Scale(good=0.01, bad=0.05, floor=0.98),
    "disturbed": Scale(good=0.01, bad=0.20, floor=0.95),
    "slowed": Scale(good=0.01, bad=0.15, floor=0.62),
    "stepped": Scale(good=0.02, bad=0.30, floor=0.80),
    "cross_checks": Scale(good=1.0, bad=0.0, floor=0.8),
}
"""Input -> scale.  `precision` half width of the interval over the value (for an interference index:
the half width itself); `linearity` largest relative residual of the slope; `acceptance` share of the
samples that passed the gates; `samples` how many did; `passes` share of the passes that agree; `drift`
relative change of the core clock over the run; `disturbed` share of the run's visits that stand apart from
the others of their point though every gate passed; `slowed` that share again, asked of inferences instead,
for a disturbed visit looks like kinds that slow each other; `stepped` that share again, asked of ends that
few points of a curve show (`CURVES`), for a disturbed visit looks like a step; `cross_checks` 1 where every
other channel that answered agrees, 0.8 where only the system disagrees, 0 where another probe or a published
figure does."""

CURVES = frozenset(
    {
        Kind.BRANCH_END,
        Kind.BRANCH_INTERVAL,
        Kind.RETURN_DEPTH,
        Kind.LOOP_GROUP,
        Kind.FETCH_CAPACITY,
        Kind.FETCH_RATE,
    }
)
"""What follows from where a curve of single short visits rises."""

ONE_DOUBT = ("cross_checks", "slowed")
"""These and a contradiction: what does not fit and what disagrees are often the same two numbers, and a visit
that was disturbed is often why."""

CORES = frozenset({"x86_64", "aarch64"})
"""Instruction sets whose system knows the caches of one core."""

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
    disturbed = "stepped" if parse(quantity.metric).kind in CURVES else "disturbed"
    given = {
        "precision": precision(quantity),
        "linearity": quantity.inputs.get("linearity"),
        "acceptance": _acceptance(quantity),
        "passes": _passes(evidence, quantity),
        "drift": quantity.inputs.get("drift", run_drift(evidence)),
        disturbed: quantity.inputs.get("disturbed"),
        "cross_checks": agreement(checks),
    }
    stated = {
        name: float(value) for name, value in given.items() if value is not None and math.isfinite(value)
    }
    wanted = set(given) - {disturbed} - ({"linearity"} if quantity.method != "slope" else set())
    return stated | {
        "samples": float(quantity.n),
        "machine_code": 0.0 if unverified(evidence, quantity) else 1.0,
        **_broken(contradictions),
        "denied": float(system_denies(evidence, quantity, checks)),
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
        **_broken(contradictions),
        "denied": 0.0,
        "alternatives": 0.0,
        "unknown": 1.0 if checks and agrees is None else 0.0,
    }


def _broken(contradictions: tuple[Contradiction, ...]) -> dict[str, float]:
    """Whether a relation to other numbers is broken, and whether a limit is.

    One broken relation or several: on devices of known truth the number is then about as often right.
    """
    limits = any(one.severity is Severity.LIMIT for one in contradictions)
    relations = any(one.severity is not Severity.LIMIT for one in contradictions)
    return {"contradictions": float(relations), "limits": float(limits)}


def confidence(given: dict[str, float]) -> float:
    """The confidence that follows from `inputs`, 0..1 with three decimals."""
    result = BASE
    broken = math.pow(PER_CONTRADICTION, given.get("contradictions", 0.0))
    doubts = (SCALES[name].factor(given[name]) for name in ONE_DOUBT if name in given)
    result *= min((broken, *doubts))
    for name, scale in (SCALES | CODE_SCALES).items():
        if name in given and name not in ONE_DOUBT:
            result *= scale.factor(given[name])
    for name, factor in PER_ONE.items():
        if name != "contradictions":
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
    """1 where all that answered agree, 0 where another probe or a figure does not; None: no answer.

    Where only the system disagrees it is 0.8, for `system_denies` says when that matters.  A figure above a
    lower bound agrees with it.
    """

    def score(check: CrossCheck) -> float:
        if check.outcome in (AGREES, ABOVE):
            return 1.0
        return 0.8 if check.channel in (OPERATING_SYSTEM, DRIVER) else 0.0

    answered = (AGREES, ABOVE, BELOW, DISAGREES)
    return min((score(check) for check in checks if check.outcome in answered), default=None)


def system_denies(evidence: Evidence, quantity: Quantity, checks: tuple[CrossCheck, ...]) -> bool:
    """Whether the system reports another size of something that is the core's own.

    It knows those.  Of a level that cores share it speaks, in a guest or a container, of the host; and
    of a GPU it reports what is shared by all of it, or divided by the launch.
    """
    own = parse(quantity.metric).subject not in SHARED and evidence.run.device.isa in CORES
    return own and any(check.channel == OPERATING_SYSTEM and check.outcome == DISAGREES for check in checks)


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
