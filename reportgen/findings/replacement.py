"""Which replacement policies the shares of misses of a run leave, level by level."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.replacement import Reading, read
from reportgen.findings.evidence import Evidence, central
from reportgen.findings.finding import Claim
from reportgen.findings.metric import Kind
from reportgen.findings.wording import replacement as words
from reportgen.findings.wording.names import level as called


def by_level(evidence: Evidence) -> dict[str, Reading]:
    """Level -> which policies its shares leave."""
    shares: dict[str, list[Quantity]] = {}
    for name, quantity in evidence.of_kind(Kind.MISS_SHARE):
        shares.setdefault(name.subject, []).append(quantity)
    found = {level: read(some) for level, some in shares.items()}
    return {level: reading for level, reading in found.items() if reading is not None}


def readings(evidence: Evidence) -> Iterator[tuple[str, Claim, str, tuple[str, ...], tuple[str, ...]]]:
    """(level, claim, sentence, metrics, alternatives) of every level.

    Where another probe found other ways than the sequences were made for, no policy is named.
    """
    for level, reading in by_level(evidence).items():
        ways = evidence.usable(f"memory.{level}.associativity")
        if ways is not None and central(ways) != reading.ways:
            text = words.other_ways(called(level), reading, f"{central(ways):.0f}")
            yield level, Claim.MEASURED, text, (*reading.metrics, ways.metric), ()
        else:
            text = words.policies(called(level), reading)
            yield level, Claim.INFERRED, text, reading.metrics, words.ALTERNATIVES
