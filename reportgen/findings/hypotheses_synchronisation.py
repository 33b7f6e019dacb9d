"""Rules for the hypotheses about what waits for others on a GPU."""

from __future__ import annotations

from reportgen.analysis.gpu_further import BENT
from reportgen.analysis.quantity import Quantity
from reportgen.findings.endings import YES, Case, Ending, Rule, no, nothing, undecided
from reportgen.findings.evidence import interval
from reportgen.findings.wording.synchronisation import FURTHER
from reportgen.status import Status

SERIAL = 0.1
"""How far the factor of a further path may be from 1 where paths are called one after the other."""


def _ending(quantities: list[Quantity], end: str) -> list[Quantity]:
    return [quantity for quantity in quantities if quantity.metric.rpartition(".")[2] == end]


def _waits(case: Case) -> Ending:
    """By what the probe varies: those who meet, or what is waited for."""
    if "further" in case.probe.constants:
        return _grows(case)
    if case.probe.metric == "fence":
        return _behind(case)
    return _slower(case)


def _grows(case: Case) -> Ending:
    if _ending(case.quantities, FURTHER):
        return YES
    for quantity in _ending(case.refused, FURTHER):
        if quantity.status is Status.UNSUPPORTED and quantity.details:
            return no(quantity.reason)
        return undecided(quantity.reason)
    return nothing(case)


def _slower(case: Case) -> Ending:
    """A barrier in shared memory against the barrier of a block of as many warps."""
    pairs = [
        (own, block)
        for own in case.quantities
        if (block := case.evidence.usable(f"barrier.block.{own.metric.rpartition('.')[2]}")) is not None
    ]
    if not case.quantities:
        return nothing(case)
    if not pairs:
        return undecided("no barrier of a block of as many warps in this run")
    quick = [own.metric for own, block in pairs if interval(own)[1] <= interval(block)[0]]
    if quick:
        return no(f"{quick[0]} takes no longer")
    slower = all(interval(own)[0] > interval(block)[1] for own, block in pairs)
    return YES if slower else undecided("intervals of the two kinds of barrier overlap")


def _behind(case: Case) -> Ending:
    alone = {one.metric.rpartition(".")[0]: one for one in _ending(case.quantities, "alone")}
    behind = {one.metric.rpartition(".")[0]: one for one in _ending(case.quantities, "behind_store")}
    both = sorted(alone.keys() & behind.keys())
    if not both:
        return nothing(case)
    quicker = [name for name in both if interval(behind[name])[1] <= interval(alone[name])[0]]
    if quicker:
        return no(f"{quicker[0]} takes no longer behind a store")
    longer = all(interval(behind[name])[0] > interval(alone[name])[1] for name in both)
    return YES if longer else undecided("intervals alone and behind a store overlap")


def _meeting(case: Case) -> Ending:
    """Where lanes that meet cost nothing, time does not grow with them."""
    refused = _ending(case.refused, "conflict")
    odd = [one for one in refused if _otherwise(one)]
    if odd:
        return no(f"{odd[0].metric}: {odd[0].reason}")
    if refused and case.quantities:
        return undecided(f"{refused[0].metric}: {refused[0].reason}")
    return YES if _ending(case.quantities, "conflict") else nothing(case)


def _otherwise(refused: Quantity) -> bool:
    """Whether what has no number surely does not grow by the same for each; scatter may hide that it does."""
    return bool(refused.details) and (refused.status is Status.UNSUPPORTED or bool(refused.details.get(BENT)))


def _contention(case: Case) -> Ending:
    rates = {one.metric.rpartition(".")[2]: interval(one) for one in case.quantities}
    if "one_address" not in rates or "spread" not in rates:
        return nothing(case) if not rates else undecided("a place has no rate")
    if rates["one_address"][1] < rates["spread"][0]:
        return YES
    if rates["one_address"][0] >= rates["spread"][1]:
        return no("at one address no fewer atomic adds are done than apart")
    return undecided("the intervals of the rates overlap")


def _serial(case: Case) -> Ending:
    found = _ending(case.quantities, "factor")
    if not found:
        refused = [one for one in case.refused if _otherwise(one)]
        return no(refused[0].reason) if refused else nothing(case)
    low, high = interval(found[0])
    if low >= 1 - SERIAL and high <= 1 + SERIAL:
        return YES
    if high < 1 - SERIAL or low > 1 + SERIAL:
        return no(f"a further path takes {low:.2f} … {high:.2f} of the time of one alone")
    return undecided(f"the interval {low:.2f} … {high:.2f} reaches across {100 * SERIAL:.0f} % about 1")


_WAITS_RULE = (
    "Where more may meet at a barrier, supported when each further one adds time that is apart from none. Of "
    "fences, supported when each takes longer behind a store than alone; of barriers in shared memory, when "
    "they take longer than those of a block of as many warps, all by intervals."
)
_MEETING_RULE = (
    "Supported when times lie on one rising line over the lanes that meet at an address to 5 %, in every "
    "memory; not supported when they surely do not rise, or not so; undecided where scatter hides it."
)
_CONTENTION_RULE = (
    "Supported when the device does fewer atomic adds a second at one address than at addresses apart, by "
    "intervals."
)
_SERIAL_RULE = (
    "Supported when times lie on one line over the paths to 5 % and a further path takes as long as one "
    "alone to 10 %."
)

RULES: dict[str, Rule] = {
    "waits": (_WAITS_RULE, _waits),
    "meeting": (_MEETING_RULE, _meeting),
    "contention": (_CONTENTION_RULE, _contention),
    "divergence": (_SERIAL_RULE, _serial),
}
"""Analysis -> its rule in words, and the rule."""
