"""What is true of a simulated CPU, by metric id."""

from __future__ import annotations

from reportgen.findings.metric import Kind, MetricId, parse
from tests.simulated.instruction_points import _balanced as balanced
from tests.simulated.truth import CpuTruth, group_cycles


def true_value(truth: CpuTruth, metric: str) -> float | None:
    """The true value of a metric in its base unit; None where the simulation does not define one."""
    name = parse(metric)
    match name.kind:
        case Kind.LATENCY:
            return truth.operations[name.subject].latency
        case Kind.THROUGHPUT:
            return rate(truth, name.subject)
        case Kind.ISSUE_INTERVAL:
            return 1 / rate(truth, name.subject)
        case Kind.INTERFERENCE:
            return index(truth, name.subject, name.part)
        case Kind.PEAK_PER_CYCLE:
            same = [one for one in truth.operations.items() if one[1].precision == name.subject]
            return max(kind.flop * rate(truth, key) for key, kind in same)
    return _memory(truth, name)


def _memory(truth: CpuTruth, name: MetricId) -> float | None:
    match name.kind:
        case Kind.CAPACITY if not name.pages:
            return truth.cache(name.subject).size
        case Kind.LEVEL_LATENCY | Kind.CHASE if not name.pages:
            return truth.dram_latency if name.subject == "dram" else truth.cache(name.subject).latency
        case Kind.LINE:
            return truth.line
        case Kind.ASSOCIATIVITY:
            return truth.caches[0].ways
        case Kind.TLB_REACH:
            return {"dtlb1": truth.dtlb1, "dtlb2": truth.dtlb2}[name.subject]
        case Kind.BANDWIDTH:
            share = truth.scaling[name.subject] if name.scope else 1
            return truth.bandwidth[name.subject][name.part] * share
    return None


def rate(truth: CpuTruth, operation: str) -> float:
    """Most instructions of one kind a cycle."""
    return min(truth.operations[operation].rate, truth.front_end)


def index(truth: CpuTruth, first: str, second: str) -> float:
    """The true interference index of a pair, with groups as the simulated suite builds them."""
    one, other = {first: balanced(truth, first)}, {second: balanced(truth, second)}
    both = {first: 2 * one[first]} if first == second else one | other
    alone = [group_cycles(truth, group) for group in (one, other)]
    return (group_cycles(truth, both) - max(alone)) / min(alone)
