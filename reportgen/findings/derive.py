"""From the quantities of a run to its findings.

Gates run first.  A number that breaks a physical limit becomes a finding of status `invalid` whose
sentence is the contradiction; numbers that do not fit each other keep their sentences and lose
confidence.  Every usable quantity gives one finding; rules add findings over several.
"""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives, gates
from reportgen.findings.claims import READ, claim_of
from reportgen.findings.confidence import confidence, inputs
from reportgen.findings.crosschecks import cross_check
from reportgen.findings.evidence import Evidence, gather, stated
from reportgen.findings.finding import Claim, CrossCheck, Finding, Verdict
from reportgen.findings.gates.record import Contradiction, Severity
from reportgen.findings.hypotheses import Conclusion, conclude, over_several
from reportgen.findings.metric import Kind, parse
from reportgen.findings.rules import Remark, remarks
from reportgen.findings.wording import general
from reportgen.findings.wording.names import noun
from reportgen.findings.wording.quantity import sentence
from reportgen.runs.schema import Run
from reportgen.status import USABLE, Status

ELSEWHERE = (Kind.RIDGE, *READ)
"""Kinds whose findings do not carry the hypothesis of their probe: it is about what a device does."""


def derive(run: Run, quantities: Iterable[Quantity]) -> tuple[Finding, ...]:
    """All findings of a run: one a quantity with a value or a bound, then those of the rules.

    Args:
        run: the manifest.
        quantities: what the analysis made of its samples, ridges included; ungated.
    """
    every = tuple(quantities)
    raw = gather(run, every)
    contradictions = gates.check(raw)
    passed = gather(run, gates.withhold(every, contradictions))
    failed = gates.by_metric(contradictions)
    conclusions = conclude(passed, contradictions)
    found: dict[str, Finding] = {}
    for quantity in raw.quantities:
        if quantity.status in USABLE or len(quantity.modes) > 1:
            evidence = passed if passed.usable(quantity.metric) is not None else raw
            name, probe = parse(quantity.metric), raw.probes.get(quantity.probe)
            alone = probe is not None and not over_several(probe) and name.kind not in ELSEWHERE
            conclusion = conclusions[quantity.probe] if alone else None
            one = _of_quantity(evidence, quantity, failed.get(quantity.metric, ()), conclusion)
            found[one.id] = one
    for remark in remarks(passed, conclusions):
        one = _of_remark(passed, remark, found)
        found[one.id] = one
    return tuple(found.values())


def _of_quantity(
    evidence: Evidence,
    quantity: Quantity,
    failed: tuple[Contradiction, ...],
    conclusion: Conclusion | None,
) -> Finding:
    limits = tuple(one.sentence() for one in failed if one.severity is Severity.LIMIT)
    checks = () if limits else cross_check(evidence, quantity)
    given = inputs(evidence, quantity, checks, failed)
    name = parse(quantity.metric)
    if not limits:
        text = sentence(evidence, quantity)
    elif stated(quantity):
        text = general.contradicted(noun(quantity.metric, evidence.title), quantity, limits)
    else:
        text = " ".join(limits)  # there is no number to show: that is what the gate says
    return Finding(
        id=quantity.metric,
        claim=claim_of(quantity.metric),
        sentence=text,
        status=Status.INVALID if limits else quantity.status,
        confidence=confidence(given),
        confidence_inputs=given,
        metrics=(quantity.metric,),
        probes=(quantity.probe,) if quantity.probe else (),
        points=quantity.points,
        alternatives=alternatives.boundary(evidence.run.device, name.subject)
        if name.kind is Kind.CAPACITY
        else (),
        checks=checks,
        contradictions=tuple(one.sentence() for one in failed),
        hypothesis=conclusion.hypothesis if conclusion else "",
        verdict=conclusion.verdict if conclusion else Verdict.UNDECIDED,
    )


def _of_remark(evidence: Evidence, remark: Remark, found: dict[str, Finding]) -> Finding:
    """A rule is as sure as the least sure quantity it rests on, less its own alternatives."""
    rests_on = [found[metric] for metric in remark.metrics if metric in found]
    doubts = float(len(remark.alternatives)) if remark.claim is Claim.INFERRED else 0.0
    if rests_on:
        weakest = min(rests_on, key=lambda finding: finding.confidence)
        given = weakest.confidence_inputs | {"alternatives": doubts}
        if remark.claim is Claim.INFERRED and "disturbed" in given:
            given["slowed"] = given.pop("disturbed")  # what is inferred is that something took longer
    else:
        given = {"machine_code": 1.0, "alternatives": doubts}
        if remark.samples:
            given["samples"] = float(remark.samples)
    quantities = [evidence.by_metric[metric] for metric in remark.metrics]
    status = Status.UNVERIFIED if given["machine_code"] < 1 else Status.OK
    if any(quantity.status is Status.CENSORED for quantity in quantities):
        status = Status.CENSORED
    checks: dict[tuple[str, str], CrossCheck] = {
        (check.channel, check.explanation): check for finding in rests_on for check in finding.checks
    }
    return Finding(
        id=remark.id,
        claim=remark.claim,
        sentence=remark.sentence,
        status=status,
        confidence=confidence(given),
        confidence_inputs=given,
        metrics=remark.metrics,
        probes=(remark.probe,)
        if remark.probe
        else tuple(dict.fromkeys(quantity.probe for quantity in quantities if quantity.probe)),
        points=tuple(dict.fromkeys(name for quantity in quantities for name in quantity.points)),
        alternatives=remark.alternatives,
        excluded=remark.excluded,
        checks=tuple(checks.values()),
        contradictions=tuple(dict.fromkeys(text for one in rests_on for text in one.contradictions)),
        hypothesis=remark.hypothesis,
        verdict=remark.verdict,
    )
