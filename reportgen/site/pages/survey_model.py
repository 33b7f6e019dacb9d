"""A survey beside a compiler's scheduling model: how often the two agree, a picture, what differs most."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.site import address, blocks
from reportgen.site.address import Links
from reportgen.site.figures.cache import Drawn
from reportgen.site.figures.scheduling_model import Dot, Panel, Scatter
from reportgen.site.markup import Html, anchor, element
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Picture, Section
from reportgen.survey.modelled import HALF, SHARE, explanations, kind
from reportgen.survey.record import AGREES, FASTER, KINDS, RATE, SLOWER, UNCLEAR, UNKNOWN, Modelled, Survey
from reportgen.units import significant

FIGURE = "scheduling-model"
MOST = 60
"""Rows of each table of differences: the files have all."""
NAMED = 5
"""Mnemonics that are named of those that differ alike."""
ALIKE = 0.2
"""Numbers are alike that differ by a fifth or less."""
LEAST = 0.001
"""Cycles that stand for none where a logarithm is taken."""
TOGETHER = 0.04
"""Decades that numbers of one mark lie in."""
DIGITS = 3
"""Significant ones of a number in a table or a picture."""

CAUTION = (
    "A difference is no error of either before its reason is known. The model may lack what the device does: "
    "renaming of moves, zero idioms, a divider that is done early, stores that wait for memory, limits of "
    "fetching and decoding, which llvm-mca leaves out. The measurement may have what the model is not asked "
    "of: other instructions beside each instance, one kind of values, a virtual machine. And llvm-mca may "
    "have no model of this very processor: it is asked for the one that it takes this one for. A latency "
    "across register files is a sum with another instruction, the same for many: if the model is off there, "
    "it is off in all of them."
)


class Number(NamedTuple):
    """One number of a form that was measured, and what the model says of it."""

    row: FormRow
    pair: PairLatency | None
    """None: the cycles an instruction."""
    measured: float
    low: float | None
    high: float | None
    predicted: float | None
    verdict: str

    @property
    def ratio(self) -> float:
        """Measured over predicted; of a number that the model says something of."""
        assert self.predicted is not None
        return self.measured / max(self.predicted, LEAST)


class Alike(NamedTuple):
    """Numbers that are about the same, measured and predicted; the farthest off stands for them."""

    one: Number
    number: int
    mnemonics: tuple[str, ...]
    """Others than that of the one, in the order of the rows."""


def section(
    found: Survey, group: Callable[[str], str], here: str, picture: Picture | None, links: Links
) -> Iterator[Section]:
    """What stands on the page of a survey; nothing of one that no model was asked about.

    Args:
        found: the survey.
        group: the extension that tells most of those of a form.
        here: address of the page.
        picture: where there is something to show.
        links: of the site.
    """
    for model in found.modelled:
        parts = _parts(found, model, group, here, picture, links)
        yield Section("model", "Beside LLVM's scheduling model", tuple(parts))


def _parts(
    found: Survey,
    model: Modelled,
    group: Callable[[str], str],
    here: str,
    picture: Picture | None,
    links: Links,
) -> Iterator[Html]:
    if model.absent:
        yield element("p", f"{model.name} says nothing here: {model.absent}.")
        return
    some = numbers(found.rows)
    yield element("p", _sentence(model))
    yield element("p", CAUTION)
    if picture is not None:
        yield _figure(model, here, picture, links)
    yield _counts(model)
    yield _by_extension(some, group)
    for rates in (True, False):
        differing = farthest([one for one in some if (one.pair is None) is rates])
        if differing:
            yield _differences(model, differing, rates=rates)


def numbers(rows: Sequence[FormRow]) -> list[Number]:
    """What was measured and has a verdict, in the order of the rows."""
    some = []
    for row in rows:
        if row.interval is not None and row.verdict:
            some.append(Number(row, None, row.interval, row.low, row.high, row.predicted, row.verdict))
        for one in row.latencies:
            if one.cycles is not None and one.verdict:
                some.append(Number(row, one, one.cycles, one.low, one.high, one.predicted, one.verdict))
    return some


def farthest(some: Sequence[Number]) -> list[Alike]:
    """What differs, the farthest off first; what differs alike is one."""
    groups: dict[tuple[object, ...], list[Number]] = defaultdict(list)
    for one in some:
        if one.verdict in (SLOWER, FASTER) and one.predicted is not None:
            places = (_place(one.measured), _place(one.predicted))
            # one that another instruction brings back has that among its explanations
            alike = (kind(one.row, one.pair), one.verdict, explanations(one.row, one.pair))
            groups[(*alike, *places)].append(one)
    found = []
    for group in groups.values():
        most = max(group, key=_off)
        names = dict.fromkeys(each.row.mnemonic for each in group if each.row.mnemonic != most.row.mnemonic)
        found.append(Alike(most, len(group), tuple(names)))
    return sorted(found, key=lambda each: -_off(each.one))


def _place(cycles: float) -> int:
    return round(math.log(max(cycles, LEAST)) / ALIKE)


def _off(one: Number) -> float:
    return abs(math.log(one.ratio))


def cell(row: FormRow) -> Cell:
    """What the model says of a form: cycles an instruction, and latencies where the two differ."""
    told = []
    if row.predicted is not None:
        differs = f" {row.verdict}" if row.verdict in (SLOWER, FASTER) else ""
        told.append(f"{significant(row.predicted, DIGITS)}{differs}")
    told += [
        f"{one.pair} {significant(one.predicted, DIGITS)} {one.verdict}"
        for one in row.latencies
        if one.predicted is not None and one.verdict in (SLOWER, FASTER)
    ]
    return Cell("; ".join(told) or "–", sort=_rounded(row.predicted) if row.predicted is not None else None)


def scatter(found: Survey) -> Scatter | None:
    """What the picture shows; None where no model says anything."""
    model = next((one for one in found.modelled if not one.absent), None)
    if model is None:
        return None
    some = numbers(found.rows)
    rates = _dots([one for one in some if one.pair is None])
    latencies = _dots([one for one in some if one.pair is not None])
    panels = (Panel("cycles an instruction", rates), Panel("latency", latencies))
    return Scatter(panels, model.name, SHARE) if rates or latencies else None


def _dots(some: Sequence[Number]) -> tuple[Dot, ...]:
    places: dict[tuple[int, int, str], list[tuple[float, float]]] = defaultdict(list)
    for one in some:
        if one.predicted:
            at = (math.log10(one.measured), math.log10(one.predicted))
            key = (round(at[0] / TOGETHER), round(at[1] / TOGETHER), one.verdict)
            places[key].append(at)
    return tuple(
        Dot(_middle([x for x, _ in members]), _middle([y for _, y in members]), len(members), key[2])
        for key, members in sorted(places.items())
    )


def _middle(logarithms: Sequence[float]) -> float:
    return _rounded(10 ** (sum(logarithms) / len(logarithms)))


def figures(found: Survey, figure: Drawn) -> Mapping[str, bytes]:
    """The picture's two files by address."""
    return {
        address.run_asset(found.device, found.run, f"figures/{FIGURE}.{palette}.svg"): content
        for palette, content in (("light", figure.light.encode()), ("dark", figure.dark.encode()))
    }


def _sentence(model: Modelled) -> str:
    asked = (
        f"{model.name} {model.version}, which takes this processor for {model.target}, was asked about the "
        "very bodies that were timed: cycles an instruction where many are in turn, cycles of a step of a "
        "chain."
    )
    told = [asked]
    for what, some in (
        ("cycles an instruction", [one for one in model.counts if one.kind == RATE]),
        ("latencies", [one for one in model.counts if one.kind != RATE]),
    ):
        if some:
            told.append(
                f"Of {sum(one.compared for one in some):,} {what}, {sum(one.agree for one in some):,} agree; "
                f"the device took longer than the model says in {sum(one.slower for one in some):,}, less in "
                f"{sum(one.faster for one in some):,}."
            )
    told.append(
        f"Numbers agree within {100 * SHARE:g} %, latencies also where they are less than {HALF:g} cycles "
        "apart."
    )
    return " ".join(told)


def _figure(model: Modelled, here: str, picture: Picture, links: Links) -> Html:
    caption = (
        "Measured to the right, predicted upwards; below the line the device took longer than the model "
        f"says. Dashes are {100 * SHARE:g} % off. A mark stands for all numbers at one place, a larger one "
        "for more."
    )
    return blocks.figure(
        f"figure-{FIGURE}",
        links.to(here, picture.light),
        links.to(here, picture.dark),
        picture.size,
        f"Cycles that {model.name} says against measured ones, of all forms. {_sentence(model)}",
        caption,
    )


def _counts(model: Modelled) -> Html:
    columns = (Column("number"), *_COUNTED)
    rows = [
        Row(
            (
                Cell(KINDS[one.kind]),
                *_counted(one.compared, one.agree, one.slower, one.faster, one.unclear, one.unknown),
            )
        )
        for one in model.counts
    ]
    return table("model-kinds", "Measured beside predicted, by kind of number.", columns, rows)


_COUNTED = (
    Column("compared", number=True),
    Column("agree", number=True),
    Column("share", number=True),
    Column("slower", number=True, note="the device took longer than the model says"),
    Column("faster", number=True, note="it took less"),
    Column("unclear", number=True, note="the measured interval is too wide to tell"),
    Column("unknown", number=True, note="measured, and the model says nothing"),
)


def _counted(compared: int, agree: int, *others: int) -> tuple[Cell, ...]:
    share = Cell(f"{100 * agree / compared:.0f} %", sort=agree / compared) if compared else Cell("–")
    return (blocks.count_cell(compared), blocks.count_cell(agree), share, *map(blocks.count_cell, others))


def _by_extension(some: Sequence[Number], group: Callable[[str], str]) -> Html:
    counted: dict[str, Counter[str]] = {}
    for one in some:
        counted.setdefault(group(one.row.extension), Counter())[one.verdict] += 1
    rows = []
    for name, verdicts in sorted(counted.items()):
        told = (AGREES, SLOWER, FASTER, UNCLEAR, UNKNOWN)
        compared = sum(verdicts[one] for one in told[:-1])
        rows.append(Row((Cell(name), *_counted(compared, *(verdicts[one] for one in told)))))
    caption = "Cycles an instruction and latencies together, by extension."
    return table("model-extensions", caption, (Column("extension"), *_COUNTED), rows)


def _differences(model: Modelled, differing: Sequence[Alike], *, rates: bool) -> Html:
    what = "cycles an instruction" if rates else "latencies"
    columns = (
        Column("form", note="that is farthest off of those alike"),
        *(() if rates else (Column("pair"),)),
        Column("measured", number=True, note="cycles; the 95 % interval where the pointer rests"),
        Column(model.name, number=True, note="cycles"),
        Column("ratio", number=True, note="measured over predicted"),
        Column("alike", number=True, note="numbers of this kind that differ alike, this one among them"),
        Column("among them"),
        Column("what else it may be"),
    )
    shown = differing[:MOST]
    more = len(differing) - len(shown)
    rest = f" {more} more are in the files." if more else ""
    caption = (
        f"Where {what} and {model.name} are farthest apart, in cycles. Numbers that are about the same, "
        f"measured and predicted, are one row.{rest}"
    )
    rows = [_difference(each, rates=rates) for each in shown]
    return table(f"model-{'rates' if rates else 'latencies'}", caption, columns, rows, filtered=True)


def _difference(each: Alike, *, rates: bool) -> Row:
    one = each.one
    assert one.predicted is not None
    span = f"{significant(one.low, DIGITS)} … {significant(one.high, DIGITS)}" if one.low and one.high else ""
    pair = one.pair.pair if one.pair is not None else ""
    through = f" + {one.pair.through}" if one.pair is not None and one.pair.through else ""
    return Row(
        (
            Cell(anchor(one.row.key, f"#{one.row.key}")),
            *(() if rates else (Cell(f"{pair}{through}"),)),
            Cell(significant(one.measured, DIGITS), sort=_rounded(one.measured), note=span),
            Cell(significant(one.predicted, DIGITS), sort=_rounded(one.predicted)),
            Cell(significant(one.ratio, DIGITS), sort=_rounded(one.ratio)),
            blocks.count_cell(each.number),
            Cell(_named(each.mnemonics)),
            Cell("; ".join(explanations(one.row, one.pair))),
        )
    )


def _named(mnemonics: Sequence[str]) -> str:
    more = len(mnemonics) - NAMED
    return ", ".join(mnemonics[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
