"""The same quantity through another channel: it agrees, disagrees, or is absent, and says so."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval, stated
from reportgen.findings.finding import CrossCheck
from reportgen.findings.metric import Kind, MetricId, parse
from reportgen.findings.wording import checks
from reportgen.findings.wording.names import noun

AGREES, DISAGREES, ABSENT = "agrees", "disagrees", "absent"

OTHER_PROBE = "other probe"
OPERATING_SYSTEM = "operating system"
COUNTER = "counter"
PUBLISHED = "published"

REPORTED = {
    "memory.l1.capacity": "l1d_bytes",
    "memory.l2.capacity": "l2_bytes",
    "memory.l3.capacity": "l3_bytes",
    "memory.line": "line_bytes",
}
"""Metric -> what the operating system calls the same thing in `Device.reported`."""

TOLERANCE = 0.03
"""Two probes of one quantity agree up to this relative distance, or where their intervals overlap."""

LEVEL_TOLERANCE = {"l1": 0.03, "l2": 0.05, "l3": 0.15, "dram": 0.15}
"""Latencies of far levels move with page placement and with neighbours."""

_COUNTABLE = frozenset({Kind.LATENCY, Kind.THROUGHPUT, Kind.INTERFERENCE, Kind.LEVEL_LATENCY, Kind.BANDWIDTH})
_PUBLISHABLE = frozenset({Kind.LATENCY, Kind.THROUGHPUT, Kind.CAPACITY, Kind.LEVEL_LATENCY, Kind.PEAK})


def cross_check(evidence: Evidence, quantity: Quantity) -> tuple[CrossCheck, ...]:
    """Every channel that could speak of a quantity, with what it says."""
    name = parse(quantity.metric)
    phrase = noun(quantity.metric, evidence.title)
    found = list(_probes(evidence, name, quantity))
    if not found:
        found.append(CrossCheck(OTHER_PROBE, ABSENT, checks.no_other_probe(phrase)))
    if quantity.metric in REPORTED:
        found.append(_system(evidence, quantity, phrase))
    if name.kind in _COUNTABLE:
        said = evidence.run.counters
        absent = not said or said.startswith(("unsupported", "not_permitted"))
        explanation = checks.no_counter(said) if absent else checks.counters_not_used(said)
        found.append(CrossCheck(COUNTER, ABSENT, explanation))
    if name.kind in _PUBLISHABLE:
        found.append(CrossCheck(PUBLISHED, ABSENT, checks.no_figure(phrase)))
    return tuple(found)


def reported_size(evidence: Evidence, metric: str) -> float | None:
    """What the operating system reports for a metric, in bytes; None when it is silent."""
    said = evidence.run.device.reported.get(REPORTED.get(metric, ""))
    return float(said) if isinstance(said, (int, float)) and said > 0 else None


def within(quantity: Quantity, size: float) -> bool:
    """Whether a reported size lies in the measured interval, its ends included."""
    low, high = interval(quantity)
    return low <= size <= high


def _system(evidence: Evidence, quantity: Quantity, phrase: str) -> CrossCheck:
    size = reported_size(evidence, quantity.metric)
    if size is None:
        return CrossCheck(OPERATING_SYSTEM, ABSENT, checks.not_reported(phrase))
    agrees = within(quantity, size)
    text = checks.reported(phrase, size, quantity, agrees)
    return CrossCheck(OPERATING_SYSTEM, AGREES if agrees else DISAGREES, text)


def _probes(evidence: Evidence, name: MetricId, quantity: Quantity) -> Iterator[CrossCheck]:
    tolerance = LEVEL_TOLERANCE.get(name.subject, TOLERANCE)
    others = [other for other in evidence.repeated.get(quantity.metric, ()) if stated(other)]
    others += [found for metric in _counterparts(name) if (found := evidence.usable(metric)) is not None]
    for other in others:
        gap = _gap(central(quantity), central(other))
        agrees = gap <= tolerance or _overlap(quantity, other)
        text = checks.other_probe(other.probe, other, gap, tolerance, agrees)
        yield CrossCheck(OTHER_PROBE, AGREES if agrees else DISAGREES, text)
    if name.kind is Kind.PEAK_PER_CYCLE:
        yield from _peak_from_throughput(evidence, name, quantity)


def _counterparts(name: MetricId) -> tuple[str, ...]:
    """Metrics of other probes that mean the same."""
    match name.kind:
        case Kind.LEVEL_LATENCY if not name.pages:
            chase = f"chase.{name.subject}.latency"
            return (chase, "latency.l1_load") if name.subject == "l1" else (chase,)
        case Kind.CHASE:
            return (f"memory.{name.subject}.latency",)
        case Kind.LATENCY if name.subject == "l1_load":
            return ("memory.l1.latency",)
    return ()


def _peak_from_throughput(evidence: Evidence, name: MetricId, quantity: Quantity) -> Iterator[CrossCheck]:
    """The peak per cycle against the best throughput of its precision times the work of an instruction."""
    best, operation = 0.0, ""
    for probe in evidence.run.probes:
        work = probe.constants.get("op" if quantity.unit.startswith("OP") else "flop", 0)
        rate = evidence.usable(f"throughput.{probe.operation}") if probe.operation else None
        if rate is None or not isinstance(work, (int, float)):
            continue
        if probe.constants.get("precision") == name.subject and central(rate) * work > best:
            best, operation = central(rate) * work, probe.operation
    if best > 0:
        gap = _gap(central(quantity), best)
        text = checks.throughput_times_work(operation, best, quantity.unit, gap, TOLERANCE)
        yield CrossCheck(OTHER_PROBE, AGREES if gap <= TOLERANCE else DISAGREES, text)


def _gap(first: float, second: float) -> float:
    largest = max(abs(first), abs(second))
    return abs(first - second) / largest if largest > 0 else 0.0


def _overlap(first: Quantity, second: Quantity) -> bool:
    low, high = interval(first)
    other_low, other_high = interval(second)
    return low <= other_high and other_low <= high
