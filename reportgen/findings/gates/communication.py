"""Rules that transfers between cores, and words that they share, obey."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.findings.evidence import Evidence, interval
from reportgen.findings.gates.record import Breach, Gate, Severity
from reportgen.findings.metric import Kind
from reportgen.findings.wording import contradictions
from reportgen.findings.wording.names import noun

NEAREST = "memory.l1.latency"
LINE = "memory.line"
ROOM = 1.02
"""Two times that are the same may come out so far apart."""


def _not_below_the_first_level(evidence: Evidence) -> Iterator[Breach]:
    first = evidence.usable(NEAREST)
    if first is None:
        return
    for name, quantity in evidence.of_kind(Kind.TRANSFER):
        least, most = interval(first)[0], interval(quantity)[1]
        if name.part == "cycles" and most < least:
            stem = name.text.removesuffix(".cycles")
            every = [one for one in (stem, f"{stem}.farthest") if evidence.usable(one) is not None]
            yield Breach(
                (name.text, *every),
                contradictions.below_limit(
                    noun(name.text, evidence.title), most, least, quantity.unit,
                    "what a load from the first level takes",
                ),
            )  # fmt: skip


def _not_below_apart(evidence: Evidence) -> Iterator[Breach]:
    for name, contended in evidence.of_kind(Kind.CONTENDED):
        apart = evidence.usable(f"communication.false_sharing.{name.subject}.apart")
        if apart is None:
            continue
        least, most = interval(apart)[0] / ROOM, interval(contended)[1]
        if most < least:
            yield Breach(
                (name.text, apart.metric),
                contradictions.below_limit(
                    noun(name.text, evidence.title), most, least, contended.unit,
                    "what the same addition takes to a line of its own",
                ),
            )  # fmt: skip


def _a_line_at_least(evidence: Evidence) -> Iterator[Breach]:
    line = evidence.usable(LINE)
    if line is None:
        return
    for name, quantity in evidence.of_kind(Kind.GRANULE):
        most, least = interval(quantity)[1], interval(line)[0]
        if most <= least:
            yield Breach(
                (name.text, LINE),
                contradictions.below_limit(
                    noun(name.text, evidence.title), most, least, quantity.unit,
                    "what a cache line is at least",
                ),
            )  # fmt: skip


GATES = (
    Gate(
        name="transfer_not_below_first_level",
        severity=Severity.LIMIT,
        statement="A line does not come from another core sooner than a load finds one in the first level.",
        source="the core that waits sees the line by a load, which takes at least that",
        causes=(
            "the two threads ran on one core, one after the other",
            "the latency of the first level was measured beside a busy thread",
        ),
        check=_not_below_the_first_level,
    ),
    Gate(
        name="contended_not_below_apart",
        severity=Severity.RELATION,
        statement="An addition to a word that other cores add to takes no less than one to a line of its "
        "own, but for 2 %.",
        source="the same instruction, which besides must have the line",
        causes=(
            "the other cores had ended, or were held, while one went on alone",
            "the additions to lines apart were measured beside a busy thread",
        ),
        check=_not_below_apart,
    ),
    Gate(
        name="granule_not_below_line",
        severity=Severity.RELATION,
        statement="Words of two cores that share nothing lie at least a cache line apart.",
        source="caches keep whole lines coherent; a line is what a level fetches at once",
        causes=(
            "the two CPUs are threads of one core, which share its lines",
            "one of the two threads was held while the other added",
            "the line was measured as a pair, which a prefetcher brought",
        ),
        check=_a_line_at_least,
    ),
)
