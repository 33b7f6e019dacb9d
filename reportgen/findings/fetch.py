"""What a boundary of instruction supply is consistent with: bytes, instructions, or either."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording import fetch
from reportgen.findings.wording.numbers import listed
from reportgen.status import Status
from reportgen.units import format_interval, significant

PAGES = "a translation buffer for instructions: so many pages of code"
AHEAD = "how far ahead instructions are fetched"
DECODED = "another store of decoded instructions, such as a loop buffer"
PLACES = "places that hold a fixed number of instructions of one block of code"
COUNT = "a limit in instructions"
SIZE = "a limit in bytes"

Reading = tuple[MetricId, Quantity, str, tuple[str, ...], tuple[str, ...]]
"""Metric, quantity, sentence, alternatives left, alternatives excluded."""


def readings(evidence: Evidence) -> Iterator[Reading]:
    """An inference for every closed boundary; those on which two lengths agree are told once."""
    found = [
        (name, one)
        for name, one in evidence.of_kind(Kind.FETCH_CAPACITY)
        if one.status is not Status.CENSORED and one.high is not None
    ]
    told: set[str] = set()
    for name, quantity in found:
        if name.part:
            continue
        pair = [one for metric in quantity.details["of"] if (one := evidence.usable(metric)) is not None]
        told |= {one.metric for one in pair}
        if name.subject == fetch.OP_CACHE:
            ends = listed([format_interval(*interval(one), "byte") for one in pair])
            text = fetch.in_instructions(quantity, ends)
            yield name, quantity, text, (DECODED, PLACES), (f"{SIZE} ({ends})",)
        else:
            ends = listed([_count(one) for one in pair])
            text = fetch.in_bytes(quantity, ends)
            yield name, quantity, text, (PAGES, AHEAD), (f"{COUNT} ({ends})",)
    for name, quantity in found:
        if name.part and name.text not in told:
            text = fetch.in_either(name, quantity)
            yield name, quantity, text, (SIZE, COUNT, PAGES, AHEAD), ()


def _count(quantity: Quantity) -> str:
    low, high = quantity.details["instructions"]
    return f"{significant(low, 4)} … {significant(high, 4)}"
