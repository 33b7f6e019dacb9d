"""One drawn GPU, and whether each thing said about it is right."""

from __future__ import annotations

import math

from calibration.gpu_kinds import kind_of
from calibration.judge import ROUNDING, Claimed, Judged, Stated, name_of
from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings.derive import derive
from reportgen.findings.evidence import gather, interval
from reportgen.findings.finding import Finding
from reportgen.roofline.ridges import ridges
from reportgen.status import Status
from tests.simulated import gpu_population
from tests.simulated.gpu_drawn import make_run, table_of
from tests.simulated.gpu_expected import true_value
from tests.simulated.gpu_population import DrawnGpu

AGREEMENT = "reported"
"""Rule whose findings compare a quantity with what the driver reports, which is true of these devices."""


def judge(seed: int, rough: bool = False) -> Judged:
    """GPU number `seed` of the population; `rough`: with troubles that intervals do not allow for."""
    drawn = gpu_population.rough(seed) if rough else gpu_population.seeded(seed)
    run, columns, _ = make_run(drawn, seed)
    found = quantities(run, table_of(columns))
    found += ridges(found)
    by_metric = gather(run, found).by_metric
    judged = Judged()
    judged.intervals = [one for quantity in found if (one := _stated(drawn, quantity)) is not None]
    for finding in derive(run, found):
        right = _right(drawn, finding, by_metric)
        if right is not None:
            claimed = Claimed(name_of(finding), finding.confidence, right, finding.confidence_inputs)
            judged.findings.append(claimed)
    return judged


def _stated(drawn: DrawnGpu, quantity: Quantity) -> Stated | None:
    """A closed interval about something that the device defines."""
    kind = kind_of(quantity)
    if kind is None or quantity.value is None or quantity.low is None or quantity.high is None:
        return None
    true = true_value(drawn, quantity)
    if true is None:
        return None
    half = (quantity.high - quantity.low) / 2 / abs(quantity.value)
    return Stated(kind, _holds(quantity, true), half)


def _holds(quantity: Quantity, true: float) -> bool:
    """Not a number is what has no truth: a level, or a step, that is not there."""
    if math.isnan(true):
        return False
    low, high = interval(quantity)
    slack = ROUNDING * abs(true) if math.isfinite(true) else 0.0  # some are microseconds
    return low - slack <= true <= high + slack


def _right(drawn: DrawnGpu, finding: Finding, by_metric: dict[str, Quantity]) -> bool | None:
    """Whether a finding is right; None where the device does not say, or the finding says nothing."""
    rule, _, metric = finding.id.rpartition(":")
    if finding.status is Status.INVALID or (rule and rule != AGREEMENT):
        return None  # shown as a contradiction, or over several quantities that are judged one by one
    if finding.confidence_inputs.get("machine_code") == 0.0:
        return None  # capped by rule: no drawn device runs other code than it is thought to run
    quantity = by_metric[metric]
    if len(quantity.modes) > 1:
        return None
    true = true_value(drawn, quantity)
    if true is None:
        return None
    right = _holds(quantity, true)
    if rule == AGREEMENT:
        return right is not ("disagree" in finding.sentence)
    return right
