"""Metrics side by side: one row a metric, one column a device, from each device's newest report."""

from __future__ import annotations

from reportgen.findings.metric import LEVELS, Kind, parse
from reportgen.findings.wording.names import level, noun, precision
from reportgen.site import address, blocks, templating
from reportgen.site.address import Links
from reportgen.site.catalogue import Shelf
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.pages import Page
from reportgen.site.pages.comparison import label, tally
from reportgen.site.pairs import Pair
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.units import format_interval

STEMS = (
    ("memory.", "Memory hierarchy"),
    ("bandwidth.", "Bandwidth"),
    ("peak.", "Compute peaks"),
    ("ridge.", "Ridge points"),
    ("latency.", "Instruction latency"),
    ("throughput.", "Instruction throughput"),
)
"""Groups of metrics that mean the same on every device, each a table of its own."""
GLANCE = (
    *((f"memory.{name}.capacity", f"{level(name)} capacity") for name in LEVELS),
    *((f"memory.{name}.latency_time", f"{level(name)} latency") for name in LEVELS),
    *((f"bandwidth.{name}.read", f"{level(name)} read") for name in LEVELS),
    *(
        (f"peak.{name}", f"{precision(name)} peak")
        for name in (
            "fp64",
            "fp32",
            "bf16",
            "int8",
            "tensor_fp64",
            "tensor_tf32",
            "tensor_fp16",
            "tensor_fp8",
        )
    ),
    ("ridge.fp32.dram", "FP32 ridge on DRAM"),
    ("ridge.tensor_fp16.dram", "tensor FP16 ridge on DRAM"),
)
"""Metric and title of the rows of the short table."""
OF_A_LEVEL = (Kind.CAPACITY, Kind.LEVEL_LATENCY, Kind.LEVEL_TIME)
"""What a level of memory has, in the order of the table."""
NOTHING = Html("")


def page(
    shelves: tuple[Shelf, ...], compared: tuple[Pair, ...], links: Links, rooflines: Html = NOTHING
) -> Page:
    """The comparison of all devices whose newest report can be read.

    Args:
        shelves: every device with its runs.
        compared: pairs of runs that have a page of their own.
        links: between pages.
        rooflines: the same workloads on each of them, where there are two or more.
    """
    reports = [shelf.newest.report for shelf in shelves if shelf.newest.report is not None]
    groups = [
        (stem.rstrip("."), title, body)
        for stem, title in STEMS
        if (body := _table(stem, title, reports, links))
    ]
    markdown = templating.page(
        "compare.md.j2",
        groups=groups,
        conditions=_conditions(reports, links),
        glance=_glance(reports, links),
        verdicts=_verdicts(compared, links),
        rooflines=rooflines,
        method=links.method(address.COMPARE, "comparing"),
    )
    return Page(address.COMPARE, "Compare devices", markdown)


def _glance(reports: list[Report], links: Links) -> Html:
    """The numbers that people choose by, as far as any device has them."""
    rows = [
        Row((Cell(title, note=metric), *(_cell(report, metric, links) for report in reports)))
        for metric, title in GLANCE
        if any(_shown(report, metric) for report in reports)
    ]
    if not rows:
        return NOTHING
    whose = Row(
        (
            "rates and peaks are those of",
            *("the whole GPU" if report.evidence.gpu else "one core" for report in reports),
        )
    )
    columns = (Column("at a glance"), *_heads(reports))
    caption = "Devices side by side: times of dependent loads, rates of reading, peaks and ridges."
    return table("glance", caption, columns, [whose, *rows], sortable=False)


def _shown(report: Report, metric: str) -> bool:
    return blocks.sort_key(report.fact(metric)) is not None


def _verdicts(compared: tuple[Pair, ...], links: Links) -> Html:
    """One row a pair: how many metrics are the same, differ, or cannot be told."""
    if not compared:
        return element("p", escape("No two runs here are comparable."))
    columns = (Column("first"), Column("second"), Column("second against first"), Column("metric by metric"))
    rows = (
        Row(
            (
                Cell(label(pair.first, pair.comparison.one_device)),
                Cell(label(pair.second, pair.comparison.one_device)),
                Cell(tally(pair.comparison.counts)),
                Cell(anchor("verdicts", links.to(address.COMPARE, pair.uri))),
            )
        )
        for pair in compared
    )
    return table("verdicts", "Pairs of runs, by the rule of the comparison.", columns, rows)


def _heads(reports: list[Report]) -> tuple[Column, ...]:
    return tuple(Column(report.run.title, number=True, note=report.run.device.id) for report in reports)


def _table(stem: str, title: str, reports: list[Report], links: Links) -> Html:
    named = dict.fromkeys(quantity.metric for report in reports for quantity in report.of(stem))
    # What no device has is in each report under "what has no value".
    metrics = [metric for metric in named if any(_has_value(report, metric) for report in reports)]
    if stem == "memory.":
        metrics.sort(key=_place)
    if not metrics:
        return Html("")
    rows = (
        Row(
            (
                Cell(_name(metric, reports, links), note=metric),
                *(_cell(report, metric, links) for report in reports),
            ),
            id=metric,
        )
        for metric in metrics
    )
    columns = (Column("metric"), *_heads(reports))
    return table(f"compare-{stem.rstrip('.')}", f"{title}, by device.", columns, rows, filtered=True)


def _place(metric: str) -> tuple[bool, bool, int, int]:
    """Levels first, from the core outwards, each with capacity, latency and time; then everything else."""
    name = parse(metric)
    of_a_level = name.kind in OF_A_LEVEL and name.subject in LEVELS
    if not of_a_level:
        return True, bool(name.pages), 0, 0
    return False, bool(name.pages), LEVELS.index(name.subject), OF_A_LEVEL.index(name.kind)


def _has_value(report: Report, metric: str) -> bool:
    fact = report.fact(metric)
    return fact is not None and fact.value is not None


def _name(metric: str, reports: list[Report], links: Links) -> Html:
    title = next((r.title for r in reports if r.fact(metric) is not None), None)
    text = noun(metric, title if title is not None else str).removeprefix("the ")
    return anchor(text[:1].upper() + text[1:], links.term(address.COMPARE, metric))


def _cell(report: Report, metric: str, links: Links) -> Cell:
    quantity = report.fact(metric)
    cell = blocks.number_cell(quantity)
    if quantity is None or cell.sort is None:
        return cell
    interval = blocks.interval_cell(quantity).html
    url = links.to(address.COMPARE, address.device_page(report.run.device.id), metric)
    return Cell(anchor(cell.html, url), sort=cell.sort, note=f"{interval}, n = {quantity.n}")


def _conditions(reports: list[Report], links: Links) -> Html:
    """What must be alike before numbers are compared: suite, clock, kernel, date."""
    columns = (
        Column("device"),
        Column("measured"),
        Column("suite"),
        Column("kernel or driver"),
        Column("clock seen"),
        Column("virtual machine"),
    )
    rows = []
    for report in reports:
        run = report.run
        hertz = [mark.cycle_hz for mark in run.drift if mark.cycle_hz > 0]
        clock = format_interval(min(hertz), max(hertz), "hertz", 3) if hertz else "–"
        virtual = run.environment.get("hypervisor", run.environment.get("virtual_machine"))
        rows.append(
            Row(
                (
                    Cell(
                        anchor(
                            run.title,
                            links.to(address.COMPARE, address.device_page(run.device.id)),
                        )
                    ),
                    Cell(run.created[:10]),
                    Cell(run.suite.get("version", "–")),
                    Cell(str(run.environment.get("kernel") or run.environment.get("driver") or "–")),
                    Cell(clock),
                    Cell("–" if virtual is None else "yes" if virtual else "no"),
                )
            )
        )
    if not rows:
        return element("p", escape("No report can be compared yet."))
    return join((table("conditions", "Under what conditions each was measured.", columns, rows),))
