"""What a compiler's target has, and what its assembler encodes: key figures, instructions, matrix shapes."""

from __future__ import annotations

from collections import Counter

from reportgen.site import blocks, encodings
from reportgen.site.encodings import Encoding
from reportgen.site.markup import Html, anchor, code, element, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present

KEY = (
    ("fp32_fma", "FP32 multiply-add"),
    ("integer_mad", "32-bit multiply-add"),
    ("integer_logic", "32-bit logic"),
    ("fp64_fma", "FP64 multiply-add"),
    ("fp16_fma", "two FP16 multiply-adds"),
    ("mma_m16n8k16_f16_f32", "matrix 16 x 8 x 16, FP16 to FP32"),
)
"""Operations by which targets are told apart at a glance."""

INSTRUCTIONS = (
    Column("operation", note="and the PTX that it is asked in"),
    Column("machine instructions", note="SASS, as the disassembler names them; the most frequent first"),
    Column("distance, cycles", number=True, note="encoded: between two dependent instructions, by stalls"),
    Column("issue, cycles", number=True, note="encoded: stall after what nothing waits for, a hint"),
    Column("registers", number=True, note="most registers of a thread of its kernels"),
    Column("program"),
)


def key_figures(view: View) -> Section:
    """Some encoded distances, and what became of the programs, as cards."""
    found = {one.operation: one for one in encodings.encodings(view.report)}
    cards = [_distance_card(found[name], title) for name, title in KEY if name in found]
    counts = encodings.counted(view.report)
    total = sum(counts.values())
    verified = counts[encodings.VERIFIED]
    parts = (
        element("div", "programs verified", class_="rg-card-title"),
        element("div", anchor(f"{verified} of {total} probes", "#not-ok"), class_="rg-card-value"),
        element("div", _rest(counts), class_="rg-card-interval"),
    )
    cards.append(element("div", join(parts), class_="rg-card"))
    return Section("key-figures", "Key figures", (element("div", join(cards), class_="rg-cards"),))


def _distance_card(one: Encoding, title: str) -> Html:
    fact = one.latency
    metric = fact.metric if fact is not None else one.operation
    value = blocks.number(fact) if fact is not None and fact.value is not None else Html(_absent(one))
    parts = (
        element("div", title, class_="rg-card-title"),
        element("div", anchor(value, f"#{metric}"), class_="rg-card-value"),
        element("div", encodings.mnemonics(one.opcodes), class_="rg-card-interval"),
        element("div", blocks.claim(fact.claim), class_="rg-marks") if fact is not None else Html(""),
    )
    return element("div", join(parts), class_="rg-card")


def _absent(one: Encoding) -> str:
    return "scoreboard" if one.waits else one.outcome


def _rest(counts: Counter[str]) -> str:
    others = [f"{counts[name]} {name}" for name in encodings.OUTCOMES[1:] if counts[name]]
    return ", ".join(others)


def instructions(view: View) -> Section:
    """Every operation but the matrix ones, class by class."""
    rows = [one for one in encodings.encodings(view.report) if not encodings.is_matrix(one)]
    groups: dict[str, list[Encoding]] = {}
    for one in rows:
        groups.setdefault(one.group or "other", []).append(one)
    children = tuple(
        Section(
            f"instructions-{group}",
            f"{group.replace('_', ' ').capitalize()} operations",
            (_table(view, f"instructions-{group}", f"Operations of class “{group}”.", some),),
        )
        for group, some in groups.items()
    )
    known = sum(1 for one in rows if one.latency is not None and one.latency.value is not None)
    waits = sum(one.waits for one in rows)
    intro = view.intro(
        "encoded", count=len(rows), known=known, waits=waits, toolkit=encodings.toolkit(view.report)
    )
    return Section("instructions", "Instructions", (intro,), children)


def matrix(view: View) -> Section | None:
    """Matrix instructions: which shapes and types exist, which the compiler makes of others."""
    rows = [one for one in encodings.encodings(view.report) if encodings.is_matrix(one)]
    if not rows:
        return None
    counts = Counter(one.outcome for one in rows)
    exist, emulated = counts[encodings.VERIFIED], counts["emulated"]
    intro = view.intro("matrix", exist=exist, emulated=emulated, total=len(rows))
    body = _table(view, "matrix", "Matrix instructions by shape and type.", rows)
    return Section("matrix", "Matrix instructions", present((intro, body)))


def _table(view: View, identity: str, caption: str, rows: list[Encoding]) -> Html:
    return table(identity, caption, INSTRUCTIONS, (_row(view, one) for one in rows), filtered=len(rows) > 15)


def _row(view: View, one: Encoding) -> Row:
    note = str(one.probe.constants.get("note", ""))
    name = anchor(one.title, view.probe(one.probe.id))
    metric = one.latency.metric if one.latency is not None else f"operation.{one.operation}"
    issue = blocks.bare_cell(one.issue) if one.issue is not None and one.issue.value is not None else None
    marked = Html("")
    if one.issue is not None:
        shown = issue.html if issue is not None else "–"
        marked = element("span", shown, id=one.issue.metric)
    lead: list[Html] = [name]
    if note:
        lead.append(element("span", note, class_="rg-note"))
    if one.form:
        lead.append(element("div", code(one.form), class_="rg-under"))
    ended = encodings.outcome_mark(one.outcome)
    if one.reason:
        ended = join((ended, element("div", one.reason, class_="rg-under")))
    return Row(
        (
            Cell(join(lead, " ")),
            Cell(encodings.mnemonics(one.opcodes)),
            encodings.distance_cell(one),
            Cell(
                marked or "–",
                sort=issue.sort if issue is not None else None,
                note=one.issue.reason if one.issue is not None else "",
            ),
            blocks.bare_cell(one.registers) if one.registers is not None else Cell("–"),
            Cell(ended),
        ),
        id=metric,
        kind="" if one.outcome == encodings.VERIFIED else "rg-absent",
    )
