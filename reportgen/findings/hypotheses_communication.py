"""How hypotheses about what cores share end."""

from __future__ import annotations

from reportgen.analysis.line_transfer import ELSEWHERE
from reportgen.analysis.quantity import Quantity
from reportgen.findings.endings import YES, Case, Ending, Rule, no, nothing, undecided
from reportgen.findings.evidence import interval
from reportgen.findings.metric import Kind, parse

READ = "read"


def _of_kind(case: Case, kind: Kind, part: str = "") -> list[Quantity]:
    return [one for one in case.quantities if (name := parse(one.metric)).kind is kind and name.part == part]


def _transfer(case: Case) -> Ending:
    """By what the probe varies beside the number of hand-overs: pairs, or the access."""
    if "adds" in case.probe.hypothesis:
        return _atomic(case)
    found = _of_kind(case, Kind.TRANSFER)
    if not found:
        return nothing(case)
    times = [float(one) for one in found[0].details.get("seconds", ())]
    moved = found[0].details.get("modes")
    if moved:
        return undecided(f"the pair {next(iter(moved))} has two times")
    farthest = _of_kind(case, Kind.TRANSFER, "farthest")
    if not farthest:
        return undecided("there is one pair")
    if max(times) > ELSEWHERE * min(times) and interval(farthest[0])[0] > interval(found[0])[1]:
        return no(f"the slowest pair takes {max(times) / min(times):.1f} times as long as the fastest")
    return YES


def _atomic(case: Case) -> Ending:
    """Against the same pair handed over by a store, where the run has it."""
    found = _of_kind(case, Kind.TRANSFER)
    plain = case.evidence.usable("communication.transfer.store")
    if not found:
        return nothing(case)
    if plain is None:
        return undecided("no transfer by a store in this run")
    quicker = [one for one in found if interval(one)[1] < interval(plain)[0]]
    if quicker:
        return no(f"{quicker[0].metric} takes less than {plain.metric}")
    longer = all(interval(one)[0] > interval(plain)[1] for one in found)
    return YES if longer else undecided("the intervals of the two overlap")


def _false_sharing(case: Case) -> Ending:
    if _of_kind(case, Kind.GRANULE):
        return YES
    alike = [one for one in case.refused if one.details.get("alike")]
    return no(alike[0].reason) if alike else nothing(case)


def _contended(case: Case) -> Ending:
    rates = _of_kind(case, Kind.CONTENDED_RATE)
    if not rates:
        return nothing(case)
    for one in rates:
        alone = one.details.get("rates", (0.0,))[0]
        if interval(one)[0] >= alone:
            return no(f"{one.metric} is no less than what one core reaches alone")
    return YES


_TRANSFER_RULE = (
    "Supported when no pair takes 1.25 times as long as another, by intervals; of indivisible accesses, when "
    "all of them take longer than a store, by intervals."
)
_SHARING_RULE = (
    "Supported when additions to one line take longer than those to lines apart, and the distance where that "
    "ends is found."
)
_CONTENDED_RULE = (
    "Supported when all cores together add less often a second than one alone, by every kind of addition."
)
RULES: dict[str, Rule] = {
    "line_transfer": (_TRANSFER_RULE, _transfer),
    "false_sharing": (_SHARING_RULE, _false_sharing),
    "contended_atomic": (_CONTENDED_RULE, _contended),
}
"""Analysis -> its rule in words, and the rule."""
