"""Interference is symmetric, transitive and at most serial; two copies of one operation serialise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from reportgen.analysis.quantity import Quantity
from reportgen.findings import interference
from reportgen.findings.evidence import Evidence, central, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions

SYMMETRY_TOLERANCE = 0.1
"""On the index: two separate measurements of one pair."""


def _symmetric(evidence: Evidence) -> Iterator[Breach]:
    for name, there in evidence.of_kind(Kind.INTERFERENCE):
        back = evidence.usable(f"interference.{name.part}.{name.subject}")
        if name.subject >= name.part or back is None:
            continue
        gap = max(interval(there)[0] - interval(back)[1], interval(back)[0] - interval(there)[1])
        if gap > SYMMETRY_TOLERANCE:
            yield Breach(
                (there.metric, back.metric),
                contradictions.not_symmetric(
                    evidence.title(name.subject), evidence.title(name.part), central(there), central(back)
                ),
            )


def _transitive(evidence: Evidence) -> Iterator[Breach]:
    """Of a GPU nothing is asked: kinds of several pipes pass one port before them, and may fill both."""
    if evidence.gpu:
        return
    pairs: dict[frozenset[str], tuple[Quantity, str]] = {}
    partners: dict[str, set[str]] = {}
    for name, quantity in evidence.of_kind(Kind.INTERFERENCE):
        if name.subject == name.part:
            continue
        reading = interference.read(evidence, quantity).name
        pairs.setdefault(frozenset((name.subject, name.part)), (quantity, reading))
        if reading == interference.SHARED:
            partners.setdefault(name.subject, set()).add(name.part)
            partners.setdefault(name.part, set()).add(name.subject)
    for middle, others in sorted(partners.items()):
        for first, last in combinations(sorted(others), 2):
            found = pairs.get(frozenset((first, last)))
            if found is None or found[1] != interference.SEPARATE:
                continue
            quantity = found[0]
            sides = [pairs[frozenset((middle, one))][0].metric for one in (first, last)]
            yield Breach(
                (quantity.metric, *sides),
                contradictions.not_transitive(
                    evidence.title(first), evidence.title(middle), evidence.title(last), central(quantity)
                ),
            )


def _beyond_serial(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(Kind.INTERFERENCE):
        if interference.beyond_serial(quantity):
            first, second = evidence.title(name.subject), evidence.title(name.part)
            yield Breach((name.text,), contradictions.beyond_serial(first, second, central(quantity)))


def _control(evidence: Evidence) -> Iterator[Breach]:
    pairs = evidence.of_kind(Kind.INTERFERENCE)
    for name, quantity in pairs:
        if name.subject != name.part or interval(quantity)[1] >= interference.SERIALISED_FROM:
            continue
        affected = [other.text for other, _ in pairs if name.subject in (other.subject, other.part)]
        yield Breach(
            tuple(affected), contradictions.control_failed(evidence.title(name.subject), central(quantity))
        )


GATES = (
    Gate(
        name="sharing_symmetric",
        severity=Severity.RELATION,
        statement="The interference index of a pair does not depend on which operation is named first.",
        source="definition of the index: it is symmetric in both",
        causes=("one of the two was measured beside a busy neighbour", "order of instructions in the body"),
        check=_symmetric,
    ),
    Gate(
        name="sharing_at_most_serial",
        severity=Severity.RELATION,
        statement="Two kinds of instructions together take no longer than one kind after the other.",
        source="one after the other is itself a way to run both; 15 % are for the interleaving",
        causes=(
            "a fast and a slow instruction are due in one cycle on one result bus, and one of them waits",
            "the two kinds depend on each other through a register or a flag",
            "the body is bound by latency once both are in it",
            "one of the three times was measured beside a busy neighbour",
        ),
        check=_beyond_serial,
    ),
    Gate(
        name="sharing_transitive",
        severity=Severity.RELATION,
        statement="Two operations that are each serialised with a third are not independent of each other "
        "(on a CPU; of a GPU's, the third may fill its pipe with one and a port before it with the other).",
        source="each fills a resource that the third one fills; with equal shares the resource is the same",
        causes=(
            "the third operation fills two resources, one with each",
            "group sizes that fill the resource unequally",
            "one of the three was measured beside a busy neighbour",
        ),
        check=_transitive,
    ),
    Gate(
        name="sharing_control",
        severity=Severity.RELATION,
        statement="Two copies of one operation serialise (the positive control).",
        source="an operation competes with itself for whatever it needs",
        causes=(
            "the groups are bound by latency, not by throughput",
            "too few instructions in a group to fill what they need",
        ),
        check=_control,
    ),
)
