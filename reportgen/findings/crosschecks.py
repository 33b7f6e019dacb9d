"""The same quantity through another channel: it agrees, disagrees, or is absent, and says so.

Every finding about a quantity lists every channel.  `absent` has its reason: nothing was asked, nothing
answered, or what answered decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from reportgen.analysis.quantity import Quantity
from reportgen.findings import ridge_seen
from reportgen.findings.claims import READ
from reportgen.findings.evidence import Evidence, central, interval, stated
from reportgen.findings.finding import CrossCheck
from reportgen.findings.metric import Kind, MetricId, parse
from reportgen.findings.published import weighing
from reportgen.findings.published.library import library
from reportgen.findings.wording import checks, intensity
from reportgen.findings.wording.names import noun

AGREES, DISAGREES, ABSENT = "agrees", "disagrees", "absent"
ABOVE, BELOW = "above", "below"
"""Where a measurement of others lies against a lower bound that was read from machine code."""

OTHER_PROBE = "other probe"
OPERATING_SYSTEM = "operating system"
DRIVER = "driver"
"""What reports sizes: of a GPU its driver."""
COMPILER_ENCODED = "compiler-encoded"
COUNTER = "counter"
PUBLISHED = "published"
MEASURED = "measured"

CHANNELS = (OTHER_PROBE, OPERATING_SYSTEM, COMPILER_ENCODED, COUNTER, PUBLISHED)
"""In the order in which a finding lists them; of a GPU the driver takes the place of the system."""

REPORTED = {
    "memory.l1.capacity": "l1d_bytes",
    "memory.l2.capacity": "l2_bytes",
    "memory.l3.capacity": "l3_bytes",
    "memory.l1.associativity": "l1d_ways",
    "memory.line": "line_bytes",
    "fetch.l1i.capacity": "l1i_bytes",
}
"""Metric -> what the operating system or driver calls the same thing in `Device.reported`."""

TOLERANCE = 0.03
"""Two probes of one quantity agree up to this relative distance, or where their intervals overlap."""

OTHERWISE = frozenset({"texture"})
"""Load paths of a GPU that take their own time to a level: only a sweep by that path is another probe."""

LEVEL_TOLERANCE = {"l1": 0.03, "l2": 0.05, "l3": 0.15, "dram": 0.15}
"""Latencies of far levels move with page placement and with neighbours."""

_SAME_ACCESS = {
    "store_to_load.64_64.0.same_register": "latency.store_forward",
    "store_to_load.v128_v128.0.same_register": "latency.store_forward_128",
    "store_to_load.v256_v256.0.same_register": "latency.store_forward_256",
    "access.split.aligned.load_64_latency": "latency.l1_load",
    "access.split.aligned.load_64_interval": "issue_interval.l1_load",
    "access.split.aligned.load_128_interval": "issue_interval.l1_load_128",
    "access.split.aligned.load_256_interval": "issue_interval.l1_load_256",
    "access.split.line.load_256_interval": "issue_interval.l1_load_split_256",
    "access.split.aligned.store_64_interval": "issue_interval.store",
    "access.split.aligned.store_128_interval": "issue_interval.store_128",
    "access.split.aligned.store_256_interval": "issue_interval.store_256",
}
SAME_ACCESS = _SAME_ACCESS | {other: one for one, other in _SAME_ACCESS.items() if other != "latency.l1_load"}
"""Accesses that probes of instructions measure as well; the latency of a load is checked by its level."""

COUNTER_TOLERANCE = 0.10
"""A counter also sees what is around the timed body."""

ENCODED_SLACK = 0.25
"""Cycles by which a measured latency may miss the distance that its assembler keeps, a lower bound."""

ENCODED = "encoded.latency."
"""Stem of the metric that says what the machine code keeps between two dependent instructions."""


def cross_check(evidence: Evidence, quantity: Quantity) -> tuple[CrossCheck, ...]:
    """Every channel, with what it says of a quantity; a channel may say several things.

    Two modes are no number that another channel could agree with.
    """
    name = parse(quantity.metric)
    if not stated(quantity):
        return ()
    if name.kind in READ:
        return _of_code(evidence, quantity) if name.kind is Kind.ENCODED_LATENCY else ()
    phrase = noun(quantity.metric, evidence.title)
    probes = tuple(_probes(evidence, name, quantity))
    return (
        *(probes or (CrossCheck(OTHER_PROBE, ABSENT, checks.no_other_probe()),)),
        _system(evidence, quantity, phrase),
        _encoded(evidence, name, quantity),
        _counter(evidence, quantity),
        _published(evidence, quantity),
    )


def _of_code(evidence: Evidence, quantity: Quantity) -> tuple[CrossCheck, ...]:
    """A distance read from machine code against what others measured, and against this run's own measurement.

    It is a lower bound: a measurement above it may have another cause, one below it contradicts it.
    """
    probe = evidence.probes.get(quantity.probe)
    metric = probe.metric if probe is not None else quantity.metric
    measured = evidence.usable(metric)
    if measured is None:
        isa = evidence.run.device.isa
        own = CrossCheck(MEASURED, ABSENT, checks.not_measured(isa))
    else:
        below = interval(measured)[1] < central(quantity) - ENCODED_SLACK
        own = CrossCheck(MEASURED, BELOW if below else AGREES, checks.measured_too(measured))
    return _published_against_bound(evidence, quantity, metric), own


def _published_against_bound(evidence: Evidence, quantity: Quantity, metric: str) -> CrossCheck:
    """Agrees, above or below: where most of the figures that decide lie; in doubt the milder one."""
    weighed = weighing.weigh(evidence, msgspec.structs.replace(quantity, metric=metric))
    sources = library().sources
    sides: dict[str, list[checks.Cited]] = {AGREES: [], ABOVE: [], BELOW: []}
    shown = []
    for one in weighed:
        cited = (one.figure, sources[one.figure.source].short)
        if not one.decides:
            shown.append(cited)
        elif one.agrees:
            sides[AGREES].append(cited)
        else:
            sides[ABOVE if one.figure.ends[0] > central(quantity) else BELOW].append(cited)
    if not weighed:
        return CrossCheck(PUBLISHED, ABSENT, checks.no_figure())
    if not any(sides.values()):
        return CrossCheck(PUBLISHED, ABSENT, checks.figures_shown(shown))
    outcome = max(sides, key=lambda side: len(sides[side]))
    text = checks.against_bound(sides[AGREES], sides[ABOVE], sides[BELOW], shown)
    return CrossCheck(PUBLISHED, outcome, text)


def reported_size(evidence: Evidence, metric: str) -> float | None:
    """What the operating system reports for a metric, in its unit; None when it is silent."""
    said = evidence.run.device.reported.get(REPORTED.get(metric, ""))
    return float(said) if isinstance(said, (int, float)) and said > 0 else None


def within(quantity: Quantity, size: float) -> bool:
    """Whether a reported size lies in the measured interval, its ends included."""
    low, high = interval(quantity)
    return low <= size <= high


def _system(evidence: Evidence, quantity: Quantity, phrase: str) -> CrossCheck:
    who = DRIVER if evidence.gpu else OPERATING_SYSTEM
    size = reported_size(evidence, quantity.metric)
    if size is None:
        return CrossCheck(who, ABSENT, checks.not_reported(who))
    agrees = within(quantity, size)
    text = checks.reported(phrase, size, quantity, agrees, who)
    return CrossCheck(who, AGREES if agrees else DISAGREES, text)


def _encoded(evidence: Evidence, name: MetricId, quantity: Quantity) -> CrossCheck:
    """What the vendor's assembler keeps between two instructions: less than that cannot be measured.

    The stall that it keeps after an instruction is one warp's, and an issue interval that of all warps of a
    multiprocessor with its several schedulers: the one does not bound the other.
    """
    if name.kind is Kind.ISSUE_INTERVAL and evidence.gpu:
        return CrossCheck(COMPILER_ENCODED, ABSENT, checks.stall_of_one_warp())
    if name.kind not in (Kind.LATENCY, Kind.ISSUE_INTERVAL):
        return CrossCheck(COMPILER_ENCODED, ABSENT, checks.nothing_to_encode())
    bound = evidence.usable(ENCODED + name.subject) if name.kind is Kind.LATENCY else None
    if bound is None:
        return CrossCheck(COMPILER_ENCODED, ABSENT, checks.not_encoded(evidence.run.device.isa))
    above = central(quantity) - central(bound)
    agrees = interval(quantity)[1] >= interval(bound)[0] - ENCODED_SLACK
    text = checks.encoded(bound, above, ENCODED_SLACK, agrees)
    return CrossCheck(COMPILER_ENCODED, AGREES if agrees else DISAGREES, text)


def _counter(evidence: Evidence, quantity: Quantity) -> CrossCheck:
    """A metric `counter.<metric>` is the same quantity from hardware counters."""
    counted = evidence.usable(f"counter.{quantity.metric}")
    if counted is not None:
        gap = _gap(central(quantity), central(counted))
        agrees = gap <= COUNTER_TOLERANCE or _overlap(quantity, counted)
        text = checks.counter(counted, gap, COUNTER_TOLERANCE, agrees)
        return CrossCheck(COUNTER, AGREES if agrees else DISAGREES, text)
    said = evidence.run.counters
    silent = not said or said.startswith(("unsupported", "not_permitted"))
    return CrossCheck(COUNTER, ABSENT, checks.no_counter(said) if silent else checks.counters_not_used(said))


def _published(evidence: Evidence, quantity: Quantity) -> CrossCheck:
    """Agrees where at least half of the figures that decide do; absent where none decides."""
    weighed = weighing.weigh(evidence, quantity)
    sources = library().sources
    deciding = [one for one in weighed if one.decides]
    shown = [(one.figure, sources[one.figure.source].short) for one in weighed if not one.decides]
    if not weighed:
        text = checks.no_figure()
    elif not deciding:
        text = checks.figures_shown(shown)
    else:
        near = [(one.figure, sources[one.figure.source].short) for one in deciding if one.agrees]
        far = [(one.figure, sources[one.figure.source].short) for one in deciding if not one.agrees]
        room = weighing.tolerance(quantity.metric)
        slack = weighing.SLACK.get(parse(quantity.metric).kind, 0.0)
        text = checks.figures(near, far, shown, room, slack)
        return CrossCheck(PUBLISHED, AGREES if len(near) >= len(far) else DISAGREES, text)
    return CrossCheck(PUBLISHED, ABSENT, text)


def _probes(evidence: Evidence, name: MetricId, quantity: Quantity) -> Iterator[CrossCheck]:
    tolerance = LEVEL_TOLERANCE.get(name.subject, TOLERANCE)
    others = [other for other in evidence.repeated.get(quantity.metric, ()) if stated(other)]
    others += [found for metric in _counterparts(name) if (found := evidence.usable(metric)) is not None]
    for other in others:
        gap = _gap(central(quantity), central(other))
        agrees = gap <= tolerance or _overlap(quantity, other)
        text = checks.other_probe(other.probe, other, gap, tolerance, agrees)
        yield CrossCheck(OTHER_PROBE, AGREES if agrees else DISAGREES, text)
    if name.kind is Kind.RIDGE_SEEN and (ridge := ridge_seen.beside(evidence, name, quantity)) is not None:
        text = intensity.other_channel(ridge.predicted, ridge.gap, ridge.agrees)
        yield CrossCheck(OTHER_PROBE, AGREES if ridge.agrees else DISAGREES, text)
    if name.kind is Kind.PEAK_PER_CYCLE:
        yield from _peak_from_throughput(evidence, name, quantity)


def _counterparts(name: MetricId) -> tuple[str, ...]:
    """Metrics of other probes that mean the same."""
    match name.kind:
        case Kind.LEVEL_LATENCY if not name.pages:
            chase = f"chase.{name.subject}.latency"
            return (chase, "latency.l1_load") if name.subject == "l1" else (chase,)
        case Kind.CHASE if name.part in OTHERWISE:
            return (f"memory.{name.part}.{name.subject}.latency",)
        case Kind.CHASE:
            plain = (f"chase.{name.subject}.latency",) if name.part else ()
            return (f"memory.{name.subject}.latency", *plain)
        case Kind.LATENCY if name.subject == "l1_load":
            return ("memory.l1.latency",)
        case Kind.STORE_TO_LOAD | Kind.SPLIT | Kind.LATENCY | Kind.ISSUE_INTERVAL:
            found = SAME_ACCESS.get(name.text)
            return (found,) if found else ()
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
