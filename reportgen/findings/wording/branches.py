"""Sentences about branches: the cost of a wrong prediction, the rate of taken ones and where it ends."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import interval
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.numbers import amount, listed
from reportgen.units import format_interval, significant

KINDS = frozenset(
    {Kind.MISPREDICTION, Kind.BRANCH_INTERVAL, Kind.BRANCH_END, Kind.RETURN_DEPTH, Kind.LOOP_GROUP}
)


def distance(name: MetricId) -> str:
    """`branch.taken.16b.first` -> "16 bytes"."""
    return f"{name.subject.removesuffix('b')} bytes"


def noun(name: MetricId) -> str:
    """A metric of these kinds as a noun phrase."""
    match name.kind:
        case Kind.MISPREDICTION:
            return "the cost of a branch misprediction"
        case Kind.BRANCH_INTERVAL:
            return f"the interval of {'taken branches' if name.subject == 'taken' else 'branches not taken'}"
        case Kind.RETURN_DEPTH:
            return "the depth of nested calls whose returns are predicted"
        case Kind.LOOP_GROUP:
            return "the number of instructions that come in at once in front of a taken branch"
        case _:
            return f"the {name.part} end of taken branches {distance(name)} apart"


def measured(name: MetricId, quantity: Quantity) -> str:
    """Measured: the sentence of one of these metrics."""
    match name.kind:
        case Kind.MISPREDICTION:
            return _misprediction(quantity)
        case Kind.BRANCH_INTERVAL if name.subject == "not_taken":
            return f"A conditional branch that is not taken takes {amount(quantity)}, one after another."
        case Kind.BRANCH_INTERVAL:
            return (
                f"A taken branch takes {amount(quantity)}, one after another in a loop of up to "
                f"{significant(quantity.details.get('most', 0), 6)} of them."
            )
        case Kind.RETURN_DEPTH:
            return _return_depth(quantity)
        case Kind.LOOP_GROUP:
            return _loop_group(quantity)
        case _:
            return _end(name, quantity)


def _misprediction(quantity: Quantity) -> str:
    text = (
        f"A branch that is predicted wrongly costs {amount(quantity)} more than one predicted rightly: "
        "outcomes that nothing can predict against outcomes that stay the same, in the same code."
    )
    more = quantity.details.get("alternating")
    if isinstance(more, (int, float)):
        beside = f"{max(more, 0.0):.2f} cycles more than" if abs(more) >= ALIKE else "as long as"
        text += f" Outcomes that alternate take {beside} those that stay the same."
    return text


ALIKE = 0.05
"""Cycles of a branch below which two patterns take the same time."""


def _return_depth(quantity: Quantity) -> str:
    low, high = interval(quantity)
    before, after = quantity.details.get("before"), quantity.details.get("after")
    text = (
        f"Calls nested {low:.0f} deep return at one cost a level, and no longer when nested {high:.0f} deep "
        f"(n = {quantity.n:,})."
    )
    if isinstance(before, float) and isinstance(after, float):
        text += f" A level costs {before:.1f} cycles up to there, one more about {after:.0f}."
    return text


def _loop_group(quantity: Quantity) -> str:
    low, high = interval(quantity)
    group = f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
    closing = "one" if quantity.details.get("closing", 1) == 1 else "two"
    return (
        f"A round of a short loop takes whole cycles, at least one for every {group} instructions, where its "
        f"counter and branch count as {closing} (n = {quantity.n:,})."
    )


def _end(name: MetricId, quantity: Quantity) -> str:
    low, high = interval(quantity)
    before, after = quantity.details.get("before"), quantity.details.get("after")
    rates = ""
    if isinstance(before, float) and isinstance(after, float):
        rates = f", {before:.2f} cycles before it and {after:.2f} after it"
    return (
        f"The {name.part} end of the rate of taken branches {distance(name)} apart lies between "
        f"{low:.0f} and {high:.0f} branches{rates} (n = {quantity.n:,})."
    )


def of_count(name: MetricId, others: tuple[str, ...]) -> str:
    """Inferred: an end at the same number of branches whatever their distance."""
    return (
        f"That the {name.part} end of taken branches {distance(name)} apart comes at the same number of "
        f"branches as an end of those {_apart(others)} is consistent with a buffer that holds so many branch "
        "targets."
    )


def of_bytes(
    name: MetricId, others: tuple[str, ...], quantity: Quantity, each: float, straight: Quantity | None
) -> str:
    """Inferred: an end at the same number of bytes of code.

    Args:
        name: of the end.
        others: distances of branches with an end at as many bytes.
        quantity: the end, a number of branches.
        each: bytes from one branch to the next.
        straight: where straight code, without branches, ends a level at as many bytes.
    """
    low, high = interval(quantity)
    size = format_interval(low * each, high * each, "byte")
    text = (
        f"That the {name.part} end of taken branches {distance(name)} apart comes at as many bytes of code "
        f"({size}) as an end of those {_apart(others)} is consistent with the end of a level that holds code."
    )
    if straight is None:
        return text
    ends = format_interval(*interval(straight), "byte")
    return f"{text} Straight code, which has no branches, becomes slower there too ({ends})."


def _apart(others: tuple[str, ...]) -> str:
    return f"{listed([one.removesuffix('b') for one in others])} bytes apart"


def elsewhere(others: tuple[str, ...]) -> str:
    """Evidence against a reading: other distances have no end where it would put one."""
    return f"no end of those {_apart(others)} lies there"


def returns(quantity: Quantity) -> str:
    """Inferred: what the depth of nested calls fits."""
    low, _ = interval(quantity)
    return (
        f"That calls nested more than {low:.0f} deep cost more is consistent with a stack of "
        "return addresses of that many entries."
    )
