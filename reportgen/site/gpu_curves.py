"""What the curves of a GPU's report show: panels of its multiprocessors, and of its memory by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.gpu_names import COPIES
from reportgen.model.architecture import Fact
from reportgen.site.figures.curves import Curves, Panel
from reportgen.site.panels import curves, panel
from reportgen.site.report import Report
from reportgen.units import format_bytes

Lines = dict[str, Mapping[float, float]]
"""Name of a line -> value by setting."""
MAIN_PATH = "ca"
ON_CHIP = ("shared", "constant", "local")
MICRO, GIGA = 1e6, 1e-9
DIRECTIONS = {"to_device": "to the GPU", "to_host": "to the host", "both": "both at once"}


def execution(report: Report) -> Curves | None:
    """Warps, banks, blocks, pressure on registers and shared memory, launches."""
    return curves(
        (
            *_warps(report),
            *_banks(report),
            *_blocks(report),
            *_pressure(report, "execution.register_pressure", "register pressure", "registers a thread"),
            *_pressure(report, "execution.shared_memory_pressure", "shared memory pressure", "bytes a block"),
            *_launches(report),
        )
    )


def paths(report: Report) -> Curves | None:
    """Sweeps by load path and on the chip, walk, translation, near and far, clusters, copies."""
    return curves(
        (
            *_sweeps(report, "by load path", of_chip=False),
            *_sweeps(report, "on the chip", of_chip=True),
            *_reads(report),
            *_walk(report),
            *_translation(report),
            *_distances(report),
            *_clusters(report),
            *_copies(report),
        )
    )


def host_link(report: Report) -> Curves | None:
    """Rates of copies over their bytes: of page-locked memory in a row, and of what is waited for."""
    return curves(
        (
            *_copied(report, "page-locked memory, in a row", "bandwidth", carried=True),
            *_copied(report, "pageable memory, each waited for", "pageable_bandwidth", carried=False),
        )
    )


def _of(report: Report, *kinds: Kind) -> list[tuple[Fact, dict[str, Any]]]:
    facts = report.of("memory.", "execution.")
    return [(fact, report.details(fact.metric)) for fact in facts if parse(fact.metric).kind in kinds]


def _line(details: Mapping[str, Any], across: str, up: str, factor: float = 1.0) -> dict[float, float]:
    pairs = zip(details.get(across, ()), details.get(up, ()), strict=False)
    return {float(setting): float(value) * factor for setting, value in pairs}


def _warps(report: Report) -> Iterator[Panel]:
    lines: Lines = {}
    for fact, details in _of(report, Kind.WARPS):
        name = parse(fact.metric)
        chains, _, shared = name.part.partition(".")
        more = f", {format_bytes(float(shared))}" if shared.isdigit() and int(shared) else ""
        kind = "chain" if chains == "1" else "chains"
        lines[f"{name.subject}, {chains} {kind}{more}"] = _line(details, "warps", "rate")
    yield from panel("warps of a block", "warps", "instructions a cycle", lines)


def _banks(report: Report) -> Iterator[Panel]:
    for _, details in _of(report, Kind.BANKS)[:1]:
        lines: Lines = {"": _line(details, "stride", "cycles")}
        yield from panel("lanes so many words apart", "words", "cycles a load", lines)


def _blocks(report: Report) -> Iterator[Panel]:
    for fact, details in _of(report, Kind.BLOCKS)[:1]:
        lines: Lines = {"": _line(details, "blocks", "relative")}
        ends = [(fact.low, fact.high)]
        yield from panel("blocks of a launch", "blocks", "time over time alone", lines, ends=ends)


def _pressure(report: Report, stem: str, title: str, across: str) -> Iterator[Panel]:
    """The warps that stayed, and those that fit."""
    steps = [pair for pair in _of(report, Kind.STEP) if pair[0].metric.startswith(stem)]
    for _, details in steps[:1]:
        lines: Lines = {}
        for name, key in (("measured", "warps"), ("that fit by the limits", "warps_fit")):
            line = _line(details, "setting", key)
            if line:
                lines[name] = line
        sizes = details.get("variable") == "dynamic_bytes"
        yield from panel(title, across, "warps of a multiprocessor", lines, sizes=sizes, steps=True)


def _launches(report: Report) -> Iterator[Panel]:
    names = {"fixed": "in a row", "waited": "with a wait"}
    lines: Lines = {
        names[part]: _line(details, "blocks", "seconds", MICRO)
        for fact, details in _of(report, Kind.LAUNCH)
        if (part := parse(fact.metric).part) in names
    }
    yield from panel("launches of an empty kernel", "blocks", "µs a launch", lines)


def _copied(report: Report, title: str, part: str, *, carried: bool) -> Iterator[Panel]:
    """Lines of the directions; beside them what the link carries in one, where that is known."""
    lines: Lines = {}
    known = 0.0
    for fact in report.of("host_link."):
        name, details = parse(fact.metric), report.details(fact.metric)
        if name.part == part and details.get("bytes"):
            lines[DIRECTIONS.get(name.subject, name.subject)] = _line(details, "bytes", "rates", GIGA)
            known = float(details.get("nominal", known))
    if carried and known and lines:
        longest = max(lines.values(), key=len)
        lines["one direction, nominal"] = dict.fromkeys(longest, known * GIGA)
    yield from panel(title, "bytes of a copy", "GB/s", lines, sizes=True)


def _sweeps(report: Report, title: str, *, of_chip: bool) -> Iterator[Panel]:
    lines: Lines = {}
    ends: list[tuple[float | None, float | None]] = []
    for fact, details in _of(report, Kind.CAPACITY, Kind.PATH_CAPACITY):
        name = parse(fact.metric)
        path = name.part or MAIN_PATH
        if (path in ON_CHIP) is of_chip and name.pages == "" and details.get("bytes"):
            lines.setdefault(path, _line(details, "bytes", "cycles"))
            ends.append((fact.low, fact.high))
    if of_chip or len(lines) > 1:
        yield from panel(title, "working set", "cycles a load", lines, sizes=True, ends=ends)


def _reads(report: Report) -> Iterator[Panel]:
    for fact, details in _of(report, Kind.SHARED_CAPACITY)[:1]:
        lines: Lines = {"": _line(details, "bytes", "relative")}
        up, ends = "relative time a byte", [(fact.low, fact.high)]
        yield from panel("reads of all multiprocessors", "working set", up, lines, sizes=True, ends=ends)


def _walk(report: Report) -> Iterator[Panel]:
    lines: Lines = {}
    for fact, details in _of(report, Kind.SECTOR):
        name = parse(fact.metric)
        if not name.subject and details.get("cycles"):
            stride = float(details["stride"])
            loads = details["cycles"]
            lines[name.part] = {at * stride: float(cycles) for at, cycles in enumerate(loads)}
    yield from panel("walk through memory", "distance walked", "cycles a load", lines, sizes=True)


def _translation(report: Report) -> Iterator[Panel]:
    lines: Lines = {}
    ends: list[tuple[float | None, float | None]] = []
    for fact, details in _of(report, Kind.TLB_REACH):
        if details.get("stride"):
            name = f"{format_bytes(float(details['stride']))} apart"
            lines.setdefault(name, _line(details, "count", "cycles"))
            ends.append((fact.low, fact.high))
    yield from panel("translation of addresses", "addresses", "cycles a load", lines, ends=ends)


def _distances(report: Report) -> Iterator[Panel]:
    for _, details in _of(report, Kind.DISTANCE)[:1]:
        values = details.get("quantiles", ())
        share = 100 / max(len(values) - 1, 1)
        lines: Lines = {"": {round(at * share, 1): float(value) for at, value in enumerate(values)}}
        yield from panel("near and far lines of L2", "% of the loads", "cycles a load", lines)


def _clusters(report: Report) -> Iterator[Panel]:
    lines: dict[str, dict[float, float]] = {}
    for fact, _ in _of(report, Kind.CLUSTER):
        name = parse(fact.metric)
        if fact.value is not None:
            lines.setdefault(f"{name.part} block", {})[float(name.subject)] = fact.value
    yield from panel("shared memory of a cluster", "blocks of the cluster", "cycles a load", {**lines})


def _copies(report: Report) -> Iterator[Panel]:
    lines: Lines = {}
    for fact, details in _of(report, Kind.BULK):
        name = parse(fact.metric)
        if name.subject in COPIES and details.get("bytes"):
            lines.setdefault(name.subject.replace("_", " "), _line(details, "bytes", "cycles"))
    yield from panel("copies by the copy unit", "bytes", "cycles a copy", lines, sizes=True)
