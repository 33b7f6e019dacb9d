"""The levels of memory at a glance: capacity, latency, rate, one row a level, with a bar for the latency."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from reportgen.findings.metric import ALL_CORES, LEVELS, ONE_MULTIPROCESSOR
from reportgen.findings.wording.names import level
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.figures.style import LEVELS as STROKES
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.tables import Cell, Column, Row, table
from reportgen.site.view import View
from reportgen.units import format_bytes

CAPTION = (
    "Memory at a glance. Under a number stands its interval, of a boundary the interval is the result; "
    "bars are latencies on a logarithmic scale."
)


class Rung(NamedTuple):
    """A level, and the metrics that tell of it."""

    key: str
    title: str
    stem: str
    """Of its capacity and its latency."""


def rungs(gpu: bool) -> tuple[Rung, ...]:
    """Levels from the core outwards; of a GPU with the shared memory that lies beside the first."""
    found = [Rung(name, level(name), f"memory.{name}") for name in LEVELS]
    if gpu:
        found.insert(0, Rung("shared", "shared memory", "memory.shared.l1"))
    return tuple(found)


def ladder(view: View) -> Html:
    """The table, with the columns and the rows that the run has a value for; nothing where it has none."""
    report = view.report
    gpu = report.evidence.gpu
    shown = [rung for rung in rungs(gpu) if any(_has(view, metric) for metric in _metrics(rung, gpu))]
    if not shown:
        return Html("")
    latencies = [
        fact.value
        for rung in shown
        if (fact := report.fact(f"{rung.stem}.latency")) is not None and fact.value is not None
    ]
    slowest = max(latencies, default=1.0)
    rows = [Row((Cell(rung.title), *_cells(view, rung, slowest))) for rung in shown]
    return table("ladder", CAPTION, _columns(view), rows, sortable=False, searchable=True)


def _columns(view: View) -> tuple[Column, ...]:
    cores = view.report.run.device.cores
    rates = (
        (f"read by all {cores} multiprocessors", "read by one alone")
        if view.report.evidence.gpu
        else ("read by 1 core", f"read by {cores} cores")
    )
    return (
        Column("level"),
        Column("capacity", number=True),
        Column("latency", number=True, note="of a load whose address is the result of the one before"),
        Column("in seconds", number=True, note="the same at the clock that was seen"),
        *(Column(title, number=True) for title in rates),
    )


def _metrics(rung: Rung, gpu: bool) -> tuple[str, ...]:
    """In the order of the columns."""
    rate = f"bandwidth.{rung.key}.read"
    scopes = ("", f".{ONE_MULTIPROCESSOR}") if gpu else ("", f".{ALL_CORES}")
    return (
        f"{rung.stem}.capacity",
        f"{rung.stem}.latency",
        f"{rung.stem}.latency_time",
        *(rate + scope for scope in scopes),
    )


def _has(view: View, metric: str) -> bool:
    return blocks.sort_key(view.report.fact(metric)) is not None


def _cells(view: View, rung: Rung, slowest: float) -> Iterator[Cell]:
    for place, metric in enumerate(_metrics(rung, view.report.evidence.gpu)):
        fact = view.report.fact(metric)
        if rung.key == "dram" and not place:
            yield _memory(view)
        elif fact is None or blocks.sort_key(fact) is None:
            yield Cell("–", note=fact.reason if fact is not None else "")
        else:
            bar = _bar(rung.key, fact, slowest) if place == 1 else Html("")
            yield Cell(join((_number(fact), bar)), sort=blocks.sort_key(fact))


def _memory(view: View) -> Cell:
    """What is reported, as no sweep is large enough to find where memory ends."""
    size = view.report.run.device.memory_bytes
    note = element("span", "reported", class_="rg-note")
    return Cell(join((format_bytes(size), note), " "), sort=float(size)) if size else Cell("–")


def _number(fact: Fact) -> Html:
    """The value, a link to its row, over its interval."""
    value, interval = blocks.number(fact), blocks.interval_cell(fact).html
    parts = [anchor(value, f"#{fact.metric}")]
    if interval not in ("–", value):
        parts.append(element("span", escape(interval), class_="rg-note"))
    return join(parts, " ")


def _bar(key: str, fact: Fact, slowest: float) -> Html:
    """As wide as the logarithm of the latency; drawn as a border, which paper shows too."""
    if fact.value is None or fact.value <= 1 or slowest <= 1:
        return Html("")
    share = math.log(fact.value) / math.log(slowest)
    style = f"width:{100 * share:.0f}%;border-color:{STROKES[key].colour}"
    return element("span", "", class_="rg-bar", style=style, aria_hidden="true")
