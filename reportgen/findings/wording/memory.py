"""Sentences about levels of the memory hierarchy and their bandwidth."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.gpu_names import path
from reportgen.findings.wording.names import (
    FAR_APART,
    apart,
    counted,
    kernel,
    level,
    pages,
    precision,
    size_name,
    tlb,
)
from reportgen.findings.wording.numbers import amount, one

FITTED = frozenset({"smeared", "kink"})
"""Shapes of a boundary whose capacity follows from how the latency rises, not from where it begins."""


def _edges(quantity: Quantity) -> tuple[float, float] | None:
    if quantity.low is None or quantity.high is None:
        return None
    return quantity.low, quantity.high


def capacity(name: MetricId, quantity: Quantity) -> str:
    """Measured: a boundary as the interval [largest size that fits, smallest that does not]."""
    where, on, edges = level(name.subject), pages(name), _edges(quantity)
    if edges is None:
        return f"The end of {where}{on} lies near {amount(quantity)}; the run states no interval."
    begins, ends = quantity.details.get("begins"), quantity.details.get("ends")
    if quantity.details.get("shape") in FITTED and begins and ends:
        return (
            f"From a working set of {one(begins, 'byte')} on some loads are slower than the {where} "
            f"latency{on}, from {one(ends, 'byte')} on nearly all: the rise between fits an end of {where} "
            f"at {amount(quantity)}."
        )
    return (
        f"A working set of {one(edges[0], 'byte')} still runs at the {where} latency{on} and one of "
        f"{one(edges[1], 'byte')} no longer does (n = {quantity.n:,}): the end of {where} lies between them."
    )


def line(quantity: Quantity) -> str:
    """Measured: the smallest offset at which a second access is not served with the first."""
    edges = _edges(quantity)
    if edges is None or edges[0] == edges[1]:
        return (
            f"A second access stops being served together with the first at an offset of "
            f"{one(central(quantity), 'byte')} (n = {quantity.n:,})."
        )
    return (
        f"A second access is still served together with the first at an offset of {one(edges[0], 'byte')} "
        f"and no longer at {one(edges[1], 'byte')} (n = {quantity.n:,})."
    )


def associativity(name: MetricId, quantity: Quantity) -> str:
    """Measured: how many lines a set stride apart stay in a level."""
    return _count(
        quantity,
        f"lines that fall into one set stay in {level(name.subject)}",
        f"Lines that fall into one set stay in {level(name.subject)} up to a count of",
    )


def tlb_reach(name: MetricId, quantity: Quantity) -> str:
    """Measured: how many pages are touched before loads slow down."""
    kind, buffer = apart(name), tlb(name.subject, far=name.pages in FAR_APART)
    return _count(
        quantity,
        f"{kind}, one load each, are touched before the first slowdown of the {buffer}",
        f"The {buffer} serves {kind}, one load each, without a slowdown up to a count of",
    )


def _count(quantity: Quantity, clause: str, stem: str) -> str:
    edges = _edges(quantity)
    if edges is None or edges[0] == edges[1]:
        return f"{stem} {one(central(quantity), 'count')} (n = {quantity.n:,})."
    return (
        f"At least {one(edges[0], 'count')} and fewer than {one(edges[1], 'count')} {clause} "
        f"(n = {quantity.n:,})."
    )


def level_latency(name: MetricId, quantity: Quantity) -> str:
    """Measured: a dependent load in the range of one level, in cycles or in seconds."""
    return (
        f"A dependent load whose working set is in the {level(name.subject)} range{pages(name)} takes "
        f"{amount(quantity)}."
    )


def chase(name: MetricId, quantity: Quantity) -> str:
    """Measured: the second measure of a level's latency, at one size."""
    by = f", loads {path(name.part)}," if name.part else ""
    return (
        f"A pointer chase over one random cycle in the {level(name.subject)} range{by} takes "
        f"{amount(quantity)} a step."
    )


def bandwidth(name: MetricId, quantity: Quantity, cores: int) -> str:
    """Measured: a rate with the bytes it counts and the kind of store.

    Args:
        name: the metric, taken apart.
        quantity: bytes a second.
        cores: cores that took part.
    """
    who = f"All {cores} cores together" if name.scope else "One core"
    verb = {"read": "read", "write": "wrote", "nt_write": "wrote"}.get(name.part, "moved")
    return (
        f"{who} {verb} {amount(quantity)} in the {level(name.subject)} range with the {kernel(name.part)} "
        f"kernel; {counted(name.part)}."
    )


def peak(name: MetricId, quantity: Quantity, operation: str = "") -> str:
    """Measured: the best compute rate of a precision; `operation` is the title of what reached it."""
    how = f" with “{operation}”" if operation else ""
    if name.kind is Kind.PEAK_PER_CYCLE:
        work = f"The most {precision(name.subject)} work that one core did per cycle"
        return f"{work} was {amount(quantity)}{how}."
    return (
        f"The best {precision(name.subject)} rate of one core was {amount(quantity)}{how}, at the clock that "
        "the core had then."
    )


def library(name: MetricId, quantity: Quantity, ours: bool = False) -> str:
    """Measured: a kernel of the suite (`ours`); or, unverified, a routine of the installed library."""
    if ours:
        return (
            f"The suite's kernel {name.subject} ran at {amount(quantity)} for "
            f"{size_name(name.subject)} = {name.part}, counted by the work of the definition."
        )
    return (
        f"The library routine {name.subject} ran at {amount(quantity)} for "
        f"{size_name(name.subject)} = {name.part}, counted by the work of the definition; its machine code "
        "was not inspected."
    )


def ridge(name: MetricId, quantity: Quantity, kernels: str = "") -> str:
    """Measured: a ratio of two measured roofs; where the roofline model puts the ridge."""
    which = f" ({kernel(kernels)})" if kernels else ""
    return (
        f"The measured {precision(name.subject)} peak divided by the measured {level(name.part)} bandwidth"
        f"{which} is {amount(quantity)}: the roofline model puts the ridge there."
    )
