"""What the times of runs and of neighbouring lines are consistent with."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.paired import NO, YES
from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording import prefetch as words

Reading = tuple[str, str, tuple[str, ...], tuple[str, ...]]
"""(rule, sentence, metrics, alternatives)."""

FETCHED_ELSEWHERE = (
    "what a miss brings beside the line that was asked for",
    "rows of memory that stay open",
    "translations of pages that are fetched ahead",
)
BY_INSTRUCTION = (
    "a prefetcher that learns from few instructions at a time",
    "steps that are followed only where loads come from one loop of few instructions",
)
ALONG = (
    "a cache whose sectors are longer than a line",
    "a memory side that fetches in larger units",
    "a prefetcher that remembers which lines of a region were used before",
)
AHEAD = (
    "lines that earlier runs near it left behind",
    "a next line that is fetched with every line of the run",
)
CROSSING = (
    "a translation of the next page that is fetched ahead",
    "larger pages underneath, within which nothing is crossed",
    "a first line of a page that comes with any walk to it",
)
STOPPING = (
    "pages that do not lie one after another in the memory of the host",
    "a prefetcher that waits for the translation of the next page",
)
SERVED = (
    "lines that come from further out part of the time, and from nearer by the rest",
    "lines that are under way when they are asked for",
)
LEVEL_WITHIN = 0.15
"""A time and the latency of a level agree within this ratio."""
LEVELS = ("l1", "l2", "l3", "dram")


def readings(evidence: Evidence) -> Iterator[Reading]:
    """Every inference that the times allow."""
    strides = list(evidence.of_kind(Kind.PREFETCH_STRIDE))
    yield from _followed(strides)
    yield from _by_instruction(strides)
    yield from _served(evidence, strides)
    near = list(evidence.of_kind(Kind.PREFETCH_NEAR))
    yield from _along(near)
    yield from _ahead(near)
    yield from _crossing(near)


def _ending(found: list[tuple[MetricId, Quantity]], key: str, value: str) -> list[tuple[MetricId, Quantity]]:
    return [(name, q) for name, q in found if q.details.get(key) == value]


def _followed(strides: list[tuple[MetricId, Quantity]]) -> Iterator[Reading]:
    own = [(name, q) for name, q in strides if not name.scope]
    yes, no = _ending(own, "followed", YES), _ending(own, "followed", NO)
    if yes:
        gains = [float(q.details["gain"][0]) for _, q in yes]
        text = words.followed(
            [name.subject for name, _ in yes], (min(gains), max(gains)), [name.subject for name, _ in no]
        )
        yield "prefetch:followed", text, tuple(q.metric for _, q in (*yes, *no)), FETCHED_ELSEWHERE


def _by_instruction(strides: list[tuple[MetricId, Quantity]]) -> Iterator[Reading]:
    """Steps that one instruction has followed, and many surely have not."""
    one = {name.subject: q for name, q in _ending(strides, "followed", YES) if not name.scope}
    many = {name.subject: q for name, q in _ending(strides, "followed", NO) if name.scope == words.UNROLLED}
    both = [subject for subject in one if subject in many]
    if both:
        metrics = tuple(q.metric for subject in both for q in (one[subject], many[subject]))
        yield "prefetch:instruction", words.by_instruction(both), metrics, BY_INSTRUCTION


def _served(evidence: Evidence, strides: list[tuple[MetricId, Quantity]]) -> Iterator[Reading]:
    """The level whose latency the quickest run that is followed comes near to."""
    yes = [q for name, q in _ending(strides, "followed", YES) if not name.scope]
    if not yes:
        return
    quickest = min(yes, key=central)
    for level in LEVELS:
        latency = evidence.usable(f"memory.{level}.latency")
        if latency is None:
            continue
        low, high = interval(quickest)
        if low <= central(latency) * (1 + LEVEL_WITHIN) and high >= central(latency) / (1 + LEVEL_WITHIN):
            text = words.served(central(quickest), level.upper(), central(latency))
            yield "prefetch:served", text, (quickest.metric, latency.metric), SERVED


def _along(near: list[tuple[MetricId, Quantity]]) -> Iterator[Reading]:
    """Around one line: neighbours on both sides, or the other line of its pair alone."""
    single = [(name, q) for name, q in near if name.subject in ("even", "odd")]
    if not _ending(single, "brought", YES):
        return
    ends = {(name.subject, name.part): q.details.get("brought") for name, q in single}
    inside, across = (("even", "up_1"), ("odd", "down_1")), (("odd", "up_1"), ("even", "down_1"))
    if all(ends.get(key) == YES for key in inside) and all(ends.get(key) == NO for key in across):
        metrics = tuple(q.metric for name, q in single if name.part in ("up_1", "down_1"))
        yield "prefetch:pair", words.pair(), metrics, ALONG
        return
    even = [(name, q) for name, q in single if name.subject == "even"]
    yes, no = _ending(even, "brought", YES), _ending(even, "brought", NO)
    if yes:
        text = words.along([name.part for name, _ in yes], [name.part for name, _ in no])
        yield "prefetch:along", text, tuple(q.metric for _, q in (*yes, *no)), ALONG


def _ahead(near: list[tuple[MetricId, Quantity]]) -> Iterator[Reading]:
    """The farthest line behind a run that is there, and the nearest beyond that surely is not."""
    runs = sorted(
        ((int(q.details["distance"]), q) for name, q in near if name.subject == "run"),
        key=lambda pair: pair[0],
    )
    there = [(distance, q) for distance, q in runs if q.details.get("brought") == YES]
    if not there:
        return
    farthest = there[-1]
    beyond = [(distance, q) for distance, q in runs if distance > farthest[0]]
    missing = next(((d, q) for d, q in beyond if q.details.get("brought") == NO), None)
    metrics = [q.metric for _, q in there] + ([missing[1].metric] if missing else [])
    text = words.ahead(farthest[0], missing[0] if missing else None)
    yield "prefetch:ahead", text, tuple(metrics), AHEAD


def _crossing(near: list[tuple[MetricId, Quantity]]) -> Iterator[Reading]:
    """The first line of the next page; that it is not there tells something only if the next line is."""
    by_name = {(name.subject, name.part): q for name, q in near}
    across, within = by_name.get(("border", "up_1")), by_name.get(("run", "up_1"))
    if across is None or "brought" not in across.details:
        return
    if across.details["brought"] == YES:
        yield "prefetch:crossing", words.crossing(crossed=True), (across.metric,), CROSSING
    elif across.details["brought"] == NO and within is not None and within.details.get("brought") == YES:
        metrics = (across.metric, within.metric)
        yield "prefetch:crossing", words.crossing(crossed=False), metrics, STOPPING
