"""The cost model against measured loops, beside other models: errors, picture, loops, rankings, files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.site import address, blocks, templating
from reportgen.site.address import Links
from reportgen.site.figures.cache import Drawn
from reportgen.site.figures.validation import Dot, Panel, Scatter
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.pages import Page
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.validations import Checked
from reportgen.site.view import Picture, Section
from reportgen.units import format_bytes, format_statistic, significant
from reportgen.validation import record
from reportgen.validation.record import GROUPS, MODEL, Number, Score, Validation

TITLE = "Validation of the cost model"
FIGURE = "validation"


def page(here: str, checked: Checked, picture: Picture | None, links: Links, *, newest: bool) -> Page:
    """The page at `here`: the device's address for the newest, else the run's own."""
    found = checked.found
    title = f"{TITLE}: {found.name}" if newest else f"{TITLE}: {found.name}, {_day(found)}"
    markdown = templating.page(
        "validation.md.j2",
        title=title,
        newest=newest,
        card=_card(checked, here, links),
        report=links.to(here, address.run_page(found.device, found.model_run)),
        own=links.to(here, address.run_page(found.device, found.run)),
        latest=links.to(here, address.validation_page(found.device)),
        method=links.method(here, "validation"),
        changed=len(found.changed),
        sections=[one for one in _sections(checked, here, picture, links) if any(one.body)],
    )
    return Page(here, title, markdown)


def scatter(found: Validation) -> Scatter | None:
    """What the picture shows; None where nothing was measured."""
    panels = []
    for name in _present(found):
        dots = tuple(
            Dot(row.measured, said.cycles, said.low, said.high, row.held_out)
            for row in found.rows
            if row.measured and (said := row.predictions.get(name)) is not None and said.cycles
        )
        if dots:
            panels.append(Panel(name, dots))
    return Scatter(tuple(panels)) if panels else None


def _present(found: Validation) -> list[str]:
    return [one.name for one in found.predictors if not one.absent]


def _day(found: Validation) -> str:
    return found.created[:16].replace("T", " ")


def _card(checked: Checked, here: str, links: Links) -> list[tuple[str, object]]:
    found, environment = checked.found, checked.run.environment
    measured = sum(row.measured is not None for row in found.rows)
    report = links.to(here, address.run_page(found.device, found.model_run))
    rows: list[tuple[str, object]] = [
        (
            "device",
            anchor(f"{found.name} ({found.device})", links.to(here, address.device_page(found.device))),
        ),
        ("loops", f"{measured} of {len(found.rows)} measured"),
        ("held out", f"{sum(row.held_out for row in found.rows)}, their code not looked at for the model"),
        ("measured", f"{_day(found)} UTC, {checked.run.plan.get('passes', '–')} passes"),
        ("kernel", environment.get("kernel") or "–"),
        ("model of run", anchor(found.model_run, report)),
        ("validation", found.run),
    ]
    if found.survey_run:
        survey = links.to(here, address.run_page(found.device, found.survey_run))
        rows.insert(-1, ("and of survey", anchor(found.survey_run, survey)))
    for one in found.predictors[1:]:
        told = f"absent: {one.absent}" if one.absent else f"{one.version}, for a processor named {one.target}"
        rows.append((one.name, told))
    return rows


def _sections(checked: Checked, here: str, picture: Picture | None, links: Links) -> Iterator[Section]:
    found = checked.found
    yield Section("errors", "Errors", (_cards(found), element("p", _sentence(found)), _scores(found)))
    yield Section("picture", "Predicted and measured", (_figure(found, here, picture, links), _loops(found)))
    yield Section("farthest", "Farthest off", (_worst(found),))
    yield Section("rankings", "Variants of one loop", (element("p", _ranked(found)), _pairs(found)))
    yield Section("absent", "Loops without a number", (_absent(found),))
    yield Section("downloads", "Downloads", (_downloads(checked, here, links),))


def _cards(found: Validation) -> Html:
    """The mean error of each predictor on the loops that all cover, to be seen at once."""
    common = [one for one in found.scores if one.group == "common" and one.errors is not None]
    cards = []
    for one in common if len(common) > 1 else ():
        assert one.errors is not None
        mean = one.errors.mape
        ends = [_percent(Number(end)) for end in (mean.low, mean.high) if end is not None]
        rows = (
            ("title", f"{one.predictor}, mean error"),
            ("value", _percent(Number(mean.value))),
            ("interval", ", ".join((*([" … ".join(ends)] if ends else []), f"{one.errors.loops} loops"))),
        )
        body = join(element("div", text, class_=f"rg-card-{name}") for name, text in rows)
        cards.append(element("div", body, class_="rg-card"))
    return element("div", join(cards), class_="rg-cards") if cards else Html("")


def _sentence(found: Validation) -> str:
    """The errors in words: on the loops that all cover, and of the model on those held out."""
    told = []
    common = [one for one in found.scores if one.group == "common" and one.errors is not None]
    if common and common[0].errors is not None:
        parts = [f"{one.predictor} {_percent(one.errors.mape)}" for one in common if one.errors is not None]
        told.append(
            f"Mean error on the {common[0].errors.loops} loops that all cover: {', '.join(parts)}; the "
            "intervals are those of a bootstrap over kinds of loops."
        )
    for one in found.scores:
        if one.group == "held-out" and one.predictor == MODEL and one.errors is not None:
            inside = f"; {_percent(one.within)} of them lie in the predicted range" if one.within else ""
            told.append(
                f"On the {one.errors.loops} held-out loops the cost model is off by "
                f"{_percent(one.errors.mape)} in the mean{inside}."
            )
    told += _lacking(found)
    told.append(
        "These are small loops in the caches of one device; they say little of larger code, and nothing of "
        "other devices."
    )
    return " ".join(told)


def _lacking(found: Validation) -> Iterator[str]:
    """Who took instructions to cost nothing, and on which loops that does not matter."""
    for name in _present(found)[1:]:
        lacking = sum(bool(row.said(name)) and record.lacks(row, name) for row in found.rows)
        if lacking:
            yield (
                f"{name} has no numbers for some instructions of {lacking} loops and takes these to cost "
                "nothing; loops whose instructions all of them know are a set of their own."
            )


def _percent(number: Number) -> str:
    return format_statistic(number.value, number.low, number.high, share=True)


def _cell(number: Number | None, *, percent: bool = True) -> Cell:
    if number is None:
        return Cell("–")
    return Cell(format_statistic(number.value, number.low, number.high, share=percent), sort=number.value)


def _scores(found: Validation) -> Html:
    columns = (
        Column("loops"),
        Column("predictor"),
        Column("number", number=True),
        Column("mean error", number=True, note="mean of |predicted - measured| / measured, 95 % interval"),
        Column("median error", number=True),
        Column("rank correlation", number=True, note="Kendall's tau-b of predicted and measured cycles"),
        Column("in range", number=True, note="share of the loops whose time lies in the predicted range"),
    )
    rows = [_score(one) for one in found.scores if one.errors is not None]
    return table("errors", "Errors by set of loops and predictor.", columns, rows, searchable=True)


def _score(one: Score) -> Row:
    errors = one.errors
    assert errors is not None
    number = Cell(str(errors.loops), sort=float(errors.loops), note=f"{errors.kinds} kinds")
    return Row(
        (
            Cell(GROUPS[one.group]),
            Cell(one.predictor),
            number,
            _cell(errors.mape),
            _cell(errors.median),
            _cell(errors.tau, percent=False),
            _cell(one.within) if one.predictor == MODEL else Cell("–", note="it gives no range"),
        )
    )


def _figure(found: Validation, here: str, picture: Picture | None, links: Links) -> Html:
    if picture is None:
        return Html("")
    names = ", ".join(_present(found))
    caption = (
        "Each mark is a loop: measured to the right, predicted upwards. The line is agreement, dashes are a "
        "fifth off. Filled marks are held-out loops; stems are the range of the cost model."
    )
    return blocks.figure(
        f"figure-{FIGURE}",
        links.to(here, picture.light),
        links.to(here, picture.dark),
        picture.size,
        f"Predicted against measured cycles of a round, by {names}. {_sentence(found)}",
        caption,
    )


def _loops(found: Validation) -> Html:
    others = _present(found)[1:]
    columns = [
        Column("loop"),
        Column("measured", number=True, note="cycles of a round, 95 % interval on the value"),
        Column("cost model", number=True, note="cycles of a round and their range"),
        Column("error", number=True),
        Column("decided by", note="the largest bound"),
    ]
    for name in others:
        columns += [Column(name, number=True, note="cycles of a round"), Column("error", number=True)]
    columns.append(Column("held out"))
    rows = [_loop(row, others) for row in found.rows]
    caption = (
        "Cycles of a round of each loop, measured and predicted. A star: some of its instructions are "
        "unknown to that model, which takes them to cost nothing."
    )
    return table("loops", caption, columns, rows, filtered=True)


def _loop(row: record.Row, others: Sequence[str]) -> Row:
    own = row.predictions[MODEL]
    title = join((element("span", row.name, class_="rg-short"), element("span", row.title, class_="rg-note")))
    cells = [
        Cell(title, note=f"{format_bytes(row.bytes)} of data" if row.bytes else ""),
        _measured(row),
        _range(own),
        _error(row.error(MODEL)),
        Cell(row.decides or "–"),
    ]
    for name in others:
        said = row.predictions.get(name)
        note = "" if said is None else said.fault or "; ".join(f"unknown: {text}" for text in said.unknown)
        star = " *" if record.lacks(row, name) else ""
        told = f"{significant(said.cycles, 3)}{star}" if said and said.cycles else "–"
        cells += [Cell(told, sort=said.cycles if said else None, note=note), _error(row.error(name))]
    cells.append(Cell("yes" if row.held_out else "no"))
    return Row(tuple(cells), id=f"loop-{row.name}", kind="" if row.measured else "rg-absent")


def _measured(row: record.Row) -> Cell:
    if row.measured is None:
        return Cell(blocks.status(row.status), note=row.reason)
    span = f"{significant(row.low, 4)} … {significant(row.high, 4)}" if row.low and row.high else ""
    return Cell(significant(row.measured, 4), sort=row.measured, note=span)


def _range(said: record.Prediction) -> Cell:
    if said.cycles is None:
        return Cell("–", note=said.fault)
    told = f"{significant(said.low or 0, 3)} … {significant(said.high, 3)}" if said.high else ""
    shown = join((f"{significant(said.cycles, 3)} ", element("span", told, class_="rg-note")))
    return Cell(shown, sort=said.cycles, note="; ".join(f"unknown: {text}" for text in said.unknown))


def _error(error: float | None) -> Cell:
    if error is None:
        return Cell("–")
    whole = round(100 * error)
    return Cell(f"{whole:+d} %" if whole else "0 %", sort=abs(error))


def _worst(found: Validation) -> Html:
    columns = (
        Column("loop"),
        Column("measured", number=True),
        Column("predicted", number=True),
        Column("error", number=True),
        Column("which bound the measurement speaks against"),
    )
    rows = [
        Row(
            (
                Cell(anchor(miss.name, f"#loop-{miss.name}")),
                Cell(significant(miss.measured, 4), sort=miss.measured),
                Cell(significant(miss.predicted, 3), sort=miss.predicted),
                _error(miss.error),
                Cell(miss.wrong),
            )
        )
        for miss in found.worst
    ]
    caption = "The loops that the cost model is farthest off, cycles of a round."
    return table("farthest", caption, columns, rows) if rows else Html("")


def _ranked(found: Validation) -> str:
    parts = [
        f"{one.predictor}: {one.right} of {one.decided} decisions as measured, in {one.pairs} pairs"
        for one in found.rankings
        if one.pairs
    ]
    rule = (
        "Pairs of variants of one loop, by cycles a result. A decision counts as right only where the "
        "measured intervals are apart in the same direction."
    )
    return f"{rule} {'; '.join(parts)}." if parts else ""


def _pairs(found: Validation) -> Html:
    present = _present(found)
    columns = (
        Column("pair"),
        Column("measured ratio", number=True, note="cycles a result of the second over the first"),
        Column("measured"),
        *(Column(name) for name in present),
    )
    rows = [
        Row(
            (
                Cell(f"{pair.first}, {pair.second}"),
                Cell(significant(pair.ratio, 3), sort=pair.ratio),
                Cell(_cheaper(pair.measured)),
                *(_verdict(pair.verdicts.get(name), pair.measured) for name in present),
            )
        )
        for pair in found.pairs
    ]
    caption = "Which variant costs fewer cycles a result."
    return table("pairs", caption, columns, rows, filtered=True) if rows else Html("")


def _cheaper(verdict: str) -> str:
    return "cannot tell" if verdict == "cannot tell" else f"the {verdict}"


def _verdict(verdict: str | None, measured: str) -> Cell:
    if verdict is None:
        return Cell("–", note="it does not cover both")
    if verdict == "cannot tell":
        return Cell("cannot tell")
    word = "right" if verdict == measured else "wrong"
    return Cell(f"the {verdict}, {word}")


def _absent(found: Validation) -> Html:
    rows = [
        Row((Cell(row.name), Cell(blocks.status(row.status)), Cell(row.reason)))
        for row in found.rows
        if row.measured is None
    ]
    columns = (Column("loop"), Column("status"), Column("reason"))
    return table("absent", "Loops that have no measured time, and why.", columns, rows) if rows else Html("")


def _downloads(checked: Checked, here: str, links: Links) -> Html:
    found = checked.found
    rows = [
        Row(
            (
                Cell(anchor(name, links.to(here, asset(found, name)))),
                Cell(what),
                Cell(format_bytes(place.stat().st_size), sort=float(place.stat().st_size)),
            )
        )
        for name, (place, what) in checked.files.items()
    ]
    columns = (Column("file"), Column("what it is"), Column("size", number=True))
    told = escape("A sealed validation is derived again by: ")
    command = element("code", f"reportgen validate --run {found.run}")
    return join(
        (
            table("downloads", "Files of this validation.", columns, rows, sortable=False),
            element("p", join((told, command))),
        )
    )


def asset(found: Validation, name: str) -> str:
    """Address of a file of a validation."""
    return address.run_asset(found.device, found.run, f"download/{name}")


def figures(found: Validation, figure: Drawn) -> Mapping[str, bytes]:
    """The picture's two files by address."""
    return {
        address.run_asset(found.device, found.run, f"figures/{FIGURE}.{palette}.svg"): content
        for palette, content in (("light", figure.light.encode()), ("dark", figure.dark.encode()))
    }
