"""Lines that come before they are asked for: by step, by place in a run, by streams, beside others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording import prefetch as words
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html, fold, join
from reportgen.site.sections import rows
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.units import significant

_NUMBERS = (
    Column("interval", number=True),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
TOLD = "yes and no by samples taken in turn (in older runs by intervals or every visit)"
STRIDES = (
    Column("step"),
    Column("random order", number=True, note="cycles a load of the same lines, shuffled within their run"),
    Column("times", number=True, note="random order over in order"),
    Column("followed", note=f"{TOLD}; ? where neither"),
    Column("in order", number=True, note="cycles a load"),
    *_NUMBERS,
)
NEAR = (
    Column("line"),
    Column("saved", number=True, note="cycles less than with the farthest line of the same case"),
    Column("there", note=f"whether the line came along: {TOLD}; ? where neither"),
    Column("cycles", number=True, note="of what went before and the line together"),
    *_NUMBERS,
)
OTHERS = (Column("runs and streams"), Column("value", number=True), *_NUMBERS)
RULES = ("followed", "instruction", "served", "pair", "along", "ahead", "crossing")


def section(view: View) -> Section | None:
    """Three parts, those that the run has; what they are consistent with stands at the head."""
    facts = [fact for fact in view.report.of("prefetch.") if parse(fact.metric).kind in words.KINDS]
    if not facts:
        return None
    rules = [f"prefetch:{rule}" for rule in RULES]
    parts = (_strides(view, facts), _near(view, facts), _others(view, facts))
    told = (view.intro("prefetch"), view.stated(rules, len(rules)), _evidence(view, rules))
    return Section(
        "prefetch", "Lines fetched ahead", present(told), tuple(part for part in parts if part is not None)
    )


def _evidence(view: View, rules: Iterable[str]) -> Html:
    """Inferences, which stand at the head of the section in short, with their alternatives."""
    found = [item for rule in rules if (item := view.report.finding.get(rule)) is not None]
    count = f"{len(found)} inference{'s' if len(found) != 1 else ''}"
    return fold(f"Evidence of {count}", join(view.findings(found, anchored=True))) if found else Html("")


def _of(facts: Iterable[Fact], *kinds: Kind) -> list[Fact]:
    return [fact for fact in facts if parse(fact.metric).kind in kinds]


def _title(view: View, fact: Fact) -> Cell:
    return Cell(view.term(fact.metric, words.row(parse(fact.metric))), note=fact.metric)


def _cells(fact: Fact) -> tuple[Cell, ...]:
    return (blocks.bare_interval_cell(fact), blocks.count_cell(fact.n), blocks.standing_cell(fact))


def _answer(details: Mapping[str, Any], key: str) -> Cell:
    """What was told, and why nothing was."""
    text = {"yes": "yes", "no": "no", "undecided": "?"}.get(str(details.get(key)), "–")
    return Cell(text, note=str(details.get("why", "")))


def _strides(view: View, facts: list[Fact]) -> Section | None:
    own = _of(facts, Kind.PREFETCH_STRIDE)
    if not own:
        return None
    drawn = view.figure(
        "prefetch",
        "Cycles a load of runs by their step, in order and in random order; of lines by their place in a "
        "run; of streams by their number. The numbers are in the tables.",
        "Where the lines part, order is worth something. In random order lines of small steps come along "
        "too. The band is the interval in which streams cease to be followed.",
    )
    body = table(
        "prefetch_stride", "Loads of runs of 16 lines, in order and in random order.", STRIDES,
        (_stride_row(view, fact) for fact in own),
    )  # fmt: skip
    return Section("prefetch.stride", "Steps that are followed", present((drawn, body)))


def _stride_row(view: View, fact: Fact) -> Row:
    details = view.report.details(fact.metric)
    shuffled, gain = Cell("–"), Cell("–")
    if fact.value is not None and "gain" in details:
        shuffled = Cell(significant(details["shuffled"][0], 3), sort=details["shuffled"][0])
        gain = Cell(significant(details["gain"][0], 3), sort=details["gain"][0])
    answer = _answer(details, "followed")
    cells: tuple[Cell | str, ...] = (
        _title(view, fact),
        shuffled,
        gain,
        answer,
        blocks.bare_cell(fact),
        *_cells(fact),
    )
    return Row(cells, id=fact.metric, kind=rows.kind(fact))


def _near(view: View, facts: list[Fact]) -> Section | None:
    own = _of(facts, Kind.PREFETCH_NEAR)
    if not own:
        return None
    drawn = view.figure(
        "prefetch_near",
        "Cycles of one line or a run of eight together with a line near it, by the distance of that line.",
        "Low: the line was there already. The farthest line of a panel is what the others are compared with.",
    )
    body = table(
        "prefetch_near", "Lines asked for behind others.", NEAR, (_near_row(view, fact) for fact in own)
    )
    return Section("prefetch.near", "Lines that come along", present((drawn, body)))


def _near_row(view: View, fact: Fact) -> Row:
    details = view.report.details(fact.metric)
    saved = Cell("–")
    if fact.value is not None and "saved" in details:
        saved = Cell(f"{details['saved'][0]:+.3g}", sort=details["saved"][0])
    answer = _answer(details, "brought")
    cells: tuple[Cell | str, ...] = (_title(view, fact), saved, answer, blocks.bare_cell(fact), *_cells(fact))
    return Row(cells, id=fact.metric, kind=rows.kind(fact))


def _row(view: View, fact: Fact) -> Row:
    cells = (_title(view, fact), blocks.bare_cell(fact), *_cells(fact))
    return Row(cells, id=fact.metric, kind=rows.kind(fact))


def _others(view: View, facts: list[Fact]) -> Section | None:
    own = _of(facts, Kind.PREFETCH_RUN, Kind.PREFETCH_STREAMS)
    if not own:
        return None
    body = table(
        "prefetch_run", "Cycles of a line by its place in a run, and streams followed at once.", OTHERS,
        (_row(view, fact) for fact in own),
    )  # fmt: skip
    told = view.stated(["prefetch.run.1", "prefetch.run.2", "prefetch.streams"], 3)
    return Section("prefetch.run", "Places in a run, and streams", present((told, body)))
