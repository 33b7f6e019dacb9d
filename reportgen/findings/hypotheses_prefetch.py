"""How hypotheses about lines that come before they are asked for end."""

from __future__ import annotations

import math

from reportgen.analysis.paired import NO, YES
from reportgen.analysis.prefetch import BROUGHT
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.robust import symmetric
from reportgen.findings import endings
from reportgen.findings.endings import Case, Ending, Rule, no, undecided
from reportgen.findings.evidence import central, interval
from reportgen.findings.metric import parse
from reportgen.status import Status


def _asked(case: Case) -> list[Quantity]:
    """What was measured, and what has no number since visits disagree: pairs of samples may tell."""
    return [*case.quantities, *(one for one in case.refused if one.status is Status.UNSTABLE)]


def _stride(case: Case) -> Ending:
    constant = [q for q in _asked(case) if not parse(q.metric).subject.startswith("pattern")]
    for quantity in constant:
        if quantity.details.get("followed") == NO:
            return no(f"{quantity.metric}: {quantity.details['gain'][0]:.2f} times as long in random order")
    open_ones = [q.metric for q in constant if q.details.get("followed") != YES]
    if open_ones or not constant:
        return undecided(f"{open_ones[0] if open_ones else 'no step'} does not tell")
    return endings.YES


def _run(case: Case) -> Ending:
    by_place = {parse(q.metric).subject: q for q in case.quantities}
    first = by_place.get("1")
    last = max(case.quantities, key=lambda q: int(q.details.get("last", 0)), default=None)
    if first is None or last is None or last is first:
        return undecided("no later line beside the first")
    saved = symmetric(
        central(first) - central(last),
        math.hypot(*(interval(one)[1] - central(one) for one in (first, last))),
    )
    if saved.high < BROUGHT:
        return no(f"{last.metric} saves {saved.value:.1f} cycles")
    if saved.low > BROUGHT:
        return endings.YES
    return undecided(f"{last.metric} saves {saved.low:.1f} … {saved.high:.1f} cycles")


def _near(case: Case) -> Ending:
    beside = [q for q in _asked(case) if abs(int(q.details.get("distance", 0))) == 1]
    single = [q for q in beside if parse(q.metric).subject in ("even", "odd")]
    for quantity in single:
        if quantity.details.get("brought") == NO:
            return no(f"{quantity.metric} saves {quantity.details['saved'][0]:.1f} cycles")
    open_ones = [q.metric for q in single if q.details.get("brought") != YES]
    if open_ones or not single:
        return undecided(f"{open_ones[0] if open_ones else 'no neighbour'} does not tell")
    return endings.YES


def _streams(case: Case) -> Ending:
    known = [q for q in case.quantities if q.status in (Status.OK, Status.UNVERIFIED, Status.CENSORED)]
    return endings.YES if known else undecided("no number of streams is known to be followed")


RULES: dict[str, Rule] = {
    "prefetch_stride": (
        (
            "Supported when the shuffled lines of every constant step take 1.15 times as long and more, not "
            "supported when those of one surely do not."
        ),
        _stride,
    ),
    "prefetch_run": (
        (
            "Supported when the last lines of the longest run save 8 cycles and more beside the first one, "
            "not supported when they surely save less."
        ),
        _run,
    ),
    "prefetch_near": (
        (
            "Supported when the lines on either side of one that was touched save 8 cycles and more beside a "
            "far one, not supported when one of them surely does not."
        ),
        _near,
    ),
    "prefetch_streams": (
        "Supported when some number of streams is followed; undecided where none surely is.",
        _streams,
    ),
}
