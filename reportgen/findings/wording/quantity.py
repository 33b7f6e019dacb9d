"""The sentence of one quantity: which builder belongs to which kind of metric."""

from __future__ import annotations

from typing import Any

from reportgen.analysis.interference import SCHEDULERS
from reportgen.analysis.quantity import Quantity
from reportgen.findings import interference
from reportgen.findings.claims import READ
from reportgen.findings.evidence import Evidence, central
from reportgen.findings.metric import UNDER_LOAD, Kind, MetricId, parse
from reportgen.findings.wording import (
    access,
    branches,
    communication,
    encoded,
    fetch,
    general,
    gpu,
    host_link,
    in_flight,
    instructions,
    intensity,
    memory,
    prefetch,
    replacement,
    sustained,
    synchronisation,
    vendor,
)
from reportgen.findings.wording.names import counted, kernel, level, noun, precision
from reportgen.status import Status

AT_FRONT_END = 0.97
"""From this share of the canary's best rate on (of the schedulers') a throughput is that of the front end."""


def sentence(evidence: Evidence, quantity: Quantity) -> str:
    """What the samples say of one metric, before gates: value with interval and n, bound, or modes."""
    name = parse(quantity.metric)
    phrase = noun(quantity.metric, evidence.title)
    if len(quantity.modes) > 1:
        return general.modes(phrase, quantity, of_the_body="repetition of the body" in quantity.reason)
    if quantity.status is Status.CENSORED and name.kind not in (Kind.THROUGHPUT, Kind.WARPS):
        if name.kind in gpu.OWN_BOUND:
            return gpu.at_least(name, quantity)
        if name.kind is Kind.LINK_RATE:
            return host_link.bound(name, quantity)
        return general.at_least(phrase, quantity)
    return _by_kind(evidence, name, quantity, phrase)


def _by_kind(evidence: Evidence, name: MetricId, quantity: Quantity, phrase: str) -> str:
    match name.kind:
        case Kind.LATENCY | Kind.THROUGHPUT | Kind.ISSUE_INTERVAL:
            text = _instruction(evidence, name, quantity)
        case Kind.INTERFERENCE:
            text = _pair(evidence, name, quantity)
        case Kind.CAPACITY:
            text = memory.capacity(name, quantity)
        case Kind.LINE:
            text = memory.line(quantity)
        case Kind.ASSOCIATIVITY:
            text = memory.associativity(name, quantity)
        case Kind.TLB_REACH:
            text = memory.tlb_reach(name, quantity)
        case Kind.LEVEL_LATENCY | Kind.LEVEL_TIME:
            text = memory.level_latency(name, quantity)
        case Kind.CHASE:
            text = memory.chase(name, quantity)
        case Kind.BANDWIDTH if evidence.gpu:
            text = gpu.bandwidth(name, quantity, kernel(name.part), counted(name.part, gpu=True))
        case Kind.BANDWIDTH:
            text = memory.bandwidth(name, quantity, evidence.run.device.cores)
        case Kind.PEAK | Kind.PEAK_PER_CYCLE:
            operation = quantity.details.get("operation", "")
            titled = evidence.title(operation) if operation else ""
            if evidence.gpu:
                text = gpu.peak(name, quantity, precision(name.subject), titled)
            else:
                text = memory.peak(name, quantity, titled)
        case _ if name.kind in UNDER_LOAD.values():
            operation = str(quantity.details.get("operation", ""))
            titled = evidence.title(operation) if operation else ""
            text = sustained.told(name, quantity, titled, evidence.gpu)
        case Kind.KERNEL:
            text = memory.library(
                name, quantity, ours=evidence.gpu and not name.subject.startswith("vendor_")
            )
        case Kind.RIDGE:
            text = memory.ridge(name, quantity, str(quantity.details.get("kernel", "")))
        case Kind.RIDGE_SEEN:
            text = intensity.observed(name, quantity)
        case Kind.OVERLAP:
            text = intensity.overlap(name, quantity)
        case Kind.WARPS:
            sentence_of = gpu.warps_bound if quantity.status is Status.CENSORED else gpu.warps
            text = sentence_of(evidence.title(name.subject), name, quantity)
        case _ if name.kind in gpu.BUILDERS:
            text = gpu.BUILDERS[name.kind](name, quantity)
        case _ if name.kind in READ:
            text = _read(evidence, name, quantity)
        case Kind.PARALLELISM:
            text = in_flight.parallelism(level(name.subject), quantity)
        case Kind.WINDOW:
            text = in_flight.measured(name, quantity)
        case _ if name.kind in branches.KINDS:
            text = branches.measured(name, quantity)
        case _ if name.kind in synchronisation.KINDS:
            text = synchronisation.measured(name, quantity)
        case _ if name.kind in communication.KINDS:
            text = communication.measured(name, quantity)
        case Kind.FETCH_CAPACITY:
            text = fetch.capacity(name, quantity)
        case Kind.FETCH_RATE:
            text = fetch.rate(name, quantity)
        case _ if name.kind in access.BUILDERS:
            text = access.BUILDERS[name.kind](name, quantity)
        case Kind.MISS_SHARE:
            text = replacement.measured(name, quantity)
        case _ if name.kind in prefetch.BUILDERS:
            text = prefetch.BUILDERS[name.kind](name, quantity)
        case Kind.VENDOR:
            text = vendor.ratio(name, quantity)
        case Kind.LINK_RATE | Kind.LINK_TIME:
            text = host_link.told(name, quantity)
        case _:
            text = general.plain(phrase, quantity)
    return text


def _read(evidence: Evidence, name: MetricId, quantity: Quantity) -> str:
    """What no device was asked for."""
    isa = evidence.run.device.isa
    builders = {
        Kind.ENCODED_LATENCY: encoded.latency,
        Kind.ENCODED_ISSUE: encoded.issue,
        Kind.ENCODED_WINDOW: encoded.window,
    }
    if name.kind in builders:
        return builders[name.kind](evidence.title(name.subject), quantity, isa)
    probe = evidence.probes.get(quantity.probe)
    title = probe.title if probe is not None and probe.title else name.subject
    if name.kind is Kind.OCCUPANCY:
        return encoded.occupancy(title, quantity, isa)
    return encoded.resource(name, title, quantity, isa)


def _instruction(evidence: Evidence, name: MetricId, quantity: Quantity) -> str:
    title = evidence.title(name.subject)
    probe = evidence.probes.get(quantity.probe)
    constants: dict[str, Any] = probe.constants if probe is not None else {}
    trivial = str(constants.get("trivial", ""))
    if name.kind is Kind.LATENCY:
        companions = [evidence.title(other) for other in constants.get("companions", ())]
        return instructions.latency(title, quantity, trivial, companions)
    if name.kind is Kind.THROUGHPUT and quantity.status is Status.CENSORED:
        return instructions.throughput_bound(title, quantity, trivial, gpu=evidence.gpu)
    if name.kind is Kind.THROUGHPUT:
        best = SCHEDULERS if evidence.gpu else evidence.run.sample_clock.canary_best
        at_front_end = central(quantity) >= AT_FRONT_END * best > 0
        return instructions.throughput(
            title, quantity, knee(quantity), trivial, at_front_end, gpu=evidence.gpu
        )
    return instructions.issue_interval(title, quantity, trivial, gpu=evidence.gpu)


def knee(quantity: Quantity) -> int | None:
    """Independent chains from which the plateau holds, when the analysis found them."""
    found = quantity.details.get("knee")
    return int(found) if isinstance(found, (int, float)) and found > 0 else None


def _pair(evidence: Evidence, name: MetricId, quantity: Quantity) -> str:
    first, second = evidence.title(name.subject), evidence.title(name.part)
    reading = interference.read(evidence, quantity)
    if reading.name == interference.SEPARATE:
        text = instructions.interference_not_detected(first, second, quantity)
    elif reading.name == interference.CANNOT_TELL:
        text = instructions.interference_undecided(first, second, quantity, reading.why)
    else:
        text = instructions.interference(first, second, quantity)
        text += instructions.another_proportion(reading.why)
    return text + instructions.arrangement(interference.arrangements(quantity))
