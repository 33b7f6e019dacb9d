"""Sentences for numbers that a gate does not let pass.  Each says which two things do not fit."""

from __future__ import annotations

from reportgen.findings.wording.general import sentence_case
from reportgen.findings.wording.numbers import one


def above_limit(noun: str, value: float, limit: float, unit: str, what: str) -> str:
    """A number above a ceiling; `what` names the ceiling."""
    return f"{sentence_case(noun)} comes out as {one(value, unit)}, above {one(limit, unit)}: {what}."


def below_limit(noun: str, value: float, limit: float, unit: str, what: str) -> str:
    """A number below a floor; `what` names the floor."""
    return f"{sentence_case(noun)} comes out as {one(value, unit)}, below {one(limit, unit)}: {what}."


def not_a_number(noun: str, what: str) -> str:
    """A value that no measurement can have; `what` says how it is broken."""
    return f"{sentence_case(noun)} is not a number that a measurement can give: {what}."


def wrong_order(noun: str, value: float, other: str, limit: float, unit: str, rule: str) -> str:
    """Two numbers in the wrong order; `rule` says what the order should be."""
    return (
        f"{sentence_case(noun)} ({one(value, unit)}) and {other} ({one(limit, unit)}) do not fit each other: "
        f"{rule}."
    )


def wrong_label(noun: str, size: float, where: str, rule: str) -> str:
    """A working set outside the level that it is named for; `where` says which way."""
    return f"{sentence_case(noun)} was taken with a working set of {one(size, 'byte')}, {where}: {rule}."


def edge_of_the_code(noun: str) -> str:
    """An edge on whose two sides different programs ran."""
    return (
        f"The points on the two sides of {noun} ran different machine code: the step is a change of the "
        "code, and says nothing of the device."
    )


def not_symmetric(first: str, second: str, there: float, back: float) -> str:
    """An interference index that depends on which operation is named first."""
    return (
        f"“{first}” with “{second}” scores {one(there, 'ratio')}, “{second}” with “{first}” scores "
        f"{one(back, 'ratio')}: an index does not depend on the order."
    )


def not_transitive(first: str, middle: str, last: str, index: float) -> str:
    """Two serialised pairs with a common member whose other members do not interfere."""
    return (
        f"“{first}” and “{last}” are each serialised with “{middle}”, yet together they score only "
        f"{one(index, 'ratio')}: operations that fill one resource with the same third one fill it together."
    )


def control_failed(title: str, index: float) -> str:
    """Two copies of one operation that do not serialise."""
    return (
        f"Two copies of “{title}” score an interference index of only {one(index, 'ratio')}: the mix does "
        "not fill what the operation needs, so pairs with it can hide a conflict."
    )


def beyond_serial(first: str, second: str, index: float) -> str:
    """A mix that takes longer than its parts one after the other."""
    return (
        f"“{first}” and “{second}” score an interference index of {one(index, 'ratio')}: together they take "
        "longer than one kind after the other would."
    )
