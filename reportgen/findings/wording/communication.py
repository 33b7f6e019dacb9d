"""Sentences about what cores share: lines handed over, words beside each other, words that many add to."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import interval
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.numbers import amount, listed, one
from reportgen.units import format_bytes, format_value

KINDS = frozenset({Kind.TRANSFER, Kind.GRANULE, Kind.SHARING, Kind.CONTENDED, Kind.CONTENDED_RATE})
BESIDE = 1.05
"""An addition in the line next to the shared one that takes this many times as long as further away is told
of."""
READ = "read"
BY = {
    "store": "a store",
    "exchange": "an atomic exchange",
    "compare_exchange": "a compare-and-exchange",
    "plain_add": "plain additions",
    "locked_add": "atomic additions",
    READ: "reading",
}
_ADDING = {**BY, "compare_exchange": "additions by compare-and-exchange"}


def noun(name: MetricId) -> str:
    """A metric of these kinds as a noun phrase."""
    subject = name.subject
    match name.kind:
        case Kind.TRANSFER:
            pair = (
                "between the two cores that are farthest" if name.part == "farthest" else "between two cores"
            )
            unit = " in cycles" if name.part == "cycles" else ""
            return f"the time of a line transfer {pair}, by {BY.get(subject, subject)}{unit}"
        case Kind.GRANULE:
            return f"the distance from which on words of two cores share nothing, by {adding(subject)}"
        case Kind.SHARING:
            where = "in one line" if name.part == "shared" else "in lines apart"
            return f"the time of {adding(subject)} of two cores {where}"
        case Kind.CONTENDED if subject == READ:
            return "the time of a load from a line that another core keeps writing"
        case Kind.CONTENDED:
            return f"the time of {adding(subject)} to one word, all cores at it"
        case _:
            return f"the rate of {adding(subject)} to one word, all cores together"


def adding(by: str) -> str:
    """`locked_add` -> "atomic additions"."""
    return _ADDING.get(by, by.replace("_", " "))


def measured(name: MetricId, quantity: Quantity) -> str:
    """Measured: the sentence of one of these metrics."""
    match name.kind:
        case Kind.TRANSFER:
            return _transfer(name, quantity)
        case Kind.GRANULE:
            return _granule(name, quantity)
        case Kind.SHARING:
            where = "words in one line" if name.part == "shared" else "words in lines of their own"
            each = adding(name.subject)
            return f"{each[0].upper()}{each[1:]} of two cores to {where} take {amount(quantity)} each."
        case Kind.CONTENDED if name.subject == READ:
            time = f"{amount(quantity)}{_alone(quantity)}"
            return f"A load from a line that another core keeps writing takes {time}."
        case Kind.CONTENDED:
            return (
                f"{_cores(quantity)} that add to one word by {_by(name.subject)} wait {amount(quantity)} for "
                f"each addition of their own{_alone(quantity)}."
            )
        case _:
            return (
                f"{_cores(quantity)} reach {amount(quantity)} of {adding(name.subject)} to one word "
                f"together{_alone_rate(quantity)}."
            )


def _transfer(name: MetricId, quantity: Quantity) -> str:
    pair = str(quantity.details.get("pair", ""))
    which = f" (CPUs {pair.replace('-', ' and ')} of those allowed)" if pair else ""
    most = " most" if name.part == "farthest" else ""
    by = BY.get(name.subject, name.subject)
    others = len({frozenset(str(one).split("-")) for one in quantity.details.get("pairs", ())})
    nearest = f", the shortest of {others} pairs" if others > 1 else ""
    longest = ", the longest of all pairs" if most else ""
    return (
        f"A line that one core hands to another by {by} arrives after {amount(quantity)} one "
        f"way{which}{nearest}{longest}: half of a round trip in which each waits for the other's value."
    )


def _by(subject: str) -> str:
    return {"locked_add": "an atomic add", "compare_exchange": "compare-and-exchange"}.get(subject, subject)


def _granule(name: MetricId, quantity: Quantity) -> str:
    low, high = (format_bytes(int(end)) for end in interval(quantity))
    text = (
        f"By {adding(name.subject)}, words of two cores {low} apart slow each other, and words {high} apart "
        f"do not (n = {quantity.n:,})."
    )
    beside = quantity.details.get("beside")
    if isinstance(beside, (int, float)):
        text += f" Words {high} apart take {beside:.2f} times as long as words further apart."
    return text


def _cores(quantity: Quantity) -> str:
    cores = quantity.details.get("cores", ())
    return f"{cores[-1] if cores else 'Several'} cores"


def _alone(quantity: Quantity) -> str:
    cores, cycles = quantity.details.get("cores", ()), quantity.details.get("cycles", ())
    return f", one core alone {one(cycles[0], 'cycle')}" if cores and cores[0] == 1 else ""


def _alone_rate(quantity: Quantity) -> str:
    cores, rates = quantity.details.get("cores", ()), quantity.details.get("rates", ())
    return f", one core alone {one(rates[0], quantity.unit)}" if cores and cores[0] == 1 else ""


def groups(found: tuple[tuple[str, ...], ...], near: float, far: float) -> str:
    """Inferred: CPUs that fall into groups by the time between them.

    Args:
        found: CPUs of each group.
        near: seconds of the slowest transfer inside of a group.
        far: seconds of the fastest between two.
    """
    named = listed([f"({', '.join(group)})" for group in found])
    return (
        f"That lines take at most {format_value(near, 'second')} between CPUs within {named}, and at least "
        f"{format_value(far, 'second')} from one of these groups to another, is consistent with groups of "
        "cores that share a cache."
    )


def pair_of_lines(name: MetricId, quantity: Quantity, beside: float) -> str:
    """Inferred: additions in neighbouring lines disturb each other."""
    size = int(interval(quantity)[1])
    return (
        f"That {adding(name.subject)} {format_bytes(size)} apart take {beside:.2f} times as long as those "
        f"further apart is consistent with lines that are fetched in pairs of {format_bytes(2 * size)}."
    )
