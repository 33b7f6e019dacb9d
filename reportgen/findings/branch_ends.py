"""What an end of the rate of taken branches is consistent with: so many branches, or so many bytes of code.

Branches at several distances tell the two apart.  A buffer of branch targets ends at the same number of
branches, a level that holds code at the same number of bytes.  Where an end fits one and not the other with
some other distance, it is read so, and the other reading is excluded; where it fits both or neither, nothing
is inferred.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording import branches
from reportgen.status import Status

STRAIGHT = "fetch.l1i.capacity"
TARGETS = "entries of a buffer of branch targets"
CODE = "a level that holds code: instruction cache, micro-operation cache"
INDEX = "places in such a buffer that branches at this distance share"
FETCH = "code that is fetched ahead along predicted branches, as far as that keeps up"
OTHER = "a resource that was not asked for"
RETURNS = (
    "a stack of calls that holds fewer, with a second predictor behind it",
    "what follows a misprediction: returns that are predicted from a stack that went wrong",
    OTHER,
)
"""Other explanations of the end of nested calls."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How one end reads."""

    by_count: tuple[str, ...]
    """Other distances with an end at the same number of branches."""
    by_bytes: tuple[str, ...]
    """Other distances with an end at the same number of bytes."""

    @property
    def counts(self) -> bool:
        """Whether only the number of branches fits."""
        return bool(self.by_count) and not self.by_bytes

    @property
    def bytes(self) -> bool:
        """Whether only the number of bytes fits."""
        return bool(self.by_bytes) and not self.by_count

    @property
    def left(self) -> tuple[str, ...]:
        """Explanations that stay beside the one that is named."""
        return (INDEX, FETCH, OTHER) if self.counts else (FETCH, OTHER)

    @property
    def excluded(self) -> tuple[str, ...]:
        """The other reading, with the evidence against it."""
        if self.counts:
            return (f"{CODE} (by bytes, {branches.elsewhere(self.by_count)})",)
        return (f"{TARGETS} (by number, {branches.elsewhere(self.by_bytes)})",)


def read(evidence: Evidence, name: MetricId, quantity: Quantity) -> Reading:
    """Compare one end with those of all other distances."""
    own = size(name)
    ends: dict[str, list[tuple[MetricId, Quantity]]] = {}
    for other, found in evidence.of_kind(Kind.BRANCH_END):
        if other.subject != name.subject and found.status is not Status.CENSORED:
            ends.setdefault(other.subject, []).append((other, found))
    by_count, by_bytes = [], []
    for distance, some in ends.items():
        counted = any(_overlap(quantity, found) for _, found in some)
        sized = any(_overlap(quantity, found, own, size(other)) for other, found in some)
        by_count += [distance] if counted else []
        by_bytes += [distance] if sized else []
    return Reading(tuple(by_count), tuple(by_bytes))


def straight(evidence: Evidence, name: MetricId, quantity: Quantity) -> Quantity | None:
    """The end of a level of code that straight code has, by a probe of its own, where it lies at this one."""
    found = evidence.usable(STRAIGHT)
    return found if found is not None and _overlap(quantity, found, size(name)) else None


def size(name: MetricId) -> float:
    """Bytes from one branch to the next."""
    return float(name.subject.removesuffix("b"))


def _overlap(first: Quantity, second: Quantity, scale: float = 1.0, other: float = 1.0) -> bool:
    """Whether two intervals [fits, does not fit) have a size in common."""
    (low, high), (other_low, other_high) = interval(first), interval(second)
    return low * scale < other_high * other and other_low * other < high * scale
