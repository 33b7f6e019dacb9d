"""Bodies with branches: what is executed, and where each branch leads, read from the bytes.

* Jumps that are evenly apart are the same bytes over and over.  One is decoded; that it leads to the next,
  and that every other is its copy, proves all.  Conditional ones that a zero would take are not taken: in a
  body of nothing else only the counter behind it writes flags, and while there are rounds it is not zero.
* Calls are followed with a stack of return addresses, as the processor follows them.
* Of conditional branches the histogram counts all; each must skip just the one instruction behind it.
"""

from __future__ import annotations

import dataclasses
from itertools import accumulate, pairwise

from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.isa import Decoder, Instruction

LINE = 64
"""Bytes: a short loop begins with a line of the instruction cache of every core that is known."""
MOST_STEPS = 1 << 16
"""Instructions that are followed before a body is taken to have no end."""


def evenly_apart(
    code: MachineCode, isa: Decoder, spacing: int, flow: str = "jump"
) -> tuple[list[Instruction], list[str]]:
    """Jumps (or branches of another `flow`) `spacing` bytes apart, each to the next.

    Returns:
        One jump, its text naming the distance, as often as it is executed; faults.
    """
    region = code.code[code.body : code.body_end]
    count, rest = divmod(len(region), spacing)
    if rest or not count:
        return [], [f"the timed region of {len(region)} bytes is no multiple of {spacing}"]
    if region != region[:spacing] * count:
        return [], [f"the timed region is not the same {spacing} bytes over and over"]
    first = isa.decode(code.code, code.body, code.body + spacing)[0]
    if first.flow != flow or first.target != code.body + spacing:
        return [first], [f"'{first.text}' does not jump to the next jump, {spacing} bytes further on"]
    text = f"{first.opcode} .+{spacing}"
    return [dataclasses.replace(first, text=text)] * count, []


def followed(code: MachineCode, isa: Decoder) -> tuple[list[Instruction], list[str]]:
    """Instructions in the order of execution, through jumps, calls and returns, until the body's end.

    Returns:
        Instructions; faults: a branch that depends on data or leads out, a return without a call, no end,
        calls without a return.
    """
    listed = isa.decode(code.code, code.body, code.body_end)
    places = accumulate((one.size for one in listed), initial=code.body)
    at_place = dict(zip(places, listed, strict=False))
    found: list[Instruction] = []
    stack: list[int] = []
    at = code.body
    while at != code.body_end:
        one = at_place.get(at)
        if one is None:
            return found, ["a branch leads out of the timed region, or into an instruction"]
        found.append(one)
        if len(found) > MOST_STEPS:
            return found, ["the timed region does not come to its end"]
        if one.flow in ("conditional", "other"):
            return found, [f"'{one.text}' is none of jump, call and return"]
        if one.flow == "return" and not stack:
            return found, ["a return stands where nothing was called"]
        if one.flow == "call":
            stack.append(at + one.size)
        at = {"": at + one.size, "return": stack[-1] if stack else at}.get(one.flow, one.target)
        if one.flow == "return":
            stack.pop()
    return found, [f"{len(stack)} calls do not return"] if stack else []


def deepest(executed: list[Instruction]) -> int:
    """Calls that are open at once, at most."""
    change = {"call": 1, "return": -1}
    return max(accumulate((change.get(one.flow, 0) for one in executed), initial=0))


def skipping(code: MachineCode, isa: Decoder) -> tuple[int, list[str]]:
    """How many conditional branches there are; a fault for each that does not skip just one instruction."""
    listed = isa.decode(code.code, code.body, code.body_end)
    ends = list(accumulate((one.size for one in listed), initial=code.body))[1:]
    faults = [
        f"'{one.text}' does not skip just the instruction behind it"
        for (one, _), (_, behind) in pairwise(zip(listed, ends, strict=True))
        if one.flow and (one.flow != "conditional" or one.target != behind)
    ]
    if listed and listed[-1].flow:
        faults.append("the last instruction is a branch")
    return sum(one.flow == "conditional" for one in listed), faults
