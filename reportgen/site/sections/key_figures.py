"""The numbers people come for: the levels of memory as a ladder, peaks, ridges and the like as cards."""

from __future__ import annotations

from reportgen.findings.wording.names import precision
from reportgen.site import blocks
from reportgen.site.markup import Html, anchor, element, join
from reportgen.site.sections.ladder import ladder
from reportgen.site.view import Section, View, present

PRECISIONS = ("fp64", "fp32", "fp16", "bf16", "int8")
TENSOR = ("tensor_fp16", "tensor_tf32", "tensor_fp8", "tensor_fp4", "tensor_fp64")
"""Peaks of the matrix units of a GPU."""


def section(view: View) -> Section:
    """Levels of memory, the triad, peaks, ridges, what is in flight: as far as the run has them."""
    gpu = view.report.evidence.gpu
    alone = "" if gpu else ", 1 core"
    peaks = (*PRECISIONS, *TENSOR) if gpu else PRECISIONS
    wanted = [(f"peak.{name}", f"{precision(name)} peak{alone}") for name in peaks]
    wanted.append(("bandwidth.dram.triad", f"DRAM triad{alone}"))
    ridges = ("fp32", "fp64", *TENSOR[:1]) if gpu else ("fp32", "fp64")
    wanted += [(f"ridge.{name}.dram", f"{precision(name)} ridge on DRAM") for name in ridges]
    wanted.append(("window.mixed", "instructions in flight"))
    wanted.append(("store_to_load.64_64.0", "store to load, 64 bit"))
    wanted.append(("branch.misprediction", "branch misprediction"))
    wanted.append(("memory.dram.parallelism", "misses in flight, 1 core"))
    wanted.append(("communication.transfer.store", "line to another core"))
    cards = join(card for metric, title in wanted if (card := _card(view, metric, title)))
    body = (ladder(view), element("div", cards, class_="rg-cards") if cards else cards)
    return Section("key-figures", "Key figures", present(body))


def _card(view: View, metric: str, title: str) -> Html:
    quantity = view.report.fact(metric)
    if quantity is None or blocks.sort_key(quantity) is None:
        return Html("")
    found = view.report.finding.get(metric)
    interval, value = blocks.interval_cell(quantity).html, blocks.number(quantity)
    small: list[object] = [interval] if interval not in ("–", value) and quantity.value is not None else []
    small.append(f"n = {quantity.n}")
    marks = [blocks.claim(found.claim), blocks.confidence(found.confidence)] if found else []
    body = (
        element("div", title, class_="rg-card-title"),
        element("div", anchor(value, f"#{metric}"), class_="rg-card-value"),
        element("div", join(small, ", "), class_="rg-card-interval"),
        element("div", join(marks, " "), class_="rg-marks"),
    )
    return element("div", join(body), class_="rg-card")
