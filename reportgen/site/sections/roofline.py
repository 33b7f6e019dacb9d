"""The measured roofline: roofs, kernels with their verdicts, and what is not drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import noun
from reportgen.model.architecture import Fact
from reportgen.roofline import workloads
from reportgen.roofline.roofs import called
from reportgen.roofline.sheet import Entry, Sheet
from reportgen.roofline.verdict import Standing
from reportgen.site import address, blocks, practice, roofline_data
from reportgen.site.figures.roofline_record import by_counters
from reportgen.site.markup import Html, anchor, element, escape, fold, join
from reportgen.site.sections import intensity, rows, vendor
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present, sentence
from reportgen.status import Status
from reportgen.units import format_interval, format_moved, format_value, significant

ROOFS = (
    Column("roof or ridge"),
    Column("value", number=True),
    Column("interval", number=True),
    Column("nominal", number=True, note="what a driver or a data sheet states, and the measured share of it"),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
KERNELS = (
    Column("kernel", note="its short name in the figure first; work W and bytes Q of one call"),
    Column("intensity", number=True, note="work over the bytes that cross the level in which its data lie"),
    Column("achieved", number=True),
    Column("lowest roof", number=True, note="the lower of its compute roof and its bandwidth roofs there"),
    Column("share", number=True, note="achieved rate over the lowest roof"),
    Column("verdict"),
    Column("why, and what to change"),
)
EVERY = (
    Column("roof"),
    Column("one core", number=True),
    Column("all cores", number=True, note="arithmetic: the rate held for seconds"),
    Column("ratio", number=True),
)
REPEATED = 3
"""So many kernels that get the same advice are told it once, under the table."""
SHOWN = (Kind.PEAK, Kind.PEAK_PER_CYCLE, Kind.RIDGE)
"""What the table of roofs holds; rates under load for seconds have a section of their own."""
STATED = 6
"""Peaks whose sentences are told openly; the table of roofs has all."""
SWEPT = (
    "Small circles, joined: a stream of loads from each level with ever more multiply-adds between them; it "
    "stores nothing, and stays below the roof of a kernel that does."
)
FEW = 6
"""So many things that are not drawn are listed openly; more are folded."""


def section(view: View) -> Section | None:
    """Compute roofs, ridges and kernels of one core."""
    facts = [f for f in view.report.of("peak.", "ridge.") if parse(f.metric).kind in SHOWN and not _moot(f)]
    sheet = view.report.roofline
    if not facts and not sheet.points:
        return None
    told = view.stated((f.metric for f in facts if parse(f.metric).kind is Kind.PEAK), STATED)
    parts = [
        told,
        view.intro("roofline"),
        practice.block(view, "roofline"),
        _figure(view, sheet),
        _workloads(view, sheet),
        above(sheet),
        kernels(
            sheet,
            view.term,
            "Kernels under the roofs: those of the suite, and routines of the vendor."
            if sheet.gpu
            else "Kernels under the roofs: routines of the installed library and numpy, one thread.",
        ),
        *intensity.parts(view),
        *_roofs(view, sheet, facts),
        *_all_cores(view),
        *vendor.beside(view),
        absent(sheet),
    ]
    return Section("roofline", "Roofline", present(parts))


def _figure(view: View, sheet: Sheet) -> Html:
    """The chart of FLOP, inside the element that the page's script makes interactive."""
    facts = view.report.of("ridge.")
    ridges = [view.report.finding.get(fact.metric) for fact in facts]
    drawn = view.figure(
        "roofline",
        sentence(ridges[:4], f"Roofline with the measured memory and compute roofs of {_whose(sheet)}."),
        f"{_whose(sheet).capitalize()}. Slanted: bandwidth of a level times intensity; flat: peak of a "
        "precision; open marks: ridges. Filled marks: kernels, in the colour of the level that holds their "
        "data, with the short names of the table below; stars: it may be one of several."
        + (f" {SWEPT}" if sheet.sweeps else ""),
    )
    if not drawn:
        return Html("")
    data = element("script", roofline_data.embedded(sheet), type="application/json")
    return element("div", join((drawn, data, _files(view, "roofline"))), class_="rg-roofline")


def _roofs(view: View, sheet: Sheet, facts: list[Fact]) -> Iterator[Html]:
    """The table of roofs and ridges; where integer work has a chart, a table of its own under it."""
    integer = view.figure(
        "roofline_op",
        "Roofline of integer work: memory roofs in bytes a second times OP a byte, under the integer peaks.",
        f"Integer work of {_whose(sheet)} has roofs of its own, in OP/s: it is not added to FLOP.",
    )
    apart = [fact for fact in facts if integer and fact.unit.startswith("OP")]
    facts = [fact for fact in facts if fact not in apart]
    yield _roof_table(view, "roofline", "Compute roofs and ridge points.", facts)
    if integer:
        yield join((integer, _files(view, "roofline_op")))
        yield _roof_table(view, "roofline-op", "Compute roofs and ridge points of integer work.", apart)


def _moot(fact: Fact) -> bool:
    """A ridge under a peak that the device lacks: the row of the peak gives the reason once."""
    return parse(fact.metric).kind is Kind.RIDGE and fact.status is Status.UNSUPPORTED


def _roof_table(view: View, name: str, caption: str, facts: list[Fact]) -> Html:
    """What has a value first, and in a line under it what the device lacks."""
    ordered = sorted(facts, key=lambda fact: blocks.sort_key(fact) is None)
    shown = [_roof(view, fact) for fact in ordered if fact.status is not Status.UNSUPPORTED]
    body = table(name, caption, ROOFS, shown, filtered=len(shown) > 20)
    return join((body, rows.lacking(view, ordered)))


def _whose(sheet: Sheet) -> str:
    return "the device" if sheet.gpu else "one core"


def _all_cores(view: View) -> Iterator[Html]:
    """Roofs of all cores beside those of one: a figure where arithmetic was measured on them, and a table."""
    found = view.report.pairs
    if not found:
        return
    drawn = view.figure(
        "roofline_all_cores",
        "Roofline of all cores together: bandwidth of each level and the FP32 rate that they hold.",
        "All cores together. The flat roof is the rate that they hold for seconds; kernels are not drawn, "
        "since they were run on one core.",
    )
    if drawn:
        yield join((drawn, _files(view, "roofline_all_cores")))
    rows = (
        Row(
            (
                Cell(view.term(pair.every.metric, f"{pair.one.name.upper()} {pair.one.kernel}".strip())),
                *(
                    Cell(format_value(roof.value, roof.unit, 3), sort=roof.value)
                    for roof in (pair.one, pair.every)
                ),
                Cell(f"{significant(pair.ratio, 3)} times", sort=pair.ratio),
            )
        )
        for pair in found
    )
    yield table("all-cores", "Roofs of one core and of all cores together.", EVERY, rows)


def _workloads(view: View, sheet: Sheet) -> Html:
    """The way to the counted workloads, which are set under the roofs of a device's newest report."""
    device = view.report.run.device.id
    if view.here != address.device_page(device) or not workloads.place(sheet):
        return Html("")
    link = anchor("Counted workloads", view.page(address.workloads_page(device)))
    told = " under these roofs: what models of stated sizes compute and move, and the least time of each."
    return element("p", join((link, told)))


def _files(view: View, name: str) -> Html:
    """The data behind a figure."""
    links = join(
        (
            anchor("points as CSV", view.asset(f"figures/{name}.csv")),
            anchor("all of it as JSON", view.asset(f"figures/{name}.json")),
            anchor("figure as a file that works by itself (SVG)", view.asset(f"figures/{name}.svg")),
        ),
        ", ",
    )
    return element("p", join(("Data: ", links)), class_="rg-files")


def above(sheet: Sheet) -> Html:
    """The error box: points above a roof, each with its likely causes, the best fit first."""
    entries = [entry for entry in sheet.points if entry.verdict.standing is Standing.ABOVE]
    if not entries:
        return Html("")
    number = f"{len(entries)} kernels stand" if len(entries) > 1 else "A kernel stands"
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(tuple(cause.what for cause in entry.verdict.causes), []).append(entry)
    listed = join(element("li", _suspected(some)) for some in groups.values())
    body = join(
        (
            element("p", f"{number} above a measured roof", class_="admonition-title"),
            element(
                "p",
                "No kernel is faster than its roof, so a count, a level or a roof is wrong. "
                "Causes in the order in which they fit the ratio:",
            ),
            element("ul", listed),
        )
    )
    return element("div", body, class_="admonition failure rg-above")


def _suspected(entries: list[Entry]) -> Html:
    head = join(
        (
            join((element("b", f"{entry.id} {entry.point.name}"), f" {_share(entry)} times its roof"))
            for entry in entries
        ),
        ", ",
    )
    causes = join(
        element("li", join((element("b", cause.name), f": {cause.what}. To find out: {cause.check}.")))
        for cause in entries[0].verdict.causes
    )
    return join((head, element("ol", causes)))


def _share(entry: Entry) -> str:
    verdict = entry.verdict
    if verdict.share is None or verdict.low is None or verdict.high is None:
        return "–"
    return f"{verdict.share:.2f} ({verdict.low:.2f} … {verdict.high:.2f})"


def kernels(sheet: Sheet, term: Callable[[str, object], Html], caption: str) -> Html:
    """Every kernel with its verdict; `term` links a metric to its definition."""
    if not sheet.points:
        return Html("")
    marks = _common(sheet.points)
    rows = (_kernel(entry, term, marks) for entry in sheet.points)
    body = table("kernels", caption, KERNELS, rows, filtered=len(sheet.points) > 12)
    return join((body, _advice(marks)))


def _common(entries: Sequence[Entry]) -> dict[tuple[str, ...], str]:
    """Advice that several kernels get, and the letter under which it is given once."""
    counts = Counter(entry.verdict.advice for entry in entries if entry.verdict.advice)
    shared = [advice for advice, count in counts.items() if count >= REPEATED]
    return {advice: chr(ord("a") + number) for number, advice in enumerate(shared)}


def _advice(marks: Mapping[tuple[str, ...], str]) -> Html:
    if not marks:
        return Html("")
    lines = (element("li", f"{'; '.join(advice)}.", id=f"change-{mark}") for advice, mark in marks.items())
    lead = element("p", "What to change, where several kernels are told the same:")
    return join((lead, element("ol", join(lines), class_="rg-letters", type="a")))


def _kernel(entry: Entry, term: Callable[[str, object], Html], marks: Mapping[tuple[str, ...], str]) -> Row:
    point, verdict = entry.point, entry.verdict
    rate = f"{point.unit}/second"
    intensity = point.intensity(entry.level)
    moved = point.moved.get(entry.level)
    counted = f"W {format_value(point.work, point.unit, 3)} ({point.work_source})"
    if moved is not None:
        counted += f", Q {format_moved(moved.least)} ({point.bytes_source})"
    achieved = format_value(point.rate, rate, 3) if point.rate else "–"
    known = point.low is not None and point.high is not None
    spread = format_interval(point.low or 0.0, point.high or 0.0, rate, 3) if known else ""
    bound = verdict.bound
    name = join((element("span", entry.id, class_="rg-short"), term(point.metric, point.name)), " ")
    return Row(
        (
            Cell(join((name, _note(f"{called(point.precision)}, {counted}"))), note=point.note),
            Cell(
                join(
                    (
                        f"{significant(intensity, 3)} {point.unit}/byte" if intensity else "–",
                        _note(f"in {' or '.join(level.upper() for level in point.levels or (entry.level,))}"),
                        _note(by_counters(point), wraps=True),
                    )
                ),
                sort=intensity,
            ),
            Cell(join((achieved, _note(spread))), sort=point.rate),
            Cell(
                join((format_value(bound.value, rate, 3), _note(called(bound.limiter)))) if bound else "–",
                sort=bound.value if bound else None,
                note=verdict.under,
            ),
            Cell(
                f"{verdict.share * 100:.0f} %" if verdict.share is not None else "–",
                sort=verdict.share,
                note=_share(entry),
            ),
            Cell(_verdict(entry)),
            Cell(_why(entry, marks)),
        ),
        id=point.metric or entry.id,
    )


def _note(text: str, wraps: bool = False) -> Html:
    return element("span", text, class_="rg-note rg-wraps" if wraps else "rg-note") if text else Html("")


def _verdict(entry: Entry) -> Html:
    standing = entry.verdict.standing
    kind = standing.name.lower().replace("_", "-")
    word = element("span", standing, class_=f"rg-verdict rg-standing-{kind}")
    limiter = entry.verdict.limiter
    return join((word, _note(f"bound by {called(limiter)}"))) if limiter else word


def _why(entry: Entry, marks: Mapping[tuple[str, ...], str]) -> Html:
    """What decided the verdict beside the numbers of the other columns; then the advice, or where it is."""
    told = [*entry.verdict.reasons]
    times = entry.predicted
    if entry.point.rate is None and times is not None:
        low, high = (format_value(end, "second", 3) for end in (times.at_least, times.at_most))
        told.append(f"{low} if all overlaps, {high} if nothing does and every byte is moved that may be")
    lines = [element("div", text[:1].upper() + text[1:]) for text in told]
    mark = marks.get(entry.verdict.advice)
    advice = anchor(f"({mark}) below", f"#change-{mark}") if mark else escape("; ".join(entry.verdict.advice))
    return join((*lines, element("div", join(("→ ", advice)), class_="rg-change") if advice else ""))


def _roof(view: View, fact: Fact) -> Row:
    text = noun(fact.metric, view.report.title).removeprefix("the ")
    return Row(
        (
            Cell(view.term(fact.metric, text[:1].upper() + text[1:]), note=fact.metric),
            blocks.number_cell(fact),
            blocks.interval_cell(fact),
            _nominal(view.report.roofline, fact),
            blocks.count_cell(fact.n),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )


def _nominal(sheet: Sheet, fact: Fact) -> Cell:
    name = parse(fact.metric)
    stated = next((one for one in sheet.nominal if one.name == name.subject), None)
    if name.kind is not Kind.PEAK or stated is None:
        return Cell("–")
    share = _note(f"measured {stated.ratio * 100:.0f} % of it")
    return Cell(join((format_value(stated.value, stated.unit, 3), share)), stated.value, stated.source)


def absent(sheet: Sheet) -> Html:
    """What a reader may look for in the figure and does not find."""
    if not sheet.absent:
        return Html("")
    lines = join(element("li", join((element("b", one.name), f": {one.reason}"))) for one in sheet.absent)
    listed = element("ul", lines, class_="rg-stated")
    title = f"Not drawn, and why ({len(sheet.absent)})"
    if len(sheet.absent) > FEW:
        return fold(title, listed)
    return element("div", join((element("p", element("b", "Not drawn, and why")), listed)))
