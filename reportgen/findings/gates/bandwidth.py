"""Limits of rates: bytes a core can move, order of levels, cache-resident "DRAM", peak, clock and load."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import ALL_CORES, LEVELS, SPILLING_KERNELS, Kind, MetricId
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

BYTES_PER_CYCLE = 3 * 64
"""Widest known load and store path of one core: two 64-byte loads and one 64-byte store a cycle."""

CLOCK_TOLERANCE = 1.05
"""A core may run a little faster between the canary marks than at any of them."""

ORDER_TOLERANCE = 1.02
DRAM_FACTOR = 4.0
"""A DRAM working set is at least so many times the last-level cache."""

SIZE_TOLERANCE = 0.98
"""Requested sizes are rounded to pages and lines."""


def _cores(evidence: Evidence, scope: str) -> int:
    """Cores that may have taken part: of a GPU every multiprocessor, for a launch goes to all of them."""
    return evidence.run.device.cores if scope == ALL_CORES or evidence.gpu else 1


def _physical(evidence: Evidence) -> Iterator[Breach]:
    if evidence.clock is None:
        return
    for name, quantity in evidence.of_kind(Kind.BANDWIDTH):
        limit = BYTES_PER_CYCLE * evidence.clock[1] * CLOCK_TOLERANCE * _cores(evidence, name.scope)
        value = central(quantity)
        if value > limit:
            yield Breach(
                (name.text,),
                contradictions.above_limit(
                    noun(name.text, evidence.title), value, limit, quantity.unit,
                    "three 64-byte accesses a cycle on every core that took part, at the fastest clock seen",
                ),
            )  # fmt: skip


def _falling(evidence: Evidence) -> Iterator[Breach]:
    series: dict[tuple[str, str], dict[str, Quantity]] = {}
    for name, quantity in evidence.of_kind(Kind.BANDWIDTH):
        if name.part not in SPILLING_KERNELS:
            series.setdefault((name.part, name.scope), {})[name.subject] = quantity
    for levels in series.values():
        for inner, outer in pairwise(levels[name] for name in LEVELS if name in levels):
            if interval(outer)[0] > interval(inner)[1] * ORDER_TOLERANCE:
                yield Breach(
                    (inner.metric, outer.metric),
                    contradictions.wrong_order(
                        noun(outer.metric, evidence.title), central(outer),
                        noun(inner.metric, evidence.title), central(inner), outer.unit,
                        "what comes through a level is not faster than the level itself",
                    ),
                )  # fmt: skip


LOADS = {"copy": 1 / 2, "triad": 2 / 3, "nt_copy": 1 / 2}
"""Kernel -> share of loads in the bytes that it counts."""

STORES = {"copy": (1 / 2, "write"), "triad": (1 / 3, "write"), "nt_copy": (1 / 2, "nt_write")}
"""Kernel -> share of stores in the bytes that it counts, and the kernel that does such stores alone."""


def _read_covers(evidence: Evidence) -> Iterator[Breach]:
    for name, mixed in evidence.of_kind(Kind.BANDWIDTH):
        if name.part in LOADS:
            rule = "loads alone are not slower than the same loads with stores beside them"
            yield from _part_covers(evidence, name, mixed, "read", LOADS[name.part], "loads", rule)


def _write_covers(evidence: Evidence) -> Iterator[Breach]:
    for name, mixed in evidence.of_kind(Kind.BANDWIDTH):
        if name.part in STORES:
            share, alone = STORES[name.part]
            rule = "stores alone are not slower than the same stores with loads beside them"
            yield from _part_covers(evidence, name, mixed, alone, share, "stores", rule)


def _part_covers(
    evidence: Evidence, name: MetricId, mixed: Quantity, alone: str, share: float, what: str, rule: str
) -> Iterator[Breach]:
    scope = f".{name.scope}" if name.scope else ""
    part = evidence.usable(f"bandwidth.{name.subject}.{alone}{scope}")
    if part is None:
        return
    implied = interval(mixed)[0] * share
    if interval(part)[1] * ORDER_TOLERANCE < implied:
        yield Breach(
            (part.metric, mixed.metric),
            contradictions.wrong_order(
                noun(part.metric, evidence.title), central(part),
                f"the {what} within {noun(mixed.metric, evidence.title)}", implied, part.unit, rule,
            ),
        )  # fmt: skip


def last_level_bytes(evidence: Evidence) -> float:
    """The cache that a DRAM working set must exceed: what the system reports, else the measured end."""
    for key in ("l3_bytes", "l2_bytes"):
        reported = evidence.run.device.reported.get(key, 0)
        if isinstance(reported, (int, float)) and reported > 0:
            return float(reported)
    for name in reversed(LEVELS[:-1]):
        measured = evidence.usable(f"memory.{name}.capacity")
        if measured is not None:
            return central(measured) if measured.high is None else measured.high
    return 0.0


def _cache_resident(evidence: Evidence) -> Iterator[Breach]:
    cache = last_level_bytes(evidence)
    for name, quantity in evidence.of_kind(Kind.BANDWIDTH, Kind.CHASE):
        totals = [size * cores for size, cores in evidence.sizes(quantity)]
        if name.subject != "dram" or not totals or min(totals) >= DRAM_FACTOR * cache * SIZE_TOLERANCE:
            continue
        yield Breach(
            (name.text,),
            contradictions.wrong_label(
                noun(name.text, evidence.title), min(totals), "cache-resident in part",
                "a DRAM working set is at least four times the last-level cache",
            ),
        )  # fmt: skip


def _peak_at_clock(evidence: Evidence) -> Iterator[Breach]:
    if evidence.clock is None:
        return
    for name, quantity in evidence.of_kind(Kind.PEAK):
        per_cycle = evidence.usable(f"{name.text}.per_cycle")
        if per_cycle is None:
            continue
        many = int(quantity.details.get("multiprocessors", 1))
        limit, value = central(per_cycle) * many * evidence.clock[1] * CLOCK_TOLERANCE, central(quantity)
        if value > limit:
            yield Breach(
                (name.text, per_cycle.metric),
                contradictions.above_limit(
                    noun(name.text, evidence.title), value, limit, quantity.unit,
                    "the measured work per cycle at the fastest clock seen in the run",
                ),
            )  # fmt: skip


def _under_load(evidence: Evidence) -> Iterator[Breach]:
    """Rates of everything that takes part at once, against the same number of single peaks."""
    if evidence.clock is None:
        return
    for name, quantity in evidence.of_kind(Kind.BURST, Kind.SUSTAINED):
        per_cycle = evidence.usable(f"peak.{name.subject}.per_cycle")
        if per_cycle is None:
            continue
        many = _cores(evidence, ALL_CORES)
        limit = interval(per_cycle)[1] * many * evidence.clock[1] * CLOCK_TOLERANCE
        if interval(quantity)[0] > limit:
            yield Breach(
                (name.text, per_cycle.metric),
                contradictions.above_limit(
                    noun(name.text, evidence.title), central(quantity), limit, quantity.unit,
                    f"{many} times the measured work per cycle of one, at the fastest clock seen in the run",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="core_bandwidth",
        severity=Severity.LIMIT,
        statement="No core, and no multiprocessor of a GPU, moves more than three 64-byte accesses a cycle "
        "at the fastest clock seen.",
        source="load and store paths of shipping cores: two 64-byte loads and one 64-byte store a cycle at "
        "most, as the processor vendors' optimisation guides describe them; a multiprocessor loads 128",
        causes=(
            "bytes are counted that no instruction moves",
            "loads were merged or removed from the timed region",
            "the time is too short",
        ),
        check=_physical,
    ),
    Gate(
        name="bandwidth_falls",
        severity=Severity.RELATION,
        statement="For one kernel, an outer level is not faster than the level inside it (kernels with "
        "non-temporal stores excepted).",
        source="data of an outer level passes the inner one",
        causes=(
            "a working set belongs to another level than its label",
            "the inner level was measured beside a busy neighbour",
            "start-up cost of short streams",
        ),
        check=_falling,
    ),
    Gate(
        name="read_covers_loads",
        severity=Severity.RELATION,
        statement="The read bandwidth is at least the share of loads in the bandwidth of copy, triad and "
        "non-temporal copy.",
        source="a copy loads each byte that it stores, a triad two for one",
        causes=(
            "the read kernel is bound by its reduction, not by the loads",
            "one of the two was measured beside a busy neighbour",
        ),
        check=_read_covers,
    ),
    Gate(
        name="write_covers_stores",
        severity=Severity.RELATION,
        statement="The write bandwidth is at least the share of stores in the bandwidth of copy and triad, "
        "with the same kind of store.",
        source="the same stores without the loads; write-allocate traffic, the same in both, is not counted",
        causes=(
            "stores of the mixed kernel were turned into another kind",
            "one of the two was measured beside a busy neighbour",
        ),
        check=_write_covers,
    ),
    Gate(
        name="dram_beyond_caches",
        severity=Severity.LIMIT,
        statement="A number named for DRAM was taken with at least four times the last-level cache.",
        source="residency: of a smaller working set a part stays in the cache between passes",
        causes=("cache-resident: the working set was capped by memory or time",),
        check=_cache_resident,
    ),
    Gate(
        name="peak_at_clock_seen",
        severity=Severity.LIMIT,
        statement="A peak is not above the measured work per cycle at the fastest clock seen.",
        source="arithmetic on the samples of the same run",
        causes=("the clock rose between calibration and sample", "the two come from different operations"),
        check=_peak_at_clock,
    ),
    Gate(
        name="load_within_peaks",
        severity=Severity.RELATION,
        statement="A burst or sustained rate is not above the work per cycle of one core (of a GPU: of one "
        "multiprocessor) times their number at the fastest clock seen.",
        source="arithmetic on the samples of the same run: cores that work at once are no faster than each "
        "of them alone",
        causes=(
            "the peak of one was measured beside a busy neighbour",
            "work is counted of cores that did not take part",
            "the clock under load is faster than any that the marks of the run saw",
        ),
        check=_under_load,
    ),
)
