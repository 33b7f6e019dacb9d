"""Sentences about lines that come before they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.analysis.paired import NO, UNDECIDED, YES
from reportgen.analysis.prefetch import BROUGHT, STILL
from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.numbers import amount, listed, span

KINDS = frozenset({Kind.PREFETCH_STRIDE, Kind.PREFETCH_RUN, Kind.PREFETCH_NEAR, Kind.PREFETCH_STREAMS})
UNROLLED, DRAM = "unrolled", "dram"
_HOW = {
    "": "asked for by one load instruction",
    UNROLLED: "asked for by 64 load instructions in turn",
    DRAM: "asked for by one load instruction, from a working set beyond all caches",
}
_AFTER = {
    "even": "the even line of a pair",
    "odd": "the odd line of a pair",
    "run": "a run of eight lines",
    "border": "a run of eight lines that ends with its 4 KiB page",
}


def how(scope: str) -> str:
    """Which instructions ask, and from where: "asked for by one load instruction"."""
    return _HOW.get(scope, scope.replace("_", " "))


def after(subject: str) -> str:
    """What went before: `run` -> "a run of eight lines"."""
    return _AFTER.get(subject, subject)


def _lines(count: int) -> str:
    return f"{count} line{'s' if count != 1 else ''}"


def step(subject: str) -> str:
    """`up_4` -> "4 lines up", `pattern_1_3` -> "1 and 3 lines up in turn"."""
    way, _, rest = subject.partition("_")
    if way == "pattern":
        return f"{listed(rest.split('_'))} lines up in turn"
    return f"{_lines(int(rest))} {way}"


def place(subject: str) -> str:
    """`1` -> "first line", `3_4` -> "lines 3 to 4"."""
    first, _, last = subject.partition("_")
    if last:
        return f"lines {first} to {last}"
    return "first line" if first == "1" else f"line {first}"


def stride(name: MetricId, quantity: Quantity) -> str:
    """Measured: cycles of a load in runs of a step, and of the same lines shuffled."""
    text = (
        f"In runs of 16 lines, each {step(name.subject)} from the one before and {how(name.scope)}, a load "
        f"that waits for the one before it takes {amount(quantity)}"
    )
    gain = quantity.details.get("gain")
    if not gain:
        return f"{text}."
    value, low, high = gain
    text = (
        f"{text}; the same lines in random order take {value:.3g} times as long ({span(low, high, 'ratio')})"
    )
    told = {
        YES: ".",
        NO: ": no saving by order was seen.",
        UNDECIDED: f", which does not tell whether the order is followed{_why(quantity)}.",
    }
    return text + told[quantity.details["followed"]]


def _why(quantity: Quantity) -> str:
    """Why nothing is told, where that is known: ": 3 pairs of samples count; 9 are needed"."""
    why = str(quantity.details.get("why", "")).rstrip(".")
    return f": {why[0].lower()}{why[1:]}" if why else ""


def run(name: MetricId, quantity: Quantity) -> str:
    """Measured: cycles of lines by their place in a run."""
    where = place(name.subject)
    if "_" in name.subject:
        return f"L{where[1:]} of a run of following lines take {amount(quantity)} each."
    subject = f"The {where}" if name.subject == "1" else f"L{where[1:]}"
    return f"{subject} of a run of following lines takes {amount(quantity)}."


def near(name: MetricId, quantity: Quantity) -> str:
    """Measured: cycles of what went before and of a line near it."""
    before = after(name.subject)
    where = "it" if name.subject in ("even", "odd") else "its end"
    text = (
        f"{before[0].upper()}{before[1:]}, and the line {step(name.part)} from {where} asked for when "
        f"another has passed, take {amount(quantity)} together"
    )
    saved = quantity.details.get("saved")
    if not saved:
        return f"{text}."
    value, low, high = saved
    far = int(quantity.details["far"])
    than = f"with the line {_lines(abs(far))} {'up' if far > 0 else 'down'}"
    room = span(low, high, "cycle")
    if quantity.details["brought"] == YES:
        return f"{text}, {value:.3g} cycles less than {than} ({room})."
    if quantity.details["brought"] == NO:
        return f"{text}; beside that {than} no saving of {BROUGHT:g} cycles was seen ({room})."
    return (
        f"{text}; what that saves beside that {than} does not tell whether the line came along "
        f"({room}){_why(quantity)}."
    )


def streams(_name: MetricId, quantity: Quantity) -> str:
    """Measured: the last number of streams at which order saves most of what it can, and the first above."""
    low, high = quantity.low or central(quantity), quantity.high or central(quantity)
    return (
        f"Order saves {100 * STILL:g} % and more of what it saves at its best with {low:.0f} streams of "
        f"following lines in turn, each through pages of its own, and no longer with {high:.0f} "
        f"(n = {quantity.n:,})."
    )


BUILDERS = {
    Kind.PREFETCH_STRIDE: stride,
    Kind.PREFETCH_RUN: run,
    Kind.PREFETCH_NEAR: near,
    Kind.PREFETCH_STREAMS: streams,
}
"""Kind of metric -> its sentence."""


def noun(name: MetricId) -> str:
    """A metric of these kinds as a noun phrase."""
    match name.kind:
        case Kind.PREFETCH_STRIDE:
            return f"the time of a load in runs of lines {step(name.subject)} ({how(name.scope)})"
        case Kind.PREFETCH_RUN:
            return f"the time of {'the ' if '_' not in name.subject else ''}{place(name.subject)} of a run"
        case Kind.PREFETCH_NEAR:
            return f"the time of {after(name.subject)} and of the line {step(name.part)} from its last"
    return "the count of streams that are followed at once"


def row(name: MetricId) -> str:
    """At the head of a table's row."""
    match name.kind:
        case Kind.PREFETCH_STRIDE:
            return {"": "", UNROLLED: "64 instructions, ", DRAM: "from memory, "}[name.scope] + step(
                name.subject
            )
        case Kind.PREFETCH_RUN:
            return place(name.subject)
        case Kind.PREFETCH_NEAR:
            return f"after {after(name.subject)}: {step(name.part)}"
    return "streams followed at once"


def _ways(found: Sequence[str]) -> str:
    """Steps in words, by direction: "1, 2 and 4 lines up and 1 line down"."""
    told = []
    for way in ("up", "down"):
        some = sorted(int(one.partition("_")[2]) for one in found if one.startswith(f"{way}_"))
        if some:
            told.append(f"{listed([str(one) for one in some])} line{'s' if some != [1] else ''} {way}")
    told += [step(one) for one in found if one.startswith("pattern")]
    return listed(told)


def followed(subjects: Sequence[str], gains: tuple[float, float], others: Sequence[str]) -> str:
    """Inferred: steps that are followed, and those that are not."""
    low, high = (f"{gain:.1f}" for gain in gains)
    times = low if low == high else f"{low} … {high}"
    text = f"Lines that follow at steps of {_ways(subjects)} come sooner than in random order ({times} times)"
    if others:
        text += f", those at steps of {_ways(others)} do not"
    return f"{text}: consistent with a prefetcher that follows such steps of a dependent load."


def by_instruction(subjects: Sequence[str]) -> str:
    """Inferred: steps that are followed for one instruction and not for many."""
    return (
        f"Lines at steps of {_ways(subjects)} come sooner where one load instruction asks for all of them, "
        "and not where 64 take turns: consistent with a prefetcher that learns steps by the instruction's "
        "address."
    )


def along(near_by: Sequence[str], apart: Sequence[str]) -> str:
    """Inferred: lines that come along with one that was touched."""
    text = (
        f"What lies {_ways(near_by)} from a line that was touched comes sooner than what lies far in its page"
    )
    if apart:
        text += f", what lies {_ways(apart)} does not"
    return f"{text}: consistent with a miss that brings neighbouring lines along."


def pair() -> str:
    """Inferred: the other line of an aligned pair comes along, the one across the pair's end not."""
    return (
        "The other line of an aligned pair of 128 bytes comes along with one that was touched, the line "
        "across the end of the pair does not: consistent with lines that are fetched in pairs."
    )


def ahead(least: int, most: int | None) -> str:
    """Inferred: how far ahead of a run lines are there."""
    end = f", and at {_lines(most)} not" if most is not None else ", and where that ends is not told"
    return (
        f"Behind a run of eight lines the line {least} further on is there sooner than a far one{end}: "
        "consistent with a prefetcher that has run that far ahead."
    )


def crossing(crossed: bool) -> str:
    """Inferred: whether a run's next page is begun before it is asked for."""
    if crossed:
        return (
            "Behind a run that ends with its 4 KiB page the first line of the next page is there sooner than "
            "a far one of that page: consistent with a prefetcher that goes on across such a boundary."
        )
    return (
        "Behind a run that ends with its 4 KiB page the first line of the next page takes as long as a far "
        "one, though within a page the next line is there: consistent with a prefetcher that stops at such a "
        "boundary."
    )


def served(cycles: float, level: str, latency: float) -> str:
    """Inferred: where lines that are followed come from when they are asked for."""
    return (
        f"A load of a run that is followed takes {cycles:.1f} cycles, and one from {level} {latency:.1f}: "
        f"consistent with lines that have been brought as far as {level}."
    )
