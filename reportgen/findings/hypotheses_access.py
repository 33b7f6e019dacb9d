"""How hypotheses about the place of an access end."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings import forwarding
from reportgen.findings.endings import YES, Case, Ending, Rule, no, undecided
from reportgen.findings.evidence import central, interval
from reportgen.findings.metric import parse
from reportgen.findings.wording.access import reaches


def _store_to_load(case: Case) -> Ending:
    """By register file: another file has other latencies of its own."""
    told = 0
    for vector in (False, True):
        own = [q for q in case.quantities if parse(q.metric).subject.startswith("v") is vector]
        fitting = [q for q in own if q.details.get("place") in forwarding.FITTING]
        others = [q for q in own if q.details.get("place") not in forwarding.FITTING]
        if not fitting or not others:
            continue
        told += 1
        slowest = max(fitting, key=lambda q: interval(q)[1])
        fastest = min(others, key=lambda q: interval(q)[0])
        if interval(slowest)[1] >= interval(fastest)[0]:
            return no(f"{slowest.metric} takes as long as {fastest.metric}")
    return YES if told else undecided("no load within a store beside one that is not")


def _short_loop(case: Case) -> Ending:
    found = list(forwarding.pairs(case.evidence, case.quantities))
    if not found:
        return undecided("no case was measured in a long loop as well")
    quicker = [pair for pair in found if pair in forwarding.learnt(case.evidence)]
    if quicker:
        short, long = quicker[0]
        return no(f"{short.metric} takes {central(short):.2f} cycles, {long.metric} {central(long):.2f}")
    return YES


def _split(case: Case) -> Ending:
    by_name = {q.metric: q for q in case.quantities}
    told = 0
    for metric, across in by_name.items():
        name = parse(metric)
        if name.subject not in ("line", "page"):
            continue
        below = _place(by_name, name.part, "aligned" if name.subject == "line" else "line")
        if below is None:
            continue
        told += 1
        shorter = interval(across)[1] < interval(below)[0]
        if shorter or (name.subject == "line" and interval(across)[0] <= interval(below)[1]):
            return no(f"{metric} takes {central(across):.2f} cycles, {below.metric} {central(below):.2f}")
    return YES if told else undecided("no access was measured at two places")


def _place(by_name: dict[str, Quantity], access: str, place: str) -> Quantity | None:
    return by_name.get(f"access.split.{place}.{access}")


def _alias(case: Case) -> Ending:
    alike = [q for q in case.quantities if q.details.get("equal_low_bits") and q.details.get("added")]
    if not alike:
        return undecided("no distance with equal low bits has a time, or none to compare it with")
    for quantity in alike:
        low, high = reaches(quantity)
        if low > forwarding.SEEN or high < -forwarding.SEEN:
            value = float(quantity.details["added"][0])
            return no(f"at {quantity.details['distance']} bytes it takes {value:.2f} cycles more")
    wide = [q for q in alike if reaches(q)[1] > 1]
    return undecided(f"the interval of {wide[0].metric} is wider than a cycle") if wide else YES


_NOT_LESS = (
    "Supported when every access across a 64-byte boundary takes longer than the aligned one, and none "
    "across a page less than that, by intervals."
)
_NOTHING_ADDED = (
    "Supported when no distance with equal low bits adds more than 0.05 cycles beyond its interval; "
    "undecided where an interval is wider than a cycle."
)
RULES: dict[str, Rule] = {
    "store_to_load": (
        "Supported when every load within its store takes less than any other of its register file.",
        _store_to_load,
    ),
    "split": (
        _NOT_LESS,
        _split,
    ),
    "alias": (
        _NOTHING_ADDED,
        _alias,
    ),
}
SHORT_LOOP: Rule = (
    "Supported when no case is quicker by 10 % in a short loop than in a long one, by intervals.",
    _short_loop,
)
