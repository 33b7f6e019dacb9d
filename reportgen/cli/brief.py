"""A run judged at one look: what contradicts, what disagrees, and the numbers by which devices are known.

For where a run was made and is about to be left: some thousand numbers are too many to read there, and what
is wrong with a run is cheaper to find while its device is at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from reportgen.cli import output, summary
from reportgen.findings.crosschecks import BELOW, DISAGREES
from reportgen.findings.evidence import Evidence, central, gather, stated
from reportgen.findings.finding import Verdict
from reportgen.findings.gates.ceilings import nominal_bandwidth
from reportgen.findings.metric import Kind, parse
from reportgen.findings.published.weighing import Weighed, weigh
from reportgen.status import Status
from reportgen.units import format_interval, format_value

if TYPE_CHECKING:
    from reportgen.analysis.quantity import Quantity
    from reportgen.findings.finding import Finding
    from reportgen.model.derive import Derived
    from reportgen.runs.schema import Run

NUMBERS = (
    "latency.integer_add", "latency.fp32_fma", "latency.fp64_fma", "latency.fp16_fma", "latency.shared_load",
    "throughput.fp32_fma", "throughput.fp64_fma", "throughput.fp64_fma_512",
    "memory.shared.l1.latency", "memory.constant.l1.latency", "memory.l1.latency", "chase.l1.plain.latency",
    "memory.l2.latency", "memory.l2.distance.*", "memory.l3.latency", "memory.dram.latency",
    "memory.l1.capacity", "memory.l2.capacity", "memory.l2.capacity.all_multiprocessors",
    "memory.l3.capacity",
    "memory.dtlb1.reach*", "memory.sector.ca", "memory.line",
    "bandwidth.l1.read", "bandwidth.l2.read", "bandwidth.l3.read", "bandwidth.dram.read",
    "bandwidth.dram.write", "bandwidth.dram.triad", "bandwidth.dram.vendor_copy",
    "tensor.latency.mma_m16n8k16_f16_f32", "tensor.throughput.mma_m16n8k16_f16_f32",
    "tensor.latency.wgmma_m64n256k16_f16_f32", "tensor.latency.tcgen05_m128n256k16_f16_f32",
    "peak.fp64", "peak.fp32", "peak.fp16", "peak.tensor_fp64", "peak.tensor_tf32", "peak.tensor_fp16",
    "peak.tensor_fp16.per_cycle", "peak.tensor_fp16.sustained", "peak.tensor_fp8", "vendor.*.ratio",
    "memory.cluster.2.*", "memory.bulk.load.*", "barrier.block.8", "atomic.device.one_address",
    "execution.launch_overhead.fixed", "host_link.to_device.bandwidth",
)  # fmt: skip
"""Metrics or patterns of them, in the order of the table; what a device does not have is left out."""
MOST_ROWS, MOST_NAMES, MOST_LACKING = 8, 3, 6
LACKING = (Status.UNSTABLE, Status.THROTTLED, Status.FAILED, Status.TIMED_OUT, Status.INVALID)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
HYPOTHESIS = "hypothesis:"
"""What findings begin with that say how a hypothesis ended."""
CAUSES = "Likely causes:"
MOST_WORDS, MOST_REASON = 250, 90
"""Characters of a sentence, and of the reason of a number that is not there; the end stands in the report."""


def show(derived: Derived) -> None:
    """Print it, the numbers last: of a long output often only the end is kept."""
    run = derived.bundle.run
    found = [finding for finding in derived.findings if ":" not in finding.id]
    evidence = gather(run, derived.quantities)
    click.echo(f"{run.title} ({run.device.id}), run {run.run}")
    click.echo(f"points: {_counted(summary.outcomes(run))}; numbers: {_counted(_statuses(derived))}")
    click.echo(_clocks(run))
    for line in (*_watched(run), *_without(derived.quantities)):
        click.echo(line)
    click.echo(_refuted(derived.findings))
    _some(disagreeing(found), ["metric", "channel", "what it says"], "Another way to the number disagrees")
    _some(contradicted(derived.findings), ["metrics", "contradiction"], "Kinds of contradictions")
    rows = [_row(evidence, quantity) for quantity in chosen(derived.quantities)]
    output.show(rows, ["metric", "value", "interval", "n", "status", "published"], as_json=False)


def contradicted(findings: Iterable[Finding]) -> list[output.Row]:
    """One row a kind of contradiction, the most frequent first: its first text, and the metrics it is about.

    Those of one gate have the same likely causes.
    """
    about: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for finding in findings:
        for text in finding.contradictions:
            kind = text.partition(CAUSES)[2] or text
            about.setdefault(kind, []).append(finding.id)
            first.setdefault(kind, text)
    return [
        {
            "metrics": _names([one for one in dict.fromkeys(ids) if ":" not in one] or ids),
            "contradiction": _cut(first[kind]),
        }
        for kind, ids in sorted(about.items(), key=lambda item: -len(item[1]))
    ]


def _names(names: list[str], most: int = MOST_NAMES) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def disagreeing(findings: Iterable[Finding]) -> list[output.Row]:
    """One row a channel that disagrees with a number."""
    return [
        {"metric": finding.id, "channel": check.channel, "what_it_says": _cut(check.explanation)}
        for finding in findings
        for check in finding.checks
        if check.outcome in (DISAGREES, BELOW)
    ]


def chosen(quantities: Iterable[Quantity]) -> list[Quantity]:
    """Those of `NUMBERS`, in its order, one a metric; not what a device of this kind is not asked."""
    by_metric: dict[str, Quantity] = {}
    for quantity in quantities:
        if quantity.status is Status.UNSUPPORTED and not quantity.n:
            continue
        if quantity.metric not in by_metric or not stated(by_metric[quantity.metric]):
            by_metric[quantity.metric] = quantity
    wanted = [name for pattern in NUMBERS for name in by_metric if fnmatchcase(name, pattern)]
    return [by_metric[name] for name in dict.fromkeys(wanted)]


def _row(evidence: Evidence, quantity: Quantity) -> output.Row:
    known = quantity.low is not None and quantity.high is not None
    usable = stated(quantity)
    return {
        "metric": quantity.metric,
        "value": format_value(central(quantity), quantity.unit) if usable else "",
        "interval": format_interval(quantity.low or 0.0, quantity.high or 0.0, quantity.unit)
        if known
        else "",
        "n": quantity.n,
        "status": str(quantity.status),
        "published": _beside(evidence, quantity) if usable else _cut(quantity.reason, MOST_REASON),
    }


def _beside(evidence: Evidence, quantity: Quantity) -> str:
    name, parts = parse(quantity.metric), [published(weigh(evidence, quantity))]
    each = float(quantity.details.get("byte_per_cycle", 0.0))
    if each and name.subject != "dram":
        parts.insert(0, f"here {format_value(each, 'byte/cycle')}")
    if name.kind is Kind.BANDWIDTH and (ceiling := nominal_bandwidth(evidence, name.subject)):
        parts.append(f"at most {format_value(ceiling[0], quantity.unit)}")
    return "; ".join(part for part in parts if part)


def published(weighed: Iterable[Weighed]) -> str:
    """From the least to the largest figure that decides, and in brackets of those that do not."""
    figures: dict[tuple[bool, str], list[float]] = {}
    for one in weighed:
        figures.setdefault((one.decides, one.figure.unit), []).extend(one.figure.ends)
    spans = [(decides, _span(ends, unit)) for (decides, unit), ends in figures.items()]
    return " ".join(span if decides else f"({span})" for decides, span in spans)


def _span(ends: list[float], unit: str) -> str:
    low, high = min(ends), max(ends)
    return format_value(low, unit) if low == high else format_interval(low, high, unit)


def _some(rows: list[output.Row], headings: list[str], title: str) -> None:
    if not rows:
        click.echo(f"{title}: none")
        return
    more = f", and {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    output.show(rows[:MOST_ROWS], headings, as_json=False, title=f"{title}: {len(rows[:MOST_ROWS])}{more}")


def _statuses(derived: Derived) -> dict[str, int]:
    counts: dict[str, int] = {}
    for quantity in derived.quantities:
        counts[str(quantity.status)] = counts.get(str(quantity.status), 0) + 1
    return counts


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number)


def _clocks(run: Run) -> str:
    marks = [f"{format_value(one.cycle_hz, 'hertz')} ({one.where})" for one in run.drift if one.cycle_hz > 0]
    return f"clock: {', '.join(marks) or 'not recorded'}"


WATCHED = (
    ("sm_clock_mhz", "SM clock", "MHz"),
    ("gpu_power_w", "power", "W"),
    ("gpu_temperature_c", "at", "°C"),
)
"""What a driver was asked for before and after every visit, its name and its unit."""
HELD_DOWN = "visit.gpu_throttle"


def _watched(run: Run) -> list[str]:
    """What NVML said beside the visits of a GPU, and what held its clocks down in how many points."""
    parts = []
    for name, words, unit in WATCHED:
        said = [str(point.facts.get(f"visit.{name}", "")) for point in run.points]
        numbers = [float(one) for text in said for one in _NUMBER.findall(text)]
        if numbers:
            parts.append(f"{words} {min(numbers):g} … {max(numbers):g} {unit}")
    reasons: dict[str, int] = {}
    for point in run.points:
        for reason in {one.strip() for one in str(point.facts.get(HELD_DOWN, "")).split(";")} - {""}:
            reasons[reason] = reasons.get(reason, 0) + 1
    held = ", ".join(f"{reason} in {number} points" for reason, number in reasons.items())
    return [f"beside the visits: {', '.join(parts)}; held down by: {held or 'nothing'}"] if parts else []


def _without(quantities: Iterable[Quantity]) -> list[str]:
    """Names of numbers that a run like this should have, and has not."""
    found: dict[Status, list[str]] = {}
    for quantity in quantities:
        if quantity.status in LACKING:
            found.setdefault(quantity.status, []).append(quantity.metric)
    return [f"{status}: {_names(names, MOST_LACKING)}" for status, names in found.items()]


def _refuted(findings: Iterable[Finding]) -> str:
    said = [one for one in findings if one.id.startswith(HYPOTHESIS)]
    against = [one.id.removeprefix(HYPOTHESIS) for one in said if one.verdict is Verdict.NOT_SUPPORTED]
    return f"hypotheses: {len(said)}, not supported by this run: {', '.join(against) or 'none'}"


def _cut(text: str, most: int = MOST_WORDS) -> str:
    return text if len(text) <= most else f"{text[: most - 4].rstrip()} ..."
