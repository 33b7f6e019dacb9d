"""Machine code -> verdict, from instructions that the ISA's own decoder read from the bytes that run.

Three questions:

1. Histogram: does the timed region hold the wanted instructions, as many as wanted, nothing else
   but the loop's own counter and branch?
2. Dataflow: do the instructions form the wanted number of dependency chains?  (Walk of register
   reads and writes; an instruction belongs to the chain whose last writer it reads.)
3. Frame: are the calibration chains the dependent additions they claim to be?
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable
from functools import cache

from reportgen.backends.cpu import access_proof, branch_proof, communication_proof, own_code, shared_lines
from reportgen.backends.cpu import inspector_blend as blend
from reportgen.backends.cpu.clock import CANARY_BLOCK, CHAIN_BLOCK, SHORT_CHAIN
from reportgen.backends.cpu.compiler import MachineCode
from reportgen.backends.cpu.isa import Decoder, Instruction, Place, decoder
from reportgen.runs.schema import Program

_BRANCHES = frozenset({"outcomes", "jumps", "untaken", "calls"})
"""Kinds whose bodies branch."""
_NO_OPCODES = frozenset(
    {"kind", "chains", "branches", "spacing", "unit"}
    | access_proof.EXPECTED
    | shared_lines.EXPECTED
    | frozenset(blend.EXPECTED)
)
"""Keys of an expectation that are no opcodes."""
_CLOSING_BYTES = 32
"""More than the counter and the branch behind a body take."""


def inspect(code: MachineCode, source: str, expect: dict[str, int | str]) -> Program:
    """Decode the program and judge its timed region against what the generator expects."""
    isa = decoder(code.isa)
    kind = str(expect["kind"])
    region, strays, times = _region(code, isa, kind, expect)
    closing = isa.decode(code.code, code.body_end, min(code.end, code.body_end + _CLOSING_BYTES))
    loop = _closing(code, isa, kind, closing)
    opcodes = Counter(instruction.opcode for instruction in region)
    for opcode in opcodes:
        opcodes[opcode] *= times
    faults = []
    if not loop:
        loop = closing[: len(isa.LOOP)]
        faults.append("the body is not closed by one counter and one branch")
    faults += _frame_faults(code) + strays
    wanted = Counter({k: int(v) for k, v in expect.items() if k not in _NO_OPCODES | own_code.EXPECTED})
    if kind == own_code.KIND:
        faults += own_code.faults(region, code.body, str(expect["text"]))
    elif opcodes != wanted:
        faults.append(f"wanted {_spell(wanted)}, found {_spell(opcodes)}")
    # a body of one instruction is its own next step
    again = region * (2 if len(region) * times == 1 else min(times, 2))
    edges = _edges(again) if "chains" in expect else []
    chains = _chains(edges)
    faults += _chain_faults(kind, chains, int(expect.get("chains", 0)))
    if kind in ("chain", "outcomes") and not _unbroken(again, edges):
        faults.append("the dependency chain is broken between two steps")
    if kind == "blend":
        faults += blend.faults(region, code.body, {name: int(expect[name]) for name in blend.EXPECTED})
    if kind == "rounds" and code.body % branch_proof.LINE:
        faults.append(f"the loop does not begin at a multiple of {branch_proof.LINE} bytes")
    if kind == "window" and not _halved(region):
        faults.append("the two loads that shall miss do not stand at the beginning of two equal halves")
    if kind in _BRANCHES:
        faults += _branch_faults(code, isa, kind, region, int(expect["branches"]))
    stray = (
        0
        if kind in ("calls", own_code.KIND)  # the latter is compared instruction by instruction
        else sum(1 for one in region if one.place is not None and one.place.base == isa.STACK)
    )
    faults += access_proof.faults(kind, region, code, expect)
    if kind == "shared":
        faults += communication_proof.faults(code, isa, region, expect)
    if stray:
        faults.append(f"{stray} accesses to the stack: a spill")
    facts: dict[str, int | float | str] = {"instructions": len(region) * times, "stack_accesses": stray}
    if chains:
        facts["chains"] = chains
    if kind in _BRANCHES:
        facts["branches"] = int(expect["branches"])
    explanation = "; ".join(faults) if faults else _praise(kind, opcodes, chains)
    unproven = "" if faults else str(expect.get("unproven", ""))
    return Program(
        sha256=hashlib.sha256(code.code).hexdigest(),
        source=source,
        listing=listing(region + loop) if times == 1 else _folded(region, times, loop),
        opcodes=dict(opcodes),
        verdict="rejected" if faults else "unverified" if unproven else "verified",
        explanation=unproven or explanation,
        size=len(code.code),
        facts=facts,
    )


def _region(
    code: MachineCode, isa: Decoder, kind: str, expect: dict[str, int | str]
) -> tuple[list[Instruction], list[str], int]:
    """Instructions of the timed region, what is wrong with their way, how often they follow on each other.

    Those executed, where jumps and calls decide, else all of it.
    """
    if kind == "jumps":
        return *branch_proof.evenly_apart(code, isa, int(expect["spacing"])), 1
    if kind == "untaken":
        return *branch_proof.evenly_apart(code, isa, int(expect["spacing"]), "conditional"), 1
    if kind == "calls":
        return *branch_proof.followed(code, isa), 1
    found, times = _repeated(code, isa, int(expect.get("unit", 0)))
    return found, [], times


def _branch_faults(
    code: MachineCode, isa: Decoder, kind: str, region: list[Instruction], branches: int
) -> list[str]:
    """Other branches than the wanted ones; calls that are not nested as deep as wanted."""
    if kind == "outcomes":
        found, faults = branch_proof.skipping(code, isa)
        return faults + ([] if found == branches else [f"wanted {branches} branches, found {found}"])
    if kind == "calls":
        depth = branch_proof.deepest(region)
        return [] if depth == branches else [f"wanted calls {branches} deep, found {depth}"]
    return [] if len(region) == branches else [f"wanted {branches} jumps, found {len(region)}"]


def _repeated(code: MachineCode, isa: Decoder, unit: int) -> tuple[list[Instruction], int]:
    """The timed region's instructions, and how often they follow on each other.

    A region of millions of equal units is decoded once: where its bytes are a unit over and over, and the
    unit is whole instructions, a decoder that reads on from each unit's end finds the same again.  Anything
    else is decoded to its end.
    """
    region = code.code[code.body : code.body_end]
    times = len(region) // unit if unit else 0
    if times > 1 and region == region[:unit] * times:
        found = isa.decode(code.code, code.body, code.body + unit)
        if all(one.opcode != "unknown" for one in found):
            return found, times
    return isa.decode(code.code, code.body, code.body_end), 1


def _closing(code: MachineCode, isa: Decoder, kind: str, found: list[Instruction]) -> list[Instruction]:
    """The instructions that close a body, or none where others do.

    One of much code may be closed by a branch that passes over another one, which goes back to the body.
    """
    near, far = found[: len(isa.LOOP)], found[: len(isa.FAR_LOOP)]
    if tuple(one.opcode for one in near) == isa.LOOP:
        return near
    if kind != "footprint" or tuple(one.opcode for one in far) != isa.FAR_LOOP:
        return []
    behind = code.body_end + sum(one.size for one in far)
    return far if (far[-2].target, far[-1].target) == (behind, code.body) else []


def _folded(region: list[Instruction], times: int, loop: list[Instruction]) -> str:
    """The listing of a unit, how often it stands there, and what closes the body."""
    return f"{listing(region)}\n; these {len(region)} x {times}\n{listing(loop)}"


def _chain_faults(kind: str, found: int, wanted: int) -> list[str]:
    """A wrong number of chains.

    Instructions that are `apart` form none, or one each (`div` and the moves it needs); where they
    are mixed with others, those still form the wanted ones.
    """
    if kind == "apart":
        wrong = 0 < found < wanted
    elif kind == "mixed_apart":
        wrong = found < wanted
    else:
        wrong = found != wanted
    return [f"wanted {wanted} dependency chains, found {found}"] if wrong else []


def _praise(kind: str, opcodes: Counter[str], chains: int) -> str:
    text = f"the timed region holds {_spell(opcodes)}, nothing foreign, no stack access"
    if kind == "outcomes":
        return f"{text}; every branch skips one instruction, on a number that all before it lead to"
    if kind == "jumps":
        return f"the timed region holds {_spell(opcodes)}, each to the next, and what would trap between them"
    if kind == "untaken":
        return f"{text}; only the loop's counter, which is not zero, writes what they ask for"
    if kind == "rounds":
        return f"{text}; {chains} dependency chains, in a loop that begins with a line of code"
    if kind == "calls":
        return f"followed through its calls, the timed region executes {_spell(opcodes)}, nothing foreign"
    if kind == "chain":
        return f"{text}; every step reads what the step before wrote"
    if kind in ("independent", "apart"):
        return f"{text}; {chains or 'no'} dependency chain{'s' if chains != 1 else ''}"
    if kind == "blend":
        return f"{text}; every multiply-add reads what a load brought, loads take one stretch without a gap"
    if kind in access_proof.KINDS:
        return f"{text}; every step waits for the one before, at the places that were meant"
    if kind == "shared":
        return f"{text}; every access goes to the line that is shared, every wait ends by itself"
    if kind == own_code.KIND:
        return f"the timed region holds {_spell(opcodes)}, each as it was written and in that order"
    if kind == "frame":
        return "the frame's two calibration chains are as meant; the timed work is library code"
    return text


def _spell(histogram: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(histogram.items())) or "nothing"


def listing(instructions: Iterable[Instruction]) -> str:
    """Disassembly, one line an instruction; an endless repetition is folded to its count."""
    lines: list[str] = []
    previous, count = "", 0
    for text in [*(instruction.text for instruction in instructions), ""]:
        if text == previous:
            count += 1
            continue
        if previous:
            lines.append(previous if count == 1 else f"{previous}    ; x {count}")
        previous, count = text, 1
    return "\n".join(lines)


def _edges(region: list[Instruction]) -> list[set[int]]:
    """For each instruction, the earlier ones whose register or scratch-line result it reads."""
    register_writer: dict[str, int] = {}
    memory_writer: dict[Place, int] = {}
    edges: list[set[int]] = []
    for index, instruction in enumerate(region):
        sources = {register_writer[name] for name in instruction.reads if name in register_writer}
        place = instruction.place
        if place is not None:
            if instruction.loads and place in memory_writer:
                sources.add(memory_writer[place])
            if instruction.stores:
                memory_writer[place] = index
        edges.append(sources)
        for name in instruction.writes:
            register_writer[name] = index
    return edges


def _chains(edges: list[set[int]]) -> int:
    """Number of dependency chains: groups of instructions joined by a register or scratch line.

    Instructions that neither read nor feed another (a load from a fixed line) are no chain.
    """
    parent = list(range(len(edges)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    joined = set()
    for index, sources in enumerate(edges):
        for source in sources:
            parent[root(index)] = root(source)
            joined |= {index, source}
    return len({root(node) for node in joined})


def _unbroken(region: list[Instruction], edges: list[set[int]]) -> bool:
    """Whether one dependency path runs through every step, from the first to the last.

    A step is the shortest repeating pattern of opcodes.  The longest path that ends in a step must
    be longer than the longest that ends in the step before it; where the chain is broken, it is not.
    """
    if not region:
        return False
    depth: list[int] = []
    for sources in edges:
        depth.append(1 + max((depth[s] for s in sources), default=0))
    period = _period(region)
    ends = [max(depth[start : start + period]) for start in range(0, len(depth), period)]
    return all(before < after for before, after in itertools.pairwise(ends))


def _halved(region: list[Instruction]) -> bool:
    """Whether just two loads fetch their own next address, one at the beginning of each half."""
    walking = [
        at for at, one in enumerate(region) if one.place and one.loads and one.place.base in one.writes
    ]
    return walking == [0, len(region) // 2] and len(region) % 2 == 0


def _period(region: list[Instruction]) -> int:
    """Shortest repeating pattern of opcodes: the instructions of one step."""
    names = [instruction.opcode for instruction in region]
    for length in range(1, len(names) + 1):
        if len(names) % length == 0 and names == names[:length] * (len(names) // length):
            return length
    return len(names)


def _frame_faults(code: MachineCode) -> list[str]:
    """Check the frame before and after the body once per distinct frame."""
    return list(
        _check_frame(code.isa, code.code[code.entry : code.body], code.code[code.body_end : code.end])
    )


@cache
def _check_frame(isa: str, before: bytes, after: bytes) -> tuple[str, ...]:
    room = decoder(isa)
    faults = []
    for where, part, adds in (
        ("before", before, [SHORT_CHAIN, CHAIN_BLOCK]),
        ("after", after, [CHAIN_BLOCK]),
    ):
        faults += _part_faults(room, where, part, adds)
    return tuple(faults)


def _part_faults(room: Decoder, where: str, part: bytes, adds: list[int]) -> list[str]:
    """Runs of the calibration's and the canary's instruction; short ones are padding."""
    runs = [(text, len(list(run))) for text, run in itertools.groupby(room.decode(part, 0, len(part)), _text)]
    faults = []
    for name, text, wanted in (
        ("calibration", room.CALIBRATION, adds),
        ("canary", room.CANARY, [CANARY_BLOCK]),
    ):
        found = [length for one, length in runs if one == text and length >= SHORT_CHAIN]
        if found != wanted:
            faults.append(f"the {name} {where} the body holds {found} times '{text}' in a row, not {wanted}")
    return faults


def _text(instruction: Instruction) -> str:
    return instruction.text
