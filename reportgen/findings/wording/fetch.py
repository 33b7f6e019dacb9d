"""Sentences about instruction supply: what straight code of many sizes shows."""

from __future__ import annotations

import re

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import interval
from reportgen.findings.metric import MetricId
from reportgen.findings.wording.numbers import amount, listed, one
from reportgen.units import significant

OP_CACHE, L1I = "op_cache", "l1i"
_CODE = re.compile(r"(nop|move|ffma)(\d*)(?:_(\d+)_warps)?")
_OPERATIONS = {"nop": "no-operations", "move": "moves", "ffma": "FFMA"}
_AGREED = {
    OP_CACHE: "instructions that the first supply holds, at one count for two lengths of instruction",
    L1I: "code that the first cache of instructions holds, at one size for two lengths of instruction",
}


def code(name: str) -> str:
    """`move4` -> "moves of 4 bytes", `ffma_16_warps` -> "FFMA, 16 warps"."""
    found = _CODE.fullmatch(name)
    if found is None:
        return name.replace("_", " ")
    length = f" of {found[2]} bytes" if found[2] else ""
    warps = f", {found[3]} warps" if found[3] else ""
    return f"{_OPERATIONS[found[1]]}{length}{warps}"


def short(name: str) -> str:
    """The same beside a line of a figure: `move4` -> "move, 4 bytes"; of a GPU what differs, the warps."""
    found = _CODE.fullmatch(name)
    if found is None:
        return name.replace("_", " ")
    if found[1] == "ffma":
        return f"{found[3]} warps" if found[3] else "1 warp"
    return f"{found[1]}, {found[2]} bytes" if found[2] else found[1]


def level(part: str) -> str:
    """`level2` -> "level 2"."""
    return part.replace("level", "level ")


def phrase(name: MetricId, *, rate: bool) -> str:
    """A metric as a noun phrase."""
    if not name.part:
        return f"the {_AGREED.get(name.subject, name.subject)}"
    if rate:
        return f"the rate of {code(name.subject)} from {level(name.part)} of instruction supply"
    return f"the code that {level(name.part)} of instruction supply holds of {code(name.subject)}"


def capacity(name: MetricId, quantity: Quantity) -> str:
    """Measured: between which sizes straight code becomes slower."""
    low, high = interval(quantity)
    if not name.part:
        same = "count" if quantity.unit == "count" else "size"
        words = "instructions" if quantity.unit == "count" else "of code"
        return (
            f"Straight code of {_both(quantity)} becomes slower at the same {same}: it keeps its rate up to "
            f"{one(low, quantity.unit)} {words} and no longer from {one(high, quantity.unit)} on "
            f"(n = {quantity.n:,})."
        )
    least, most = (significant(end, 4) for end in quantity.details["instructions"])
    return (
        f"Straight code of {code(name.subject)} keeps the rate of {level(name.part)} up to "
        f"{one(low, quantity.unit)} ({least} instructions) and no longer from {one(high, quantity.unit)} "
        f"({most}) on (n = {quantity.n:,})."
    )


def rate(name: MetricId, quantity: Quantity) -> str:
    """Measured: instructions and bytes a cycle within a level."""
    each = float(quantity.details["length"])
    moved = (quantity.value or 0.0) * each
    sizes = " to ".join(one(float(quantity.details[end]), "byte") for end in ("from_bytes", "to_bytes"))
    return (
        f"Of {code(name.subject)}, {level(name.part)} of instruction supply delivers {amount(quantity)}, "
        f"that is {significant(moved, 3)} bytes a cycle (code of {sizes})."
    )


def in_instructions(quantity: Quantity, ends: str) -> str:
    """Inferred: two lengths, one count."""
    return (
        f"That straight code of {_both(quantity)} becomes slower at the same count of instructions, though "
        f"at other sizes ({ends}), is consistent with a limit in instructions, such as that of a cache of "
        "decoded instructions."
    )


def in_bytes(quantity: Quantity, ends: str) -> str:
    """Inferred: two lengths, one size."""
    return (
        f"That straight code of {_both(quantity)} becomes slower at the same size, though at other counts of "
        f"instructions ({ends}), is consistent with a limit in bytes, such as that of a first-level "
        "instruction cache."
    )


def in_either(name: MetricId, quantity: Quantity) -> str:
    """Inferred: one length, or ends that do not meet."""
    low, high = interval(quantity)
    return (
        f"That straight code of {code(name.subject)} becomes slower between {one(low, 'byte')} and "
        f"{one(high, 'byte')} is consistent with the end of a level of instruction supply; whether that is "
        "limited in bytes or in instructions is not told apart."
    )


def _both(quantity: Quantity) -> str:
    return listed([code(metric.split(".")[1]) for metric in quantity.details["of"]])
