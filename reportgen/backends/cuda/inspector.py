"""Machine code -> verdict, from what nvdisasm reads out of the cubin that runs.

1. Histogram: the window between the two clock reads holds the wanted instructions, as many as wanted,
   nothing foreign but what counts turns.  (`asm volatile` does not bind the assembler: it folds, merges
   and moves.)
2. Dataflow: the wanted instructions form the wanted number of chains, and no step is left out.
3. Kernel: no spills, no called routine, clock reads that do not go through the uniform datapath.
4. Control bits: what the compiler assumes of every dependent edge, and the t1 - t0 that follows.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.backends.cuda import dataflow, expectation, register_ports, segments
from reportgen.backends.cuda.dataflow import Window
from reportgen.backends.cuda.elf import Resources
from reportgen.backends.cuda.expectation import Expectation, Wanted
from reportgen.backends.cuda.sass import Instruction, listing
from reportgen.runs.schema import Program

_SPILL = re.compile(r"(STL|LDL)(\..*)?")
_FETCH = re.compile(r"(U?LDCU?|LD[GSL]?|S2U?R|ULD\w*)\b.*")
_MATRIX = re.compile(r"[A-Z]+MMA\..*")
_MOVE = re.compile(r"MOV|IMAD\.MOV\.U32")
MOVES = 8
"""Of results to where the next turn reads them, in a turn of some hundred instructions."""
_HINTS = (
    (re.compile(r"CALL\..*"), "a routine is called"),
    (re.compile(r"(LDL|STL)\b.*"), "a spill"),
    (
        re.compile(r"D(ADD|MUL|FMA|SETP|MNMX)\b.*|F2F\.F64\.F32|F2F\.F32\.F64"),
        "double precision: a literal without f makes the whole expression double",
    ),
    (
        re.compile(r"U(?!LDC|MOV)[A-Z0-9]+\b.*|R2UR|VOTEU\b.*"),
        "the uniform datapath: operands are the same in every lane, load them per thread",
    ),
    (
        re.compile(r"(U?LDCU?|LDG|U?MOV|S2U?R|IMAD\.MOV|CS2U?R)\b.*"),
        "operands are fetched after the first clock read: put one copy of the operation before it",
    ),
    (re.compile(r"BRA\b.*"), "a loop's branch"),
)
"""What foreign instructions tell, the first that fits."""


_NAMED = 4
"""Most opcodes of an emulation that are named."""


@dataclass(frozen=True)
class Inspection:
    """A program, and what becomes of its point."""

    program: Program
    status: str
    """`ok`, `unsupported` (only emulated) or `invalid`."""
    reason: str


@dataclass(frozen=True)
class Kernel:
    """What is known of one compiled kernel."""

    source: str
    code: bytes
    """Its machine code."""
    identity: bytes
    """What else the digest depends on: target and name."""
    instructions: list[Instruction]
    resources: Resources


def uninspected(kernel: Kernel, reason: str) -> Inspection:
    """A program that no decoder could read: its machine code is kept, its verdict is open."""
    program = Program(
        sha256=hashlib.sha256(kernel.identity + kernel.code).hexdigest(),
        source=kernel.source,
        listing="",
        opcodes={},
        verdict="unverified",
        explanation=reason,
        size=len(kernel.code),
        facts={key: value for key, value in _resources(kernel).items() if key != "spills"},
    )
    return Inspection(program, "unverified", reason)


def inspect(kernel: Kernel, expect: Mapping[str, int | str]) -> Inspection:
    """Judge one kernel against what the generator expects.

    Raises:
        ValueError: the expectation cannot be read.
    """
    wanted = expectation.read(expect)
    window = Window(kernel.instructions)
    whole = wanted.kind == expectation.WINDOWLESS
    counting = frozenset[int]() if whole or not wanted.exact else _counting(wanted, window)
    body = kernel.instructions if whole else [one for n, one in enumerate(window.body) if n not in counting]
    opcodes = Counter(one.opcode for one in body if not _filler(one))
    emulated = "" if whole else _emulated(wanted, kernel.instructions, opcodes)
    faults = _kernel_faults(wanted, kernel)
    facts = _resources(kernel)
    if not whole:
        miscounted = _count_faults(wanted, opcodes)
        faults += [*miscounted, *_clock_faults(wanted, window, turned=bool(counting))]
        faults += _loop_faults(wanted, window)
        edges = window.edges()
        nodes = [
            n
            for n, one in enumerate(window.body)
            if wanted.label(one.opcode) and not one.never and n not in counting
        ]
        faults += [] if miscounted else _chain_faults(wanted, edges, nodes)
        if wanted.kind == segments.KIND:
            faults += segments.faults(window, wanted, expect)
        else:
            facts |= _encoded(wanted, window, edges, nodes)
        facts |= {"counting_instructions": len(counting)} if counting else {}
    verdict = "rejected" if faults or emulated else "verified"
    explanation = emulated or "; ".join(faults) or _praise(wanted, opcodes)
    shown = kernel.instructions if window.bounds is None else _framed(window)
    program = Program(
        sha256=hashlib.sha256(kernel.identity + kernel.code).hexdigest(),
        source=kernel.source,
        listing=(segments.listing if wanted.kind == segments.KIND else listing)(_trimmed(shown)),
        opcodes=dict(opcodes),
        verdict=verdict,
        explanation=explanation,
        size=len(kernel.code),
        facts=facts,
    )
    if emulated:
        return Inspection(program, "unsupported", emulated)
    return Inspection(program, "invalid" if faults else "ok", explanation if faults else "")


def _counting(wanted: Expectation, window: Window) -> frozenset[int]:
    """Places of what belongs to turns and not to what is timed: their count, and a few moves between them."""
    control = window.control()
    moves = {
        n
        for n, one in enumerate(window.body)
        if _MOVE.fullmatch(one.opcode) and not wanted.mentions(one.opcode)
    }
    return control | moves if control and len(moves - control) <= MOVES else control


def sweep_faults(histograms: Sequence[tuple[str, Mapping[str, int]]]) -> dict[str, str]:
    """Points of one sweep whose window holds other opcodes than those of most points, and which.

    Args:
        histograms: (point, opcode histogram of its window) of one probe; counts may differ, as the
            variable asks, opcodes may not.
    """
    kinds = Counter(frozenset(counts) for _, counts in histograms)
    if len(kinds) < 2:
        return {}
    common = kinds.most_common(1)[0][0]
    faults = {}
    for point, counts in histograms:
        more, less = sorted(set(counts) - common), sorted(common - set(counts))
        text = [*(f"also {name}" for name in more), *(f"no {name}" for name in less)]
        if text:
            faults[point] = f"not the histogram of the sweep: {', '.join(text)}"
    return faults


def _filler(one: Instruction) -> bool:
    """Time and nothing else: the hardware needs them where a stall does not suffice."""
    return one.never or one.opcode == "NOP"


def _framed(window: Window) -> list[Instruction]:
    assert window.bounds is not None
    return [window.bounds[0], *window.body, window.bounds[1]]


def _trimmed(instructions: Sequence[Instruction]) -> list[Instruction]:
    """Without the padding behind the code."""
    end = len(instructions)
    while end and instructions[end - 1].opcode == "NOP":
        end -= 1
    return list(instructions[:end])


def _emulated(wanted: Expectation, kernel: Iterable[Instruction], opcodes: Counter[str]) -> str:
    """Why a class is not there although the compiler took it, where that is known; else empty.

    What emulates a matrix instruction may have been moved out of the window: its operands do not change.
    """
    moved = {one.opcode for one in kernel if _MATRIX.fullmatch(one.opcode)}
    for one in wanted.wanted:
        if one.emulated is None or any(one.match.fullmatch(opcode) for opcode in opcodes):
            continue
        instead = sorted(opcode for opcode in {*opcodes, *moved} if one.emulated.fullmatch(opcode))
        if instead:
            named = ", ".join(instead[:_NAMED])
            return f"emulated: this target has no {one.label}, the compiler puts {named} in its place"
    return ""


def _kernel_faults(wanted: Expectation, kernel: Kernel) -> list[str]:
    faults = []
    spills = [one.opcode for one in kernel.instructions if _SPILL.fullmatch(one.opcode)]
    meant = any(wanted.mentions(opcode) for opcode in (*spills, "LDL", "STL"))
    if spills and not meant:
        counts = Counter(spills)
        faults.append(f"spills: {_spell(counts)}, {kernel.resources.stack_bytes} bytes of stack a thread")
    elif kernel.resources.stack_bytes and not meant:
        faults.append(f"{kernel.resources.stack_bytes} bytes of stack a thread")
    return faults


def _clock_faults(wanted: Expectation, window: Window, *, turned: bool) -> list[str]:
    """What is wrong with the clock reads; a window of many turns may wait at its ends."""
    if window.bounds is None:
        return [f"no window: {len(window.clocks)} clock reads, wanted 2"]
    kinds = sorted({one.opcode for one in window.clocks})
    faults = []
    if len(window.clocks) > 2:
        faults.append(f"{len(window.clocks)} clock reads, wanted 2")
    if wanted.exact and not turned and (len(kinds) > 1 or not kinds[0].startswith("CS2R")):
        faults.append(
            f"clock reads are {' and '.join(kinds)}: they wait differently; store both raw clocks per thread"
        )
    late = {one.opcode for one in window.arrivals() if _FETCH.fullmatch(one.opcode)}
    late = {opcode for opcode in late if not wanted.mentions(opcode)}
    if wanted.exact and late and not turned:
        faults.append(
            f"the window waits for {', '.join(sorted(late))} issued before it: "
            "put one copy of the operation before the first clock read"
        )
    return faults


def _count_faults(wanted: Expectation, opcodes: Counter[str]) -> list[str]:
    faults = []
    for one in wanted.wanted:
        found = Counter({name: n for name, n in opcodes.items() if wanted.label(name) == one.label})
        if found.total() != one.count:
            uniform = any(name.startswith("U") and wanted.label(name[1:]) == one.label for name in opcodes)
            faults.append(_miscount(one, found, folded=not uniform))
    foreign = Counter({name: n for name, n in opcodes.items() if not wanted.mentions(name)})
    if foreign:
        hint = next((text for pattern, text in _HINTS for name in foreign if pattern.fullmatch(name)), "")
        faults.append(f"foreign: {_spell(foreign)}{f' ({hint})' if hint else ''}")
    return faults


def _loop_faults(wanted: Expectation, window: Window) -> list[str]:
    """Loops that hold something else than they shall, where that decides how often it is done."""
    if not wanted.loops:
        return []
    found = Counter(_held(wanted, turn) for turn in window.turns())
    if found == Counter(wanted.loops):
        return []
    return [f"loops of {_spell(Counter(wanted.loops))} wanted, found {_spell(found)}"]


def _held(wanted: Expectation, turn: Sequence[Instruction]) -> str:
    counts = Counter(wanted.label(one.opcode) for one in turn if not one.never)
    return ", ".join(f"{counts[one.label]} {one.label}" for one in wanted.wanted if counts[one.label])


def _miscount(one: Wanted, found: Counter[str], *, folded: bool) -> str:
    total = found.total()
    text = f"wanted {one.count} {one.label}, found {_spell(found)}"
    if total and one.count and total % one.count == 0:
        return f"{text}: {total // one.count} times as many, a loop was unrolled again"
    if folded and 0 < total < one.count:
        return f"{text}: the compiler folded or merged steps"
    return text


def _chain_faults(wanted: Expectation, edges: Sequence[dataflow.Edge], nodes: Sequence[int]) -> list[str]:
    if not wanted.chains or not nodes:
        return []
    faults = []
    found = dataflow.chains(edges, nodes)
    if found != wanted.chains:
        faults.append(f"wanted {wanted.chains} dependency chain{_s(wanted.chains)}, found {found}")
    if wanted.kind != "chain" or faults:
        return faults
    deepest = dataflow.longest(edges, nodes)
    if deepest < wanted.steps:
        faults.append(f"the chain is broken: the longest path has {deepest} of {wanted.steps} steps")
    period = max(1, len(nodes) // max(1, wanted.steps))
    loose = [node for node in dataflow.rootless(edges, nodes) if node not in nodes[:period]]
    if loose:
        faults.append(f"{len(loose)} wanted instructions read no result of the chain")
    return faults


def _resources(kernel: Kernel) -> dict[str, int | float | str]:
    spilled = sum(1 for one in kernel.instructions if _SPILL.fullmatch(one.opcode))
    return {
        "registers": kernel.resources.registers,
        "stack_bytes": kernel.resources.stack_bytes,
        "shared_bytes": kernel.resources.shared_bytes,
        "constant_bytes": kernel.resources.constant_bytes,
        "spills": spilled,
        "sass_sha256": hashlib.sha256(kernel.code).hexdigest(),
    }


def _encoded(
    wanted: Expectation, window: Window, edges: Sequence[dataflow.Edge], nodes: Sequence[int]
) -> dict[str, int | float | str]:
    """What the control bits say; latencies only of chains, issue intervals only of independent work."""
    facts: dict[str, int | float | str] = {"window_instructions": len(window.body)}
    predicted = window.predicted()
    if predicted is not None:
        facts["predicted_window"] = predicted
    read = dataflow.encoded(window, edges, nodes)
    if read is not None:
        facts |= {"encoded_kind": read.kind, "encoded_edges": read.edges}
        if read.hazards:
            facts["encoded_hazards"] = read.hazards
    if read is not None and read.kind == "fixed" and wanted.kind in ("chain", "tensor"):
        facts["encoded_distance"] = read.distance
        steps = wanted.steps
        period = len(nodes) // steps if steps else 0
        if steps > 1 and period:
            facts["encoded_step"] = window.span(nodes[period - 1], nodes[steps * period - 1]) / (steps - 1)
    if wanted.kind == "pair":
        facts[register_ports.FACT] = register_ports.stalls(window.body)
    if wanted.kind == "independent" and nodes:
        stalls = Counter(window.body[node].control.stall for node in nodes)
        facts["encoded_issue"] = min(stalls, key=lambda stall: (-stalls[stall], stall))
    return facts


def _praise(wanted: Expectation, opcodes: Counter[str]) -> str:
    if wanted.kind == expectation.WINDOWLESS:
        return "no spills, no stack"
    text = f"the window holds {_spell(opcodes)}, nothing foreign, no spills"
    if wanted.kind == "chain" and wanted.chains == 1:
        return f"{text}; every step reads what the step before wrote"
    return f"{text}; {wanted.chains} dependency chain{_s(wanted.chains)}" if wanted.chains else text


def _spell(histogram: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(histogram.items())) or "none"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
