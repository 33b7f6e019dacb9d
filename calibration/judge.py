"""One simulated device, and whether each thing said about it is right."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from calibration.gpu_kinds import GpuKind
from calibration.kinds import Kind, kind_of
from reportgen.analysis.derive import quantities
from reportgen.analysis.quantity import Quantity
from reportgen.findings import interference
from reportgen.findings.derive import derive
from reportgen.findings.evidence import Evidence, gather, interval
from reportgen.findings.finding import Finding, Verdict
from reportgen.findings.metric import Kind as MetricKind
from reportgen.findings.metric import parse
from reportgen.roofline.ridges import ridges
from reportgen.status import Status
from tests.simulated import population
from tests.simulated.cpu import make_records
from tests.simulated.expected import true_value
from tests.simulated.hypotheses import true_verdict
from tests.simulated.ports import share_limit, share_ports
from tests.simulated.suite import with_core
from tests.simulated.truth import CpuTruth

ROUNDING = 1e-9
"""Relative; an end of an interval that is the truth itself holds it."""
LEAST = 1e-6
"""Of a value that may be nothing (an index) the rounding of this; a time of nanoseconds is a thousandth."""
TWO_MODES = 0.02
"""A mode is right within this ratio."""


@dataclass(frozen=True)
class Stated:
    """A closed interval and whether it holds the truth."""

    kind: Kind | GpuKind
    held: bool
    half: float
    """Half width over the value; for an interference index the half width itself."""


@dataclass(frozen=True)
class Claimed:
    """A finding, how sure it is said to be, and whether it is right."""

    kind: str
    confidence: float
    right: bool
    inputs: dict[str, float]


@dataclass(frozen=True)
class Paired:
    """What is said of two kinds of instructions, and what the port model says."""

    reading: str
    ports: bool
    """Whether some port serves both."""
    limit: bool
    """Whether something else serves both."""


@dataclass(frozen=True)
class Concluded:
    """How a hypothesis ended and how it should have."""

    analysis: str
    verdict: Verdict
    truth: Verdict


@dataclass
class Judged:
    """All that is said of one device."""

    intervals: list[Stated] = field(default_factory=list)
    findings: list[Claimed] = field(default_factory=list)
    pairs: list[Paired] = field(default_factory=list)
    hypotheses: list[Concluded] = field(default_factory=list)
    explained: list[Claimed] = field(default_factory=list)
    """Inferences that list explanations; right is one whose list has the true one."""


def judge(seed: int, rough: bool = False) -> Judged:
    """Device number `seed` of the population; `rough`: with troubles that intervals do not allow for."""
    truth = population.rough(seed) if rough else population.seeded(seed)
    run, columns, _ = make_records(truth, seed, with_core)
    table = pa.table(
        {
            name: pa.array(column).dictionary_encode() if column.dtype.kind == "O" else column
            for name, column in columns.items()
        }
    )
    found = quantities(run, table)
    found += ridges(found)
    evidence = gather(run, found)
    judged = Judged()
    by_metric = evidence.by_metric
    judged.intervals = [one for quantity in found if (one := _stated(truth, quantity)) is not None]
    conclusions: dict[str, Verdict] = {}
    for finding in derive(run, found):
        right = _right(truth, evidence, finding, by_metric)
        if right is not None:
            kind = name_of(finding)
            judged.findings.append(Claimed(kind, finding.confidence, right, finding.confidence_inputs))
        if finding.hypothesis:
            conclusions |= dict.fromkeys(finding.probes, finding.verdict)
    judged.pairs = _pairs(truth, evidence)
    for probe in run.probes:
        expected = true_verdict(truth, probe)
        if probe.id in conclusions and expected is not None:
            judged.hypotheses.append(Concluded(probe.analysis, conclusions[probe.id], expected))
    return judged


def _stated(truth: CpuTruth, quantity: Quantity) -> Stated | None:
    """A closed interval about something that the device defines."""
    kind = kind_of(quantity)
    if kind is None or quantity.value is None or quantity.low is None or quantity.high is None:
        return None
    true = true_value(truth, quantity)
    if true is None:
        return None
    half = (quantity.high - quantity.low) / 2
    if kind is not Kind.INTERFERENCE:
        half /= abs(quantity.value)
    return Stated(kind, _holds(quantity, true), half)


def _holds(quantity: Quantity, true: float) -> bool:
    low, high = interval(quantity)
    slack = ROUNDING * max(LEAST, abs(true)) if math.isfinite(true) else 0.0
    return low - slack <= true <= high + slack


def _right(
    truth: CpuTruth, evidence: Evidence, finding: Finding, by_metric: dict[str, Quantity]
) -> bool | None:
    """Whether a finding is right; None where the device does not say, or the finding says nothing."""
    rule, _, metric = finding.id.rpartition(":")
    if finding.status is Status.INVALID:
        return None  # shown as a contradiction, not as a result
    if rule == "sharing":
        name = parse(metric)
        return share_ports(truth, name.subject, name.part) or share_limit(truth, name.subject, name.part)
    if rule == "reported":
        return _reported(truth, finding, by_metric[metric])
    if rule:
        return None
    quantity = by_metric[metric]
    true = true_value(truth, quantity)
    if len(quantity.modes) > 1:
        return _modes(truth, quantity)
    return None if true is None else _holds(quantity, true)


def _reported(truth: CpuTruth, finding: Finding, quantity: Quantity) -> bool | None:
    """What the system reports agrees, or does not, with what is true."""
    told = {
        "memory.l1.capacity": truth.caches[0].size,
        "memory.l2.capacity": truth.caches[1].size,
        "memory.l3.capacity": truth.reported_l3,
        "memory.line": truth.line,
    }
    true = true_value(truth, quantity)
    disagree = "disagree" in finding.sentence
    return None if true is None else (told[quantity.metric] != true) is disagree


def _modes(truth: CpuTruth, quantity: Quantity) -> bool | None:
    """Two modes of a level with a far partition are right where they are its two latencies.

    Elsewhere they tell of a disturbance: that is right of the samples, and says nothing of the device.
    """
    name = parse(quantity.metric)
    far = truth.cache(name.subject).far if name.subject in ("l1", "l2", "l3") else 1.0
    near = true_value(truth, quantity)
    if name.kind is not MetricKind.LEVEL_LATENCY or far == 1.0 or near is None:
        return None
    pairs = zip(sorted(quantity.modes), (near, near * far), strict=True)
    return all(math.isclose(mode, true, rel_tol=TWO_MODES) for mode, true in pairs)


def name_of(finding: Finding) -> str:
    """What kind of finding it is, for the table."""
    rule, _, metric = finding.id.rpartition(":")
    return rule or parse(metric).kind.value


def _pairs(truth: CpuTruth, evidence: Evidence) -> list[Paired]:
    return [
        Paired(reading, share_ports(truth, *names), share_limit(truth, *names))
        for names, reading in paired(evidence)
    ]


def paired(evidence: Evidence) -> Iterator[tuple[tuple[str, str], str]]:
    """Pairs of two different kinds of instructions, and how their index is read."""
    for name, quantity in evidence.of_kind(MetricKind.INTERFERENCE):
        if name.subject != name.part:
            yield (name.subject, name.part), interference.read(evidence, quantity).name
