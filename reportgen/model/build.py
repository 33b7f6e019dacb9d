"""From quantities and findings to the architecture model.

A number that a gate withheld appears with status `invalid` and its reason, never with its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reportgen import __version__
from reportgen.analysis.quantity import Quantity
from reportgen.findings import alternatives, interference
from reportgen.findings.claims import claim_of
from reportgen.findings.evidence import Evidence, gather
from reportgen.findings.finding import Finding
from reportgen.findings.metric import LEVELS, Kind, MetricId, parse
from reportgen.findings.wording.instructions import competitors
from reportgen.findings.wording.quantity import knee
from reportgen.model.architecture import (
    MODEL_SCHEMA,
    Architecture,
    Ceiling,
    Fact,
    Instruction,
    Interference,
    Level,
)
from reportgen.model.resources import infer
from reportgen.roofline.ceilings import ceilings
from reportgen.runs.schema import Run
from reportgen.status import USABLE, Status

TENSOR = "tensor."
"""What metrics of the matrix instructions of a GPU begin with."""

EXECUTION = ("execution.", "occupancy.", "barrier.", "fence.", "atomic.", "divergence.")
"""What metrics of a GPU's execution resources begin with, and of what waits for them."""
SHAPE = re.compile(r"_m(\d+)n(\d+)k(\d+)(?=_|$)")
"""In the name of a matrix product: `mma_m16n8k16_f16_f32`."""

OPERATION_FAMILIES = ("instruction_latency", "instruction_throughput", "tensor_operations")
"""Families whose probes are about one operation."""


def build(run: Run, quantities: Iterable[Quantity], findings: Iterable[Finding]) -> Architecture:
    """The model of one run.

    Args:
        run: the manifest.
        quantities: all quantities, ridges included; withheld by gates or not.
        findings: what `reportgen.findings.derive` made of them.
    """
    known = {finding.id: finding for finding in findings}
    evidence = gather(run, quantities)
    facts = {q.metric: _fact(q, known.get(q.metric)) for q in evidence.quantities}
    readable = gather(run, (q for q in evidence.quantities if facts[q.metric].status in USABLE))
    return Architecture(
        schema=MODEL_SCHEMA,
        device=run.device.id,
        name=run.title,
        isa=run.device.isa,
        run=run.run,
        created=run.created,
        suite=run.suite.get("version", ""),
        environment=run.environment,
        instructions=tuple(_instructions(evidence, readable, facts, known)),
        interference=tuple(_interference(evidence, readable, facts)),
        memory=tuple(_levels(facts)),
        ceilings=tuple(_ceilings(readable, facts)),
        ridges=tuple(_of_kind(facts, Kind.RIDGE)),
        facts=tuple(facts[metric] for metric in sorted(facts)),
        supersedes=run.supersedes,
        resources=infer(readable),
        execution=tuple(fact for metric, fact in sorted(facts.items()) if metric.startswith(EXECUTION)),
        reportgen=__version__,
        multiprocessors=run.device.cores if run.device.gpu else 0,
    )


def _fact(quantity: Quantity, finding: Finding | None) -> Fact:
    withheld = finding is not None and finding.status is Status.INVALID
    status = Status.INVALID if withheld else quantity.status
    usable = status in USABLE
    several = not withheld and len(quantity.modes) > 1  # two groups are a result, though no single number
    return Fact(
        metric=quantity.metric,
        unit=quantity.unit,
        status=status,
        claim=finding.claim if finding is not None else claim_of(quantity.metric),
        confidence=finding.confidence if finding is not None and (usable or several) else 0.0,
        value=quantity.value if usable else None,
        low=quantity.low if usable else None,
        high=quantity.high if usable else None,
        n=quantity.n,
        modes=() if withheld else quantity.modes,
        reason=" ".join(finding.contradictions) if finding is not None and withheld else quantity.reason,
        method=quantity.method,
        probe=quantity.probe,
    )


def _of_kind(facts: dict[str, Fact], *kinds: Kind) -> list[Fact]:
    return [fact for metric, fact in sorted(facts.items()) if parse(metric).kind in kinds]


def _instructions(
    evidence: Evidence, readable: Evidence, facts: dict[str, Fact], findings: dict[str, Finding]
) -> Iterator[Instruction]:
    partners = _partners(readable)
    for operation, probe in evidence.asked.items():
        if probe.family not in OPERATION_FAMILIES:
            continue
        stem = TENSOR if probe.metric.startswith(TENSOR) else ""
        throughput = evidence.by_metric.get(f"{stem}throughput.{operation}")
        flop = probe.constants.get("flop", 0.0)
        yield Instruction(
            operation=operation,
            title=evidence.title(operation),
            form=str(probe.constants.get("form", "")),
            dependent_latency=facts.get(f"{stem}latency.{operation}"),
            issue_interval=facts.get(f"{stem}issue_interval.{operation}"),
            throughput=facts.get(f"{stem}throughput.{operation}"),
            knee=knee(throughput) if throughput is not None and throughput.status in USABLE else None,
            likely_pipeline=_likely_pipeline(partners.get(operation, []), findings),
            flop=float(flop) if isinstance(flop, (int, float)) else 0.0,
            group=str(probe.constants.get("group", "")),
            shape=_shape(operation),
            encoded_latency=facts.get(f"encoded.latency.{operation}"),
            encoded_issue=facts.get(f"encoded.issue.{operation}"),
        )


def _shape(operation: str) -> tuple[int, ...]:
    """m, n, k in the name of a matrix product."""
    match = SHAPE.search(operation)
    return tuple(int(size) for size in match.groups()) if match is not None else ()


def _partners(evidence: Evidence) -> dict[str, list[tuple[str, str]]]:
    """Operation -> (other operation, interference metric) of the pairs that read as shared."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, quantity in evidence.of_kind(Kind.INTERFERENCE):
        if name.subject == name.part:
            continue
        if interference.read(evidence, quantity).name == interference.SHARED:
            found.setdefault(name.subject, []).append((name.part, name.text))
            found.setdefault(name.part, []).append((name.subject, name.text))
    return found


def _likely_pipeline(partners: list[tuple[str, str]], findings: dict[str, Finding]) -> str:
    """Competitors in words; an alternative counts as excluded when it is for every one of the pairs."""
    others = sorted(dict.fromkeys(other for other, _ in partners))
    sharing = [findings[key] for _, metric in partners if (key := f"sharing:{metric}") in findings]
    open_ones = {one for finding in sharing for one in finding.alternatives}
    left = tuple(one for one in alternatives.ALL if one in open_ones or not sharing)
    return competitors(others, left)


def _interference(evidence: Evidence, readable: Evidence, facts: dict[str, Fact]) -> Iterator[Interference]:
    """Every pair with a usable index, read as its finding is: with all probes that measured the pair."""
    for name, quantity in readable.of_kind(Kind.INTERFERENCE):
        reading = interference.read(evidence, quantity).name
        yield Interference(first=name.subject, second=name.part, index=facts[name.text], reading=reading)


_PER_LEVEL = (
    Kind.CAPACITY,
    Kind.LEVEL_LATENCY,
    Kind.LEVEL_TIME,
    Kind.ASSOCIATIVITY,
    Kind.CHASE,
    Kind.PARALLELISM,
)


def _levels(facts: dict[str, Fact]) -> Iterator[Level]:
    """Levels of the hierarchy of which the run knows anything, from the core outwards."""
    for level in LEVELS:
        own: dict[str, Fact] = {}
        bandwidth: dict[str, Fact] = {}
        for metric, fact in sorted(facts.items()):
            name = parse(metric)
            if name.kind is Kind.LINE and level == LEVELS[0]:
                own["line"] = fact
            elif name.subject == level and name.kind in _PER_LEVEL:
                own[_key(name)] = fact
            elif name.subject == level and name.kind is Kind.BANDWIDTH:
                bandwidth[f"{name.part}.{name.scope}" if name.scope else name.part] = fact
        if own or bandwidth:
            yield Level(name=level, facts=own, bandwidth=bandwidth)


def _key(name: MetricId) -> str:
    last = name.text.rpartition(".")[2]
    if name.kind is Kind.CHASE:
        return f"chase_{name.part}_{last}" if name.part else f"chase_{last}"
    return last


def _ceilings(evidence: Evidence, facts: dict[str, Fact]) -> Iterator[Ceiling]:
    """Roofs of one core: peaks, then of each level its fastest ordinary kernel."""
    for roof in ceilings(evidence.quantities):
        name = parse(roof.metric)
        if name.kind is Kind.PEAK:
            yield Ceiling(name=name.subject, kind="compute", fact=facts[roof.metric])
        else:
            yield Ceiling(name=f"{name.subject} {name.part}", kind="memory", fact=facts[roof.metric])
