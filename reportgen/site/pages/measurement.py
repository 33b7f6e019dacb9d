"""Code of the user's own on a device: cycles with intervals, predictions, samples, and the code itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reportgen.measurement.record import Measurement, OwnRow, Pairing, Prediction
from reportgen.site import address, blocks, templating
from reportgen.site.address import Links
from reportgen.site.figures.cache import Drawn
from reportgen.site.figures.own_code import Strip, Strips
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.measurements import Measured
from reportgen.site.pages import Page
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Picture, Section
from reportgen.units import format_bytes, significant

TITLE = "Code of one's own"
FIGURE = "own-code"


def page(here: str, measured: Measured, picture: Picture | None, links: Links, *, newest: bool) -> Page:
    """The page at `here`: the device's address for the newest, else the run's own."""
    found = measured.found
    title = f"{TITLE}: {found.name}" if newest else f"{TITLE}: {found.name}, {_day(found)}"
    markdown = templating.page(
        "measurement.md.j2",
        title=title,
        newest=newest,
        card=_card(measured, here, links),
        report=links.to(here, address.device_page(found.device)) if measured.reported else "",
        own=links.to(here, address.run_page(found.device, found.run)),
        latest=links.to(here, address.measurement_page(found.device)),
        method=links.method(here, "own-code"),
        sections=[one for one in _sections(measured, here, picture, links) if any(one.body)],
    )
    return Page(here, title, markdown)


def strips(found: Measurement) -> Strips | None:
    """What the picture shows; None where nothing was measured."""
    rows = tuple(
        Strip(
            row.name,
            tuple(round(100 * (value / row.cycles - 1), 3) for value in row.samples),
            100 * ((row.low or row.cycles) / row.cycles - 1),
            100 * ((row.high or row.cycles) / row.cycles - 1),
        )
        for row in found.rows
        if row.cycles and row.samples
    )
    return Strips(rows) if rows else None


def asset(found: Measurement, name: str) -> str:
    """Address of a file of a measurement."""
    return address.run_asset(found.device, found.run, f"download/{name}")


def figures(found: Measurement, figure: Drawn) -> Mapping[str, bytes]:
    """The picture's two files by address."""
    return {
        address.run_asset(found.device, found.run, f"figures/{FIGURE}.{palette}.svg"): content
        for palette, content in (("light", figure.light.encode()), ("dark", figure.dark.encode()))
    }


def _day(found: Measurement) -> str:
    return found.created[:16].replace("T", " ")


def _card(measured: Measured, here: str, links: Links) -> list[tuple[str, object]]:
    found = measured.found
    name = f"{found.name} ({found.device})"
    to_device = anchor(name, links.to(here, address.device_page(found.device)))
    known = sum(row.cycles is not None for row in found.rows)
    return [
        ("device", to_device if measured.reported else name),
        ("code", f"{known} of {len(found.rows)} measured"),
        ("measured", f"{_day(found)} UTC, {found.passes} passes"),
        ("measurement", found.run),
    ]


def _sections(measured: Measured, here: str, picture: Picture | None, links: Links) -> Iterator[Section]:
    found = measured.found
    yield Section("cycles", "Cycles of a round", (_rows(found),))
    yield Section("samples", "Samples", (_figure(found, here, picture, links), _samples(found)))
    yield Section("predictions", "What models said before", (_predictions(found),))
    yield Section("ranking", "Which costs less", (_pairs(found),))
    yield Section("code", "The code", tuple(_code(row) for row in found.rows))
    yield Section("downloads", "Downloads", (_downloads(measured, here, links),))


def _number(value: float | None) -> Cell:
    return Cell("–") if value is None else Cell(significant(value), sort=value)


def _span(low: float | None, high: float | None) -> Cell:
    if low is None or high is None:
        return Cell("–")
    return Cell(f"{significant(low)} … {significant(high) if high < float('inf') else 'open'}", sort=low)


def _rows(found: Measurement) -> Html:
    columns = (
        Column("code"),
        Column("cycles", number=True, note="of a round"),
        Column("interval", number=True, note="95 %"),
        Column("ns", number=True, note="at the clock that was seen"),
        Column("a result", number=True, note="cycles of one of the results that a round makes"),
        Column("instructions", number=True, note="of a round"),
        Column("status"),
    )
    return table("cycles", "Code that was timed, in one run, in turn.", columns, map(_row, found.rows))


def _row(row: OwnRow) -> Row:
    seconds = None if row.seconds is None else row.seconds * 1e9
    cells = (
        Cell(row.name),
        _number(row.cycles),
        _span(row.low, row.high),
        _number(seconds),
        _number(row.each if row.items != 1 else None),
        Cell(str(row.instructions), sort=float(row.instructions)),
        Cell(blocks.status(row.status, row.reason)),
    )
    return Row(cells, id=f"row-{row.name}", kind="" if row.cycles is not None else "rg-absent")


def _figure(found: Measurement, here: str, picture: Picture | None, links: Links) -> Html:
    if picture is None:
        return Html("")
    told = "; ".join(
        f"{row.name}: {len(row.samples)} samples about {significant(row.cycles)} cycles"
        for row in found.rows
        if row.cycles and row.samples
    )
    return blocks.figure(
        f"figure-{FIGURE}",
        links.to(here, picture.light),
        links.to(here, picture.dark),
        picture.size,
        f"Percent by which samples of a round differ from the value of their row. {told}.",
        "Each mark is an accepted sample of the longest body, the frame's share taken off. The bar is the "
        "95 % interval of the value.",
    )


def _samples(found: Measurement) -> Html:
    columns = (
        Column("code"),
        Column("accepted", number=True),
        Column("taken", number=True),
        Column("not taken into account"),
        Column("GHz", number=True, note="cycles of the calibrated chain over time"),
        Column("beside", number=True, note="cycles that the frame adds to a body"),
    )
    rows = [
        Row(
            (
                Cell(row.name),
                Cell(str(row.n), sort=float(row.n)),
                Cell(str(row.taken), sort=float(row.taken)),
                Cell(", ".join(f"{number} {why}" for why, number in row.rejected.items()) or "–"),
                _number(None if row.clock_hz is None else row.clock_hz / 1e9),
                _number(row.overhead),
            )
        )
        for row in found.rows
    ]
    return table("samples", "Samples, and why some were set aside.", columns, rows)


def _predictions(found: Measurement) -> Html:
    columns = (
        Column("code"),
        Column("predictor"),
        Column("cycles", number=True, note="of a round"),
        Column("range", number=True),
        Column("off by", number=True, note="(predicted - measured) / measured"),
        Column("measured is"),
        Column("decides", note="the bound that is largest"),
        Column("remark"),
    )
    rows = [_prediction(row, one) for row in found.rows for one in row.predictions]
    return table("predictions", "Models that were asked before anything was timed.", columns, rows)


def _prediction(row: OwnRow, one: Prediction) -> Row:
    off = None if one.cycles is None or not row.cycles else one.cycles / row.cycles - 1
    unknown = f"unknown to it: {', '.join(one.unknown)}" if one.unknown else ""
    target = " ".join(part for part in (one.version, one.target) if part)
    cells = (
        Cell(row.name),
        Cell(one.name, note=target),
        _number(one.cycles),
        _span(one.low, one.high),
        Cell("–") if off is None else Cell(f"{round(100 * off):+d} %", sort=off),
        Cell(row.place if one.low is not None and row.place else "–"),
        Cell(one.decides or "–"),
        Cell("; ".join(part for part in (one.fault, unknown) if part) or "–"),
    )
    return Row(cells, kind="" if one.cycles is not None else "rg-absent")


def _pairs(found: Measurement) -> Html:
    if not found.pairs:
        return Html("")
    columns = (
        Column("costs less"),
        Column("costs more"),
        Column("times", number=True, note="cycles of a result, the second over the first"),
        Column("range", number=True),
        Column("told apart", note="whether the two intervals are apart"),
    )
    rows = [_pair(one) for one in found.pairs]
    return table("ranking", "Two pieces of code each, by cycles of a result.", columns, rows)


def _pair(one: Pairing) -> Row:
    told = "no: the intervals meet" if one.verdict == "cannot tell" else "yes"
    cells = (Cell(one.first), Cell(one.second), _number(one.ratio), _span(one.low, one.high), Cell(told))
    return Row(cells)


def _code(row: OwnRow) -> Html:
    """Instructions of a round, and what they began with."""
    lines = "&#10;".join(str(escape(line)) for line in (*(f"{one}    ; once" for one in row.init), *row.code))
    facts = [f"{row.unroll} round{'' if row.unroll == 1 else 's'} between two jumps"]
    if row.arrays:
        facts.append(f"{row.arrays} × {format_bytes(row.array_bytes)} of {row.holds}")
    facts += [f"{name} = {value}" for name, value in row.registers.items()]
    told = [*row.notes, f"machine code {row.verdict or 'not built'}, sha256 {row.program[:16] or '–'}"]
    return join(
        (
            element("p", join((element("strong", row.name), escape(": " + "; ".join(facts) + ".")))),
            Html(f'<pre class="rg-code"><code>{lines}</code></pre>'),
            element("p", f"{told[0][:1].upper()}{told[0][1:]}{''.join(f'; {one}' for one in told[1:])}."),
        )
    )


def _downloads(measured: Measured, here: str, links: Links) -> Html:
    items = []
    for name, (place, what) in measured.files.items():
        link = anchor(name, links.to(here, asset(measured.found, name)))
        size = format_bytes(place.stat().st_size) if place.exists() else ""
        items.append(element("li", join((link, escape(f": {what}{f', {size}' if size else ''}")))))
    return element("ul", join(items))
