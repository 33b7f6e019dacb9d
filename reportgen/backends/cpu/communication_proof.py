"""Proof from machine code that threads do to a shared line what was meant, and that no wait is without end.

The body is one unit over and over.  Of each unit: every access goes to the line itself, whose register
nothing writes; it is written once, by one indivisible access or by none; every branch belongs to a wait that
begins with a count that falls, and is left where the count is used up.
"""

from __future__ import annotations

from itertools import accumulate

from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.isa import Decoder, Instruction

_LEAVING = frozenset({"js", "b.mi"})
"""Opcodes of branches that are taken where the count fell below zero."""
_INDIVISIBLE = frozenset({"xchg", "swp", "cas", "ldadd"})
"""Opcodes that are indivisible by themselves."""


def faults(
    code: MachineCode, isa: Decoder, region: list[Instruction], expect: dict[str, int | str]
) -> list[str]:
    """What of an expectation of `shared_lines` the body does not hold."""
    units = int(expect["units"])
    size, rest = divmod(len(region), units)
    if rest or not size:
        return [f"{len(region)} instructions are no {units} equal units"]
    first = [_shape(one) for one in region[:size]]
    if any([_shape(one) for one in region[at : at + size]] != first for at in range(0, len(region), size)):
        return ["the body is not the same unit over and over"]
    ends = list(accumulate((one.size for one in region), initial=code.body))
    found = _accesses(region[:size], expect)
    for start in range(0, len(region), size):
        found += _waits(region, ends, start, start + size, str(expect["budget"]))
        if found:
            break
    return found


def _shape(one: Instruction) -> tuple[object, ...]:
    """What is the same in every unit: all but where a branch leads."""
    return one.opcode, "" if one.flow else one.text, one.size, one.flow


def _accesses(unit: list[Instruction], expect: dict[str, int | str]) -> list[str]:
    place, other = str(expect["place"]), str(expect["other"])
    found = []
    for one in unit:
        if one.place is None or not (one.loads or one.stores):  # an address that is only computed
            continue
        wanted = (other or place) if one.stores else place
        if (one.place.base, one.place.index, one.place.displacement) != (wanted, "", 0):
            found.append(f"'{one.text}' goes to another place than the line")
    writers = [one for one in unit if place in one.writes]
    # a chase of one line finds its own address there; anything else keeps it
    walks = [one for one in writers if other and one.loads and one.place and one.place.base == place]
    if len(writers) != len(walks) or (other and len(walks) != 1):
        found.append("the register of the line does not keep its address")
    stores = [one for one in unit if one.stores]
    if len(stores) != 1:
        found.append(f"a unit writes {len(stores)} times, not once")
    held = [one for one in unit if _indivisible(one)]
    if len(held) != int(expect["atomic"]):
        found.append(f"a unit has {len(held)} indivisible accesses, not {expect['atomic']}")
    return found


def _indivisible(one: Instruction) -> bool:
    """By a prefix, by its own nature, or the second of an exclusive pair."""
    return one.text.startswith("lock ") or one.opcode.partition(".")[0] in {*_INDIVISIBLE, "stxr"}


def _waits(region: list[Instruction], ends: list[int], start: int, end: int, budget: str) -> list[str]:
    """Branches of one unit that are not part of a wait with an end."""
    found: list[str] = []
    leaving: dict[int, int] = {}
    for at in range(start, end):
        one = region[at]
        if not one.flow:
            continue
        before = region[at - 1] if at > start else None
        counted = before is not None and _counts(before, budget)
        if one.opcode in _LEAVING and counted:
            leaving[ends[at - 1]] = one.target
        elif one.flow != "conditional" or leaving.pop(one.target, None) != ends[at + 1]:
            found.append(f"'{one.text}' does not lead back to a count that ends the wait")
    if leaving:
        found.append("a count is left by a branch that no wait stands behind")
    return found


def _counts(one: Instruction, budget: str) -> bool:
    """Whether it takes one from the budget, and does nothing else."""
    return one.opcode in ("dec", "subs") and one.reads == one.writes == frozenset({budget})
