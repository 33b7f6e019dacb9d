"""Order of the memory hierarchy: capacities nest, latencies rise, a label needs its working set."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import LEVELS, Kind, MetricId
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import level, noun

DISTINCT = 1.10
"""Levels whose latencies differ by less are not seen as two levels."""

CLOCK_TOLERANCE = 0.15
"""Cycles over seconds must give a clock within this of the clocks seen: levels are timed minutes apart."""


def _ordered(evidence: Evidence, kind: Kind, names: tuple[str, ...]) -> Iterator[tuple[Quantity, Quantity]]:
    """(inner, outer) quantities of adjacent levels in the run, one series a page kind and load path."""
    found: dict[tuple[str, str], dict[str, Quantity]] = {}
    for name, quantity in evidence.of_kind(kind):
        found.setdefault((name.pages, name.part), {})[name.subject] = quantity
    for series in found.values():
        yield from pairwise(series[name] for name in names if name in series)


def _nesting(evidence: Evidence) -> Iterator[Breach]:
    for kind, names in ((Kind.CAPACITY, LEVELS), (Kind.TLB_REACH, ("dtlb1", "dtlb2"))):
        for inner, outer in _ordered(evidence, kind, names):
            if central(inner) >= interval(outer)[1]:
                yield _order(evidence, inner, outer, "an outer level holds more than the one inside it")


def _rising(evidence: Evidence) -> Iterator[Breach]:
    """Along each series, and from sweep to chase: a label that slipped by one level shows there."""
    pairs = [
        pair
        for kind in (Kind.LEVEL_LATENCY, Kind.LEVEL_TIME, Kind.CHASE)
        for pair in _ordered(evidence, kind, LEVELS)
    ]
    for inner, outer in pairwise(LEVELS):
        for near, far in (("memory", "chase"), ("chase", "memory")):
            found = [
                evidence.usable(f"{stem}.{name}.latency") for stem, name in ((near, inner), (far, outer))
            ]
            if found[0] is not None and found[1] is not None:
                pairs.append((found[0], found[1]))
    for within, beyond in pairs:
        if central(beyond) < central(within) * DISTINCT:
            rule = "an outer level is slower than the one inside it by 10 % or more"
            yield _order(evidence, within, beyond, rule)


def _order(evidence: Evidence, inner: Quantity, outer: Quantity, rule: str) -> Breach:
    text = contradictions.wrong_order(
        noun(inner.metric, evidence.title), central(inner), noun(outer.metric, evidence.title),
        central(outer), inner.unit, rule,
    )  # fmt: skip
    return Breach((inner.metric, outer.metric), text)


def _cycles_and_seconds(evidence: Evidence) -> Iterator[Breach]:
    if evidence.clock is None:
        return
    slow, fast = evidence.clock
    for name, cycles in evidence.of_kind(Kind.LEVEL_LATENCY):
        seconds = evidence.usable(name.text.replace("latency", "latency_time"))
        if seconds is None:
            continue
        clock = central(cycles) / central(seconds)
        if not slow * (1 - CLOCK_TOLERANCE) <= clock <= fast * (1 + CLOCK_TOLERANCE):
            yield Breach(
                (name.text, seconds.metric),
                contradictions.wrong_order(
                    f"the clock that cycles and seconds of {noun(name.text, evidence.title)} imply", clock,
                    "the clock seen in the run", fast, "hertz", "cycles and seconds are of the same samples",
                ),
            )  # fmt: skip


def _labels(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.CHASE, Kind.BANDWIDTH):
        yield from _outside_level(evidence, name, quantity)


def _outside_level(evidence: Evidence, name: MetricId, quantity: Quantity) -> Iterator[Breach]:
    """A size beyond the measured end of its level, or still within the level inside it.

    DRAM is judged by `bandwidth.dram_beyond_caches`, which knows the aggregate cache.
    """
    if name.subject not in LEVELS[:-1]:
        return
    end = _capacity(evidence, name.subject)
    index = LEVELS.index(name.subject)
    inside = _capacity(evidence, LEVELS[index - 1]) if index else None
    for size, _ in evidence.sizes(quantity):
        where = ""
        if end is not None and size > interval(end)[1]:
            where = f"beyond the measured end of {level(name.subject)}"
        elif inside is not None and size < interval(inside)[0] and not quantity.details.get("bypasses"):
            where = f"still inside {level(LEVELS[index - 1])}"
        if where:
            yield Breach(
                (name.text,),
                contradictions.wrong_label(
                    noun(name.text, evidence.title), size, where,
                    "a level is named by measured boundaries",
                ),
            )  # fmt: skip
            return


def _capacity(evidence: Evidence, name: str) -> Quantity | None:
    return evidence.usable(f"memory.{name}.capacity") or evidence.usable(f"memory.{name}.capacity_4k")


GATES = (
    Gate(
        name="capacities_nest",
        severity=Severity.RELATION,
        statement="Capacities grow from level to level, and so do the reaches of the TLB levels.",
        source="definition of an outer level: one that is not larger is never seen from the core",
        causes=(
            "one of the edges belongs to a TLB",
            "page placement (set aliasing)",
            "a neighbour took a share",
        ),
        check=_nesting,
    ),
    Gate(
        name="latencies_rise",
        severity=Severity.RELATION,
        statement="The load latency of each level is at least 10 % above that of the level inside it.",
        source="definition of a level of the hierarchy",
        causes=(
            "the timed loop is bound by something else than the loads",
            "a working set belongs to another level than its label",
            "prefetching hides the latency",
        ),
        check=_rising,
    ),
    Gate(
        name="cycles_match_seconds",
        severity=Severity.RELATION,
        statement="A latency in cycles over the same latency in seconds is a core clock that the run saw.",
        source="arithmetic; the clock is calibrated by an add chain beside each sample",
        causes=("ticks of the time-stamp counter were taken for cycles", "the clock moved between levels"),
        check=_cycles_and_seconds,
    ),
    Gate(
        name="label_needs_its_working_set",
        severity=Severity.LIMIT,
        statement="A number named for a cache level was taken with a working set between the measured ends "
        "of the level inside and of the level itself.",
        source="this run: boundaries of the working-set sweep",
        causes=(
            "the size came from what the operating system reports, not from what was measured",
            "in a guest or container the reported cache is the host's",
        ),
        check=_labels,
    ),
)  # fmt: skip
