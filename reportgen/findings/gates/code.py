"""A step that coincides with a change of the machine code is a step of the code.

The same rule between two runs is in `reportgen.model.compare`.
"""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

EDGES = (Kind.CAPACITY, Kind.TLB_REACH, Kind.LINE, Kind.ASSOCIATIVITY)

VARIABLES = {
    Kind.CAPACITY: "bytes",
    Kind.TLB_REACH: "count",
    Kind.LINE: "offset",
    Kind.ASSOCIATIVITY: "count",
}
"""Setting along which the edge was looked for, in the unit of the metric."""


def _coincides(evidence: Evidence) -> Iterator[Breach]:
    for name, quantity in evidence.of_kind(*EDGES):
        inside, outside = _programs(evidence, quantity, VARIABLES[name.kind])
        # One program on either side, and not the same: with a program a point nothing follows.
        if len(inside) == len(outside) == 1 and inside != outside:
            yield Breach((name.text,), contradictions.edge_of_the_code(noun(name.text, evidence.title)))


def _programs(evidence: Evidence, quantity: Quantity, variable: str) -> tuple[set[str], set[str]]:
    """Digests of the programs of the points that fit, and of those that do not; those between count not."""
    low, high = interval(quantity)
    inside: set[str] = set()
    outside: set[str] = set()
    for identity in quantity.points:
        point = evidence.points.get(identity)
        if point is None or not point.program:
            continue
        place = point.settings.get(variable)
        if not isinstance(place, (int, float)):
            continue
        if place <= low:
            inside.add(point.program)
        elif place >= high:
            outside.add(point.program)
    return inside, outside


GATES = (
    Gate(
        name="edge_is_not_of_the_code",
        severity=Severity.LIMIT,
        statement="The points on the two sides of an edge ran the same machine code.",
        source="a step in a curve shows a property of the device only where nothing but the variable changes",
        causes=(
            "the compiler or generator chose another program from this setting on",
            "the sweep joins two probes",
        ),
        check=_coincides,
    ),
)
