"""From a text to what runs: the body of its loop, what it needs, and what keeps it from running at all.

The loop's own jump back, and the comparison or count before it that serves nothing else, make room for the
frame's counter and jump, which are as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.backends.cpu.own_body import plain
from reportgen.backends.cpu.x86_64.own_code import SLOTS
from reportgen.errors import UserError
from reportgen.measurement import registers, spelling
from reportgen.measurement.registers import VECTOR, Start
from reportgen.model.cost.instruction import Body, Instruction
from reportgen.model.cost.parse import Unreadable, x86_bodies
from reportgen.suite.own_code import Code, Line

if TYPE_CHECKING:
    from reportgen.backends.cpu.x86_64.own_traits import Traits

LOOP_INSTRUCTIONS = 128
"""A text without a loop stands so often that its instructions are about as many."""
MOST_UNROLLED = 4096
ROUNDS = 1024
"""Rounds of the longest body, where no array ends before."""
LEAST_ROUNDS = 16
PARTS = (4, 5, 6, 7, 8)
"""Eighths of the longest body in the others: the shortest is long enough that no core foresees its end."""
BYTES = 16384
"""Of the arrays together: half of the smallest first level that processors of today have."""
PADDING = 1088
"""Between two arrays, see `backends.cpu.loops`."""
LINE = 64
COUNTERS = ("r14", "r13", "r12", "r11", "r10", "r9", "r8", "rbp", "rbx", "rdi", "rdx", "rcx", "rax")
KEPT = "r15"
"""Register that counts bodies."""
_ZERO_AT_START = ("rdx",)
"""So that a division of rdx:rax does not overflow."""
_BRANCHES = ("conditional", "jump")
QUOTES = "' "


@dataclass(frozen=True)
class Wanted:
    """What the user asked for beside the code."""

    size: int = 0
    """Bytes of all arrays; 0: `BYTES`."""
    unroll: int = 0
    """0: as written; for a text without a loop, as often as makes `LOOP_INSTRUCTIONS`."""
    rounds: int = 0
    """Most rounds before moving registers start anew; 0: as many as the arrays have room for."""
    data: str = ""
    """What arrays hold: `fp32`, `fp64`, `int`, `zero`, `list`, `index`; empty: found out."""


def code(name: str, body: Body, init: Body | None, wanted: Wanted) -> Code:
    """What runs of a body.

    Args:
        name: of the row.
        body: of `model.cost.parse`.
        init: what runs before it, if anything does.
        wanted: what the user asked for.

    Raises:
        UserError: it cannot run in the frame, in one line with the reason.
    """
    if body.isa != "x86_64":
        what = "a list of operations" if not body.isa else "SASS"
        raise UserError(f"'{name}' is {what}, which no CPU executes.", "Give x86-64 assembly.")
    kept, closing = without_jump(name, body.instructions)
    before = init.instructions if init is not None else ()
    features = _features(name, (*before, *kept), kept)
    start = registers.starting(kept)
    _check_registers(name, (*before, *kept), start)
    unroll = wanted.unroll or (1 if closing else max(1, LOOP_INSTRUCTIONS // len(kept)))
    if unroll * len(kept) > MOST_UNROLLED:
        raise UserError(
            f"'{name}' would be {unroll * len(kept)} instructions with --unroll {unroll}.",
            f"At most {MOST_UNROLLED} are taken: give a smaller number.",
        )
    numbers = "fp64" if any(_is_double(one.mnemonic) for one in kept) else "fp32"
    array, offsets, each, most = _arrays(name, start, wanted, unroll, numbers)
    counter = _counter(name, (*before, *kept))
    lines = tuple(_line(one) for one in kept)
    return Code(
        name=name,
        title=name,
        lines=lines,
        init=tuple(_line(one) for one in before),
        features=features,
        items=body.items,
        unroll=unroll,
        rounds=tuple(sorted({max(1, most // unroll * part // 8) * unroll for part in PARTS})),
        counter=counter,
        pointers=offsets,
        zeros=tuple(one for one in (*start.indices, *start.numbers) if _zero(one, start)),
        ones=tuple(one for one in start.numbers if _is_general(one) and one not in _ZERO_AT_START),
        vectors=tuple(one for one in start.numbers if one.startswith(VECTOR)),
        cleared=tuple(one for one in start.indices if one.startswith(VECTOR)),
        masks=tuple(one for one in start.numbers if one[0] == "k" and one[1:].isdigit()),
        moving=start.moving,
        array=array,
        each=each,
        numbers=numbers,
        unproven=_unproven(kept),
        notes=(*body.notes, *closing),
    )


def without_jump(
    name: str, instructions: Sequence[Instruction]
) -> tuple[tuple[Instruction, ...], tuple[str, ...]]:
    """The round without what only closes the loop, and what was taken off, in words.

    Raises:
        UserError: nothing else is in it, or it jumps elsewhere than forward within itself.
    """
    kept, notes = list(instructions), []
    last = kept[-1]
    if last.flow in _BRANCHES and last.target is not None and last.target == kept[0].at:
        taken = [kept.pop()]
        if kept and _only_counts(kept[-1], kept[:-1]):
            taken.insert(0, kept.pop())
        words = "; ".join(one.text.split(" short ")[0] for one in taken)
        notes.append(f"the loop's own '{words}' made room for the frame's counter and jump")
    if not kept:
        raise UserError(f"the loop in '{name}' does nothing but count.", "Give a loop with a body.")
    first, end = kept[0].at, kept[-1].at + len(kept[-1].code) // 2
    places = {one.at for one in kept} | {end}
    closes = {one.at for one in instructions} - places
    for one in kept:
        if one.flow not in _BRANCHES:
            continue
        target = one.target if one.target is not None else -1
        if target in closes:
            raise UserError(
                f"'{name}': '{one.text}' jumps to the loop's own jump, which the frame's takes the place of.",
                "Let it jump to the comparison before that.",
            )
        if target not in places or not first <= target:
            raise UserError(
                f"'{name}': '{one.text}' jumps out of the code that is measured.",
                "Give one loop without another way out.",
            )
        if target <= one.at:
            raise UserError(
                f"'{name}': '{one.text}' jumps back, so that nobody knows how often it runs.",
                "Give the inner loop alone.",
            )
    return tuple(kept), tuple(notes)


def _only_counts(one: Instruction, rest: Sequence[Instruction]) -> bool:
    """Whether an instruction sets flags for the jump, and nothing else of the round reads what it writes."""
    if one.memory:
        return False
    if one.mnemonic in ("cmp", "test"):
        return True
    counts = one.mnemonic in ("inc", "dec") or (
        one.mnemonic in ("add", "sub") and one.operands[1:] == ("imm",)
    )
    own = {name for name in one.writes if name not in ("cf", "zf")}
    used = {name for other in rest for name in (*other.reads, *other.writes)}
    return counts and not own & used


def _features(name: str, code: Sequence[Instruction], kept: Sequence[Instruction]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for one in code:
        has = _traits(one)
        if has.refused:
            raise UserError(f"'{name}': '{one.text}' cannot run here: {has.refused}.", "Leave it out.")
        if one.flow != "next" and one not in kept:
            raise UserError(f"'{name}': '{one.text}' jumps in --init.", "Set registers there only.")
        found |= dict.fromkeys(has.features)
    return tuple(found)


def _check_registers(name: str, code: Sequence[Instruction], start: Start) -> None:
    used = {register for one in code for register in (*one.reads, *one.writes)}
    if KEPT in used:
        raise UserError(
            f"'{name}' uses {KEPT}, which counts the rounds.", "Use another register in its place."
        )
    if start.absolute:
        raise UserError(
            f"'{name}': '{start.absolute[0]}' accesses memory through no register that could be set.",
            "Put the address into a register: registers that are used as addresses point to an array. A name "
            "that is no register, perhaps a misspelt one, is read as an address.",
        )
    if len(start.moving) > len(SLOTS):
        raise UserError(
            f"'{name}' moves {len(start.moving)} address registers on, {', '.join(start.moving)}.",
            f"At most {len(SLOTS)} can be set back: use one index for several arrays.",
        )


def _arrays(
    name: str, start: Start, wanted: Wanted, unroll: int, numbers: str
) -> tuple[str, dict[str, int], int, int]:
    """What the memory holds, where each pointer begins, bytes of an array, and how many rounds have room."""
    size = wanted.size or BYTES
    data = wanted.data or ("list" if start.follows else numbers)
    each = max(LINE, size // max(1, len(start.pointers)) // LINE * LINE)
    walks = any(one.step for one in start.references) and not start.follows
    # a size that was asked for is walked to its end
    usual = each if wanted.size and walks else ROUNDS
    most = wanted.rounds or max(usual, unroll * 8)
    reach: dict[str, int] = {}
    for one in start.references:
        if one.step and not start.follows:
            room = each // abs(one.step)
            if room < max(LEAST_ROUNDS, unroll * 8):
                least = abs(one.step) * max(LEAST_ROUNDS, unroll * 8) * len(start.pointers)
                raise UserError(
                    f"'{name}' moves {abs(one.step)} bytes a round, and an array has {each}.",
                    f"Give --bytes {least} or more, for enough rounds in a row, or a smaller --unroll.",
                )
            most = min(most, room)
            reach[one.pointer] = min(reach.get(one.pointer, 0), one.step)
    if most < max(8, unroll * 8):
        raise UserError(f"--rounds {most} are too few.", f"Give at least {max(8, unroll * 8)}.")
    offsets = {}
    for number, pointer in enumerate(start.pointers):
        back = -reach.get(pointer, 0) * most // LINE * LINE
        offsets[pointer] = number * (each + (0 if data == "list" else PADDING)) + back
    total = max(LINE, len(start.pointers) * (each + (0 if data == "list" else PADDING)))
    return f"{data} {total}", offsets, each, most


def _counter(name: str, code: Sequence[Instruction]) -> str:
    used = {register for one in code for register in (*one.reads, *one.writes)}
    free = [one for one in COUNTERS if one not in used]
    if not free:
        raise UserError(f"'{name}' uses every register.", "Leave one free besides r15: it counts the rounds.")
    return free[0]


def _line(one: Instruction) -> Line:
    jump = (one.target or 0) - one.at
    named = one.address is not None and one.address.base == "rip"
    return Line(plain(one.text, one.flow, jump, named), one.code, _traits(one).displacement)


def _traits(one: Instruction) -> Traits:
    # its decoder is installed where x86-64 code can be measured, and this is imported elsewhere too
    from reportgen.backends.cpu.x86_64.own_traits import traits

    return traits(bytes.fromhex(one.code))


def _unproven(kept: Sequence[Instruction]) -> str:
    """Why the assembler does not read what the decoder says of the code; empty where it does, and agrees."""
    said = [plain_of(one) for one in kept]
    try:
        again = x86_bodies([("", spelling.text(kept), True)])[0].instructions
    except Unreadable as error:
        return f"the assembler does not read the decoder's text ({error.message.strip(QUOTES)})"
    found = [plain_of(one) for one in again]
    if found == said:
        return ""
    pairs = zip(said, found, strict=False)
    first = next((f"'{one}' and '{other}'" for one, other in pairs if one != other), "their number")
    return f"assembler and decoder differ on {first}"


def plain_of(one: Instruction) -> str:
    """An instruction without what depends on where it lies; of a branch its name alone."""
    if one.flow in _BRANCHES:
        return one.mnemonic
    return _line(one).text


def _is_double(mnemonic: str) -> bool:
    return mnemonic.endswith(("pd", "sd"))


def _is_general(name: str) -> bool:
    return not name.startswith(VECTOR) and not (name[0] == "k" and name[1:].isdigit()) and name[0] in "re"


def _zero(name: str, start: Start) -> bool:
    return _is_general(name) and (name in start.indices or name in _ZERO_AT_START)
