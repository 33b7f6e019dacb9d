"""Latency and throughput of every operation: chart, then table; each row leads to its probe."""

from __future__ import annotations

import msgspec

from reportgen.model.architecture import Fact, Instruction
from reportgen.site import blocks, encodings, practice
from reportgen.site.encodings import Encoding
from reportgen.site.markup import anchor, code, element, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import Section, View, present
from reportgen.status import Status
from reportgen.units import significant

_CYCLES = (
    Column("cycles", number=True, note="dependent latency: slope of cycles over chain length"),
    Column("interval", number=True),
)
_TAKEN = Column("n", number=True, note="accepted samples")
LATENCY = (
    Column("operation"),
    *_CYCLES,
    _TAKEN,
    Column("form", note="{d}: the register of the chain; {a}, {b}, {t}: others; {m}: memory"),
    blocks.STANDING,
)
"""The number next to the name, where a telephone shows it."""
GPU_LATENCY = (
    Column("operation"),
    Column(
        "machine instructions", note="SASS of the timed window, the most frequent first; under it the PTX"
    ),
    *_CYCLES,
    Column("encoded", number=True, note="cycles that the assembler keeps between two of them: a lower bound"),
    _TAKEN,
    blocks.STANDING,
)
"""Of a GPU, whose machine code holds what the assembler assumes."""
DRAWN = (
    "Each mark is how long an operation makes the next one wait, on a logarithmic scale, with the number "
    "beside it; forms of several widths share a row, and the wider one stands around the narrower."
)
LANES = 32
"""Of a warp: so many results an instruction gives."""
THROUGHPUT = (
    Column("operation"),
    Column("per cycle", number=True, note="instructions per cycle on the plateau"),
    Column("interval", number=True),
    Column("cycles each", number=True, note="issue interval: cycles per instruction on the plateau"),
    Column("knee", number=True, note="independent accumulators from which the plateau holds"),
    Column("n", number=True, note="accepted samples"),
    blocks.STANDING,
)
GPU_THROUGHPUT = (
    *THROUGHPUT[:2],
    Column("lanes per cycle", number=True, note="32 times as many: results of single lanes in a cycle"),
    *THROUGHPUT[2:],
)
MATRIX = ("tensor", "warpgroup", "tensor_memory")
"""Groups of instructions that a lane does not carry out by itself."""


def latency(view: View) -> Section | None:
    """Dependent latency of every operation."""
    rows = [row for row in view.report.architecture.instructions if row.dependent_latency]
    if not rows:
        return None
    intro = view.intro("latency")
    drawn = view.figure("latency", _alternative(view, rows), DRAWN)
    gpu = view.report.evidence.gpu
    code_of = {one.operation: one for one in encodings.encodings(view.report)} if gpu else {}
    body = table(
        "latency",
        "Dependent latency of each operation, cycles.",
        GPU_LATENCY if gpu else LATENCY,
        (_latency_row(view, row, code_of.get(row.operation)) for row in rows),
        filtered=True,
    )
    return Section(
        "latency", "Instruction latency", present((intro, practice.block(view, "latency"), drawn, body))
    )


def throughput(view: View) -> Section | None:
    """Plateau over independent accumulators, with its knee."""
    rows = [row for row in view.report.architecture.instructions if row.throughput]
    if not rows:
        return None
    intro = view.intro("throughput")
    drawn = view.figure(
        "throughput",
        _saturation(rows),
        "Instructions per cycle against independent accumulators, for the faster operations; "
        "panels share their axes.",
    )
    body = table(
        "throughput",
        "Throughput of each operation on its plateau, instructions per cycle.",
        GPU_THROUGHPUT if view.report.evidence.gpu else THROUGHPUT,
        (_throughput_row(view, row) for row in rows),
        filtered=True,
    )
    parts = (intro, practice.block(view, "throughput"), drawn, body)
    return Section("throughput", "Instruction throughput", present(parts))


def _note(view: View, row: Instruction) -> str:
    """The caveat of the instruction table, shown on hover."""
    probe = view.report.evidence.asked.get(row.operation)
    return str(probe.constants.get("note", "")) if probe is not None else ""


def _machine(row: Instruction, one: Encoding) -> tuple[Cell, Cell]:
    """Machine instructions over the form that they were asked in, and the distance that they keep."""
    form = element("div", code(row.form), class_="rg-under")
    distance = encodings.distance_cell(one)
    if one.latency is not None:
        distance = msgspec.structs.replace(
            distance, html=element("span", distance.html, id=one.latency.metric)
        )
    return Cell(join((encodings.mnemonics(one.opcodes), form))), distance


def _latency_row(view: View, row: Instruction, one: Encoding | None) -> Row:
    """A row; of a GPU with `one`, what its machine code holds."""
    fact = row.dependent_latency
    assert fact is not None
    form, *encoded = _machine(row, one) if one is not None else (Cell(code(row.form)),)
    note = _note(view, row)
    name = anchor(row.title or row.operation, view.probe(fact.probe))
    title = Cell(join((name, element("span", note, class_="rg-note")), " ") if note else name)
    cycles = (blocks.bare_cell(fact), blocks.bare_interval_cell(fact))
    taken, stands = blocks.count_cell(fact.n), blocks.standing_cell(fact)
    return Row(
        (title, form, *cycles, *encoded, taken, stands) if encoded else (title, *cycles, taken, form, stands),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )


def _throughput_row(view: View, row: Instruction) -> Row:
    fact, each = row.throughput, row.issue_interval
    assert fact is not None
    inverse = blocks.bare_cell(each)
    if fact.status is Status.CENSORED and fact.low and inverse.sort is None:
        # The rate is a lower bound, so that its inverse is an upper one.
        inverse = Cell(f"≤ {significant(1 / fact.low)}", sort=1 / fact.low)
    if each is not None:
        inverse = Cell(element("span", inverse.html, id=each.metric), sort=inverse.sort)
    return Row(
        (
            Cell(anchor(row.title or row.operation, view.probe(fact.probe))),
            blocks.bare_cell(fact),
            *((_lanes(view, fact, row.operation),) if view.report.evidence.gpu else ()),
            blocks.bare_interval_cell(fact),
            inverse,
            Cell(str(row.knee) if row.knee else "–", sort=float(row.knee) if row.knee else None),
            blocks.count_cell(fact.n),
            blocks.standing_cell(fact),
        ),
        id=fact.metric,
        kind="" if blocks.sort_key(fact) is not None else "rg-absent",
    )


def _lanes(view: View, fact: Fact, operation: str) -> Cell:
    """Results of single lanes a cycle; nothing where lanes work together or there is no rate."""
    rate = blocks.sort_key(fact)
    if rate is None or view.report.group(operation) in MATRIX:
        return Cell("–")
    bound = "≥ " if fact.status is Status.CENSORED else ""
    return Cell(f"{bound}{significant(LANES * rate)}", sort=LANES * rate)


def _alternative(view: View, rows: list[Instruction]) -> str:
    """The finding of the chart in words: the range, and the operations at its two ends."""
    known = [
        (fact.value, row.title or row.operation)
        for row in rows
        if (fact := row.dependent_latency) is not None and fact.value is not None
    ]
    if not known:
        return "No latency has a value in this run."
    (least, first), (most, last) = min(known), max(known)
    return (
        f"Dot chart of {len(known)} dependent latencies, from {significant(least)} cycles ({first}) "
        f"to {significant(most)} cycles ({last}); the numbers are in the table below."
    )


def _saturation(rows: list[Instruction]) -> str:
    known = [
        (fact.value, row.title or row.operation)
        for row in rows
        if (fact := row.throughput) is not None and fact.value is not None
    ]
    if not known:
        return "No throughput has a value in this run."
    (least, first), (most, last) = min(known), max(known)
    return (
        f"Small panels of rate against independent accumulators. Plateaus lie between "
        f"{significant(least)} ({first}) and {significant(most)} ({last}) instructions per cycle; "
        "the numbers are in the table below."
    )
