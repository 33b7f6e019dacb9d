"""How the hypothesis of each probe ends, by one stated rule an analysis.

A hypothesis is `supported` or `not supported` only where the rule can be evaluated on numbers that
passed the gates; everything else is `undecided`, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.sustained import SETTLED
from reportgen.findings import (
    alternatives,
    hypotheses_access,
    hypotheses_bandwidth,
    hypotheses_branches,
    hypotheses_communication,
    hypotheses_gpu,
    hypotheses_intensity,
    hypotheses_link,
    hypotheses_prefetch,
    hypotheses_replacement,
    hypotheses_synchronisation,
    interference,
)
from reportgen.findings.endings import EQUAL_WITHIN, YES, Case, Ending, Rule, no, nothing, undecided
from reportgen.findings.evidence import Evidence, central, interval, stated
from reportgen.findings.finding import Verdict
from reportgen.findings.gates.record import Contradiction
from reportgen.findings.hypotheses_by_words import BY_WORDS
from reportgen.findings.metric import Kind, parse
from reportgen.roofline.points import precision_of
from reportgen.runs.schema import ProbeInfo
from reportgen.status import Status

LINEAR_WITHIN = 0.02
"""Largest residual of a slope, relative to the fitted value, that still counts as a straight line."""

WHOLE_WITHIN = 0.02
"""Cycles by which a latency may miss a whole number."""

LEAST_PARALLEL = 2.0
"""Loads under way at once, at least, where loads are called parallel."""

ROOF_ROOM = 1.05
"""A library routine may exceed a measured roof by this before the hypothesis falls."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How the hypothesis of one probe ends."""

    probe: str
    hypothesis: str
    verdict: Verdict
    rule: str
    """The rule of its analysis, in words."""
    reason: str = ""
    """Why it ended so, where the rule alone does not say."""


WITHOUT_A_NUMBER = frozenset({"slope", "banks", "bulk", "waits", "meeting", "divergence", "false_sharing"})
"""Analyses that refuse a number where the hypothesis fails: their rules look at what was refused."""

_ELSEWHERE = (
    hypotheses_gpu.RULES
    | hypotheses_access.RULES
    | hypotheses_link.RULES
    | hypotheses_replacement.RULES
    | hypotheses_prefetch.RULES
)
OVER_SEVERAL = frozenset(
    {
        "working_set",
        "pointer_chase",
        "bandwidth",
        "sustained",
        "library",
        "window",
        "footprint",
        "taken_branches",
        "intensity",
    }
) | frozenset(_ELSEWHERE | hypotheses_synchronisation.RULES | hypotheses_communication.RULES)
"""Analyses whose hypothesis is about all of their metrics together, not about each."""


def over_several(probe: ProbeInfo) -> bool:
    """Whether the hypothesis of a probe is about several metrics together: then none carries it alone."""
    if probe.analysis == "interference":
        return "expects" not in probe.constants
    return probe.analysis in OVER_SEVERAL


def conclude(evidence: Evidence, contradictions: Iterable[Contradiction] = ()) -> dict[str, Conclusion]:
    """Probe id -> how its hypothesis ends, for every probe of the run."""
    every: dict[str, list[Quantity]] = {}
    for group in (evidence.quantities, *evidence.repeated.values()):
        for quantity in group:
            every.setdefault(quantity.probe, []).append(quantity)
    breaches = tuple(contradictions)
    found = {}
    for probe in evidence.run.probes:
        own = every.get(probe.id, [])
        names = {quantity.metric for quantity in own}
        case = Case(
            evidence=evidence,
            probe=probe,
            quantities=[quantity for quantity in own if stated(quantity)],
            refused=[quantity for quantity in own if not stated(quantity)],
            failed=frozenset(one.gate for one in breaches if names & set(one.metrics)),
            refuted=frozenset(one.gate for one in breaches if names >= set(one.metrics)),
        )
        rule, judge = _rule_of(probe)
        if evidence.run.toolchain_only:
            judge = _untimed
        ready = case.quantities or probe.analysis in WITHOUT_A_NUMBER
        verdict, reason = judge(case) if ready else nothing(case)
        found[probe.id] = Conclusion(probe.id, probe.hypothesis, verdict, rule, reason)
    return found


def _rule_of(probe: ProbeInfo) -> Rule:
    """The rule of a probe's analysis, unless the words of its hypothesis ask for another."""
    for analysis, words, rule in BY_WORDS:
        if probe.analysis == analysis and words in probe.hypothesis:
            return rule
    return RULES.get(probe.analysis, _NO_RULE)


def _untimed(case: Case) -> Ending:
    """Hypotheses are about what a device does."""
    isa = case.evidence.run.device.isa
    return undecided(f"nothing was measured on a device; deciding it takes a run on a GPU of {isa}")


def _slope(case: Case) -> Ending:
    residuals = [
        residual for q in (*case.quantities, *case.refused) if (residual := _residual(q)) is not None
    ]
    if residuals and max(residuals) > LINEAR_WITHIN:
        return no(f"the line misses a point by {100 * max(residuals):.1f} %")
    if not case.quantities:
        return nothing(case)
    if not residuals:
        return undecided("fewer than three lengths do not show whether the line is straight")
    quantity = case.quantities[0]
    if "whole number" in case.probe.hypothesis:
        value, (low, high) = central(quantity), interval(quantity)
        nearest = round(value)
        if not (low <= nearest <= high or abs(value - nearest) <= WHOLE_WITHIN):
            return no(f"{value:.3f} is not a whole number of cycles")
    return YES


def _residual(quantity: Quantity) -> float | None:
    """Largest relative distance of a point from the line; also where it was too large for a value."""
    if "linearity" in quantity.inputs:
        return quantity.inputs["linearity"]
    steps, cycles = quantity.details.get("length", ()), quantity.details.get("cycles", ())
    slope, intercept = quantity.details.get("slope"), quantity.details.get("intercept")
    if len(steps) < 3 or slope is None or intercept is None:
        return None
    return max(abs(float(y / (intercept + slope * x)) - 1) for x, y in zip(steps, cycles, strict=True))


def _plateau(case: Case) -> Ending:
    for quantity in case.quantities:
        if parse(quantity.metric).kind is Kind.THROUGHPUT:
            if quantity.status is Status.CENSORED:
                return undecided("the rate still rises at the most accumulators that were tried")
            if "knee" not in quantity.details:
                return undecided("the analysis states no knee")
    return YES


def _gates_failed(names: Iterable[str]) -> str:
    """Gates by their names in words: `capacities_nest` -> "capacities nest"."""
    return f"gates failed: {', '.join(sorted(name.replace('_', ' ') for name in names))}"


def _interference(case: Case) -> Ending:
    read = [
        interference.read(case.evidence, q)
        for q in case.quantities
        if parse(q.metric).subject != parse(q.metric).part
    ]
    readings = {one.name for one in read}
    if case.failed:
        return undecided(_gates_failed(case.failed))
    if not readings:
        return undecided("no pair with a usable number")
    unclear = readings & {interference.CANNOT_TELL}
    expected = case.probe.constants.get("expects")
    if expected is None:
        if interference.PARTLY in readings:
            return no("some pairs are partly shared")
        return undecided("some pairs cannot be told") if unclear else YES
    if readings == {expected}:
        return YES
    opposite = {interference.SEPARATE}
    if expected == interference.SEPARATE:
        opposite = {interference.SHARED, interference.PARTLY}
        beside = alternatives.on_the_way(case.evidence, case.quantities)
        if beside and readings & opposite:
            return undecided(f"not ruled out as what both wait for: {', '.join(beside)}")
    why = "; ".join(dict.fromkeys(one.why for one in read if one.why))
    told = f"the index reads as {', '.join(sorted(readings))}{f' ({why})' if why else ''}"
    return no(told) if readings <= opposite else undecided(told)


def _steps(case: Case) -> Ending:
    ordering = {"latencies_rise", "capacities_nest"}
    if case.refuted & ordering:
        return no(_gates_failed(case.refuted & ordering))
    if case.failed & ordering:
        return undecided("its levels do not fit those of another probe")
    edges = [q for q in case.quantities if parse(q.metric).kind is Kind.CAPACITY]
    if not any(q.status is not Status.CENSORED for q in edges):
        return undecided("no boundary was found within the range of the sweep")
    return YES


def _edge(case: Case) -> Ending:
    if all(quantity.status is Status.CENSORED for quantity in case.quantities):
        return undecided("no edge was found within the range of the probe")
    return undecided(_gates_failed(case.failed)) if case.failed else YES


def _levels(gate: str) -> Callable[[Case], Ending]:
    def judge(case: Case) -> Ending:
        if gate in case.refuted:
            return no(f"gate failed: {gate}")
        if gate in case.failed:
            return undecided("its levels do not fit those of another probe")
        names = {parse(quantity.metric).subject for quantity in case.quantities}
        return YES if len(names) > 1 else undecided("fewer than two levels have a number")

    return judge


def _width(operation: str) -> int:
    match = re.search(r"_(\d{3,4})$", operation)
    return int(match.group(1)) if match else 0


def _peak(case: Case) -> Ending:
    operations = {
        str(point.settings["operation"])
        for point in case.evidence.run.points
        if point.probe == case.probe.id and point.status is Status.OK and "operation" in point.settings
    }
    best = next((str(q.details["operation"]) for q in case.quantities if "operation" in q.details), "")
    if not best or len({_width(one) for one in operations}) < 2:
        return undecided("fewer than two register widths were measured")
    widest = max(_width(one) for one in operations)
    as_fast = {one for one in _as_fast(case) | {best} if _width(one) < widest}
    if as_fast:
        return no(f"{', '.join(sorted(as_fast))} is as fast as the widest registers, or faster")
    return YES


def _as_fast(case: Case) -> set[str]:
    """Operations whose best work per cycle is that of the best one, within `EQUAL_WITHIN`."""
    rates: dict[str, float] = {}
    for quantity in case.quantities:
        pairs = zip(
            quantity.details.get("operations", ()), quantity.details.get("per_cycle", ()), strict=False
        )
        for operation, rate in pairs:
            rates[str(operation)] = max(rates.get(str(operation), 0.0), float(rate))
    most = max(rates.values(), default=0.0)
    return {operation for operation, rate in rates.items() if rate >= most * (1 - EQUAL_WITHIN)}


def _sustained(case: Case) -> Ending:
    ratio = next((q for q in case.quantities if parse(q.metric).kind is Kind.SUSTAINED_RATIO), None)
    if ratio is None:
        return nothing(case)
    low, high = interval(ratio)
    if low >= 1 - SETTLED and high <= 1 + SETTLED:
        return YES
    if high < 1 - SETTLED or low > 1 + SETTLED:
        return no(f"the last rate is {central(ratio):.3f} of the first")
    return undecided(f"the interval of the ratio, {low:.3f} … {high:.3f}, reaches across 2 % of change")


def _window(case: Case) -> Ending:
    open_ended = [q.metric for q in case.quantities if q.status is Status.CENSORED]
    if open_ended:
        return undecided(f"no step within the range of the probe: {', '.join(open_ended)}")
    if case.refused:
        return undecided(f"without a number: {', '.join(q.metric for q in case.refused)}")
    return undecided(_gates_failed(case.failed)) if case.failed else YES


def _footprint(case: Case) -> Ending:
    ends = [q for q in case.quantities if parse(q.metric).kind is Kind.FETCH_CAPACITY]
    if any(q.status is not Status.CENSORED for q in ends):
        return undecided(_gates_failed(case.failed)) if case.failed else YES
    if ends:
        return undecided("no boundary within the range of the probe")
    return nothing(case)


def _parallelism(case: Case) -> Ending:
    low, high = interval(case.quantities[0])
    if low >= LEAST_PARALLEL:
        return YES
    if high < LEAST_PARALLEL:
        return no(f"no more than {high:.2f} loads are under way at once")
    return undecided(f"the interval {low:.2f} … {high:.2f} reaches across {LEAST_PARALLEL:g}")


def _library(case: Case) -> Ending:
    reached = []
    for quantity in case.quantities:
        roof = case.evidence.usable(f"peak.{precision_of(quantity)}")
        if roof is not None:
            reached.append((central(quantity) / central(roof), quantity.metric))
    if not reached:
        return undecided("no measured peak of its precision")
    share, metric = max(reached)
    if share > ROOF_ROOM:
        return no(f"{metric} is {share:.2f} times the measured peak")
    return YES


_NO_RULE: Rule = (
    "No rule for this analysis.",
    lambda case: undecided("no rule for this analysis"),
)

_STRAIGHT = (
    "Supported when every point lies within 2 % of one straight line and, where the hypothesis speaks of a "
    "whole number, the slope is one within its interval or 0.02 cycles."
)
_STOPS_RISING = (
    "Supported when the rate stops rising within the accumulators that were tried; undecided when it still "
    "rises at the most."
)
_READING = (
    "Where the probe expects a reading, supported by that reading and not supported by the opposite one; "
    "for a matrix, supported when every pair reads as shared or separate. Undecided when a gate failed, and "
    "on a GPU where nothing excludes that both wait for reads of registers or for the front end."
)
_HOLDS = (
    "Supported when the whole interval of the last rate over the first lies within 2 % of one, not supported "
    "when all of it lies outside, undecided when it reaches across."
)
_EDGE_FOUND = "Supported when an edge was found within the range of the probe."

RULES: dict[str, Rule] = {
    "slope": (_STRAIGHT, _slope),
    "plateau": (_STOPS_RISING, _plateau),
    "interference": (_READING, _interference),
    "working_set": (
        "Supported when at least one boundary lies within the sweep and latencies rise from level to level.",
        _steps,
    ),
    "line": (_EDGE_FOUND, _edge),
    "conflict": (_EDGE_FOUND, _edge),
    "tlb": (_EDGE_FOUND, _edge),
    "pointer_chase": (
        "Supported when at least two levels have a latency and each is 10 % above the one inside it.",
        _levels("latencies_rise"),
    ),
    "bandwidth": (hypotheses_bandwidth.IN_WORDS, hypotheses_bandwidth.falls),
    "peak": (
        "Supported when no operation of narrower registers is within 2 % of the highest work per cycle.",
        _peak,
    ),
    "sustained": (
        _HOLDS,
        _sustained,
    ),
    "window": (
        "Supported when every kind of filling shows a step from both loads at once to one after the other.",
        _window,
    ),
    "intensity": (hypotheses_intensity.IN_WORDS, hypotheses_intensity.overlaps),
    "footprint": (
        "Supported when the time of an instruction rises at some size of code within the range of the probe.",
        _footprint,
    ),
    "parallelism": (
        "Supported when independent loads take less than half the time of loads that wait for each other.",
        _parallelism,
    ),
    "library": ("Supported when no size exceeds the measured peak of its precision by 5 %.", _library),
    **hypotheses_branches.RULES,
    **hypotheses_communication.RULES,
    **hypotheses_synchronisation.RULES,
} | _ELSEWHERE
"""Analysis -> its rule in words, and the rule."""
