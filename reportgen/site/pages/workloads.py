"""Counted workloads under the roofs of one device: work, memory, and what the roofs allow each module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.roofline import workloads
from reportgen.roofline.roofs import called
from reportgen.roofline.sheet import Entry
from reportgen.roofline.workloads import Module, Placed
from reportgen.site import address, blocks, roofline_data, templating
from reportgen.site.catalogue import Entry as Kept
from reportgen.site.figures.cache import Drawn
from reportgen.site.markup import Html, anchor, element, join
from reportgen.site.pages import Page
from reportgen.site.report import Report
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View
from reportgen.units import format_bytes, format_moved, format_value, significant
from reportgen.workload.breakdown import Share
from reportgen.workload.memory import ORDER
from reportgen.workload.work import CONVENTION_FLOP, CONVENTION_MAC, Work

FIGURE = "roofline_workloads"

WORKLOAD = Column("workload", note="its short name in the figure first")
TOTALS = (
    WORKLOAD,
    Column("MAC", number=True, note=CONVENTION_MAC.partition(": ")[2]),
    Column("other FLOP", number=True, note="adds, products and divisions outside of MACs"),
    Column("transcendental", number=True, note="calls of exp, tanh, sqrt and their like"),
    Column("comparisons", number=True),
    Column(
        "attention",
        note="found, of those expected; MAC of all pairs, and of those a causal mask lets through",
    ),
)
MEMORY = (
    WORKLOAD,
    Column("weights", number=True, note="tied ones once"),
    Column("activations", number=True, note=f"alive at once at most; {ORDER}"),
    Column("key-value cache", number=True, note="after the run"),
    Column("bytes moved", number=True, note="from each once to each operation on its own"),
)
BOUNDS = (
    WORKLOAD,
    Column("intensity", number=True, note="with each operation on its own … with each byte moved once"),
    Column("lowest roof", number=True),
    Column("least time", number=True, note="all transfers and arithmetic overlap, each byte moves once"),
    Column("greatest", number=True, note="nothing overlaps and every operation goes through memory"),
    Column("verdict"),
    Column("what would change it"),
)
MODULES = (
    Column("module", note="neighbours that are alike stand in one row"),
    Column("MAC", number=True, note="of one of them"),
    Column("bytes", number=True, note="its operations on their own"),
    Column("intensity", number=True),
    Column("lowest roof", number=True),
    Column("least time", number=True, note="of one of them"),
    Column("share of it", number=True, note="of the least times of all modules together"),
)
KINDS = (
    Column("kind of operation"),
    Column("operations", number=True),
    Column("MAC", number=True),
    Column("other FLOP", number=True),
    Column("transcendental", number=True),
    Column("bytes", number=True, note="each operation on its own"),
)


def files(report: Report, placed: Sequence[Placed], figure: Drawn) -> dict[str, bytes]:
    """Source path -> content of the figure and of the data behind the page."""
    sheet = workloads.sheet_of(report.roofline, placed)
    whole = roofline_data.files(sheet, FIGURE, figure)
    return {
        _place(report, "light.svg"): figure.light.encode(),
        _place(report, "dark.svg"): figure.dark.encode(),
        _place(report, "svg"): whole[f"{FIGURE}.svg"],
        _place(report, "csv"): workloads.to_csv(placed),
        _place(report, "json"): workloads.to_json(placed),
    }


def _place(report: Report, ending: str) -> str:
    return address.run_asset(report.run.device.id, report.run.run, f"figures/{FIGURE}.{ending}")


def page(view: View, entry: Kept, placed: Sequence[Placed], figure: Drawn) -> Page:
    """The page of a device's newest run."""
    run = view.report.run
    title = f"Counted workloads: {run.title}"
    scope = "the whole device" if view.report.roofline.gpu else "one core"
    markdown = templating.page(
        "workloads.md.j2",
        title=title,
        report=view.page(address.run_page(run.device.id, run.run)),
        name=f"{run.title}, {entry.created}",
        scope=scope,
        convention=f"{CONVENTION_FLOP}. {CONVENTION_MAC}.",
        method=view.links.method(view.here, "counting"),
        figure=_figure(view, figure, scope),
        data=_data(view),
        bounds=table("bounds", f"What the roofs of {scope} allow.", BOUNDS, map(_bound, placed)),
        totals=table("totals", "What is computed.", TOTALS, map(_total, placed)),
        memory=table("memory", "What is occupied, and what is moved.", MEMORY, map(_memory, placed)),
        workloads=[
            {"id": one.named.id, "title": one.named.title, "told": _told(one), "modules": _modules(one),
             "kinds": _kinds(one)}
            for one in placed
        ],
    )  # fmt: skip
    return Page(view.here, title, markdown)


def _figure(view: View, figure: Drawn, scope: str) -> Html:
    return blocks.figure(
        "figure-workloads",
        view.page(_place(view.report, "light.svg")),
        view.page(_place(view.report, "dark.svg")),
        (figure.width, figure.height),
        f"Roofline of {scope} with the counted workloads at their bounds; the table below holds each.",
        "Open marks: workloads at the bound that the roofs allow, with each byte moved once; none of them "
        "was run. Short names are those of the table below.",
    )


def _data(view: View) -> Html:
    links = (
        anchor("modules as CSV", view.page(_place(view.report, "csv"))),
        anchor("all of it as JSON", view.page(_place(view.report, "json"))),
        anchor("figure as a file that works by itself (SVG)", view.page(_place(view.report, "svg"))),
    )
    return element("p", join(("Data: ", join(links, ", "))), class_="rg-files")


def _head(one: Placed) -> Cell:
    name = join(
        (element("span", one.whole.id, class_="rg-short"), anchor(one.named.title, f"#{one.named.id}")), " "
    )
    told = f"{one.named.size}, {called(one.precision)}"
    return Cell(join((name, element("span", told, class_="rg-note"))))


def _bound(one: Placed) -> Row:
    low, high = one.count.intensity
    verdict = one.whole.verdict
    word = element("span", verdict.standing, class_="rg-verdict rg-standing-predicted")
    limiter = called(verdict.limiter) or "cannot tell which roof"
    return Row(
        (
            _head(one),
            Cell(f"{significant(low, 3)} … {significant(high, 3)} FLOP/byte", sort=high),
            _roof(one.whole),
            *_times(one.whole),
            Cell(join((word, element("span", f"bound by {limiter}", class_="rg-note")))),
            Cell("; ".join((*verdict.reasons, *verdict.advice))),
        )
    )


def _roof(entry: Entry | None) -> Cell:
    bound = entry.verdict.bound if entry is not None else None
    if entry is None or bound is None:
        return Cell("–")
    value = format_value(bound.value, f"{entry.point.unit}/second", 3)
    return Cell(join((value, element("span", called(bound.limiter), class_="rg-note"))), sort=bound.value)


def _times(entry: Entry | None) -> tuple[Cell, Cell]:
    times = entry.predicted if entry is not None else None
    if times is None:
        return Cell("–"), Cell("–")
    least, most = times.at_least, times.at_most
    return Cell(format_value(least, "second", 3), sort=least), Cell(
        format_value(most, "second", 3), sort=most
    )


def _total(one: Placed) -> Row:
    count, attention = one.count, one.count.attention
    least = "" if count.exact else "≥ "
    told = f"{len(attention.found)} of {attention.expected}" if attention.expected else "–"
    pairs = f"{attention.mac_full:,} MAC, causal {attention.mac_causal:,}" if attention.found else ""
    return Row((_head(one), *_columns(count.total, least), Cell(join((told, _note(pairs))))))


def _columns(work: Work, least: str = "") -> Iterable[Cell]:
    for value in (work.mac, work.flop, work.transcendental, work.comparison):
        yield Cell(f"{least}{value:,}", sort=float(value))


def _memory(one: Placed) -> Row:
    memory, traffic = one.count.memory, one.count.traffic
    sizes = (
        Cell(format_bytes(size), sort=float(size), note=note)
        for size, note in (
            (memory.weights, ""), (memory.activations, f"at {memory.peak_at}"), (memory.cache, "")
        )
    )  # fmt: skip
    moved = f"{format_moved(traffic.compulsory)} … {format_moved(traffic.unfused)}"
    return Row((_head(one), *sizes, Cell(moved, sort=float(traffic.compulsory))))


def _told(one: Placed) -> str:
    share = "every operation" if one.count.exact else f"{one.count.coverage:.1%} of the operations"
    size, many = one.named.size.capitalize(), len(one.count.rows)
    return f"{size}, {called(one.precision)}; {many} operations, {share} counted."


def _modules(one: Placed) -> Html:
    least = [(module, _least(module)) for module in one.modules]
    together = sum(time * module.alike for module, time in least) or 1.0
    return table(
        f"modules-{one.named.id}",
        f"{one.named.title} by module.",
        MODULES,
        (_module(module, time * module.alike / together) for module, time in least),
    )


def _least(module: Module) -> float:
    times = module.entry.predicted if module.entry is not None else None
    return times.at_least if times is not None else 0.0


def _module(module: Module, share: float) -> Row:
    entry, part = module.entry, module.share
    alike = f"{module.alike} alike" if module.alike > 1 else ""
    intensity = entry.point.intensity(workloads.LEVEL) if entry is not None else None
    return Row(
        (
            Cell(join((element("code", module.name), _note(alike)))),
            Cell(f"{part.work.mac:,}", sort=float(part.work.mac)),
            Cell(format_moved(part.bytes_unfused), sort=float(part.bytes_unfused)),
            Cell(f"{significant(intensity, 3)} FLOP/byte" if intensity else "–", sort=intensity),
            _roof(entry),
            _times(entry)[0],
            Cell(f"{share * 100:.1f} %" if entry is not None else "–", sort=share),
        )
    )


def _kinds(one: Placed) -> Html:
    return table(
        f"kinds-{one.named.id}",
        f"{one.named.title} by kind of operation.",
        KINDS,
        (_kind(kind, share) for kind, share in one.count.by_kind().items()),
    )


def _kind(kind: str, share: Share) -> Row:
    work = share.work
    numbers = (share.operations, work.mac, work.flop, work.transcendental)
    return Row(
        (
            Cell(kind),
            *(Cell(f"{value:,}", sort=float(value)) for value in numbers),
            Cell(format_moved(share.bytes_unfused), sort=float(share.bytes_unfused)),
        )
    )


def _note(text: str) -> Html:
    return element("span", text, class_="rg-note") if text else Html("")
