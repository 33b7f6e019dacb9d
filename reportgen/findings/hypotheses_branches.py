"""How hypotheses about branches end."""

from __future__ import annotations

from reportgen.findings.endings import YES, Case, Ending, Rule, no, nothing, undecided
from reportgen.findings.metric import Kind, parse
from reportgen.status import Status

AS_ONE = 0.15
"""What shares of random outcomes say of one misprediction may differ by so much of it."""


def _proportional(case: Case) -> Ending:
    quantity = next(iter(case.quantities), None)
    if quantity is None or quantity.low is None or quantity.high is None or not quantity.value:
        return nothing(case)
    spread = (quantity.high - quantity.low) / quantity.value
    if spread <= AS_ONE:
        return YES
    return no(
        f"shares of random outcomes put the cost between {quantity.low:.1f} and {quantity.high:.1f} cycles"
    )


def _one_rate(case: Case) -> Ending:
    kinds = {parse(quantity.metric).kind for quantity in case.quantities}
    if Kind.BRANCH_INTERVAL not in kinds:
        return nothing(case)
    ends = [one for one in case.quantities if parse(one.metric).kind is Kind.BRANCH_END]
    if not any(one.status is not Status.CENSORED for one in ends):
        return undecided("no end was found within the range of the probe")
    return YES


def _depth(case: Case) -> Ending:
    if all(quantity.status is Status.CENSORED for quantity in case.quantities):
        return undecided("no end was found within the range of the probe")
    return YES


def _groups(case: Case) -> Ending:
    quantity = next(iter(case.quantities), None)
    if quantity is not None and quantity.status is Status.CENSORED:
        return no("rounds take as long as their instructions need at the rate of the front end")
    return YES if quantity is not None and quantity.value is not None else nothing(case)


RULES: dict[str, Rule] = {
    "misprediction": (
        "Supported when what the shares of random outcomes say of one misprediction lies within 15 % of it.",
        _proportional,
    ),
    "taken_branches": (
        "Supported when few branches follow at one rate and an end of it was found at some distance.",
        _one_rate,
    ),
    "loop_rounds": ("Supported when groups of one size tell how long every round takes.", _groups),
    "call_return": ("Supported when an end was found within the range of the probe.", _depth),
}
"""Analysis -> its rule in words, and the rule."""
