"""Many small bodies for few starts of llvm-mca: each is a region of one text.

Cycles of a step are the difference of two simulations over that of their steps, so that neither the start
nor the end of a simulation counts: as the slope of two chains is of a measurement.  A region that it cannot
read, or has no model of, is told with the reason, and the others are asked again without it.

Source: documentation of llvm-mca, code regions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.others import JOBS, Answer, Ran, complaint

AT_ONCE = 250
"""Regions of a start."""
SHORT, LONG = 120, 360
"""Instructions of the two simulations of a region, about: against ones eight times as long, cycles of the
bodies of a Zen 4's 8,833 forms differed by 0.8 % at most in 99.5 % of all, and by 2.9 % in none."""
LEAST = 4, 12
"""Rounds of a long body."""
IN_A_ROW = 8
"""After so many regions that it does not know, one behind the other, those like them are not asked of."""
NO_MODEL = "no model of an instruction in it"
NOT_ASKED = f"not asked: {IN_A_ROW} like it before have none, one after the other"

_HEAD = re.compile(r"^\[\d+\] Code Region - r(\d+)$.*?^Total Cycles:\s+(\d+)$", re.MULTILINE | re.DOTALL)
_UNREAD = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)
_INSTRUCTION = re.compile(r"^note: instruction:", re.MULTILINE)


@dataclass(frozen=True)
class Region:
    """One body, without the loop about it."""

    name: str
    lines: tuple[str, ...]
    """In Intel syntax."""
    steps: int
    """That cycles are told of, in one round of the body."""
    meets: bool = False
    """Whether its loads are of what its stores wrote: in order then, else as if all lay apart."""
    like: str = ""
    """What it is likely to be unknown with."""


def ask(tool: LlvmMca, regions: Sequence[Region], step: Callable[[str], None]) -> dict[str, Answer]:
    """Cycles of a step of each region, or the fault.

    Args:
        tool: which is not missing.
        regions: of names that differ.
        step: called with a name for each chunk of regions that is done.
    """
    chunks = list(chunked(regions))

    def one(chunk: Sequence[Region]) -> dict[str, Answer]:
        answers = _of_chunk(tool, chunk)
        step(chunk[0].like)
        return answers

    found: dict[str, Answer] = {}
    with ThreadPoolExecutor(JOBS) as pool:
        for answers in pool.map(one, chunks):
            found |= answers
    return {region.name: found[region.name] for region in regions}


def chunked(regions: Sequence[Region]) -> Iterator[Sequence[Region]]:
    """Regions that are asked of together: of about one length, like beside like."""

    def kind(region: Region) -> tuple[bool, int]:
        return region.meets, len(region.lines).bit_length()

    ordered = sorted(regions, key=lambda region: (*kind(region), region.like))
    begin = 0
    for at in range(1, len(ordered) + 1):
        full = at - begin == AT_ONCE
        if at == len(ordered) or full or kind(ordered[at]) != kind(ordered[begin]):
            yield ordered[begin:at]
            begin = at


def _of_chunk(tool: LlvmMca, chunk: Sequence[Region]) -> dict[str, Answer]:
    length = max(len(region.lines) for region in chunk)
    few, many = (max(total // length, least) for total, least in zip((SHORT, LONG), LEAST, strict=True))
    first = _simulated(tool, chunk, few)
    second = _simulated(tool, [region for region in chunk if not first[region.name].fault], many)
    found = dict(first)
    for region in chunk:
        later = second.get(region.name)
        if later is not None:
            steps = (many - few) * region.steps
            cycles = (later.cycles - first[region.name].cycles) / steps
            found[region.name] = Answer(cycles, fault=later.fault)
    return found


def _simulated(tool: LlvmMca, chunk: Sequence[Region], rounds: int) -> dict[str, Answer]:
    """Total cycles of each region."""
    found: dict[str, Answer] = {}
    left = list(chunk)
    row = 0
    while left:
        words = (f"-iterations={rounds}", "-resource-pressure=0", "-instruction-info=0")
        ran = tool.simulate(*words, f"-noalias={str(not left[0].meets).lower()}", given=text(left))
        unread = _unread(ran, left)
        if unread:
            found |= unread
            left = [region for region in left if region.name not in unread]
            continue
        told = {left[int(match[1])].name: Answer(float(match[2])) for match in _HEAD.finditer(ran.out)}
        found |= told
        left = left[len(told) :]
        if not left:
            break
        # it ends at the first region that it has no model of, and names the instruction
        if _INSTRUCTION.search(ran.err) is None:
            return found | {region.name: Answer(fault=complaint(ran)) for region in left}
        row = 1 if told else row + 1
        found[left[0].name] = Answer(fault=NO_MODEL)
        like, left = left[0].like, left[1:]
        if row >= IN_A_ROW:
            found |= {region.name: Answer(fault=NOT_ASKED) for region in left if region.like == like}
            left, row = [region for region in left if region.like != like], 0
    return found


def text(regions: Sequence[Region]) -> str:
    """Regions one after the other, by their numbers."""
    lines = [".intel_syntax noprefix"]
    for number, region in enumerate(regions):
        lines += [f"# LLVM-MCA-BEGIN r{number}", *region.lines, f"# LLVM-MCA-END r{number}"]
    return "\n".join(lines) + "\n"


def _unread(ran: Ran, regions: Sequence[Region]) -> dict[str, Answer]:
    """The regions with lines that it cannot read, and what is wrong with them."""
    wrong = {int(match[1]): match[2] for match in _UNREAD.finditer(ran.err)}
    found: dict[str, Answer] = {}
    line = 1
    for region in regions:
        begin, line = line + 1, line + len(region.lines) + 2
        for at in range(begin, line + 1):
            if at in wrong:
                found.setdefault(region.name, Answer(fault=wrong[at]))
    return found
