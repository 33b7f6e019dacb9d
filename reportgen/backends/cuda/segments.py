"""Straight code in segments, behind each a branch back to the top: whether machine code is that.

A launch parameter says behind which segment a pass ends.  What a pass of each size executes follows from
where its branch goes back to: counted are the wanted instructions from there to the branch, and the bytes.
From sm_80 to sm_89 the assembler goes on to the next segment by a call of it that does not return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from reportgen.backends.cuda import sass
from reportgen.backends.cuda.dataflow import CALLED, Window, destination
from reportgen.backends.cuda.expectation import Expectation
from reportgen.backends.cuda.sass import WORD, Instruction

KIND = "footprint"
OFF = 0.02
"""A size may miss the wanted bytes by this share: targets need other instructions to count a pass."""
NEXT = 3 * WORD.size
"""So far behind a branch back lies what goes on."""
SHOWN = 4
"""Equal instructions in a row that a listing shows."""


def faults(window: Window, wanted: Expectation, expect: Mapping[str, int | str]) -> list[str]:
    """What is wrong with the branches and with what a pass of each size holds.

    Args:
        window: between the clock reads.
        wanted: read from `expect`; its first class is what segments are made of.
        expect: of the generator, with `sizes`: bytes of each, ascending, and `segments`: wanted instructions
            of a pass of each.
    """
    sizes, counts = ([int(word) for word in str(expect[name]).split()] for name in ("sizes", "segments"))
    back = window.backward()
    if len(back) != len(sizes):
        return [f"wanted {len(sizes)} branches back to the top, found {len(back)}"]
    tops = [destination(window.body[number]) for number in back]
    if any(later >= before for before, later in pairwise(tops)):
        return ["sizes do not each go back to a place of their own, further out for larger ones"]
    found = _branch_faults(window.body, back)
    label = wanted.wanted[0].label
    for number, top, size, count in zip(back, tops, sizes, counts, strict=True):
        end = window.body[number].offset
        inside = [one for one in window.body if top <= one.offset <= end]
        held = sum(wanted.label(one.opcode) == label for one in inside)
        length = end + WORD.size - top
        if held != count:
            found.append(f"code of {size} bytes holds {held} {label} a pass, wanted {count}")
        elif abs(length - size) > OFF * size:
            found.append(f"code of {size} bytes is {length} bytes long")
    return found


def _branch_faults(body: Sequence[Instruction], back: Sequence[int]) -> list[str]:
    """Other branches than those back, the way out, and those to what stands next."""
    last = body[back[-1]].offset
    others = [one for n, one in enumerate(body) if n not in set(back) and _branches(one)]
    out = [one for one in others if one.opcode != CALLED and destination(one) > last]
    on = [one for one in others if one.opcode == CALLED and 0 < destination(one) - one.offset <= NEXT]
    strange = len(others) - len(out) - len(on)
    text = [f"{strange} branches lead elsewhere"] if strange else []
    return [*text, f"{len(out)} ways out of the passes, wanted 1"] if len(out) != 1 else text


def _branches(one: Instruction) -> bool:
    return one.opcode.startswith(("BRA", "CALL", "BRX", "JMP"))


def listing(instructions: Sequence[Instruction]) -> str:
    """As `sass.listing`, with long runs of one opcode cut short."""
    lines: list[str] = []
    run: list[Instruction] = []
    for one in [*instructions, None]:
        if run and (one is None or one.opcode != run[0].opcode):
            lines.append(sass.listing(run[:SHOWN]))
            if len(run) > SHOWN:
                lines.append(f"; {len(run) - SHOWN} more {run[0].opcode}")
            run = []
        if one is not None:
            run.append(one)
    return "\n".join(lines)
