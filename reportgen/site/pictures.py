"""From a report to its figures: which records are drawn, and the files that come of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reportgen.findings.metric import ALL_CORES, Kind, parse
from reportgen.findings.wording.names import kernel
from reportgen.model.architecture import Fact
from reportgen.site import address
from reportgen.site.figures import (
    bandwidth,
    interference,
    latency,
    roofline,
    throughput,
    working_set,
)
from reportgen.site.figures.cache import Drawn, drawn
from reportgen.site.report import Report
from reportgen.site.view import Picture

FORMS = {"128": "128 bit", "256": "256 bit", "512": "512 bit"}
LEGIBLE = 0.12
"""Least plateau, relative to the highest, that earns a panel."""
PANELS = 12
"""Panels of the saturation figure; further operations are in the table under it."""


def draw_all(report: Report, store: Path) -> Iterator[tuple[str, Drawn]]:
    """Every figure that the run has something for, from the cache where it is there."""
    makers: tuple[tuple[str, Callable[[Report], Any], Callable[[Any], str]], ...] = (
        ("latency", latencies, latency.draw),
        ("throughput", saturation, throughput.draw),
        ("interference", heat_map, interference.draw),
        ("working_set", sweep, working_set.draw),
        ("bandwidth", rates, bandwidth.draw),
        ("roofline", roofs, roofline.draw),
    )
    for name, collect, draw in makers:
        record = collect(report)
        if record is not None:
            yield name, drawn(store, name, record, draw)


def place(report: Report, name: str, figure: Drawn) -> tuple[Picture, dict[str, str]]:
    """Where a drawn figure lies beside its report: the picture, and the content by source path."""
    device, run = report.run.device.id, report.run.run
    light = address.run_asset(device, run, f"figures/{name}.light.svg")
    dark = address.run_asset(device, run, f"figures/{name}.dark.svg")
    return Picture(light, dark, (figure.width, figure.height)), {light: figure.light, dark: figure.dark}


def latencies(report: Report) -> latency.Latencies | None:
    """Operations with a latency, group by group in the order of the table."""
    rows = [
        latency.Latency(
            title=row.title or row.operation,
            group=report.group(row.operation),
            value=fact.value,
            low=fact.low,
            high=fact.high,
        )
        for row in report.architecture.instructions
        if (fact := row.dependent_latency) is not None and fact.value is not None and fact.value > 0
    ]
    groups = list(dict.fromkeys(row.group for row in rows))
    rows.sort(key=lambda row: groups.index(row.group))
    return latency.Latencies(tuple(rows)) if rows else None


def saturation(report: Report) -> throughput.Saturation | None:
    """Curves of rate against accumulators; the widths of one operation share a panel."""
    panels: dict[str, list[throughput.Series]] = {}
    titles: dict[str, str] = {}
    for fact in report.of("throughput."):
        operation = parse(fact.metric).subject
        counts, values = (
            report.details(fact.metric).get("accumulators"),
            report.details(fact.metric).get("rate"),
        )
        if not counts or not values or len(counts) != len(values):
            continue
        stem, _, width = operation.rpartition("_")
        if width not in FORMS:
            stem, width = operation, "scalar"
        label = FORMS.get(width, "scalar")
        panels.setdefault(stem, []).append(
            throughput.Series(label, tuple(map(float, counts)), tuple(map(float, values)))
        )
        title = report.title(operation)
        titles[stem] = title if width == "scalar" else titles.get(stem, title.split(",")[0])
    # Panels share their axes: a rate that would lie on the bottom line is better read in the table.
    top = max((max(one.per_cycle) for some in panels.values() for one in some), default=0.0)
    legible = [
        stem for stem, some in panels.items() if max(max(one.per_cycle) for one in some) >= LEGIBLE * top
    ]
    # Panels that compare several forms say most.
    ranked = sorted(legible, key=lambda stem: -len(panels[stem]))[:PANELS]
    if not ranked:
        return None
    return throughput.Saturation(
        tuple(throughput.Panel(titles[stem], tuple(panels[stem])) for stem in ranked)
    )


def heat_map(report: Report) -> interference.HeatMap | None:
    """Every pair of the matrix."""
    pairs = report.architecture.interference
    if not pairs:
        return None
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    return interference.HeatMap(
        names=names,
        titles=tuple(report.title(name) for name in names),
        pairs=tuple(
            interference.Pair(
                pair.first,
                pair.second,
                pair.index.value,
                "?" if pair.reading == "cannot tell" else "",
            )
            for pair in pairs
        ),
    )


def sweep(report: Report) -> working_set.WorkingSet | None:
    """Both curves of the working-set sweep, with the boundaries that lead."""
    curves: dict[str, working_set.Curve] = {}
    for fact in report.of("memory."):
        details = report.details(fact.metric)
        pages, sizes, cycles = (details.get(key) for key in ("pages", "bytes", "cycles"))
        if pages and sizes and cycles and len(sizes) == len(cycles):
            curve = working_set.Curve(str(pages), tuple(map(float, sizes)), tuple(map(float, cycles)))
            curves.setdefault(curve.pages, curve)
    if not curves:
        return None
    boundaries, plateaus = [], []
    for level in report.level_order():
        capacity = report.fact(f"memory.{level}.capacity")
        if capacity is not None and capacity.low is not None:
            boundaries.append(working_set.Boundary(level, capacity.low, capacity.high))
        cycles = report.fact(f"memory.{level}.latency")
        if cycles is not None and cycles.value is not None:
            plateaus.append(working_set.Plateau(level, cycles.value))
    order = sorted(curves, key=lambda pages: pages != "huge")
    return working_set.WorkingSet(tuple(curves[pages] for pages in order), tuple(boundaries), tuple(plateaus))


def rates(report: Report) -> bandwidth.Bandwidth | None:
    """Bandwidth by level and kernel."""
    found: dict[tuple[str, str], dict[str, Fact]] = {}
    for fact in report.of("bandwidth."):
        name = parse(fact.metric)
        if fact.value is not None:
            scope = ALL_CORES if name.scope else "one"
            found.setdefault((name.subject, name.part), {})[scope] = fact
    order = list(report.level_order())
    keys = sorted(found, key=lambda key: order.index(key[0]) if key[0] in order else len(order))
    made = tuple(
        bandwidth.Rate(level, name, *_bounds(some.get("one")), *_bounds(some.get(ALL_CORES)))
        for level, name in keys
        for some in (found[level, name],)
    )
    return bandwidth.Bandwidth(made, report.run.device.cores) if made else None


def _bounds(fact: Fact | None) -> tuple[float | None, float | None, float | None]:
    return (fact.value, fact.low, fact.high) if fact is not None else (None, None, None)


def roofs(report: Report) -> roofline.Roofline | None:
    """Roofs and ridges of one core; library routines where their intensity is known."""
    memory = []
    for level in report.level_order():
        best = _roof(report, level)
        if best is not None and best.value is not None:
            memory.append(roofline.Memory(level, kernel(parse(best.metric).part), best.value))
    compute = [
        roofline.Compute(parse(q.metric).subject, q.value)
        for q in report.of("peak.")
        if parse(q.metric).kind is Kind.PEAK and q.value is not None and q.unit == "FLOP/second"
    ]
    ridges = []
    for fact in report.of("ridge."):
        name = parse(fact.metric)
        if fact.value is not None and fact.unit == "FLOP/byte":
            ridges.append(roofline.Ridge(name.part, name.subject, fact.value, fact.low, fact.high))
    if not memory or not compute or not ridges:
        return None
    precisions = [roof.precision for roof in compute]
    return roofline.Roofline(
        tuple(memory),
        tuple(compute),
        tuple(ridges),
        tuple(_routines(report)),
        bound="fp32" if "fp32" in precisions else precisions[0],
    )


def _roof(report: Report, level: str) -> Fact | None:
    """The rate that the ridges of a level were computed with; else its fastest of one core."""
    for ridge in report.of("ridge."):
        if parse(ridge.metric).part == level:
            named = report.fact(str(report.details(ridge.metric).get("bandwidth", "")))
            if named is not None:
                return named
    found = [
        fact
        for fact in report.of(f"bandwidth.{level}.")
        if not parse(fact.metric).scope and fact.value is not None
    ]
    return max(found, key=lambda fact: fact.value or 0.0, default=None)


def _routines(report: Report) -> Iterator[roofline.Kernel]:
    """Points of the library routines; the fastest of each routine carries its name."""
    best: dict[str, Fact] = {}
    placed = []
    for fact in report.of("kernel."):
        intensity = report.details(fact.metric).get("intensity")
        if fact.value is None or not isinstance(intensity, (int, float)) or intensity <= 0:
            continue
        name = parse(fact.metric).subject
        placed.append((fact, float(intensity)))
        if name not in best or (best[name].value or 0.0) < fact.value:
            best[name] = fact
    for fact, intensity in placed:
        routine = parse(fact.metric)
        label = ""
        if best[routine.subject] is fact:
            label = f"{routine.subject} {routine.part}" if len(routine.part) < 5 else routine.subject
        yield roofline.Kernel(label, intensity, fact.value or 0.0)
