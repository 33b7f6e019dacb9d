"""One drawn GPU, and whether each thing said about it is right."""

from __future__ import annotations

import math

from calibration.gpu_kinds import GpuKind, kind_of
from calibration.judge import LEAST, ROUNDING, Claimed, Concluded, Judged, Paired, Stated, name_of, paired
from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives, slowing
from reportgen.findings.derive import derive
from reportgen.findings.evidence import gather, interval
from reportgen.findings.finding import Finding, Verdict
from reportgen.findings.metric import Kind as Metric
from reportgen.findings.metric import parse
from reportgen.roofline.ridges import ridges
from reportgen.runs.schema import ProbeInfo
from reportgen.status import Status
from tests.simulated import gpu_population
from tests.simulated.gpu_drawn import make_run, table_of
from tests.simulated.gpu_expected import true_value
from tests.simulated.gpu_hypotheses import true_verdict
from tests.simulated.gpu_pairs import held_by_reads, held_by_supply, share_pipe, share_port
from tests.simulated.gpu_population import DrawnGpu

AGREEMENT = "reported"
"""Rule whose findings compare a quantity with what the driver reports, which is true of these devices."""
SLOWING = "slowing"
"""Rule whose findings say what may have taken from a rate."""
ALIKE = frozenset({"slope", "peak", "library", "sustained"})
"""Analyses all of whose hypotheses say the same, each of its own operation or routine."""
SHARING = "sharing"
"""Rule whose findings say that two kinds of instructions share something."""


def judge(seed: int, rough: bool = False) -> Judged:
    """GPU number `seed` of the population; `rough`: with troubles that intervals do not allow for."""
    drawn = gpu_population.rough(seed) if rough else gpu_population.seeded(seed)
    run, columns, _ = make_run(drawn, seed)
    found = quantities(run, table_of(columns))
    found += ridges(found)
    evidence = gather(run, found)
    by_metric = evidence.by_metric
    judged = Judged()
    judged.pairs = [
        Paired(reading, share_pipe(drawn.pairs, *names), _share_way(drawn, *names))
        for names, reading in paired(evidence)
    ]
    judged.intervals = [one for quantity in found if (one := _stated(drawn, quantity)) is not None]
    conclusions: dict[str, Verdict] = {}
    for finding in derive(run, found):
        judged.explained += _explained(drawn, finding, by_metric)
        if finding.hypothesis:
            conclusions |= dict.fromkeys(finding.probes, finding.verdict)
        right = _right(drawn, finding, by_metric)
        if right is not None:
            claimed = Claimed(name_of(finding), finding.confidence, right, finding.confidence_inputs)
            judged.findings.append(claimed)
    for probe in run.probes:
        expected = true_verdict(drawn, probe)
        if probe.id in conclusions and expected is not None:
            judged.hypotheses.append(Concluded(hypothesis_name(probe), conclusions[probe.id], expected))
    return judged


def hypothesis_name(probe: ProbeInfo) -> str:
    """What hypotheses that say the same are called together; one analysis may be of several that do not."""
    if probe.analysis == "plateau" and "halving" not in probe.hypothesis:
        return probe.analysis
    name = probe.id.rpartition("/")[2]
    alike = probe.analysis in ALIKE
    return probe.analysis if alike else name.removesuffix(f"_{probe.operation}") if probe.operation else name


def _stated(drawn: DrawnGpu, quantity: Quantity) -> Stated | None:
    """A closed interval about something that the device defines."""
    kind = kind_of(quantity)
    if kind is None or (not quantity.value and kind is not GpuKind.INTERFERENCE):
        return None  # a time of nothing has no relative width
    if quantity.value is None or quantity.low is None or quantity.high is None:
        return None
    true = true_value(drawn, quantity)
    if true is None:
        return None
    half = (quantity.high - quantity.low) / 2
    if kind is not GpuKind.INTERFERENCE:
        half /= abs(quantity.value)
    return Stated(kind, _holds(quantity, true), half)


def _holds(quantity: Quantity, true: float) -> bool:
    """Not a number is what has no truth: a level, or a step, that is not there."""
    if math.isnan(true):
        return False
    low, high = interval(quantity)
    least = LEAST if parse(quantity.metric).kind is Metric.INTERFERENCE else 0.0  # others are microseconds
    slack = ROUNDING * max(least, abs(true)) if math.isfinite(true) else 0.0
    return low - slack <= true <= high + slack


def _explained(drawn: DrawnGpu, finding: Finding, by_metric: dict[str, Quantity]) -> list[Claimed]:
    """Whether the explanations that a finding leaves open contain the true one; none where it has none."""
    rule, _, metric = finding.id.rpartition(":")
    if finding.status is Status.INVALID or rule not in (SHARING, SLOWING):
        return []
    if rule == SLOWING:
        clock = drawn.held[by_metric[metric].probe].through_clock
        true = set(slowing.THROUGH_CLOCK) if clock else {slowing.TAKEN}
    else:
        both = drawn.pairs, parse(metric).subject, parse(metric).part
        true = {alternatives.PIPELINE} if share_pipe(*both) else set()
        true |= {alternatives.ISSUE_PORT} if share_port(*both) else set()
        true |= {alternatives.READ_PORT} if held_by_reads(*both) else set()
        true |= {alternatives.FRONT_END} if held_by_supply(*both) else set()
    return [Claimed(rule, finding.confidence, bool(true & set(finding.alternatives)), {})]


def _share_way(drawn: DrawnGpu, first: str, second: str) -> bool:
    """Whether something before their pipes serves both: the port, or what holds up a mix of them."""
    both = drawn.pairs, first, second
    return share_port(*both) or held_by_reads(*both) or held_by_supply(*both)


def _shared(drawn: DrawnGpu, first: str, second: str) -> bool:
    return share_pipe(drawn.pairs, first, second) or _share_way(drawn, first, second)


def _right(drawn: DrawnGpu, finding: Finding, by_metric: dict[str, Quantity]) -> bool | None:
    """Whether a finding is right; None where the device does not say, or the finding says nothing."""
    rule, _, metric = finding.id.rpartition(":")
    if rule == SHARING and finding.status is not Status.INVALID:
        name = parse(metric)
        return _shared(drawn, name.subject, name.part)
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
