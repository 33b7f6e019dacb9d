"""Curves of what waits for others on a GPU: barriers, fences, atomics that meet, paths of a warp."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.synchronisation import FURTHER
from reportgen.site.figures.curves import Curves, Panel
from reportgen.site.panels import curves, panel
from reportgen.site.report import Report

Points = dict[float, float]
"""Value by setting."""
SCOPES = ("block", "device", "system")
CASES = {"alone": "alone", "behind_store": "behind a store"}
BARRIERS = {"block": "bar.sync", "memory": "mbarrier"}
GIGA = 1e-9


def waiting(report: Report) -> Curves | None:
    """Barriers over who meets at them, fences, lanes at an address, rates over blocks, paths."""
    panels = (
        *_barriers(report),
        *_clusters(report),
        *_fences(report),
        *_lanes(report),
        *_rates(report),
        *_paths(report),
    )
    return curves(panels)


def _barrier(report: Report, scope: str) -> Points:
    found: Points = {}
    for fact in report.of("barrier."):
        name = parse(fact.metric)
        if name.kind is Kind.BARRIER and name.subject == scope and name.part != FURTHER and fact.value:
            found[float(name.part)] = fact.value
    return found


def _barriers(report: Report) -> Iterator[Panel]:
    lines = {label: _barrier(report, scope) for scope, label in BARRIERS.items()}
    yield from panel("barrier of a block", "warps that meet", "cycles a barrier", lines)


def _clusters(report: Report) -> Iterator[Panel]:
    lines = {"": _barrier(report, "cluster")}
    yield from panel("barrier of a cluster", "blocks that meet", "cycles a barrier", lines)


def _fences(report: Report) -> Iterator[Panel]:
    lines: dict[str, Points] = {}
    for fact in report.of("fence."):
        name = parse(fact.metric)
        if name.kind is Kind.FENCE and fact.value and name.subject in SCOPES:
            line = lines.setdefault(CASES.get(name.part, name.part), {})
            line[SCOPES.index(name.subject)] = fact.value
    for drawn in panel("fences", "whose accesses are ordered", "cycles a fence", lines):
        present = sorted({int(place) for line in lines.values() for place in line})
        yield Panel(
            drawn.title, drawn.across, drawn.up, tuple(SCOPES[at] for at in present), drawn.series,
            log=True,
        )  # fmt: skip


def _lanes(report: Report) -> Iterator[Panel]:
    lines: dict[str, Points] = {}
    for fact in report.of("atomic."):
        name, details = parse(fact.metric), report.details(fact.metric)
        if name.kind in (Kind.CONFLICT, Kind.TOGETHER) and details.get("lanes"):
            pairs = zip(details["lanes"], details["cycles"], strict=True)
            lines[f"{name.subject} memory"] = {float(lanes): float(cycles) for lanes, cycles in pairs}
    yield from panel("lanes of a warp at one address", "lanes", "cycles an atomic add", lines)


def _rates(report: Report) -> Iterator[Panel]:
    """Of the largest launch, whose places differ in how many words there are."""
    found: list[tuple[int, int, float]] = []
    for fact in report.of("atomic.device."):
        details = report.details(fact.metric)
        found += zip(
            details.get("blocks", ()), details.get("addresses", ()), details.get("rates", ()), strict=True
        )
    most = max((blocks for blocks, _, _ in found), default=0)
    line = {float(words): rate * GIGA for blocks, words, rate in found if blocks == most}
    title = f"atomic adds of {most} blocks"
    yield from panel(title, "different words", "GOP/s", {"": line}, log=True)


def _paths(report: Report) -> Iterator[Panel]:
    for fact in report.of("divergence.path"):
        details = report.details(fact.metric)
        if details.get("paths"):
            pairs = zip(details["paths"], details["cycles"], strict=True)
            line = {float(paths): float(cycles) for paths, cycles in pairs}
            # settings double from place to place: only by logarithms does what grows with them look so
            yield from panel(
                "paths of a warp", "different paths of its lanes", "cycles", {"": line}, log=True
            )
