"""Instructions that an operation of another form stands for, where a survey measured the very form.

The suite asks one form of many, with care, and knows what it competes for.  A survey asked every form by
itself: it knows what this one takes.  So resources come from the operation that stands for it, and how long
they are kept, and the latency, from the survey.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from reportgen.model.cost import surveyed
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.uses import WIDTH, Uses
from reportgen.model.cost.x86_64 import WIDTHS, Part, Taken

_NARROW = re.compile(r"r(8|16|32)")
_SPELLED = re.compile(r"\.r(8|16|32)\b")
"""Of a form that the suite asks with a register of that width; others are asked with 64 bits."""


def told(taken: Mapping[Instruction, Taken], uses: Uses) -> dict[Instruction, Taken]:
    """The same, where a survey has the very form of an instruction with what it says of it.

    Args:
        taken: what each instruction is in terms of operations.
        uses: of the model, completed with forms of a survey.
    """
    return {one: _told(one, what, uses) for one, what in taken.items()}


def _told(one: Instruction, what: Taken, uses: Uses) -> Taken:
    if not what.computes or what.eliminated:
        return what
    part, *beside = what.parts
    if surveyed.is_surveyed(part.operation) or _asked(one, part, uses):
        return what
    form = surveyed.in_registers(one, uses.forms)
    if not form:
        return what
    own, other = uses.interval(form), _interval(part, uses)
    busy = own / other if own and other else 1.0
    return replace(what, parts=(replace(part, measured=True, busy=busy, form=form), *beside))


def _asked(one: Instruction, part: Part, uses: Uses) -> bool:
    """Whether the suite asked this very form by itself: the mnemonic, and registers as wide."""
    if not part.measured or part.share < 1:
        return False
    widths = [WIDTHS[kind] for kind in one.operands if kind in WIDTHS]
    if widths:
        suffix = WIDTH.search(part.operation)
        return suffix is None or suffix[1] in widths
    form = uses.forms.get(part.operation, "")
    return _SPELLED.search(form) is not None or not any(_NARROW.fullmatch(kind) for kind in one.operands)


def _interval(part: Part, uses: Uses) -> float:
    """Cycles of the part alone; where its rate has no number, what its resources were found to take."""
    interval, demand = uses.interval(part.operation), uses.demand(part.operation)
    if interval is None and demand is not None:
        interval = demand.cycles / len(demand.resources)
    return (interval or 0.0) * part.share
