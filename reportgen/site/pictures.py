"""From a report to its figures: which records are drawn, and the files that come of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from textwrap import shorten
from typing import Any

from reportgen.findings.metric import ALL_CORES, Kind, parse
from reportgen.findings.wording.gpu_names import path as load_path
from reportgen.findings.wording.names import kernel
from reportgen.model.architecture import Fact
from reportgen.roofline.all_cores import together
from reportgen.roofline.roofs import FLOP, OP
from reportgen.site import (
    address,
    branch_curves,
    communication_figures,
    distance_map,
    footprint_curves,
    gpu_curves,
    prefetch_curves,
    replacement_shares,
    roofline_data,
    waiting_curves,
    window_curves,
)
from reportgen.site import resource_graph as resources
from reportgen.site import store_to_load as stored
from reportgen.site.figures import (
    bandwidth,
    core_matrix,
    curves,
    distance,
    interference,
    latency,
    occupancy,
    replacement,
    resource_graph,
    roofline,
    roofline_record,
    store_to_load,
    sustained,
    throughput,
    working_set,
)
from reportgen.site.figures.cache import Drawn, drawn
from reportgen.site.report import Report
from reportgen.site.sections.gpu import PATHS
from reportgen.site.view import Picture
from reportgen.units import format_bytes

ROOFLINES = {"roofline": FLOP, "roofline_op": OP}
"""Charts of one unit of work each; their data lie beside them."""
EVERY_CORE = "roofline_all_cores"
SCALAR = "scalar"
FORMS = {"128": "128 bit", "256": "256 bit", "512": "512 bit"}
LEGIBLE = 0.12
"""Least plateau, relative to the highest, that earns a panel."""
CLASSES = ("float", "integer", "vector", "memory", "dot")
"""Operation classes that come first where not all can be shown."""
PANELS = 15
"""Panels of the saturation figure; further operations are in the table under it."""


def draw_all(report: Report, store: Path) -> Iterator[tuple[str, Drawn]]:
    """Every figure that the run has something for, from the cache where it is there."""
    makers: tuple[tuple[str, Callable[[Report], Any], Callable[[Any], str]], ...] = (
        ("latency", latencies, latency.draw),
        ("throughput", saturation, throughput.draw),
        ("interference", heat_map, interference.draw),
        ("resources", resources.record, resource_graph.draw),
        ("execution", gpu_curves.execution, curves.draw),
        ("working_set", sweep, working_set.draw),
        ("paths", gpu_curves.paths, curves.draw),
        ("distance", distance_map.record, distance.draw),
        ("bandwidth", rates, bandwidth.draw),
        *((name, roofs(unit), roofline.draw) for name, unit in ROOFLINES.items()),
        (EVERY_CORE, roofs_of_all_cores, roofline.draw),
        ("occupancy", occupancies, occupancy.draw),
        ("waiting", waiting_curves.waiting, curves.draw),
        ("sustained", courses, sustained.draw),
        ("code_footprint", footprint_curves.footprint, curves.draw),
        ("in_flight", window_curves.in_flight, curves.draw),
        ("host_link", gpu_curves.host_link, curves.draw),
        ("branches", branch_curves.branches, curves.draw),
        ("prefetch", prefetch_curves.runs, curves.draw),
        ("prefetch_near", prefetch_curves.near, curves.draw),
        ("store_to_load", stored.cases, store_to_load.draw),
        ("between_cores", communication_figures.matrix, core_matrix.draw),
        ("shared_words", communication_figures.shared, curves.draw),
        ("replacement", replacement_shares.record, replacement.draw),
    )
    for name, collect, draw in makers:
        record = collect(report)
        if record is not None:
            yield name, drawn(store, name, record, draw)


def place(report: Report, name: str, figure: Drawn) -> tuple[Picture, dict[str, bytes]]:
    """Where a drawn figure lies beside its report: the picture, and the content by source path."""
    device, run = report.run.device.id, report.run.run

    def beside(file: str) -> str:
        return address.run_asset(device, run, f"figures/{file}")

    light, dark = beside(f"{name}.light.svg"), beside(f"{name}.dark.svg")
    files = {light: figure.light.encode(), dark: figure.dark.encode()}
    if name in ROOFLINES:
        data = roofline_data.files(report.roofline.with_unit(ROOFLINES[name]), name, figure)
        files |= {beside(file): content for file, content in data.items()}
    if name == EVERY_CORE:
        whole = together(report.roofline, report.pairs)
        data = roofline_data.files(whole, name, figure)
        files |= {beside(file): content for file, content in data.items()}
    return Picture(light, dark, (figure.width, figure.height)), files


def split(operation: str) -> tuple[str, str]:
    """An operation without its width, and the width as a label: `fp32_add_512` -> fp32_add, 512 bit."""
    stem, _, width = operation.rpartition("_")
    return (stem, FORMS[width]) if width in FORMS else (operation, SCALAR)


def common_title(title: str) -> str:
    """A title without the width: "512-bit FP32 add" -> "FP32 add"."""
    return re.sub(r"^(?:scalar|(?:128|256|512)-bit) |, (?:128|256|512)[- ]bit$", "", title)


BRIEF = (
    (" matrix product of a warp group into ", " product, warp group, "),
    (" matrix product through tensor memory into ", " product, tensor memory, "),
    (" matrix product, half of one factor zero, into ", " product, half zero, "),
    (", chain through the ", ", by "),
    (" matrix product ", " product "),
    (" in shared memory", ", shared"),
    (" in global memory", ", global"),
    (" loaded from shared memory", ", shared"),
    (" from constant memory, of one word for all lanes", ", constant"),
)
"""Words of titles that a figure says in fewer, so that what tells two operations apart is not cut off."""


def brief(title: str, letters: int = latency.LONGEST) -> str:
    """A title in at most so many letters."""
    for words, fewer in BRIEF:
        title = title.replace(words, fewer)
    return shorten(title, letters, placeholder=" …")


def latencies(report: Report) -> latency.Latencies | None:
    """Operations with a latency, group by group in the order of the table; widths share a row."""
    forms: dict[str, list[latency.Latency]] = {}
    rows: dict[str, tuple[str, str]] = {}
    for row in report.architecture.instructions:
        fact = row.dependent_latency
        if fact is None or fact.value is None or fact.value <= 0:
            continue
        stem, label = split(row.operation)
        rows.setdefault(stem, (common_title(row.title or row.operation), report.group(row.operation)))
        forms.setdefault(stem, []).append(latency.Latency(label, fact.value, fact.low, fact.high))
    made = [latency.Operation(brief(title), group, tuple(forms[stem]))
            for stem, (title, group) in rows.items()]  # fmt: skip
    groups = list(dict.fromkeys(row.group for row in made))
    made.sort(key=lambda row: groups.index(row.group))
    return latency.Latencies(tuple(made)) if made else None


def saturation(report: Report) -> throughput.Saturation | None:
    """Curves of rate against accumulators; the widths of one operation share a panel."""
    panels: dict[str, list[throughput.Series]] = {}
    titles: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for fact in report.of("throughput."):
        details = report.details(fact.metric)
        counts, values = details.get("accumulators"), details.get("rate")
        if not counts or not values or len(counts) != len(values):
            continue
        operation = parse(fact.metric).subject
        stem, label = split(operation)
        if stem not in panels:
            titles[stem] = common_title(report.title(operation))
            groups.setdefault(report.group(operation), []).append(stem)
        panels.setdefault(stem, []).append(
            throughput.Series(label, tuple(map(float, counts)), tuple(map(float, values)))
        )
    # Panels share their axes: a rate that would lie on the bottom line is better read in the table.
    highest = {stem: max(max(one.per_cycle) for one in some) for stem, some in panels.items()}
    least = LEGIBLE * max(highest.values(), default=0.0)
    # In each class panels that compare several forms say most; classes take turns.
    queues = [
        sorted((stem for stem in stems if highest[stem] >= least), key=lambda stem: -len(panels[stem]))
        for group, stems in sorted(
            groups.items(), key=lambda item: CLASSES.index(item[0]) if item[0] in CLASSES else len(CLASSES)
        )
    ]
    turns = [stem for turn in zip_longest(*queues) for stem in turn if stem is not None]
    chosen = [stem for queue in queues for stem in queue if stem in turns[:PANELS]]
    if not chosen:
        return None
    return throughput.Saturation(
        tuple(
            throughput.Panel(brief(titles[stem], throughput.LONGEST), tuple(panels[stem])) for stem in chosen
        ),
        of="a multiprocessor" if report.evidence.gpu else "a core",
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
        if parse(fact.metric).kind in PATHS:
            continue
        details = report.details(fact.metric)
        pages, sizes, cycles = (details.get(key) for key in ("pages", "bytes", "cycles"))
        if pages and sizes and cycles and len(sizes) == len(cycles):
            name = _way(report, fact.metric) or str(pages)
            curve = working_set.Curve(name, tuple(map(float, sizes)), tuple(map(float, cycles)))
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
        elif cycles is not None:
            plateaus += [working_set.Plateau(level, mode) for mode in cycles.modes]
    order = sorted(curves, key=lambda pages: pages != "huge")
    return working_set.WorkingSet(tuple(curves[pages] for pages in order), tuple(boundaries), tuple(plateaus))


def _way(report: Report, metric: str) -> str:
    """By which loads a GPU's curve was taken; empty on a CPU, whose curves differ in their pages."""
    point = report.evidence.points.get(next(iter(report.evidence.by_metric[metric].points), ""))
    path = str(point.settings.get("path", "")) if point is not None else ""
    return f"loads {load_path(path)}" if path else ""


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
        bandwidth.Rate(level, kernel(name), *_bounds(some.get("one")), *_bounds(some.get(ALL_CORES)))
        for level, name in keys
        for some in (found[level, name],)
    )
    cores = 0 if report.evidence.gpu else report.run.device.cores
    return bandwidth.Bandwidth(made, cores) if made else None


def _bounds(fact: Fact | None) -> tuple[float | None, float | None, float | None]:
    return (fact.value, fact.low, fact.high) if fact is not None else (None, None, None)


def roofs_of_all_cores(report: Report) -> roofline_record.Roofline | None:
    """Roofs of all cores together, where arithmetic and a level of memory were measured on them."""
    whole = together(report.roofline, report.pairs).with_unit(FLOP)
    return roofline_record.record(whole, FLOP) if roofline_record.drawable(whole) else None


def roofs(unit: str) -> Callable[[Report], roofline_record.Roofline | None]:
    """Roofs, ridges and kernels of one core, on the chart of one unit of work."""

    def collect(report: Report) -> roofline_record.Roofline | None:
        part = report.roofline.with_unit(unit)
        return roofline_record.record(part, unit) if roofline_record.drawable(part) else None

    return collect


def occupancies(report: Report) -> occupancy.Occupancies | None:
    """Every sweep over which another number of warps fits; lines of one panel differ in shared memory."""
    sweeps = []
    for fact in report.of("occupancy."):
        details = report.details(fact.metric)
        probe = report.evidence.probes.get(fact.probe)
        if probe is None or fact.low == fact.high:
            continue
        settings = list(dict.fromkeys(details["settings"]))
        lines: dict[float, dict[int, float]] = {}
        own = probe.variable == "dynamic_bytes"  # then shared memory is the axis, not what tells lines apart
        for setting, shared, share in zip(
            details["settings"], details["shared"], details["share"], strict=True
        ):
            lines.setdefault(0 if own else shared, {})[settings.index(setting)] = share
        series = tuple(
            occupancy.Series(format_bytes(shared), tuple(line), tuple(line.values()))
            for shared, line in sorted(lines.items())
        )
        named = tuple(format_bytes(s) if own else str(s) for s in settings)
        title, variable = probe.title or probe.id, probe.variable.replace("_", " ")
        sweeps.append(occupancy.Sweep(title, variable, named, series))
    return occupancy.Occupancies(tuple(sweeps)) if sweeps else None


def courses(report: Report) -> sustained.Courses | None:
    """Every window of the visits under load, precision by precision."""
    panels = []
    for fact in report.of("peak."):
        name, details = parse(fact.metric), report.details(fact.metric)
        if name.kind is not Kind.SUSTAINED or not details.get("rate"):
            continue
        stem = fact.metric.removesuffix(".sustained")
        everything = "whole device" if report.run.device.gpu else "all cores at once"
        burst, settling = report.fact(f"{stem}.burst"), report.fact(f"{stem}.settling_time")
        panels.append(
            sustained.Course(
                title=f"{name.subject.upper()}, {everything}",
                visits=tuple(details["visit"]),
                seconds=tuple(details["time"]),
                rates=tuple(rate / 1e9 for rate in details["rate"]),
                burst=burst.value / 1e9 if burst is not None and burst.value else None,
                sustained=fact.value / 1e9 if fact.value else None,
                settling=settling.value if settling is not None and settling.high is not None else None,
                unit=f"G{fact.unit.partition('/')[0]}/s",
            )
        )
    return sustained.Courses(tuple(panels)) if panels else None
