"""Findings over several quantities, or over the run as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings import (
    alternatives,
    branch_ends,
    core_groups,
    fetch,
    forwarding,
    interference,
    prefetching,
    replacement,
    ridge_seen,
    slowing,
    window_resources,
)
from reportgen.findings.confidence import run_drift
from reportgen.findings.crosschecks import (
    DRIVER,
    LEVEL_TOLERANCE,
    OPERATING_SYSTEM,
    REPORTED,
    reported_size,
    within,
)
from reportgen.findings.evidence import Evidence, central, interval, stated
from reportgen.findings.finding import Claim, Verdict
from reportgen.findings.hypotheses import Conclusion, over_several
from reportgen.findings.metric import ALL_CORES, Kind, parse
from reportgen.findings.wording import (
    access,
    branches,
    communication,
    encoded,
    host_link,
    in_flight,
    instructions,
    intensity,
    names,
    rules,
    sustained,
)
from reportgen.status import Status

DRIFT_NOTICED = 0.01
"""Changes of the core clock below this are not called a drift."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a rule says, before its confidence is computed from the quantities it rests on."""

    id: str
    claim: Claim
    sentence: str
    metrics: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    samples: int = 0
    """Samples behind a remark that rests on no quantity."""
    probe: str = ""
    """Whose hypothesis it is; empty where the probes follow from the metrics."""
    hypothesis: str = ""
    verdict: Verdict = Verdict.UNDECIDED


def remarks(evidence: Evidence, conclusions: Mapping[str, Conclusion]) -> Iterator[Remark]:
    """Every remark that the run allows, in a stable order.

    Args:
        evidence: the run and its quantities, without those that a gate withheld.
        conclusions: how the hypothesis of each probe ended, by probe.
    """
    yield from _run(evidence)
    if evidence.run.toolchain_only:
        return
    yield from _hypotheses(evidence, conclusions)
    yield from _sharing(evidence)
    yield from _operands(evidence)
    yield from _reported(evidence)
    yield from _disagreeing_probes(evidence)
    yield from _pages(evidence)
    yield from _scaling(evidence)
    yield from _slowing(evidence)
    yield from _in_flight(evidence)
    yield from _staging(evidence)
    yield from _branches(evidence)
    yield from _ridges_seen(evidence)
    yield from _fetch(evidence)
    yield from _accesses(evidence)
    yield from _shared(evidence)
    yield from _replacement(evidence)
    for rule, text, metrics, left in prefetching.readings(evidence):
        yield Remark(rule, Claim.INFERRED, text, metrics, left)


def _run(evidence: Evidence) -> Iterator[Remark]:
    if evidence.run.toolchain_only:
        text = encoded.untimed(evidence.run.device.isa, len(evidence.run.probes))
        yield Remark("untimed:run", Claim.COMPILER_ENCODED, text)
        return
    accepted = sum(point.accepted for point in evidence.run.points)
    total = sum(point.total for point in evidence.run.points)
    if total > 0:
        text = rules.acceptance(accepted, total, evidence.gpu)
        yield Remark("acceptance:run", Claim.MEASURED, text, samples=total)
    settling = max((int(q.inputs.get("transient", 0)) for q in evidence.quantities), default=0)
    if settling:
        yield Remark("transients:run", Claim.MEASURED, rules.transients(settling), samples=accepted)
    change = run_drift(evidence)
    if change is not None and evidence.clock is not None:
        noticed = change > DRIFT_NOTICED
        text = rules.drift(change if noticed else DRIFT_NOTICED, *evidence.clock, noticed, evidence.gpu)
        yield Remark("drift:run", Claim.MEASURED, text, samples=accepted)


def _hypotheses(evidence: Evidence, conclusions: Mapping[str, Conclusion]) -> Iterator[Remark]:
    """Hypotheses about several metrics together, and of probes whose metrics another probe leads."""
    metrics: dict[str, list[str]] = {}
    for group in (evidence.quantities, *evidence.repeated.values()):
        for quantity in group:
            if stated(quantity):
                metrics.setdefault(quantity.probe, []).append(quantity.metric)
    leading = {quantity.probe for quantity in evidence.quantities}
    for probe in evidence.run.probes:
        homeless = over_several(probe) or probe.id not in leading
        if homeless and probe.id in metrics and probe.hypothesis:
            end = conclusions[probe.id]
            text = rules.hypothesis(probe.id, end.hypothesis, end.verdict, end.reason)
            yield Remark(
                f"hypothesis:{probe.id}",
                Claim.MEASURED,
                text,
                tuple(metrics[probe.id]),
                probe=probe.id,
                hypothesis=end.hypothesis,
                verdict=end.verdict,
            )


def _sharing(evidence: Evidence) -> Iterator[Remark]:
    for name, quantity in evidence.of_kind(Kind.INTERFERENCE):
        reading = interference.read(evidence, quantity)
        if name.subject == name.part or reading.name not in (interference.SHARED, interference.PARTLY):
            continue
        left, excluded = alternatives.weigh(evidence, quantity)
        first, second = evidence.title(name.subject), evidence.title(name.part)
        partly = reading.name == interference.PARTLY
        text = instructions.sharing(first, second, quantity, partly, excluded, reading.why)
        yield Remark(f"sharing:{name.text}", Claim.INFERRED, text, (name.text,), left, excluded)


def _operands(evidence: Evidence) -> Iterator[Remark]:
    """Pairs such as `fp64_div` and `fp64_div_nontrivial` (or `integer_div_trivial`)."""
    for name, quantity in evidence.of_kind(Kind.LATENCY):
        for mark, here_trivial in (("_nontrivial", True), ("_trivial", False)):
            other = evidence.usable(f"latency.{_marked(name.subject, mark)}")
            if other is None or mark in name.subject:
                continue
            trivial, rest = (quantity, other) if here_trivial else (other, quantity)
            if _apart(trivial, rest):
                text = instructions.operand_dependence(evidence.title(name.subject), trivial, rest)
                yield Remark(f"operands:{name.text}", Claim.MEASURED, text, (trivial.metric, rest.metric))


def _marked(operation: str, mark: str) -> str:
    stem, _, width = operation.rpartition("_")
    return f"{stem}{mark}_{width}" if stem and width.isdigit() else f"{operation}{mark}"


def _apart(first: Quantity, second: Quantity) -> bool:
    (low, high), (other_low, other_high) = interval(first), interval(second)
    return high < other_low or other_high < low


def _reported(evidence: Evidence) -> Iterator[Remark]:
    for metric in REPORTED:
        quantity, size = evidence.usable(metric), reported_size(evidence, metric)
        if quantity is None or size is None:
            continue
        agrees = within(quantity, size)
        who = DRIVER if evidence.gpu else OPERATING_SYSTEM
        name = parse(metric)
        if name.kind is Kind.LINE:
            text = rules.reported_line(size, quantity, agrees, who)
        elif name.kind is Kind.ASSOCIATIVITY:
            text = rules.reported_ways(names.level(name.subject), size, quantity, agrees, who)
        else:
            text = rules.reported_capacity(names.level(name.subject), size, quantity, agrees, who)
        left = () if agrees else alternatives.reported(evidence.run.device, name.subject)
        yield Remark(f"reported:{metric}", Claim.MEASURED, text, (metric,), left)


def _disagreeing_probes(evidence: Evidence) -> Iterator[Remark]:
    for name, quantity in evidence.of_kind(Kind.LEVEL_LATENCY):
        other = evidence.usable(f"chase.{name.subject}.latency")
        if name.pages or other is None:
            continue
        gap = abs(central(quantity) - central(other)) / max(central(quantity), central(other))
        if gap > LEVEL_TOLERANCE.get(name.subject, 0.0) and _apart(quantity, other):
            text = rules.probes_disagree(names.noun(name.text, evidence.title), quantity, other)
            yield Remark(f"probes:{name.text}", Claim.MEASURED, text, (name.text, other.metric))


def _pages(evidence: Evidence) -> Iterator[Remark]:
    for name, small in evidence.of_kind(Kind.LEVEL_LATENCY):
        huge = evidence.usable(name.text.removesuffix("_4k"))
        if not name.pages or huge is None or not _huge_granted(evidence, huge):
            continue
        if interval(small)[0] > interval(huge)[1]:
            text = rules.small_pages(name.subject, small, huge)
            left = alternatives.PAGES
            yield Remark(f"pages:{huge.metric}", Claim.INFERRED, text, (name.text, huge.metric), left)
        elif not _apart(small, huge):
            text = rules.small_pages_not_detected(name.subject, small, huge)
            yield Remark(f"pages:{huge.metric}", Claim.MEASURED, text, (name.text, huge.metric))


def _huge_granted(evidence: Evidence, quantity: Quantity) -> bool:
    """Whether the kernel gave huge pages to any point behind a quantity."""
    points = (evidence.points.get(name) for name in quantity.points)
    granted = (point.facts.get("huge_bytes", 0) for point in points if point is not None)
    return any(isinstance(size, (int, float)) and size > 0 for size in granted)


def _slowing(evidence: Evidence) -> Iterator[Remark]:
    """A rate that fell under load, with what the clock excludes as an explanation."""
    for name, ratio in evidence.of_kind(Kind.SUSTAINED_RATIO):
        if slowing.slowed(ratio):
            left, excluded = slowing.weigh(ratio)
            what = names.precision(name.subject)
            with_the_clock = slowing.TAKEN not in left or not excluded
            text = sustained.slowing(what, ratio, with_the_clock, excluded)
            yield Remark(f"slowing:{name.text}", Claim.INFERRED, text, (name.text,), left, excluded)


def _in_flight(evidence: Evidence) -> Iterator[Remark]:
    """Which resource a count of instructions in flight fits, with what other counts exclude."""
    for name, quantity in evidence.of_kind(Kind.WINDOW):
        if quantity.status is not Status.CENSORED and name.subject in window_resources.TAKES:
            left, excluded = window_resources.weigh(evidence, name.subject, quantity)
            text = in_flight.explained(name, quantity, window_resources.own(name.subject), excluded)
            yield Remark(f"resource:{name.text}", Claim.INFERRED, text, (name.text,), left, excluded)


def _staging(evidence: Evidence) -> Iterator[Remark]:
    """Why copies of pageable memory are slower than those of page-locked memory."""
    for name, pageable in evidence.of_kind(Kind.LINK_RATE):
        metric = name.text.replace(f".{host_link.PAGEABLE}", ".")
        locked = evidence.usable(metric) if metric != name.text else None
        if locked is None:
            continue
        if pageable.high is not None and pageable.high < interval(locked)[0]:
            text = host_link.staging(name, pageable, locked)
            metrics = (name.text, locked.metric)
            yield Remark(f"staging:{name.text}", Claim.INFERRED, text, metrics, host_link.STAGING)


def _branches(evidence: Evidence) -> Iterator[Remark]:
    """What an end of the rate of taken branches fits, and what the depth of nested calls does."""
    for name, quantity in evidence.of_kind(Kind.BRANCH_END):
        if quantity.status is Status.CENSORED:
            continue
        reading = branch_ends.read(evidence, name, quantity)
        metrics: tuple[str, ...] = (name.text,)
        if reading.counts:
            text = branches.of_count(name, reading.by_count)
        elif reading.bytes:
            code = branch_ends.straight(evidence, name, quantity)
            metrics += (code.metric,) if code is not None else ()
            text = branches.of_bytes(name, reading.by_bytes, quantity, branch_ends.size(name), code)
        else:
            continue
        yield Remark(f"holds:{name.text}", Claim.INFERRED, text, metrics, reading.left, reading.excluded)
    for name, quantity in evidence.of_kind(Kind.RETURN_DEPTH):
        if quantity.status is not Status.CENSORED:
            text = branches.returns(quantity)
            yield Remark(f"holds:{name.text}", Claim.INFERRED, text, (name.text,), branch_ends.RETURNS)


def _ridges_seen(evidence: Evidence) -> Iterator[Remark]:
    """A ridge that a stream shows beside the one that peak and bandwidth give."""
    for name, seen in evidence.of_kind(Kind.RIDGE_SEEN):
        one = ridge_seen.beside(evidence, name, seen)
        if one is not None:
            shares = (one.share_of_peak, one.share_of_bandwidth)
            text = intensity.beside(name, seen, one.predicted, *shares, one.agrees)
            left = () if one.agrees else intensity.causes(*shares)
            yield Remark(f"ridge:{name.text}", Claim.MEASURED, text, (name.text, *one.metrics), left)


def _fetch(evidence: Evidence) -> Iterator[Remark]:
    """What the boundaries of instruction supply are consistent with."""
    for name, _, text, left, excluded in fetch.readings(evidence):
        yield Remark(f"resource:{name.text}", Claim.INFERRED, text, (name.text,), left, excluded)


def _replacement(evidence: Evidence) -> Iterator[Remark]:
    """Which simulated policies fit the shares of misses of a level's sets."""
    for level, claim, text, metrics, left in replacement.readings(evidence):
        yield Remark(f"replacement:{level}", claim, text, metrics, left)


def _accesses(evidence: Evidence) -> Iterator[Remark]:
    """Groups of latencies from store to load, what a short loop changes, and stores that look alike."""
    told = forwarding.explained(evidence)
    if told:
        metrics = tuple(quantity.metric for _, some in told for quantity in some)
        text, left = access.groups(told), forwarding.GROUP_ALTERNATIVES
        yield Remark("store_to_load:groups", Claim.INFERRED, text, metrics, left)
    learnt = forwarding.learnt(evidence)
    if learnt:
        metrics = tuple(quantity.metric for pair in learnt for quantity in pair)
        yield Remark(
            "store_to_load:learnt", Claim.INFERRED, access.learnt(learnt), metrics,
            forwarding.LEARNT_ALTERNATIVES,
        )  # fmt: skip
    slower, others = forwarding.alike(evidence)
    if slower:
        metrics = tuple(quantity.metric for quantity in (*slower, *others))
        yield Remark(
            "access.alias:low_bits", Claim.INFERRED, access.looks_alike(slower, others), metrics,
            forwarding.ALIKE_ALTERNATIVES,
        )  # fmt: skip


def _shared(evidence: Evidence) -> Iterator[Remark]:
    """Groups of cores by the time between them, and lines that disturb their neighbours."""
    for name, quantity in evidence.of_kind(Kind.TRANSFER):
        if not name.part and (found := core_groups.groups(quantity)) is not None:
            text, metrics = communication.groups(*found), (name.text,)
            left = core_groups.GROUP_ALTERNATIVES
            yield Remark(f"groups:{name.text}", Claim.INFERRED, text, metrics, left)
    for name, quantity, beside in core_groups.pairs_of_lines(evidence):
        text, metrics = communication.pair_of_lines(name, quantity, beside), (name.text,)
        yield Remark(f"pairs:{name.text}", Claim.INFERRED, text, metrics, core_groups.PAIR_ALTERNATIVES)


def _scaling(evidence: Evidence) -> Iterator[Remark]:
    cores = evidence.run.device.cores
    for name, together in evidence.of_kind(Kind.BANDWIDTH):
        alone = evidence.usable(name.text.removesuffix(f".{ALL_CORES}"))
        if name.scope != ALL_CORES or alone is None or cores < 2:
            continue
        text = rules.scaling(name.subject, name.part, alone, together, cores)
        yield Remark(f"scaling:{alone.metric}", Claim.MEASURED, text, (alone.metric, name.text))
