"""Sentences about what an access costs by where it lies, and after which store."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.numbers import amount, listed, span

SAME_REGISTER, SHORT_LOOP = "same_register", "short_loop"
_HOW = {
    "": "",
    SAME_REGISTER: " (both by one base register)",
    SHORT_LOOP: " (in a loop of a dozen such pairs at most)",
}
_PLACES = {
    "aligned": "aligned to a 64-byte line",
    "inside": "across the middle of a 64-byte line",
    "line": "across a 64-byte boundary",
    "page": "across a 4 KiB boundary",
}
PLACES = tuple(_PLACES)
"""From the cheapest to the dearest."""


def where(name: str) -> str:
    """`line` -> "across a 64-byte boundary"."""
    return _PLACES.get(name, name.replace("_", " "))


def width(text: str) -> str:
    """`v128` -> "128-bit vector", `32` -> "32-bit"."""
    return f"{text[1:]}-bit vector" if text.startswith("v") else f"{text}-bit"


def _article(text: str) -> str:
    """With its article: "an 8-bit", "a 16-bit"."""
    return f"{'an' if text.startswith('8') else 'a'} {text}"


def case(name: MetricId) -> str:
    """`64_32.4` -> "64-bit store, 32-bit load 4 bytes into it"."""
    stored, _, loaded = name.subject.partition("_")
    into = f" {name.part} byte{'s' if name.part != '1' else ''} into it" if name.part != "0" else ""
    return f"{width(stored)} store, {width(loaded)} load{into}{_HOW.get(name.scope, '')}"


def access(text: str) -> str:
    """`load_64_latency` -> "64-bit loads, each of which finds the address of the next"."""
    kind, bits, asked = text.split("_")
    if asked != "latency":
        return f"{bits}-bit {kind}s that do not wait for each other"
    moved = ", by way of a move between register files" if int(bits) > 64 else ""
    return f"{bits}-bit {kind}s, each of which finds the address of the next{moved}"


def store_to_load(name: MetricId, quantity: Quantity) -> str:
    """Measured: the latency of one case, with where the load lies."""
    stored, _, loaded = name.subject.partition("_")
    place = {
        "same": "all of what",
        "within": f"a part (from byte {name.part} on) of what",
        "beyond": "more than what",
        "across": f"the end (from byte {name.part} on), and what lies behind it, of what",
    }.get(str(quantity.details.get("place", "")), "what")
    read, wrote = _article(width(loaded)), _article(width(stored))
    how = _HOW.get(name.scope, "")
    return (
        f"{read[0].upper()}{read[1:]} load of {place} {wrote} store just wrote{how} takes {amount(quantity)} "
        "from one store to the next."
    )


def _added(quantity: Quantity, than: str) -> str:
    """What is added, or that no difference was seen."""
    found = quantity.details.get("added")
    if not found:
        return ""
    value, low, high = found
    if not quantity.details["differs"]:
        return f"; no difference of 1 % from {than} was seen ({span(low, high, 'cycle')})"
    more = "more" if value > 0 else "less"
    low, high = sorted((abs(low), abs(high)))
    factor = quantity.details["factor"][0]
    text = f", {abs(value):.3g} cycles {more} than {than} ({span(low, high, 'cycle')})"
    return f"{text}, {factor:.3g} times as long"


def split(name: MetricId, quantity: Quantity) -> str:
    """Measured: cycles of an access at a place."""
    asked = "a step of a chain of" if name.part.endswith("_latency") else "each of"
    return (
        f"{asked[0].upper()}{asked[1:]} {access(name.part)}, {where(name.subject)}, takes {amount(quantity)}"
        f"{_added(quantity, 'an aligned one')}."
    )


def alias(name: MetricId, quantity: Quantity) -> str:
    """Measured: cycles of a load behind a store."""
    reference = quantity.details.get("reference", "")
    return (
        f"A load that finds its own next address, behind a store {name.subject} bytes further on, takes "
        f"{amount(quantity)}{_added(quantity, f'one behind a store {reference} bytes further on')}."
    )


def row(name: MetricId) -> str:
    """At the head of a table's row: "64-bit loads, latency, across a 64-byte boundary"."""
    if name.kind is Kind.ALIAS:
        return f"store {name.subject} bytes further on"
    kind, bits, asked = name.part.split("_")
    return f"{bits}-bit {kind}s, {asked}, {where(name.subject)}"


BUILDERS = {Kind.STORE_TO_LOAD: store_to_load, Kind.SPLIT: split, Kind.ALIAS: alias}
"""Kind of metric -> its sentence."""


def noun(name: MetricId) -> str:
    """A metric of these kinds as a noun phrase."""
    if name.kind is Kind.STORE_TO_LOAD:
        return f"the latency from store to load ({case(name)})"
    if name.kind is Kind.SPLIT:
        return f"the time of {access(name.part)}, {where(name.subject)}"
    return f"the time of a load behind a store {name.subject} bytes further on"


def ends(some: Sequence[Quantity]) -> str:
    """Least and largest of some times: "6.4 … 12.2 cycles"."""
    low, high = (f"{pick(map(central, some)):.1f}" for pick in (min, max))
    return f"{low if low == high else f'{low} … {high}'} cycles"


def groups(parts: Sequence[tuple[str, Sequence[Quantity]]]) -> str:
    """Inferred: groups of latencies and what each is consistent with.

    Args:
        parts: (what a group is consistent with, its quantities), the fastest first.
    """
    told = [f"{ends(some)} ({len(some)} cases), consistent with {what}" for what, some in parts]
    number = {2: "two", 3: "three"}.get(len(parts), str(len(parts)))
    return f"Latencies from a store to a load fall into {number} groups: {'; '.join(told)}."


def learnt(quicker: Sequence[tuple[Quantity, Quantity]]) -> str:
    """Inferred: cases that take less in a short loop than in a long one, (short, long)."""
    count = f"{len(quicker)} case{'s take' if len(quicker) != 1 else ' takes'}"
    short, long = ends([one for one, _ in quicker]), ends([one for _, one in quicker])
    return (
        f"{count} {short} in a loop of a dozen stores and loads at most and {long} in one of 48 and more, "
        "though store and load name their place by two registers: consistent with a core that has learnt "
        "which store a load belongs to, for as many pairs as a table holds."
    )


def looks_alike(slower: Sequence[Quantity], others: Sequence[Quantity]) -> str:
    """Inferred: loads that wait for a store whose address is equal in its low bits."""
    more = [float(quantity.details["added"][0]) for quantity in slower]
    low, high = f"{min(more):.1f}", f"{max(more):.1f}"
    distances = listed([str(q.details["distance"]) for q in slower])
    near = listed([str(q.details["distance"]) for q in others])
    added = low if low == high else f"{low} … {high}"
    return (
        f"A load takes {added} cycles more behind a store {distances} bytes further on, and no "
        f"longer behind one {near} bytes further on: consistent with a comparison of the low twelve bits of "
        "both addresses before the whole ones."
    )


def reaches(quantity: Quantity) -> tuple[float, float]:
    """Interval of what is added, in cycles; nothing where there is no comparison."""
    found = quantity.details.get("added")
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)
