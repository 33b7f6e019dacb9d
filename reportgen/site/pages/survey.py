"""All instruction forms of a device in one table, with what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.site import address, templating
from reportgen.site.address import Links
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.pages import Page, survey_model
from reportgen.site.surveys import Surveyed
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Picture, Section
from reportgen.status import Status
from reportgen.survey.record import Compared, Survey
from reportgen.units import format_bytes

TITLE = "All instruction forms"
MOST_NAMED = 12
"""Of what was left out for one reason; the files name all."""
_WIDTHS = ("avx512f", "avx512vl", "avx")
"""Extensions that others are joined to, where those come in several widths."""
HUNDRED = 100.0
"""Latencies below have two decimals: most are whole numbers, and two of one number stand together."""
SIGNS = (
    "A star: other instructions stand beside each, so that none waits for the one before. A plus: across "
    "register files, the sum with the instruction that brings the result back. ≤: it may be less."
)
_MODEL = (
    "the cycles an instruction that it says, and latencies of which it says another number; slower or faster "
    "is what the device was."
)
KINDS = (
    "Of the operands, k in the second place is the mask; kz zeroes what it leaves out, and a latency 1→1 "
    "stands there only where the processor waits for what it overwrites. m32bcst16 is one element of 32 bits "
    "for 16; vm32y is memory at each index in a ymm register, here a line of the first level for each."
)
"""Words of the table that no assembler text has."""
SHORT = 3
"""Significant digits: what a person compares; the files have more."""


def page(here: str, surveyed: Surveyed, picture: Picture | None, links: Links, *, newest: bool) -> Page:
    """The page at `here`: the device's address for the newest, else the run's own."""
    found = surveyed.found
    title = f"{TITLE}: {found.name}" if newest else f"{TITLE}: {found.name}, {_day(found)}"
    markdown = templating.page(
        "survey.md.j2",
        title=title,
        newest=newest,
        card=_card(surveyed, here, links),
        report=links.to(here, address.device_page(found.device)) if surveyed.reported else "",
        own=links.to(here, address.run_page(found.device, found.run)),
        latest=links.to(here, address.survey_page(found.device)),
        method=links.method(here, "survey"),
        sections=[one for one in _sections(surveyed, here, picture, links) if any(one.body)],
    )
    return Page(here, title, markdown)


def asset(found: Survey, name: str) -> str:
    """Where a file of a survey lies."""
    return address.run_asset(found.device, found.run, name)


def _day(found: Survey) -> str:
    return found.created[:16].replace("T", " ")


def _card(surveyed: Surveyed, here: str, links: Links) -> list[tuple[str, object]]:
    found = surveyed.found
    name = f"{found.name} ({found.device})"
    to_device = anchor(name, links.to(here, address.device_page(found.device)))
    states = Counter(row.status for row in found.rows)
    measured = states[Status.OK] + states[Status.CENSORED] + states[Status.UNVERIFIED]
    pairs = sum(one.cycles is not None for row in found.rows for one in row.latencies)
    rows: list[tuple[str, object]] = [
        ("device", to_device if surveyed.reported else name),
        ("forms", f"{measured} of {len(found.rows)} with cycles an instruction"),
        ("latencies", f"{pairs} of {sum(len(row.latencies) for row in found.rows)} pairs of operands"),
        ("measured", f"{_day(found)} UTC"),
        ("survey", found.run),
    ]
    if len(found.rows) < found.forms:
        rows.insert(2, ("asked of", f"{len(found.rows)} of the {found.forms} forms of this processor"))
    return rows


def _sections(surveyed: Surveyed, here: str, picture: Picture | None, links: Links) -> Iterator[Section]:
    found = surveyed.found
    if found.agreement is not None and found.agreement.compared:
        yield Section(
            "agreement", "Beside the curated suite", (_agreement(found, here, links), _apart(found))
        )
    yield from survey_model.section(found, _group, here, picture, links)
    yield Section("forms", "Forms", tuple(_parts(found.rows, _models(found))))
    yield Section("left-out", "Not asked of", (_left_out(found),))
    yield Section("downloads", "Downloads", (_downloads(surveyed, here, links),))


def _parts(rows: Sequence[FormRow], models: Sequence[str]) -> Iterator[Html]:
    yield _jumps(rows)
    yield element("p", SIGNS)
    yield from (element("p", f"{model}: {_MODEL}") for model in models)
    if any(_explained(kind) for row in rows for kind in row.operands):
        yield element("p", KINDS)
    yield _forms(rows, models)


def _models(found: Survey) -> list[str]:
    """Of the scheduling model whose numbers stand in the rows: the last one, where several were asked."""
    return [one.name for one in found.modelled if not one.absent][-1:]


def _explained(kind: str) -> bool:
    return kind in ("k", "kz") or kind.startswith("vm") or "bcst" in kind


def _agreement(found: Survey, here: str, links: Links) -> Html:
    one = found.agreement
    assert one is not None
    run = anchor(f"run {one.run}", links.to(here, address.run_page(found.device, one.run)))
    told = (
        f" measured {one.compared} of these numbers too, for operations of its own tables: {one.within} are "
        f"within {100 * one.share:g} % of each other or have intervals that meet."
    )
    return element("p", join((escape("The suite's "), run, escape(told))))


def _apart(found: Survey) -> Html:
    one = found.agreement
    if one is None or not one.apart:
        return Html("")
    columns = (
        Column("form"), Column("operation of the suite"), Column("what"), Column("survey", number=True),
        Column("suite", number=True), Column("ratio", number=True),
    )  # fmt: skip
    caption = "Numbers that differ, in cycles; the farthest first."
    return table("apart", caption, columns, [_difference(each) for each in one.apart])


def _difference(one: Compared) -> Row:
    ratio = one.survey / one.suite
    name = anchor(one.key, f"#{one.key}")
    what = "cycles an instruction" if one.what == "throughput" else f"latency {one.what}"
    return Row((name, one.operation, what, _number(one.survey), _number(one.suite), _number(ratio)))


def _jumps(rows: Sequence[FormRow]) -> Html:
    """The groups of extensions, each a link to its first form."""
    first: dict[str, str] = {}
    for row in _ordered(rows):
        first.setdefault(_group(row.extension), row.key)
    counted = Counter(_group(row.extension) for row in rows)
    links = [anchor(f"{name} ({counted[name]})", f"#{key}") for name, key in first.items()]
    parts = [part for link in links for part in (link, escape(" "))]
    return element("p", join((escape("By extension: "), *parts)), class_="rg-ways")


def _group(extension: str) -> str:
    """The extension that tells most: of `avx512vl+vaes` the latter."""
    names = extension.split("+")
    telling = [name for name in names if name not in _WIDTHS]
    return telling[0] if telling else min(names, key=_WIDTHS.index)


def _ordered(rows: Sequence[FormRow]) -> list[FormRow]:
    """By group of extensions as the run has them; within one by mnemonic."""
    order = {name: at for at, name in enumerate(dict.fromkeys(_group(row.extension) for row in rows))}
    return sorted(rows, key=lambda row: (order[_group(row.extension)], row.mnemonic.removeprefix("v")))


def _forms(rows: Sequence[FormRow], models: Sequence[str]) -> Html:
    columns = (
        Column("instruction"),
        Column("operands"),
        Column("latency", number=True, note="cycles from operand to operand; sorted by the longest"),
        Column("cycles an instruction", number=True, note="many independent ones: reciprocal throughput"),
        *(Column(model, number=True) for model in models),
        Column("extension"),
        Column("status", note="of the cycles an instruction; a reason stands behind it"),
    )
    caption = f"{len(rows)} instruction forms, in cycles."
    found = (_form(row, modelled=bool(models)) for row in _ordered(rows))
    return table("forms", caption, columns, found, filtered=True)


def _form(row: FormRow, *, modelled: bool) -> Row:
    names = ", ".join(row.operands) + (" (EVEX)" if row.encoding == "evex" else "")
    absent = row.interval is None and row.latency is None
    return Row(
        (
            row.mnemonic,
            names.strip(),
            _latency(row),
            _interval(row),
            *([survey_model.cell(row)] if modelled else []),
            row.extension.replace("+", " + "),
            Cell(row.status.value, note=row.reason if row.status is not Status.OK else ""),
        ),
        id=row.key,
        kind="rg-absent" if absent else "",
    )


def _latency(row: FormRow) -> Cell:
    """Pairs of one number together: `4 (3→1), 3 (3→2)`."""
    if not row.latencies:
        return Cell("")
    groups: dict[str, list[str]] = {}
    for one in row.latencies:
        told_pair = f"{one.pair} + {one.through}" if one.through else one.pair
        groups.setdefault(_cycles(one), []).append(told_pair)
    told = ", ".join(f"{cycles} ({', '.join(pairs)})" for cycles, pairs in groups.items())
    longest = row.latency
    reasons = "; ".join(
        dict.fromkeys(one.reason for one in row.latencies if one.cycles is None and one.reason)
    )
    return Cell(told, sort=_rounded(longest.cycles) if longest and longest.cycles else None, note=reasons)


def _cycles(one: PairLatency) -> str:
    if one.cycles is None:
        return one.status.value
    return f"{one.cycles:.2f}".rstrip("0").rstrip(".") if one.cycles < HUNDRED else _short(one.cycles)


def _interval(row: FormRow) -> Cell:
    if row.interval is None:
        return Cell("–")
    bound = "≤ " if row.status is Status.CENSORED else ""
    beside = ""
    if row.beside:
        what = "instruction" if row.beside == 1 else "instructions"
        beside = f"with {row.beside} {what} beside each, so that none waits for another"
    return Cell(
        f"{bound}{_short(row.interval)}{'*' if beside else ''}", sort=_rounded(row.interval), note=beside
    )


def _number(value: float) -> Cell:
    return Cell(_short(value), sort=_rounded(value))


def _short(value: float) -> str:
    return f"{value:.{SHORT}g}" if value < 1000 else f"{value:.0f}"


def _rounded(value: float) -> float:
    return float(f"{value:.{SHORT}g}")


def _left_out(found: Survey) -> Html:
    columns = (Column("reason"), Column("number", number=True), Column("forms, or opcodes of the decoder"))
    rows = []
    choices = [one for one in found.left_out if _choice(one.reason)]
    for one in found.left_out:
        if one not in choices:
            rows.append(
                Row((one.reason, Cell(str(len(one.what)), sort=float(len(one.what))), _named(one.what)))
            )
    if choices:
        names = [name for one in choices for name in one.what]
        why = "the assembler writes the same text with another encoding, which is measured"
        rows.append(Row((why, Cell(str(len(names)), sort=float(len(names))), _named(names))))
    caption = "What was not asked of, by reason. The files name all."
    return table("left-out", caption, columns, rows)


def _choice(reason: str) -> bool:
    return reason.startswith(("the same text as", "the assembler writes it as"))


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _downloads(surveyed: Surveyed, here: str, links: Links) -> Html:
    items = []
    for name, (place, what) in surveyed.files.items():
        link = anchor(name, links.to(here, asset(surveyed.found, name)))
        size = format_bytes(place.stat().st_size) if place.exists() else ""
        items.append(element("li", join((link, escape(f": {what}{f', {size}' if size else ''}")))))
    return element("ul", join(items))
