"""How the hypothesis about replacement in a set ends."""

from __future__ import annotations

from reportgen.analysis.replacement import read
from reportgen.findings.endings import YES, Case, Ending, Rule, no, undecided

ASSUMED = "LRU"


def _least_recently_used(case: Case) -> Ending:
    reading = read(case.quantities)
    if reading is None:
        return undecided("no sequence has a share of misses")
    for one in reading.excluded:
        if one.policy == ASSUMED:
            low, high = one.predicted
            expected = f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} … {high:.2f}"
            return no(f"{one.metric} is {one.measured:.2f} where it would be {expected}")
    if len(reading.left) > 1:
        others = ", ".join(name for name in reading.left if name != ASSUMED)
        return undecided(f"these sequences do not exclude {others} either")
    return YES


_LEFT_ALONE = (
    "Supported when the shares of misses are those of LRU and of no other simulated policy; not supported "
    "when one of them excludes LRU."
)
RULES: dict[str, Rule] = {"replacement": (_LEFT_ALONE, _least_recently_used)}
